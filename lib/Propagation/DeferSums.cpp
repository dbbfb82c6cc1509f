// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Three sweeps. Forward: along which axes each value would be a sum if nothing
/// were summed before it has to be. Backward: what it costs to leave a value
/// unsummed, against summing it where it is made; operands that meet in a node
/// share what its result costs. Forward again: what is left undone is written
/// down.

#include "DeferSums.h"

#include "CutAlgebra.h"

#include "llvm/ADT/STLExtras.h"

using namespace pctl;
using namespace pctl::propagation;
using layout::AxisRef;
using layout::Layout;
using llvm::ArrayRef;
using llvm::SmallVector;

namespace {

using Axes = SmallVector<AxisRef, 2>;

/// What is known of a value on the way.
struct ValueState {
  /// Axes along which it is a sum if all that can wait does.
  Axes pending;
  /// Nodes that use it, each once.
  SmallVector<unsigned, 2> users;
  /// What it costs, in bytes that a rank receives, if it is such a sum.
  double costBytes = 0;
  /// Whether it is the result of a node that is no transfer.
  bool produced = false;
  /// Whether it is left a sum for its users to pass on.
  bool waits = false;
};

class Deferral {
public:
  Deferral(Graph &graph, MoveCosts &costs)
      : graph(graph), costs(costs), states(graph.values.size()),
        plans(graph.nodes.size()) {}

  void run();

private:
  void collectUsers();
  void plan(unsigned number);
  void price(unsigned value);
  void write(unsigned number);
  double getSumBytes(unsigned number, ArrayRef<AxisRef> axes) const;

  Graph &graph;
  MoveCosts &costs;
  std::vector<ValueState> states;
  /// For each node the operands whose sums it could pass on.
  std::vector<OperandSet> plans;
};

} // namespace

/// Returns the axes of \p layout if it is a sum and nothing else, else none.
static Axes getSumAxes(const Layout &layout) {
  if (layout.partial.size() != 1 ||
      layout.partial.front().kind != layout::ReductionKind::Sum)
    return {};
  return layout.partial.front().axes;
}

void Deferral::collectUsers() {
  for (auto [i, node] : llvm::enumerate(graph.nodes)) {
    node.sums.clear();
    for (unsigned operand : node.operands) {
      SmallVector<unsigned, 2> &users = states[operand].users;
      if (users.empty() || users.back() != i)
        users.push_back(i);
    }
    for (unsigned result : node.results)
      states[result].produced |= !node.transfer;
  }
  for (auto [value, state] : llvm::zip_equal(graph.values, states))
    state.pending = getSumAxes(value.layout);
}

/// Adds those of \p more to \p axes that are not in it. Returns whether what is
/// there and what is added are the same or nothing to do with each other.
static bool addAxes(Axes &axes, ArrayRef<AxisRef> more) {
  for (AxisRef axis : more) {
    if (llvm::is_contained(axes, axis))
      continue;
    if (llvm::any_of(axes, [&](AxisRef other) { return axis.overlaps(other); }))
      return false;
    axes.push_back(axis);
  }
  return true;
}

/// Decides which operands of node \p number could stay sums, and what its
/// result then is.
void Deferral::plan(unsigned number) {
  const Node &node = graph.nodes[number];
  if (node.transfer || node.results.size() != 1 || node.rule.additive.empty())
    return;
  SmallVector<bool> pending(node.operands.size());
  for (auto [i, operand] : llvm::enumerate(node.operands)) {
    const Value &value = graph.values[operand];
    // What moves anyway, or is used in another turn of a loop, is summed first.
    pending[i] = !states[operand].pending.empty() &&
                 value.scope == graph.values[node.results[0]].scope &&
                 value.layout.withoutPartial() ==
                     getOperandLayout(node.rule, i, node.cuts);
  }
  auto getWeight = [&](const OperandSet &set) {
    int64_t weight = 0;
    for (unsigned i : set)
      if (pending[i])
        weight += 1 + graph.values[node.operands[i]].sizeBytes / 2;
    return weight;
  };
  const OperandSet *best = nullptr;
  for (const OperandSet &set : node.rule.additive)
    if (getWeight(set) > (best ? getWeight(*best) : 0))
      best = &set;
  if (!best)
    return;

  Axes axes;
  OperandSet passed;
  for (unsigned i : *best)
    if (pending[i]) {
      if (!addAxes(axes, states[node.operands[i]].pending))
        return;
      passed.push_back(i);
    }
  for (const layout::DimLayout &cut : node.cuts)
    for (AxisRef axis : cut.axes)
      if (llvm::any_of(axes,
                       [&](AxisRef other) { return axis.overlaps(other); }))
        return;
  // A value that is counted once in one place can't be counted fully in another
  // of the same node.
  for (auto [i, operand] : llvm::enumerate(node.operands))
    if (!llvm::is_contained(*best, i))
      for (unsigned other : *best)
        if (node.operands[other] == operand)
          return;

  Axes &result = states[node.results[0]].pending;
  const Layout &own = graph.values[node.results[0]].layout;
  if (own.isPartial() && getSumAxes(own).empty())
    return;
  if (!addAxes(result, axes))
    return;
  plans[number] = passed;
}

