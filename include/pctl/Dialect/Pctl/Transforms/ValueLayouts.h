// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Where a program keeps its layouts once they are propagated, and what holds
/// of them in the laid-out form. docs/propagation.md has an example.
///
/// Function arguments and results carry `pctl.layout`; `pctl.redistribute` and
/// `pctl.manual` say theirs themselves; every other op with tensor results
/// carries `pctl.layouts`. A layout there is that of what the op leaves on each
/// rank: partial where it reduces a cut dim.

#ifndef PCTL_DIALECT_PCTL_TRANSFORMS_VALUELAYOUTS_H
#define PCTL_DIALECT_PCTL_TRANSFORMS_VALUELAYOUTS_H

#include "pctl/Dialect/Pctl/IR/LayoutBridge.h"
#include "pctl/Dialect/Pctl/Interfaces/ShardingRuleInterface.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace pctl {

/// Returns the layout that the program states for \p value, a tensor; null
/// where it states none.
LayoutAttr getValueLayout(mlir::Value value);

/// Returns the layout that \p func states for its result number \p index; null
/// where it states none.
LayoutAttr getResultLayout(mlir::func::FuncOp func, unsigned index);

/// Reads layouts off a program as values. It looks each mesh up once.
class LayoutReader {
public:
  explicit LayoutReader(mlir::ModuleOp module) : module(module) {}

  /// Returns the mesh called \p symbol. Errors: those of lookupMesh.
  mlir::FailureOr<const layout::Mesh *> getMesh(mlir::FlatSymbolRefAttr symbol,
                                                EmitErrorFn emitError);

  /// Returns \p attr as a value over its mesh, in normal form. Errors: those of
  /// lookupMesh and toLayout.
  mlir::FailureOr<layout::Layout> getLayout(LayoutAttr attr,
                                            EmitErrorFn emitError);

private:
  mlir::ModuleOp module;
  llvm::DenseMap<mlir::Attribute, std::unique_ptr<layout::Mesh>> meshes;
};

/// An op of a laid-out program as partitioning sees it.
struct LaidOutOp {
  const layout::Mesh *mesh = nullptr;
  mlir::FlatSymbolRefAttr meshSymbol;
  propagation::Rule rule;
  /// How the factors of the rule are cut.
  propagation::FactorCuts cuts;
  /// Layouts of the tensor operands and results, in normal form.
  llvm::SmallVector<layout::Layout, 3> operandLayouts;
  llvm::SmallVector<layout::Layout, 1> resultLayouts;
};

/// Returns the rule of \p op and how it is cut, of an op that is neither a
/// call, a terminator of a function nor of the pctl dialect and has tensors.
/// Errors, emitted at the op: a tensor without a layout, layouts on several
/// meshes, layouts that no cut of the op gives (propagation::inferFactorCuts).
mlir::FailureOr<LaidOutOp> readLaidOutOp(mlir::Operation *op,
                                         LayoutReader &reader);

/// Checks that \p module is in laid-out form: every tensor of the functions'
/// bodies has a layout, each op's layouts are those of one cut of its rule,
/// what is returned and passed to functions is laid out as they say, and no
/// `pctl.shard` is left. Errors are emitted at the op at fault.
mlir::LogicalResult verifyLaidOut(mlir::ModuleOp module);

} // namespace pctl

#endif // PCTL_DIALECT_PCTL_TRANSFORMS_VALUELAYOUTS_H
