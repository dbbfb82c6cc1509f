// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

#include "Harness.h"

#include "pctl/Conversion/HostTypes.h"
#include "pctl/InitAll.h"
#include "pctl/Pipelines/ToLLVM.h"
#include "pctl/Runtime/nccl.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "gtest/gtest.h"

#include <thread>

using namespace mlir;
using namespace pctl;
using namespace pctl::test;

Array Array::zeros(llvm::ArrayRef<int64_t> shape, int64_t elementBytes) {
  Array array;
  array.shape.assign(shape.begin(), shape.end());
  array.elementBytes = elementBytes;
  array.bytes.resize(array.getNumElements() * elementBytes);
  return array;
}

int64_t Array::getNumElements() const {
  int64_t count = 1;
  for (int64_t size : shape)
    count *= size;
  return count;
}

void pctl::test::PrintTo(const Array &array, std::ostream *os) {
  *os << "[";
  for (int64_t size : array.shape)
    *os << size << " ";
  *os << "] x " << array.elementBytes << " bytes:";
  for (unsigned char byte : array.bytes)
    *os << " " << int(byte);
}

MLIRContext &pctl::test::getContext() {
  static MLIRContext *context = [] {
    DialectRegistry registry;
    mlir::registerAllDialects(registry);
    mlir::registerAllExtensions(registry);
    pctl::registerAllDialects(registry);
    return new MLIRContext(registry, MLIRContext::Threading::DISABLED);
  }();
  return *context;
}

/// Takes \p module to code; false after a failure, whose first diagnostic is
/// then in \p message.
static bool lower(ModuleOp module, std::string &message,
                  int64_t chunkBytes = 0) {
  PassManager passes(module.getContext());
  ToLLVMOptions options;
  if (chunkBytes != 0)
    options.chunkBytes = chunkBytes;
  auto emitError = [&](const llvm::Twine &error) -> LogicalResult {
    message = error.str();
    return failure();
  };
  return succeeded(buildToLLVMPipeline(passes, options, emitError)) &&
         succeeded(passes.run(module));
}

/// Keeps the first diagnostic of a context.
class FirstDiagnostic {
public:
  explicit FirstDiagnostic(std::string &message)
      : handler(&pctl::test::getContext(), [&message](Diagnostic &diagnostic) {
          if (message.empty())
            message = diagnostic.str();
          return success();
        }) {}

private:
  ScopedDiagnosticHandler handler;
};

OwningOpRef<ModuleOp> pctl::test::lowerText(const std::string &text,
                                            std::string &message) {
  FirstDiagnostic first(message);
  auto module = parseSourceString<ModuleOp>(text, &getContext());
  if (!module || !lower(*module, message))
    return {};
  return module;
}

/// Makes code of \p module, in executable form.
static Compiled compileLowered(OwningOpRef<ModuleOp> module,
                               unsigned optLevel) {
  Compiled compiled;
  compiled.module = std::move(module);
  execution::CompileOptions options;
  options.optLevel = optLevel;
  auto program = execution::compile(*compiled.module, options);
  if (!program)
    ADD_FAILURE() << llvm::toString(program.takeError());
  else
    compiled.program = std::move(*program);
  return compiled;
}

Compiled pctl::test::compileText(const std::string &text, unsigned optLevel) {
  std::string message;
  OwningOpRef<ModuleOp> module = lowerText(text, message);
  if (module)
    return compileLowered(std::move(module), optLevel);
  ADD_FAILURE() << message << "\nin\n" << text;
  return {};
}

Compiled pctl::test::compileModule(OwningOpRef<ModuleOp> module,
                                   unsigned optLevel, int64_t chunkBytes) {
  std::string message;
  FirstDiagnostic first(message);
  if (lower(*module, message, chunkBytes))
    return compileLowered(std::move(module), optLevel);
  ADD_FAILURE() << message;
  return {};
}

void pctl::test::runRanks(
    int numRanks, const std::function<void(int rank, void *world)> &body) {
  ncclUniqueId id;
  ASSERT_EQ(ncclGetUniqueId(&id), ncclSuccess);
  std::vector<std::thread> threads;
  for (int rank = 0; rank < numRanks; ++rank)
    threads.emplace_back([&, rank] {
      ncclComm_t world = nullptr;
      ASSERT_EQ(ncclCommInitRank(&world, numRanks, id, rank), ncclSuccess);
      body(rank, world);
      EXPECT_EQ(ncclCommDestroy(world), ncclSuccess);
    });
  for (std::thread &thread : threads)
    thread.join();
}

/// Returns \p value as an array.
static Array toArray(const execution::Value &value, Type type) {
  auto memref = dyn_cast<MemRefType>(type);
  Array array = Array::zeros(
      value.getShape(),
      *getHostElementBytes(memref ? memref.getElementType() : type));
  array.bytes = value.copyBytes(array.elementBytes);
  return array;
}

std::vector<std::vector<Array>>
pctl::test::run(const std::string &text, int numRanks,
                const std::vector<std::vector<Array>> &inputs,
                unsigned optLevel) {
  return run(compileText(text, optLevel), "main", numRanks, inputs);
}

std::vector<std::vector<Array>>
pctl::test::run(const Compiled &compiled, const std::string &name, int numRanks,
                const std::vector<std::vector<Array>> &inputs) {
  std::vector<std::vector<Array>> results(numRanks);
  if (!compiled.program)
    return results;
  auto entry = compiled.program->getEntry(name);
  if (!entry) {
    ADD_FAILURE() << llvm::toString(entry.takeError());
    return results;
  }
  runRanks(numRanks, [&](int rank, void *world) {
    std::vector<void *> comms = (*entry)->makeComms(world);
    std::vector<Array> copies = inputs[rank];
    std::vector<execution::Value> arguments;
    for (Array &array : copies)
      arguments.push_back(
          execution::Value::ofBuffer(array.bytes.data(), array.shape));
    auto values = (*entry)->call({world, comms, nullptr}, arguments);
    if (!values) {
      ADD_FAILURE() << llvm::toString(values.takeError());
      return;
    }
    for (auto [value, type] : llvm::zip(*values, (*entry)->getResultTypes()))
      results[rank].push_back(toArray(value, type));
    // A program gets its inputs on loan.
    EXPECT_EQ(copies, inputs[rank]);
    for (void *comm : comms)
      EXPECT_EQ(ncclCommDestroy(static_cast<ncclComm_t>(comm)), ncclSuccess);
  });
  return results;
}
