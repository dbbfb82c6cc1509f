// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// The buffers around a collective: views of what the program has, staging
/// memory for what NCCL wants in other places, and the form in which elements
/// travel. Elements of a type that NCCL has travel as such; all others as the
/// bytes that they are in memory, over staging memory of bytes.

#ifndef PCTL_LIB_CONVERSION_PCTLTONCCL_BUFFERS_H
#define PCTL_LIB_CONVERSION_PCTLTONCCL_BUFFERS_H

#include "IndexMath.h"

#include "mlir/IR/BuiltinTypes.h"

namespace pctl {

/// Returns whether NCCL has \p type.
bool isNcclType(mlir::Type type);

/// How elements of one type travel.
struct Wire {
  mlir::Type elementType;
  /// Bytes from one element to the next in memory.
  int64_t elementBytes = 0;
  /// Whether NCCL has the type.
  bool isNative = false;
};

/// Returns how elements of \p type travel, or nothing for a type that is not
/// known to be plain bytes in memory.
std::optional<Wire> getWire(mlir::Type type);

/// One piece of contiguous memory as the program sees it and as NCCL does.
/// Where the type is native the two are the same value.
struct Buffer {
  mlir::Value typed;
  mlir::Value wire;
};

/// Emits views, copies and staging memory for one collective. Staging memory
/// lives until freeStaging.
class BufferEmitter {
public:
  using Fold = mlir::OpFoldResult;

  BufferEmitter(mlir::OpBuilder &builder, mlir::Location loc, Wire wire)
      : math(builder, loc), builder(builder), loc(loc), wire(wire) {}

  const IndexMath math;

  /// The size of \p dim of \p buffer.
  Fold getSize(mlir::Value buffer, int64_t dim);
  llvm::SmallVector<Fold> getSizes(mlir::Value buffer);

  /// Makes staging memory of \p shape.
  Buffer allocate(llvm::ArrayRef<Fold> shape);
  /// Makes staging memory as bytes, to be cut up by viewPiece.
  mlir::Value allocateBytes(Fold numElements);
  /// Makes staging memory for \p count elements of i64, which are sizes.
  mlir::Value allocateSizes(int64_t count);
  /// Returns the \p shape elements from number \p start on of allocateBytes'
  /// memory.
  Buffer viewPiece(mlir::Value bytes, Fold start, llvm::ArrayRef<Fold> shape);
  void freeStaging();

  /// Returns \p buffer as contiguous memory to send from, copied where needed,
  /// or always with \p mustCopy.
  Buffer getSource(mlir::Value buffer, bool mustCopy);
  /// Returns contiguous memory to receive \p buffer's new contents in; finish
  /// brings them there.
  Buffer getDestination(mlir::Value buffer);
  void finish(const Buffer &destination, mlir::Value buffer);

  /// Returns the elements of \p buffer, which is contiguous, from number
  /// \p start on, under another \p shape.
  mlir::Value reshape(mlir::Value buffer, llvm::ArrayRef<Fold> shape,
                      Fold start);
  mlir::Value reshape(mlir::Value buffer, llvm::ArrayRef<Fold> shape) {
    return reshape(buffer, shape, math.constant(0));
  }
  /// Returns the box of \p buffer with \p offsets and \p sizes. Leading dims as
  /// many as \p numDropped, of size 1, are not dims of the result.
  mlir::Value slice(mlir::Value buffer, llvm::ArrayRef<Fold> offsets,
                    llvm::ArrayRef<Fold> sizes, unsigned numDropped = 0);
  /// Returns \p buffer as one run of elements that NCCL takes from where they
  /// are; null where they are of a type that it lacks, or \p buffer has several
  /// dims of more than one element, so that boxes of it have gaps.
  mlir::Value getRun(mlir::Value buffer);
  void copy(mlir::Value from, mlir::Value to);
  /// Copies \p from to \p to, both of three dims, with the first two swapped:
  /// inner runs stay whole.
  void copySwapped(mlir::Value from, mlir::Value to);
  void fillWithZero(mlir::Value buffer);

private:
  mlir::OpBuilder &builder;
  mlir::Location loc;
  Wire wire;
  llvm::SmallVector<mlir::Value> staging;
};

/// Returns whether the elements of \p buffer, a memref, lie in row-major order
/// without gaps.
bool isContiguous(mlir::Value buffer);

/// Returns whether \p a and \p b are, or are views of, one value.
bool haveSameBase(mlir::Value a, mlir::Value b);

} // namespace pctl

#endif // PCTL_LIB_CONVERSION_PCTLTONCCL_BUFFERS_H
