// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// The rewrites of `pctl-optimize-collectives`, one function each, and what
/// they share. docs/collectives.md states what each does and why the program
/// still computes the same.

#ifndef PCTL_LIB_DIALECT_PCTL_TRANSFORMS_COLLECTIVES_REWRITES_H
#define PCTL_LIB_DIALECT_PCTL_TRANSFORMS_COLLECTIVES_REWRITES_H

#include "pctl/Dialect/Pctl/IR/Pctl.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/PatternMatch.h"

namespace pctl {
class Uniformity;
}

namespace pctl::collectives {

/// The kinds of rewrite, in the order of the report.
enum class RewriteKind {
  Common,
  Dead,
  Inverse,
  ReduceScatter,
  SliceFirst,
  JoinReductions,
  DeferReduction,
  SinkGather,
  HoistGather,
  Merge,
};
inline constexpr unsigned kNumRewriteKinds = 10;

/// Returns the name of \p kind in reports, `reduce-scatter`.
llvm::StringRef stringify(RewriteKind kind);

/// What a rewrite did to what is communicated.
struct RewriteEntry {
  RewriteKind kind;
  mlir::Location loc;
  /// Collectives before and after.
  int64_t numBefore = 0, numAfter = 0;
  /// Bytes that a rank receives; nothing where types don't tell.
  std::optional<int64_t> bytesBefore = 0, bytesAfter = 0;
};

/// What the rewrites of one run of the pass share.
class RewriteContext {
public:
  RewriteContext(mlir::IRRewriter &rewriter, mlir::ModuleOp module);
  ~RewriteContext();

  mlir::IRRewriter &rewriter;
  std::vector<RewriteEntry> entries;
  /// The most bytes that one merged reduction combines; 0 for any.
  int64_t mergeBytes = 0;
  /// Whether a kind of rewrite is to be done.
  std::function<bool(RewriteKind)> isAsked = [](RewriteKind) { return true; };

  /// Notes that \p before were replaced by \p after. Call it while all of them
  /// are there.
  void record(RewriteKind kind, mlir::Location loc,
              llvm::ArrayRef<mlir::Operation *> before,
              llvm::ArrayRef<mlir::Operation *> after);

  /// Returns whether \p value is known to be the same on all ranks of the
  /// groups of \p collective.
  bool isUniform(mlir::Value value, CollectiveOpInterface collective);

  /// Notes that \p value was made by a rewrite: the analysis, which may have
  /// been done before, knows nothing of it.
  void addFresh(mlir::Value value) { fresh.insert(value); }

  /// Erases \p op, and what it alone used, if it is dead.
  void eraseDead(mlir::Operation *op);

private:
  mlir::ModuleOp module;
  /// Made when it is first asked.
  std::unique_ptr<Uniformity> uniformity;
  llvm::DenseSet<mlir::Value> fresh;
};

/// Returns whether \p a and \p b have the same groups, positions in them too.
bool haveSameAxes(CollectiveOpInterface a, CollectiveOpInterface b);

/// Returns the collectives of \p func and below, in program order.
llvm::SmallVector<CollectiveOpInterface>
getCollectives(mlir::func::FuncOp func);

// Each returns whether it changed anything.

/// Collectives that nobody uses, that were done before, or that undo each
/// other.
bool simplifyCollectives(mlir::func::FuncOp func, RewriteContext &context);
/// All-reduces of which slices are kept, and all-reduces of all-reduces.
bool shrinkReductions(mlir::func::FuncOp func, RewriteContext &context);
/// All-reduces past ops that are linear in them.
bool deferReductions(mlir::func::FuncOp func, RewriteContext &context);
/// All-gathers past ops that work on blocks as well as on all.
bool sinkGathers(mlir::func::FuncOp func, RewriteContext &context);
/// All-gathers before ops that make more of less.
bool hoistGathers(mlir::func::FuncOp func, RewriteContext &context);
/// All-reduces of one group, kind and element type become one.
bool mergeReductions(mlir::func::FuncOp func, RewriteContext &context);

} // namespace pctl::collectives

#endif // PCTL_LIB_DIALECT_PCTL_TRANSFORMS_COLLECTIVES_REWRITES_H
