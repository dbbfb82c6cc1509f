// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// What an op needs to know to be cut, and the interface by which ops of any
/// dialect say how. docs/partition.md states the meaning on each rank and has
/// an example of an op that is taught to the pass.

#ifndef PCTL_DIALECT_PCTL_TRANSFORMS_PARTITION_H
#define PCTL_DIALECT_PCTL_TRANSFORMS_PARTITION_H

#include "pctl/Propagation/Rule.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/OpDefinition.h"
#include "llvm/ADT/DenseMap.h"

#include <map>
#include <string>

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace pctl {

class PartitionContext;

} // namespace pctl

#include "pctl/Dialect/Pctl/Transforms/PartitionOpInterface.h.inc"

namespace pctl {

/// One function on its way from the laid-out to the local form: the layouts of
/// the values of the one, the values of the other that stand for them, and
/// what implementations of PartitionOpInterface need to compute on a rank.
///
/// Worked example: on a mesh `x=2`, where %v is a tensor<5x4xf32> laid out as
/// `[{x},{}]`, getLocalType(%v) is tensor<?x4xf32>, and getSize of its dim 0 is
/// the size that `pctl.block_range 5 by ["x"]` gives: 3 on the first rank and
/// 2 on the second.
class PartitionContext {
public:
  /// Starts a function, known as \p loc, whose local body is going to be
  /// \p body. \p meshSymbol names \p mesh, which must outlive this.
  PartitionContext(mlir::Location loc, mlir::FlatSymbolRefAttr meshSymbol,
                   const layout::Mesh &mesh, mlir::Block &body);

  /// The builder of the local program, placed where the next op belongs.
  mlir::OpBuilder &getBuilder() { return builder; }
  const layout::Mesh &getMesh() const { return mesh; }
  mlir::FlatSymbolRefAttr getMeshSymbol() const { return meshSymbol; }

  /// Reads \p attr, the layout or the symbol of a layout of a tensor of type
  /// \p type, which \p op has for what it calls \p what. Fails, having
  /// reported why, where it can't lay out the tensor over the mesh.
  llvm::FailureOr<layout::Layout> readLayout(mlir::Operation *op,
                                             const llvm::Twine &what,
                                             mlir::Attribute attr,
                                             mlir::RankedTensorType type) const;
  /// Records the layout of \p tensor, a value of the laid-out program.
  void setLayout(mlir::Value tensor, layout::Layout layout);
  /// Returns whether the layout of \p tensor is known.
  bool hasLayout(mlir::Value tensor) const { return layouts.count(tensor); }
  /// Returns the layout of \p tensor, in normal form. It must be known: it is
  /// for all ranked tensors that an op takes or gives when the op is asked to
  /// partition itself.
  const layout::Layout &getLayout(mlir::Value tensor) const;
  /// Returns the layout as text, for messages.
  std::string getLayoutText(mlir::Value tensor) const;
  /// Returns whether every rank holds all of \p value; true for what is not a
  /// ranked tensor.
  bool isWhole(mlir::Value value) const;

  /// Returns the type of the part of \p value that a rank holds: local
  /// [B/data, H] of global [B, H]; the type itself for what is no tensor.
  mlir::Type getLocalType(mlir::Value value) const;
  llvm::SmallVector<mlir::Type> getLocalTypes(mlir::ValueRange values) const;

  /// Returns the value of the local program that stands for \p value.
  mlir::Value getLocal(mlir::Value value) const;
  llvm::SmallVector<mlir::Value> getLocals(mlir::ValueRange values) const;
  void setLocal(mlir::Value value, mlir::Value local);
  mlir::IRMapping &getMapping() { return mapping; }

