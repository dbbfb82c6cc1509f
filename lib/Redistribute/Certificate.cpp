// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Says how near a plan comes to what no plan beats, and why not nearer.

#include "pctl/Redistribute/Move.h"

#include "llvm/Support/FormatVariadic.h"

#include <limits>

using namespace pctl;
using namespace pctl::redistribute;
using llvm::formatv;

namespace {

/// Collects the reason of one certificate.
class Certifier {
public:
  /// \p reduces: whether sums are to be done; \p rounds: the most into which
  /// messages are cut.
  Certifier(bool reduces, int64_t rounds, const PlanCost &cost,
            const Bound &bound)
      : reduces(reduces), rounds(rounds), cost(cost), bound(bound) {}

  Certificate run();

private:
  void addReceived();
  void addSent();
  void addTimes();
  void add(std::string text) {
    if (!reasons.empty())
      reasons += "; ";
    reasons += text;
  }

  const bool reduces;
  const int64_t rounds;
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
                reduces ? "reduction and movement are steps of their own"
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
  int64_t moving = 0;
  bool packs = false;
  for (const StepCost &step : cost.steps) {
    moving += step.timeSec > 0;
    packs |= step.packBytes > 0;
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

static int64_t getMostRounds(const Plan &plan) {
  int64_t rounds = 1;
  for (const Step &step : plan.steps)
    rounds = std::max(rounds, step.rounds);
  return rounds;
}

Certificate redistribute::certify(const Plan &plan, const PlanCost &cost,
                                  const Bound &bound) {
  return Certifier(plan.from.isPartial(), getMostRounds(plan), cost, bound)
      .run();
}

Certificate redistribute::certify(const Move &move, const PlanCost &cost,
                                  const Bound &bound) {
  int64_t rounds = std::max({getMostRounds(move.before), move.crossing.rounds,
                             getMostRounds(move.after)});
  return Certifier(move.question.from.layout.isPartial(), rounds, cost, bound)
      .run();
}
