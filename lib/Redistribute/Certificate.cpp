// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Weighs latency, bytes and packing of a plan against its bound.

#include "pctl/Redistribute/Certificate.h"

#include "pctl/Redistribute/Balance.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"

#include <limits>

using namespace pctl;
using namespace pctl::redistribute;
using llvm::formatv;

/// Times are sums in another order.
static constexpr double tolerance = 1e-9;

static std::string printMicroseconds(double sec) {
  return formatv("{0} us", llvm::format("%.6g", sec * 1e6));
}

namespace {

/// Collects the reason of one certificate.
class Certifier {
public:
  /// \p reduces: whether sums are to be done; \p rounds: the most into which
  /// messages are cut.
  Certifier(bool reduces, int64_t rounds, const PlanCost &cost,
            const Bound &bound)
      : reduces(reduces), rounds(rounds), cost(cost), bound(bound) {}

  /// Sets all but the reason.
  void measure();
  /// Says what \p exchange, another plan, costs. It moves as little as can be
  /// without forwarding.
  void compareWith(const StepCost &exchange, const PlannerOptions &options);
  Certificate finish() &&;

  const Certificate &getResult() const { return result; }

private:
  using Reasons = llvm::SmallVector<std::string, 2>;

  Reasons listByteReasons() const;
  std::string getSentReason() const;
  std::string getLatencyReason() const;
  std::string explainTime() const;

  const bool reduces;
  const int64_t rounds;
  const PlanCost &cost;
  const Bound &bound;
  Certificate result;
  std::string comparison;
};

} // namespace

void Certifier::measure() {
  result.meetsReceived = cost.maxReceivedBytes <= bound.maxReceivedBytes;
  result.meetsSent =
      cost.maxSentBytes <= std::max(bound.maxReceivedBytes, bound.maxSentBytes);
  result.meetsUnit = cost.maxUnitReceivedBytes <= bound.maxUnitReceivedBytes;
  result.meetsTime = cost.timeSec <= bound.timeSec * (1 + tolerance);
  if (result.meetsTime)
    return;
  result.ratio = bound.timeSec > 0 ? cost.timeSec / bound.timeSec
                                   : std::numeric_limits<double>::infinity();
  double latencySec = 0;
  for (const StepCost &step : cost.steps) {
    latencySec += step.latencySec;
    result.packSec += step.packSec;
  }
  result.extraLatencySec = std::max(0., latencySec - bound.latencySec);
  result.extraTransferSec =
      std::max(0., cost.timeSec - bound.timeSec - result.extraLatencySec -
                       result.packSec);
}

std::string Certifier::getSentReason() const {
  std::string text = formatv(
      "a rank sends {0} bytes where {1} are the bound", cost.maxSentBytes,
      std::max(bound.maxReceivedBytes, bound.maxSentBytes));
  if (bound.directSentBytes && cost.maxSentBytes <= *bound.directSentBytes)
    return text + ", the least without forwarding";
  if (bound.directSentBytes)
    text += formatv(", and {0} the least without forwarding",
                    *bound.directSentBytes);
  return text;
}

/// Lists which bounds on bytes are not met.
Certifier::Reasons Certifier::listByteReasons() const {
  Reasons reasons;
  if (!result.meetsReceived)
    reasons.push_back(
        formatv("a rank receives {0} bytes where {1} are the bound, as {2}",
                cost.maxReceivedBytes, bound.maxReceivedBytes,
                reduces ? "reduction and movement are steps of their own"
                        : "steps forward what others want"));
  if (!result.meetsUnit)
    reasons.push_back(
        formatv("{0} bytes come into a unit where {1} are the bound, as what "
                "several of its ranks want comes more than once",
                cost.maxUnitReceivedBytes, bound.maxUnitReceivedBytes));
  if (!result.meetsSent)
    reasons.push_back(getSentReason());
  return reasons;
}

std::string Certifier::getLatencyReason() const {
  int64_t moving = llvm::count_if(
      cost.steps, [](const StepCost &step) { return step.timeSec > 0; });
  Reasons reasons;
  if (moving > 1)
    reasons.push_back(
        formatv("{0} steps each take their base and latency", moving));
  if (rounds > 1)
    reasons.push_back(formatv(
        "messages go in {0} rounds, to stage no more than a chunk", rounds));
  if (reasons.empty())
    reasons.push_back("a rank has more than one message or hop");
  return llvm::join(reasons, " and ");
}

