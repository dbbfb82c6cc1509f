// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// What a run needs to know of a program's entry: the global type and layout of
/// each argument and result. Read from the program once its types are local;
/// later forms no longer tell.

#ifndef PCTL_TOOLS_PCTLRUN_SIGNATURE_H
#define PCTL_TOOLS_PCTLRUN_SIGNATURE_H

#include "pctl/Layout/Layout.h"
#include "pctl/Tensor/HostTensor.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace pctl::run {

/// One argument or result as all ranks together see it.
struct Port {
  tensor::ElementKind kind;
  llvm::SmallVector<int64_t> globalShape;
  layout::Layout layout;

  /// Prints `8x16xf32`.
  std::string getTypeText() const;
};

/// The entry's arguments and results over one mesh.
struct Signature {
  layout::Mesh mesh;
  std::vector<Port> arguments;
  std::vector<Port> results;
};

/// Returns the function called \p name, or, where \p name is empty, the only
/// public function with a body, or `main` among several. Errors: none fits; the
/// message lists those there are.
llvm::Expected<mlir::func::FuncOp> findEntry(mlir::ModuleOp module,
                                             llvm::StringRef name);

/// Reads the signature of \p entry, whose types are global (a program without
/// layouts, which runs as one rank on \p mesh) or local with their global types
/// beside them. Errors: an argument or result that is not a tensor with known
/// sizes of a type that HostTensor has; a result that is partial.
llvm::Expected<Signature> readSignature(mlir::func::FuncOp entry,
                                        const layout::Mesh &mesh);

/// Returns the number of roundings on the longest chain of sums behind a result
/// of \p entry, a program in a global view: along each path of values, the loop
/// extents over which ops reduce, also by a `pctl.rule`, and 1 for each other
/// op. tensor::compare turns it into a bound.
int64_t getSumLength(mlir::func::FuncOp entry);

} // namespace pctl::run

#endif // PCTL_TOOLS_PCTLRUN_SIGNATURE_H