/// Returns what the busiest rank receives to sum value \p number along \p axes
/// and to have it as its users want it.
double Deferral::getSumBytes(unsigned number, ArrayRef<AxisRef> axes) const {
  if (axes.empty())
    return 0;
  const Value &value = graph.values[number];
  Layout whole = value.layout.withoutPartial();
  Layout sum = whole;
  sum.partial.push_back(
      {layout::ReductionKind::Sum, SmallVector<AxisRef, 2>(axes)});
  // Where all want it in one layout it is summed straight to that.
  std::optional<Layout> target;
  for (unsigned user : states[number].users) {
    const Node &node = graph.nodes[user];
    for (auto [i, operand] : llvm::enumerate(node.operands)) {
      if (operand != number)
        continue;
      Layout wanted = getWantedLayout(graph, node, i).withoutPartial();
      if (target && *target != wanted)
        return costs.getReceivedBytes(value, sum, whole);
      target = wanted;
    }
  }
  return costs.getReceivedBytes(value, sum, target.value_or(whole));
}

/// Decides whether \p number, if it is a sum along its pending axes, waits.
void Deferral::price(unsigned number) {
  ValueState &state = states[number];
  if (state.pending.empty())
    return;
  double now = getSumBytes(number, state.pending);
  state.costBytes = now;
  double later = 0;
  for (unsigned user : state.users) {
    const OperandSet &passed = plans[user];
    const Node &node = graph.nodes[user];
    unsigned uses = 0, passes = 0;
    for (auto [i, operand] : llvm::enumerate(node.operands)) {
      uses += operand == number;
      passes += operand == number && llvm::is_contained(passed, i);
    }
    if (passes != uses)
      return;
    unsigned result = node.results[0];
    double own = getSumBytes(result, getSumAxes(graph.values[result].layout));
    later +=
        std::max(0.0, states[result].costBytes - own) * passes / passed.size();
  }
  state.waits = !state.users.empty() && later < now;
  if (state.waits)
    state.costBytes = later;
}

/// Writes down what node \p number takes as sums, and that its result is one.
void Deferral::write(unsigned number) {
  Node &node = graph.nodes[number];
  Axes axes;
  bool any = false;
  SmallVector<Axes, 0> sums(node.operands.size());
  for (unsigned i : plans[number]) {
    unsigned operand = node.operands[i];
    if (!states[operand].waits)
      continue;
    sums[i] = getSumAxes(graph.values[operand].layout);
    any |= !sums[i].empty();
    addAxes(axes, sums[i]);
  }
  if (!any)
    return;
  node.sums.assign(sums.begin(), sums.end());
  Layout &result = graph.values[node.results[0]].layout;
  result.partial.push_back({layout::ReductionKind::Sum, axes});
  result = result.getNormalForm();
}

void Deferral::run() {
  collectUsers();
  for (unsigned i = 0, e = graph.nodes.size(); i < e; ++i)
    plan(i);
  // Operands of one node share what its result costs, so that one which is
  // summed early after all leaves more to the others: once more, then.
  for (int round = 0; round < 2; ++round) {
    for (ValueState &state : states)
      state.waits = false;
    for (const Node &node : llvm::reverse(graph.nodes))
      if (!node.transfer)
        for (unsigned result : node.results)
          price(result);
    for (unsigned i = 0, e = states.size(); i < e; ++i)
      if (!states[i].produced)
        price(i);
    for (unsigned number = 0; number < plans.size(); ++number)
      llvm::erase_if(plans[number], [&](unsigned i) {
        return !states[graph.nodes[number].operands[i]].waits;
      });
  }
  for (unsigned i = 0, e = graph.nodes.size(); i < e; ++i)
    write(i);
}

void pctl::propagation::deferSums(Graph &graph, MoveCosts &costs) {
  Deferral(graph, costs).run();
}
