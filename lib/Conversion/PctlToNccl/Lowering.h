// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// What the parts of the conversion from pctl to nccl share: which
/// communicators a function needs, and how one op is lowered once it has them.

#ifndef PCTL_LIB_CONVERSION_PCTLTONCCL_LOWERING_H
#define PCTL_LIB_CONVERSION_PCTLTONCCL_LOWERING_H

#include "Buffers.h"
#include "Positions.h"

#include "pctl/Dialect/Pctl/IR/LayoutBridge.h"
#include "pctl/Dialect/Pctl/IR/Pctl.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace pctl {

/// The ranks that communicate: those that differ along \ref axes alone, in the
/// order of their positions.
struct Group {
  /// The symbol of the mesh.
  mlir::FlatSymbolRefAttr symbol;
  layout::Mesh mesh;
  /// In normal form; none where each rank is on its own.
  llvm::SmallVector<layout::AxisRef> axes;
  /// The same as an attribute.
  mlir::ArrayAttr axesAttr;

  int64_t getSize() const { return layout::getNumPositions(axes); }
};

/// What tells groups apart: the symbol of the mesh, and the axes.
using GroupKey = std::pair<mlir::Attribute, mlir::Attribute>;

/// Returns the group in which \p op communicates: that of its axes; for an
/// exchange, the factors of its axes that cut its input, as ranks that differ
/// along others alone hold the same elements. Errors: an exchange whose axes
/// and layout split one axis in ways that do not fit together.
mlir::FailureOr<Group> getGroup(CollectiveOpInterface op);

/// What lowers one op: the function's communicators and the group's.
struct OpContext {
  mlir::OpBuilder &builder;
  ConstantTables &tables;
  Group group;
  /// Number of this rank among all, an index.
  mlir::Value rank;
  /// Null where the group has one rank.
  mlir::Value comm;
  mlir::Value stream;
};

/// Emits \p op as nccl ops before it; the caller erases it. Errors: an element
/// type that cannot be moved or reduced.
mlir::LogicalResult lowerCollective(CollectiveOpInterface op,
                                    const OpContext &context);

/// Parts of lowerCollective, each in a file of its own.
void lowerExchange(ExchangeOp op, const OpContext &context,
                   BufferEmitter &buffers);
void lowerHaloExchange(HaloExchangeOp op, const OpContext &context,
                       BufferEmitter &buffers);

/// Emits an if of \p condition, whose body \p emitBody emits.
void emitIf(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value condition,
            llvm::function_ref<void()> emitBody);
/// The same under the condition that \p count is not 0.
void emitIfNotEmpty(const IndexMath &math, mlir::OpBuilder &builder,
                    mlir::Location loc, mlir::OpFoldResult count,
                    llvm::function_ref<void()> emitBody);

/// Emits a gather of \p own, a length, from all ranks of the group, and returns
/// the lengths by position, in staging memory.
mlir::Value emitGatherLengths(const OpContext &context, mlir::Location loc,
                              BufferEmitter &buffers, mlir::OpFoldResult own);
/// Emits a read of one of those, as an index.
mlir::Value emitLoadLength(mlir::OpBuilder &builder, mlir::Location loc,
                           mlir::Value lengths, mlir::Value position);

/// Returns whether NCCL reduces by \p kind over elements of \p type, exactly as
/// the op of arith does.
bool hasNcclReduction(layout::ReductionKind kind, mlir::Type type);
/// Emits one element's reduction; null where arith and complex have none.
mlir::Value emitReduction(mlir::OpBuilder &builder, mlir::Location loc,
                          layout::ReductionKind kind, mlir::Value a,
                          mlir::Value b);
/// Returns whether emitReduction has an op that code can be made of.
bool hasLocalReduction(layout::ReductionKind kind, mlir::Type type);
/// Emits the reduction of \p parts, of [\p numParts, n], along its first dim in
/// ascending order, to \p result, of [n].
void emitLocalReduction(mlir::OpBuilder &builder, mlir::Location loc,
                        BufferEmitter &buffers, layout::ReductionKind kind,
                        int64_t numParts, mlir::Value parts,
                        mlir::Value result);

} // namespace pctl

#endif // PCTL_LIB_CONVERSION_PCTLTONCCL_LOWERING_H