/// Says what the time above the bound is.
std::string Certifier::explainTime() const {
  Reasons bytes = listByteReasons(), parts;
  auto isSome = [&](double sec) { return sec > tolerance * cost.timeSec; };
  if (isSome(result.extraTransferSec)) {
    if (bytes.empty())
      bytes.push_back("they go over slow links alone");
    parts.push_back(printMicroseconds(result.extraTransferSec) +
                    " of bytes, as " + llvm::join(bytes, " and "));
    bytes.clear();
  }
  if (isSome(result.extraLatencySec))
    parts.push_back(printMicroseconds(result.extraLatencySec) +
                    " of latency, as " + getLatencyReason());
  if (isSome(result.packSec))
    parts.push_back(printMicroseconds(result.packSec) +
                    " of packing and unpacking");
  parts.append(bytes.begin(), bytes.end());
  return llvm::join(parts, "; ");
}

void Certifier::compareWith(const StepCost &exchange,
                            const PlannerOptions &options) {
  std::string times = formatv("an exchange takes {0}, {1} of it latency",
                              printMicroseconds(exchange.timeSec),
                              printMicroseconds(exchange.latencySec));
  if (exchange.timeSec >= cost.timeSec)
    comparison = "fewer messages are worth the bytes: " + times;
  else if (options.capBytes && exchange.liveBytes > *options.capBytes)
    comparison = formatv("{0}, and holds {1} bytes where the cap is {2}", times,
                         exchange.liveBytes, *options.capBytes);
  else
    comparison = times;
}

Certificate Certifier::finish() && {
  if (cost.maxReceivedBytes == 0 && bound.maxReceivedBytes == 0 && cost.exact &&
      bound.exact) {
    result.reason = "nothing has to move";
    return std::move(result);
  }
  llvm::SmallVector<std::string, 4> parts;
  if (result.meetsTime) {
    parts.push_back(
        formatv("meets the bound on time: some rank has to receive {0} bytes",
                bound.maxReceivedBytes));
    llvm::append_range(parts, listByteReasons());
  } else {
    parts.push_back(formatv("takes {0:F3} times the bound: {1}", result.ratio,
                            explainTime()));
  }
  if (!comparison.empty())
    parts.push_back(std::move(comparison));
  if (!bound.exact || !cost.exact)
    parts.push_back(formatv("{0} not counted on all ranks",
                            bound.exact ? "the cost is" : "the bound is"));
  result.reason = llvm::join(parts, "; ");
  return std::move(result);
}

static int64_t getMostRounds(const Plan &plan) {
  int64_t rounds = 1;
  for (const Step &step : plan.steps)
    rounds = std::max(rounds, step.rounds);
  return rounds;
}

/// Returns what an exchange that does all of \p plan costs in one round, where
/// it can be one and stages no more than a chunk.
static std::optional<StepCost> priceExchange(const Plan &plan,
                                             const PlannerOptions &options) {
  layout::Layout from = plan.from.getNormalForm();
  layout::Layout to = plan.to.getNormalForm();
  if (plan.from.isPartial() ||
      llvm::is_contained(plan.globalShape, layout::kDynamic) ||
      getExchangeAxes(plan.globalShape, from, to).empty())
    return std::nullopt;
  StepCost cost = makeFastestExchange(plan.mesh, plan.globalShape, from, to,
                                      options.cluster, options.elementBytes,
                                      options.chunkBytes)
                      .cost;
  if (cost.stagingBytes > options.chunkBytes)
    return std::nullopt;
  return cost;
}

Certificate redistribute::certify(const Plan &plan, const PlanCost &cost,
                                  const Bound &bound,
                                  const PlannerOptions &options) {
  Certifier certifier(plan.from.isPartial(), getMostRounds(plan), cost, bound);
  certifier.measure();
  const Certificate &result = certifier.getResult();
  if (bound.latencySec > 0 && !(result.meetsReceived && result.meetsSent))
    if (std::optional<StepCost> exchange = priceExchange(plan, options))
      certifier.compareWith(*exchange, options);
  return std::move(certifier).finish();
}

Certificate redistribute::certify(const Move &move, const PlanCost &cost,
                                  const Bound &bound) {
  int64_t rounds = std::max({getMostRounds(move.before), move.crossing.rounds,
                             getMostRounds(move.after)});
  Certifier certifier(move.question.from.layout.isPartial(), rounds, cost,
                      bound);
  certifier.measure();
  return std::move(certifier).finish();
}
