// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// A program as a propagation graph: which value of the graph each tensor is,
/// and which node or transfers each op became. Building it is all that
/// propagation needs to know of IR.

#ifndef PCTL_LIB_DIALECT_PCTL_TRANSFORMS_PROGRAMGRAPH_H
#define PCTL_LIB_DIALECT_PCTL_TRANSFORMS_PROGRAMGRAPH_H

#include "pctl/Dialect/Pctl/Transforms/ValueLayouts.h"
#include "pctl/Propagation/Propagate.h"

namespace pctl {

/// A mesh with its symbol.
struct ProgramMesh {
  layout::Mesh mesh;
  mlir::FlatSymbolRefAttr symbol;
};

/// Returns the one mesh on which \p module lays out tensors: the one that its
/// layouts name, or the one that it declares. Errors: none is declared; several
/// are, and no layout or several say which.
mlir::FailureOr<ProgramMesh> getProgramMesh(mlir::ModuleOp module);

/// A program's tensors and ops, and their numbers in a graph.
class ProgramGraph {
public:
  /// An op with tensors.
  struct Entry {
    mlir::Operation *op;
    /// Of each tensor operand, in the order of getTensorOperands.
    llvm::SmallVector<mlir::Value, 3> operands;
    /// Of each tensor operand: the node that wants it, and as which operand.
    llvm::SmallVector<std::pair<unsigned, unsigned>, 3> wants;
  };

  /// Builds the graph of \p module, whose layouts must be on \p mesh. Errors,
  /// emitted at the op: those that pctl-propagate-layouts documents.
  static mlir::FailureOr<ProgramGraph> build(mlir::ModuleOp module,
                                             const ProgramMesh &mesh);

  propagation::Graph graph;
  std::vector<Entry> entries;
  llvm::DenseMap<mlir::Value, unsigned> numbers;
  /// For each function the numbers of its arguments and of its results; those
  /// that are no tensors have a number that means nothing.
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<unsigned>> arguments;
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<unsigned>> results;

private:
  explicit ProgramGraph(const layout::Mesh &mesh) : graph(mesh) {}
  friend class ProgramGraphBuilder;
};

} // namespace pctl

#endif // PCTL_LIB_DIALECT_PCTL_TRANSFORMS_PROGRAMGRAPH_H
