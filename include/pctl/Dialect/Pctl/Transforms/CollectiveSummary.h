// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// What a planned program communicates: counts and bytes, for tools and tests.

#ifndef PCTL_DIALECT_PCTL_TRANSFORMS_COLLECTIVESUMMARY_H
#define PCTL_DIALECT_PCTL_TRANSFORMS_COLLECTIVESUMMARY_H

#include "pctl/Dialect/Pctl/IR/Pctl.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>
#include <vector>

namespace pctl {

/// A collective of a program.
struct CollectiveUse {
  mlir::Operation *op;
  /// The name of the op without its dialect, `all_gather`.
  llvm::StringRef kind;
  /// The axes of its groups, `data, model`.
  std::string axes;
  /// Bytes of what a rank puts in; nothing where that differs between ranks.
  std::optional<int64_t> localBytes;
  /// The most bytes that a rank receives; nothing where the op's types don't
  /// tell.
  std::optional<int64_t> receivedBytes;
};

/// Returns the collectives in \p module, on tensors or on buffers, in program
/// order. One in a loop is listed once. `all_slice` is left out: it sends
/// nothing.
std::vector<CollectiveUse> collectCollectives(mlir::ModuleOp module);

/// Returns the most bytes that a rank receives in \p op; nothing where the op's
/// types don't tell.
std::optional<int64_t> getReceivedBytes(CollectiveOpInterface op);

} // namespace pctl

#endif // PCTL_DIALECT_PCTL_TRANSFORMS_COLLECTIVESUMMARY_H