  /// Returns the first index of this rank's block of a dim of \p globalSize,
  /// which must be known unless the dim is not cut: 0 then.
  mlir::OpFoldResult getOffset(const layout::DimLayout &dim,
                               int64_t globalSize);
  /// Returns the size of this rank's block of a dim of \p globalSize, which
  /// must be known: an attribute where it is the same on all ranks.
  mlir::OpFoldResult getSize(const layout::DimLayout &dim, int64_t globalSize);
  /// Returns the local sizes of \p tensor. \p globalDynamicSizes holds the
  /// local-program values of its dynamic dims, in order.
  llvm::SmallVector<mlir::OpFoldResult>
  getSizes(mlir::Value tensor, mlir::ValueRange globalDynamicSizes = {});
  /// Returns an i1 that tells whether this rank is the first along \p axes.
  mlir::Value isFirst(llvm::ArrayRef<layout::AxisRef> axes);
  /// Returns an i1 that tells whether this rank is at \p position along \p
  /// axes.
  mlir::Value isAt(llvm::ArrayRef<layout::AxisRef> axes, int64_t position);
  /// Returns \p value as an SSA value of index type.
  mlir::Value materialize(mlir::Location loc, mlir::OpFoldResult value);
  /// Returns a + b, folded where both are known.
  mlir::OpFoldResult add(mlir::Location loc, mlir::OpFoldResult a,
                         mlir::OpFoldResult b);

  /// Adds \p op to the local program with local operands and result types, its
  /// regions cloned and what they capture replaced; without the attributes that
  /// belong to the laid-out form. Sets the local values of its results.
  mlir::Operation *cloneWithLocalTypes(mlir::Operation *op);
  /// The same with given operands, and without its regions unless
  /// \p withRegions.
  mlir::Operation *clone(mlir::Operation *op, mlir::ValueRange operands,
                         bool withRegions = true);

  /// Partitions the ops of \p from, a block of the laid-out program, to the end
  /// of \p to. Arguments must have layouts and local values. Fails, having
  /// reported why, where an op can't be cut.
  llvm::LogicalResult partitionBlock(mlir::Block &from, mlir::Block &to);

  /// Checks that the layouts of the tensors of \p op are what its sharding rule
  /// makes of one way to cut its factors. Fails, having reported why, where
  /// they are not.
  llvm::LogicalResult checkRule(mlir::Operation *op);

  /// Reports at \p op that \p tensor, its operand or result called \p what, is
  /// laid out in a way the op does not allow; \p expected tells the right way.
  llvm::LogicalResult emitLayoutError(mlir::Operation *op,
                                      const llvm::Twine &what,
                                      mlir::Value tensor,
                                      const llvm::Twine &expected) const;

private:
  llvm::LogicalResult partitionOp(mlir::Operation *op);
  llvm::LogicalResult partitionPlain(mlir::Operation *op);
  /// Whether an operand of \p op is a sum still to be done, or the like.
  bool takesSums(mlir::Operation *op) const;
  llvm::LogicalResult partitionSums(mlir::Operation *op,
                                    const propagation::Rule &rule);
  llvm::LogicalResult collectLayouts(mlir::Operation *op);
  llvm::LogicalResult checkCaptures(mlir::Operation *op, bool mayBeCut,
                                    bool &areWhole);
  bool capturesCut(mlir::Operation *op) const;
  std::pair<mlir::Value, mlir::Value>
  getBlockRange(const layout::DimLayout &dim, int64_t globalSize);
  mlir::OpBuilder getPrologueBuilder();

  mlir::Location loc;
  mlir::FlatSymbolRefAttr meshSymbol;
  const layout::Mesh &mesh;
  mlir::Block &body;
  mlir::OpBuilder builder;
  mlir::IRMapping mapping;
  llvm::DenseMap<mlir::Value, layout::Layout> layouts;
  /// Offsets and sizes that are already computed at the start of the body, by
  /// their text. Positions likewise.
  std::map<std::string, std::pair<mlir::Value, mlir::Value>> blockRanges;
  std::map<std::string, mlir::Value> positionFlags;
  mlir::Operation *lastOfPrologue = nullptr;
};

/// Brings \p module from the laid-out to the local form. On failure, reported
/// at the place in the program, the module is as it was. Errors: what the
/// laid-out form forbids; an op that can't be cut as its layouts ask; layouts
/// of several meshes in one function.
llvm::LogicalResult partitionModule(mlir::ModuleOp module);

/// Attaches PartitionOpInterface to the ops of the arith, bufferization, func,
/// linalg, pctl, scf and tensor dialects.
void registerPartitionExternalModels(mlir::DialectRegistry &registry);

} // namespace pctl

#endif // PCTL_DIALECT_PCTL_TRANSFORMS_PARTITION_H
