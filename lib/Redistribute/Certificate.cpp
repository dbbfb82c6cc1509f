// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Says how near a plan comes to what no plan beats, and why not nearer.

#include "pctl/Redistribute/Bound.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <limits>

using namespace pctl;
using namespace pctl::redistribute;
using llvm::formatv;

namespace {

/// Collects the reason of one certificate.
class Certifier {
public:
  Certifier(const Plan &plan, const PlanCost &cost, const Bound &bound)
      : plan(plan), cost(cost), bound(bound) {}

  Certificate run();

private:
  void addReceived();
  void addSent();
  void addTimes();
  bool reduces() const { return plan.from.isPartial(); }
  void add(std::string text) {
    if (!reasons.empty())
      reasons += "; ";
    reasons += text;
  }

  const Plan &plan;
  const PlanCost &cost;
  const Bound &bound;
  Certificate result;
  std::string reasons;
};

} // namespace

void Certifier::addReceived() {
  if (!result.meetsReceived)
    add(formatv("a rank receives {0} bytes where {1} are the bound, as {2}",
                cost.maxReceivedBytes, bound.maxReceivedBytes,
                reduces() ? "reduction and movement are steps of their own"
                          : "steps forward what others want"));
  if (!result.meetsUnit)
    add(formatv("{0} bytes come into a unit where {1} are the bound, as what "
                "several of its ranks want comes more than once",
                cost.maxUnitReceivedBytes, bound.maxUnitReceivedBytes));
}

void Certifier::addSent() {
  if (result.meetsSent)
    return;
  std::string text = formatv(
      "a rank sends {0} bytes where {1} are the bound", cost.maxSentBytes,
      std::max(bound.maxReceivedBytes, bound.maxSentBytes));
  if (bound.directSentBytes && cost.maxSentBytes <= *bound.directSentBytes)
    text += ", the least without forwarding";
  else if (bound.directSentBytes)
    text += formatv(", and {0} the least without forwarding",
                    *bound.directSentBytes)
                .str();
  add(std::move(text));
}

/// Adds what a plan takes beside the bytes of its busiest rank.
void Certifier::addTimes() {
  int64_t moving = 0, rounds = 1;
  bool packs = false;
  for (auto [step, stepCost] : llvm::zip(plan.steps, cost.steps)) {
    moving += stepCost.timeSec > 0;
    rounds = std::max(rounds, step.rounds);
    packs |= stepCost.packBytes > 0;
  }
  if (rounds > 1)
    add(formatv("messages go in {0} rounds, to stage no more than a chunk",
                rounds));
  if (moving > 1)
    add(formatv("{0} steps each take their base and latency", moving));
  if (packs)
    add("what is sent is packed or unpacked");
  if (reasons.empty())
    add("there is more than one message a rank, or bytes go over slow links "
        "alone");
}

Certificate Certifier::run() {
  // Times are sums in another order.
  static constexpr double tolerance = 1 + 1e-9;
  result.meetsReceived = cost.maxReceivedBytes <= bound.maxReceivedBytes;
  result.meetsSent =
      cost.maxSentBytes <= std::max(bound.maxReceivedBytes, bound.maxSentBytes);
  result.meetsUnit = cost.maxUnitReceivedBytes <= bound.maxUnitReceivedBytes;
  result.meetsTime = cost.timeSec <= bound.timeSec * tolerance;
  if (!result.meetsTime)
    result.ratio = bound.timeSec > 0 ? cost.timeSec / bound.timeSec
                                     : std::numeric_limits<double>::infinity();
  addReceived();
  addSent();
  if (cost.maxReceivedBytes == 0 && bound.maxReceivedBytes == 0) {
    result.reason = "nothing has to move";
    return std::move(result);
  }
  if (result.meetsTime) {
    result.reason =
        formatv("meets the bound on time: some rank has to receive {0} bytes",
                bound.maxReceivedBytes);
    if (!reasons.empty())
      result.reason += "; " + reasons;
  } else {
    addTimes();
    result.reason =
        formatv("takes {0:F3} times the bound: {1}", result.ratio, reasons);
  }
  if (!bound.exact || !cost.exact)
    result.reason += formatv("; {0} not counted on all ranks",
                             bound.exact ? "the cost is" : "the bound is")
                         .str();
  return std::move(result);
}

Certificate redistribute::certify(const Plan &plan, const PlanCost &cost,
                                  const Bound &bound) {
  return Certifier(plan, cost, bound).run();
}
