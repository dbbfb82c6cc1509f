// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Which values of a program in local view are the same on which ranks. A
/// collective hangs, or mixes up elements, where ranks of one group do not all
/// come to it, so whoever checks or moves collectives has to know which
/// conditions and sizes the ranks of a group agree on. docs/spmd.md states what
/// is uniform and why.
///
/// MLIR has a framework for such analyses. It is not used, as it joins what
/// regions yield without what decides between them, which is half of the
/// matter here, and costs several times what planning an op may cost.

#ifndef PCTL_DIALECT_PCTL_TRANSFORMS_UNIFORMITY_H
#define PCTL_DIALECT_PCTL_TRANSFORMS_UNIFORMITY_H

#include "pctl/Dialect/Pctl/IR/LayoutBridge.h"
#include "pctl/Layout/AxisFactors.h"

#include "mlir/IR/BuiltinOps.h"

#include <memory>

namespace pctl {

/// A set of directions in which ranks may differ: factors of the axes of all
/// meshes of a program, one bit each. ProgramAxes says which.
using Directions = layout::FactorBits;

/// Differs, and nothing is known of along which axes.
inline constexpr Directions kAnyDirection = ~Directions(0);

/// Numbers the factors of the axes of a program's meshes. Equal meshes share
/// theirs. A mesh for which no numbers are left has none of its own: what
/// differs along it then differs in every direction.
class ProgramAxes {
public:
  /// Collects the meshes and the axes of ops and layouts in \p module, whose
  /// ops have been verified.
  explicit ProgramAxes(mlir::ModuleOp module);

  /// Returns the directions in which ranks may differ that differ along
  /// \p axes, an array of AxisRefAttr on the mesh called \p mesh.
  Directions getTouched(mlir::FlatSymbolRefAttr mesh, mlir::ArrayAttr axes);
  /// Returns the directions in which the groups of \p axes reach all ranks.
  Directions getCovered(mlir::FlatSymbolRefAttr mesh, mlir::ArrayAttr axes);
  /// Returns all directions of the mesh called \p mesh.
  Directions getAll(mlir::FlatSymbolRefAttr mesh);

  /// What a layout says of who holds the same.
  struct LayoutDirections {
    /// Along which ranks hold other elements, or other contributions.
    Directions elements = 0;
    /// For each dim, along which axes it is cut.
    llvm::SmallVector<Directions, 4> dims;
  };
  /// Reads \p layout, an attribute of \p from.
  LayoutDirections getLayout(mlir::Attribute layout, mlir::Operation *from);

  /// Returns those of the directions of the mesh called \p mesh in which ranks
  /// may differ where \p directions may be those of other meshes: all, if one
  /// of them is.
  Directions onMesh(Directions directions, mlir::FlatSymbolRefAttr mesh);

  /// Returns the axes of \p directions on the mesh called \p mesh as text,
  /// `x,y:(1)2`.
  std::string toString(Directions directions, mlir::FlatSymbolRefAttr mesh);

private:
  struct MeshAxes {
    layout::Mesh mesh;
    layout::AxisFactors factors;
    unsigned firstBit = 0;
    /// Whether there were numbers left.
    bool isNumbered = true;
  };
  const MeshAxes *getMesh(mlir::FlatSymbolRefAttr symbol);
  Directions toDirections(const MeshAxes &axes, layout::FactorBits bits);

  llvm::DenseMap<mlir::Attribute, const MeshAxes *> bySymbol;
  std::vector<std::unique_ptr<MeshAxes>> meshes;
  llvm::DenseMap<std::pair<mlir::Attribute, mlir::Attribute>, Directions>
      touched, covered;
  llvm::DenseMap<mlir::Attribute, LayoutDirections> layouts;
};

/// The elements of a value (dim kElements), or the size of one of its dims.
struct Quantity {
  static constexpr int kElements = -1;
  mlir::Value value;
  int dim = kElements;
};

/// What decides whether, and how often, an op inside of another is run.
struct Decision {
  /// The op around it: a conditional, a loop, a branch between blocks.
  mlir::Operation *op = nullptr;
  /// What decides, and in which directions that differs.
  Quantity cause;
  Directions directions = 0;
};

/// Says for each value of a program in local view in which directions ranks may
/// differ in it.
///
/// Worked example, on `pctl.mesh @m <["x"=2, "y"=2]>`:
///
///   %i = pctl.axis_index ["x"] on @m : index           differs along x
///   %c = arith.cmpi eq, %i, %zero : index              differs along x
///   %r = pctl.all_reduce ins(%p ...) axes = ["x"] ...  differs along y if %p
///                                                      does, and not along x
///
/// What is said to be uniform is; what is said to differ may be uniform after
/// all. Time is linear in the program, times the directions at worst.
class Uniformity {
public:
  /// Analyses \p module. With \p recordsCauses, trace() can say where
  /// differences come from.
  explicit Uniformity(mlir::ModuleOp module, bool recordsCauses = false);
  ~Uniformity();

  ProgramAxes &getAxes();

  /// Returns the directions in which ranks may differ in \p quantity.
  Directions get(Quantity quantity) const;
  Directions get(mlir::Value value) const { return get(Quantity{value}); }

  /// Returns what decides whether \p op is run once its function is, innermost
  /// first, without what is the same on all ranks.
  llvm::SmallVector<Decision> getDecisions(mlir::Operation *op) const;

  /// Returns the directions in which ranks may differ in whether, or how often,
  /// they come to \p op, callers of its function included.
  Directions getExecution(mlir::Operation *op) const;

  /// Returns the calls of \p function, in program order.
  llvm::ArrayRef<mlir::Operation *> getCalls(mlir::Operation *function) const;

  /// Returns an op other than a call that refers to \p function, which may be
  /// called from anywhere then; null if there is none.
  mlir::Operation *getAddressUse(mlir::Operation *function) const;

  /// Returns where the difference of \p quantity in one of \p directions, which
  /// it has, starts. Needs recorded causes.
  Quantity trace(Quantity quantity, Directions directions) const;

private:
  class Impl;
  std::unique_ptr<Impl> impl;
};

/// Returns the op around \p op, below its function, of which it is not known
/// how often or in which order it runs what is inside; null where there is
/// none.
mlir::Operation *getUnorderedParent(mlir::Operation *op);

} // namespace pctl

#endif // PCTL_DIALECT_PCTL_TRANSFORMS_UNIFORMITY_H
