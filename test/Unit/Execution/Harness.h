// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Runs planned programs on threads that are ranks of the host library, for
/// tests that compare every element.

#ifndef PCTL_TEST_UNIT_EXECUTION_HARNESS_H
#define PCTL_TEST_UNIT_EXECUTION_HARNESS_H

#include "pctl/Execution/Engine.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"

#include <functional>
#include <string>
#include <vector>

namespace pctl::test {

/// A dense row-major array of elements of some bytes each.
struct Array {
  llvm::SmallVector<int64_t> shape;
  int64_t elementBytes = 1;
  std::vector<char> bytes;

  static Array zeros(llvm::ArrayRef<int64_t> shape, int64_t elementBytes);
  template <typename T>
  static Array of(llvm::ArrayRef<int64_t> shape, const std::vector<T> &values) {
    Array array = zeros(shape, sizeof(T));
    std::copy_n(reinterpret_cast<const char *>(values.data()),
                array.bytes.size(), array.bytes.data());
    return array;
  }
  int64_t getNumElements() const;
  char *at(int64_t i) { return bytes.data() + i * elementBytes; }
  const char *at(int64_t i) const { return bytes.data() + i * elementBytes; }
  template <typename T> T get(int64_t i) const {
    T value;
    std::copy_n(at(i), sizeof(T), reinterpret_cast<char *>(&value));
    return value;
  }
  friend bool operator==(const Array &a, const Array &b) {
    return a.shape == b.shape && a.bytes == b.bytes;
  }
};
/// Prints shape and bytes; found by GoogleTest.
void PrintTo(const Array &array, std::ostream *os);

/// The context with all that the pipeline needs; one a process.
mlir::MLIRContext &getContext();

/// A program compiled for the host.
struct Compiled {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::unique_ptr<execution::Program> program;
};

/// Parses \p text and takes it to code; a failure fails the test and leaves the
/// program null.
Compiled compileText(const std::string &text, unsigned optLevel = 1);
/// The same for \p module, of planned form; 0 for \p chunkBytes stands for the
/// pipeline's own.
Compiled compileModule(mlir::OwningOpRef<mlir::ModuleOp> module,
                       unsigned optLevel = 1, int64_t chunkBytes = 0);
/// Runs the pipeline alone; null after a failure, whose first diagnostic is
/// then in \p message.
mlir::OwningOpRef<mlir::ModuleOp> lowerText(const std::string &text,
                                            std::string &message);

/// Runs \p body on \p numRanks threads, each with its end of one communicator.
void runRanks(int numRanks,
              const std::function<void(int rank, void *world)> &body);

/// Calls the entry \p name of \p compiled on \p numRanks ranks with
/// \p inputs[rank] and returns the results of each rank.
std::vector<std::vector<Array>>
run(const Compiled &compiled, const std::string &name, int numRanks,
    const std::vector<std::vector<Array>> &inputs);

/// Calls `@main` of \p text on \p numRanks ranks with \p inputs[rank] and
/// returns the results of each rank.
std::vector<std::vector<Array>>
run(const std::string &text, int numRanks,
    const std::vector<std::vector<Array>> &inputs, unsigned optLevel = 1);

} // namespace pctl::test

#endif // PCTL_TEST_UNIT_EXECUTION_HARNESS_H
