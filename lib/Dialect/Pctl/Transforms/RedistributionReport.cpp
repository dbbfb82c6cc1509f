// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

#include "RedistributionReport.h"
#include "ReportFile.h"

#include "pctl/Dialect/Pctl/IR/MoveReasons.h"
#include "pctl/Redistribute/Bound.h"
#include "pctl/Redistribute/Certificate.h"
#include "pctl/Redistribute/PlanCost.h"
#include "pctl/Redistribute/PlanJson.h"
#include "pctl/Support/CheckedArith.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
namespace json = llvm::json;

namespace pctl {

void RedistributionReport::add(RedistributeOp op,
                               const redistribute::Plan &plan,
                               const redistribute::PlannerOptions &options) {
  redistribute::PlanCost cost = redistribute::getPlanCost(
      plan, options.cluster, options.elementBytes, options.chunkBytes);
  redistribute::Bound bound =
      redistribute::getBound(plan.mesh, plan.globalShape, plan.from, plan.to,
                             options.cluster, options.elementBytes);
  json::Object entry{
      {"type", llvm::formatv("{0}", op.getWholeType()).str()},
      {"plan", redistribute::toJson(plan)},
      {"cost", json::Object{{"max_received_bytes", cost.maxReceivedBytes},
                            {"max_sent_bytes", cost.maxSentBytes},
                            {"peak_bytes", cost.peakBytes},
                            {"time_us", cost.timeSec * 1e6}}},
      {"bound", json::Object{{"max_received_bytes", bound.maxReceivedBytes},
                             {"max_sent_bytes", bound.maxSentBytes},
                             {"time_us", bound.timeSec * 1e6}}},
      {"certificate",
       redistribute::certify(plan, cost, bound, options).reason}};
  if (auto func = op->getParentOfType<func::FuncOp>())
    entry["function"] = func.getSymName();
  std::optional<MoveReason> reason = findMoveReason(op.getLoc());
  entry["loc"] = toReportText(reason ? reason->madeAt : op.getLoc());
  if (reason) {
    entry["wanted_by"] = reason->wantedBy;
    entry["wanted_at"] = toReportText(reason->wantedAt);
    entry["why"] = reason->why;
  }
  entries.push_back(std::move(entry));

  receivedBytes = checkedAdd(receivedBytes, cost.maxReceivedBytes)
                      .value_or(std::numeric_limits<int64_t>::max());
  timeSec += cost.timeSec;
}

json::Value RedistributionReport::take(StringRef clusterName) {
  json::Object report{{"cluster", clusterName},
                      {"redistributions", std::move(entries)},
                      {"max_received_bytes", receivedBytes},
                      {"time_us", timeSec * 1e6}};
  *this = {};
  return report;
}

} // namespace pctl
