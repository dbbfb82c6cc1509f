// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Makes the collectives of a planned program fewer and smaller: the rewrites
/// of Collectives/, again and again until none applies. Each round asks the
/// analysis of uniform values once, as rewrites rely on what ranks agree on.

#include "Collectives/Rewrites.h"
#include "ReportFile.h"
#include "pctl/Dialect/Pctl/Transforms/CollectiveSummary.h"
#include "pctl/Dialect/Pctl/Transforms/Form.h"
#include "pctl/Dialect/Pctl/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace pctl {

#define GEN_PASS_DEF_OPTIMIZECOLLECTIVESPASS
#include "pctl/Dialect/Pctl/Transforms/Passes.h.inc"

namespace {

using collectives::RewriteContext;
using collectives::RewriteEntry;
using collectives::RewriteKind;

/// Each rewrite saves bytes or collectives, so that rounds end in any case;
/// this bounds the time of programs in which they save little at a time.
constexpr unsigned kMaxRounds = 8;

/// How much is communicated.
struct Total {
  int64_t collectives = 0;
  int64_t bytes = 0;
};

Total getTotal(ModuleOp module) {
  Total total;
  for (const CollectiveUse &use : collectCollectives(module)) {
    ++total.collectives;
    total.bytes += use.receivedBytes.value_or(0);
  }
  return total;
}

struct OptimizeCollectivesPass
    : impl::OptimizeCollectivesPassBase<OptimizeCollectivesPass> {
  using Base::Base;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (failed(requireForm(module, Form::Planned, getArgument(),
                           "pctl-plan-redistribution")) ||
        failed(readOptions(module)))
      return signalPassFailure();
    Total before = getTotal(module);
    entries.clear();
    if (before.collectives > 0)
      rewrite(module);
    Total after = before;
    if (!entries.empty())
      after = getTotal(module);
    else
      markAllAnalysesPreserved();
    numRewrites += entries.size();
    collectivesBefore += before.collectives;
    collectivesAfter += after.collectives;
    bytesBefore += before.bytes;
    bytesAfter += after.bytes;
    if (remarks)
      for (const RewriteEntry &entry : entries)
        emitRewriteRemark(entry);
    if (!report.empty() && failed(writeReport(module, before, after)))
      signalPassFailure();
  }

private:
  LogicalResult readOptions(ModuleOp module);
  void rewrite(ModuleOp module);
  bool isAsked(RewriteKind kind) const {
    return only.empty() ||
           llvm::is_contained(only, collectives::stringify(kind));
  }
  void emitRewriteRemark(const RewriteEntry &entry);
  LogicalResult writeReport(ModuleOp module, Total before, Total after);

  std::vector<RewriteEntry> entries;
};

} // namespace

LogicalResult OptimizeCollectivesPass::readOptions(ModuleOp module) {
  auto emitError = [&] { return module.emitError() << getArgument() << ": "; };
  if (mergeBytes < 0)
    return emitError() << "merge-bytes is " << mergeBytes.getValue()
                       << ", expected a number of bytes, or 0 for any";
  for (const std::string &name : only) {
    std::string names;
    bool isKnown = false;
    for (unsigned i = 0; i < collectives::kNumRewriteKinds; ++i) {
      StringRef known = collectives::stringify(RewriteKind(i));
      isKnown |= known == name;
      names += (i ? ", " : "") + known.str();
    }
    if (!isKnown)
      return emitError() << "'" << name << "' is no rewrite; the rewrites are "
                         << names;
  }
  return success();
}

void OptimizeCollectivesPass::rewrite(ModuleOp module) {
  IRRewriter rewriter(module.getContext());
  bool changed = true;
  for (unsigned round = 0; changed && round < kMaxRounds; ++round) {
    changed = false;
    RewriteContext context(rewriter, module);
    context.isAsked = [this](RewriteKind kind) { return isAsked(kind); };
    module.walk([&](func::FuncOp func) {
      if (func.isExternal())
        return;
      changed |= collectives::simplifyCollectives(func, context);
      changed |= collectives::shrinkReductions(func, context);
      changed |= collectives::deferReductions(func, context);
      changed |= collectives::sinkGathers(func, context);
      changed |= collectives::hoistGathers(func, context);
    });
    llvm::append_range(entries, context.entries);
  }
  // Packed tensors would hide from all others what is reduced.
  RewriteContext context(rewriter, module);
  context.mergeBytes = mergeBytes;
  if (isAsked(RewriteKind::Merge))
    module.walk([&](func::FuncOp func) {
      collectives::mergeReductions(func, context);
    });
  llvm::append_range(entries, context.entries);
}

void OptimizeCollectivesPass::emitRewriteRemark(const RewriteEntry &entry) {
  auto toText = [](std::optional<int64_t> bytes) {
    return bytes ? std::to_string(*bytes) : std::string("unknown");
  };
  emitRemark(entry.loc) << collectives::stringify(entry.kind)
                        << ": collectives " << entry.numBefore << " -> "
                        << entry.numAfter << ", bytes a rank "
                        << toText(entry.bytesBefore) << " -> "
                        << toText(entry.bytesAfter);
}

LogicalResult OptimizeCollectivesPass::writeReport(ModuleOp module,
                                                   Total before, Total after) {
  auto toJson = [](std::optional<int64_t> bytes) {
    return bytes ? llvm::json::Value(*bytes) : llvm::json::Value(nullptr);
  };
  llvm::json::Array rewrites;
  for (const RewriteEntry &entry : entries)
    rewrites.push_back(
        llvm::json::Object{{"rewrite", collectives::stringify(entry.kind)},
                           {"loc", toReportText(entry.loc)},
                           {"collectives_before", entry.numBefore},
                           {"collectives_after", entry.numAfter},
                           {"bytes_before", toJson(entry.bytesBefore)},
                           {"bytes_after", toJson(entry.bytesAfter)}});
  llvm::json::Value value =
      llvm::json::Object{{"rewrites", std::move(rewrites)},
                         {"collectives_before", before.collectives},
                         {"collectives_after", after.collectives},
                         {"bytes_before", before.bytes},
                         {"bytes_after", after.bytes}};
  return pctl::writeReport(report, value, [&] {
    return module.emitError() << getArgument() << ": ";
  });
}

} // namespace pctl
