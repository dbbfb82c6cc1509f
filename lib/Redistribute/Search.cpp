// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// The search itself: A* over states, with exchanges to the target, and to
/// layouts that refine it inside of units, from each state that it visits.

#include "Search.h"

#include "SearchSpace.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"

#include <queue>

using namespace pctl;
using namespace pctl::layout;
using namespace pctl::redistribute;
using llvm::ArrayRef;

namespace {

/// How many states a search prices and bounds, and how many exchanges it
/// makes.
struct Limits {
  size_t states, exchanges;
};

} // namespace

/// Returns limits that keep a search to a millisecond or so on few ranks and to
/// a few times what one exchange takes to balance on many.
static Limits getLimits(const Mesh &mesh) {
  if (mesh.getNumRanks() <= 64)
    return {4096, 64};
  return {512, 1};
}

namespace {

/// A state that was reached, and how.
struct Node {
  SearchMove move; // move.next is the state
  Layout layout;
  /// Where an exchange leads here it stands for the move.
  std::optional<PricedStep> exchange;
  int parent = -1;
  double timeSec = 0, leftSec = 0;
  unsigned numSteps = 0;
  bool visited = false;
};

class Search {
public:
  Search(Pricer &pricer, const Layout &from, const Layout &to, int64_t capBytes,
         double limitSec)
      : pricer(pricer), from(from), to(to), capBytes(capBytes),
        limitSec(limitSec), space(pricer.mesh, pricer.globalShape, from, to,
                                  pricer.options.cluster),
        limits(getLimits(pricer.mesh)) {}

  std::optional<std::vector<PricedStep>> run();

private:
  void visit(int number);
  void tryMove(int parent, SearchMove move);
  void tryExchange(int parent, const State &state);
  void reach(int parent, SearchMove move, Layout layout,
             std::optional<PricedStep> exchange, double timeSec);
  std::vector<PricedStep> getSteps() const;

  Pricer &pricer;
  const Layout &from, &to;
  const int64_t capBytes;
  double limitSec;
  const SearchSpace space;
  std::string targetKey;
  llvm::SmallVector<State, 4> refined;
  std::vector<Node> nodes;
  llvm::StringMap<int> known;
  using Entry = std::tuple<double, unsigned, int>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<Entry>> open;
  Limits limits;
  int last = -1;
};

} // namespace

/// Adds the state that \p move leads to, or the better way to it.
void Search::reach(int parent, SearchMove move, Layout layout,
                   std::optional<PricedStep> exchange, double timeSec) {
  std::string key = move.next.getKey();
  auto [it, inserted] = known.try_emplace(key, int(nodes.size()));
  int number = it->second;
  unsigned numSteps =
      parent < 0 ? 0
                 : nodes[parent].numSteps +
                       (move.kind != StepKind::Slice || exchange.has_value());
  if (inserted) {
    Node node;
    node.layout = std::move(layout);
    node.leftSec = key == targetKey ? 0 : pricer.getLeastSec(node.layout, to);
    nodes.push_back(std::move(node));
  } else if (std::pair(timeSec, numSteps) >=
             std::pair(nodes[number].timeSec, nodes[number].numSteps)) {
    return;
  }
  Node &node = nodes[number];
  node.move = std::move(move);
  node.exchange = std::move(exchange);
  node.parent = parent;
  node.timeSec = timeSec;
  node.numSteps = numSteps;
  node.visited = false;
  if (!takesLess(timeSec + node.leftSec, limitSec))
    return;
  if (key == targetKey) {
    limitSec = timeSec;
    last = number;
    return;
  }
  open.push({timeSec + node.leftSec, numSteps, number});
}

void Search::tryMove(int parent, SearchMove move) {
  auto it = known.find(move.next.getKey());
  double timeSec = nodes[parent].timeSec;
  if (it != known.end() && nodes[it->second].timeSec < timeSec)
    return;
  // A layout that is known not to be on a faster path is not priced.
  if (it != known.end() &&
      !takesLess(timeSec + nodes[it->second].leftSec, limitSec))
    return;
  Layout layout =
      it != known.end() ? nodes[it->second].layout : space.getLayout(move.next);
  Step step = space.getStep(move, nodes[parent].layout, layout,
                            /*withPairs=*/false);
  StepCost cost = pricer.getCost(step);
  timeSec += cost.timeSec;
  if (cost.liveBytes > capBytes || !takesLess(timeSec, limitSec))
    return;
  reach(parent, std::move(move), std::move(layout), std::nullopt, timeSec);
}

void Search::tryExchange(int parent, const State &state) {
  if (limits.exchanges == 0)
    return;
  Layout layout = space.getLayout(state);
  if (nodes[parent].layout == layout ||
      !takesLess(nodes[parent].timeSec +
                     pricer.getLeastExchangeSec(nodes[parent].layout, layout),
                 limitSec))
    return;
  --limits.exchanges;
  PricedStep exchange = pricer.makeExchange(nodes[parent].layout, layout);
  double timeSec = nodes[parent].timeSec + exchange.cost.timeSec;
  if (exchange.cost.liveBytes > capBytes || !takesLess(timeSec, limitSec))
    return;
  SearchMove move;
  move.next = state;
  reach(parent, std::move(move), std::move(layout), std::move(exchange),
        timeSec);
}

void Search::visit(int number) {
  nodes[number].visited = true;
  const State state = nodes[number].move.next;
  space.forEachMove(state,
                    [&](SearchMove move) { tryMove(number, std::move(move)); });
  // After collectives, which stand where an exchange takes as long. From what
  // was just sliced one brings no less than from what was there before.
  bool sliced = nodes[number].parent >= 0 && !nodes[number].exchange &&
                nodes[number].move.kind == StepKind::Slice;
  if (state.partial == space.getTarget().partial && !sliced &&
      !nodes[number].exchange) {
    tryExchange(number, space.getTarget());
    for (const State &middle : refined)
      tryExchange(number, middle);
  }
}

/// Returns the steps to the last node that was reached at the target, slices
/// that follow each other joined.
std::vector<PricedStep> Search::getSteps() const {
  std::vector<PricedStep> steps;
  for (int at = last; nodes[at].parent >= 0; at = nodes[at].parent) {
    const Node &node = nodes[at];
    if (node.exchange) {
      steps.push_back(*node.exchange);
      continue;
    }
    Step step = space.getStep(node.move, nodes[node.parent].layout, node.layout,
                              /*withPairs=*/true);
    if (step.kind == StepKind::Slice && !steps.empty() &&
        steps.back().step.kind == StepKind::Slice) {
      step.to = std::move(steps.back().step.to);
      steps.pop_back();
    }
    StepCost cost = pricer.getCost(step);
    steps.push_back({std::move(step), cost});
  }
  std::reverse(steps.begin(), steps.end());
  return steps;
}

std::optional<std::vector<PricedStep>> Search::run() {
  if (!space.isUsable())
    return std::nullopt;
  targetKey = space.getTarget().getKey();
  refined = space.listRefinedTargets();
  SearchMove start;
  start.next = space.getSource();
  reach(-1, std::move(start), from, std::nullopt, 0);
  while (!open.empty() && nodes.size() < limits.states) {
    auto [estimate, numSteps, number] = open.top();
    open.pop();
    const Node &node = nodes[number];
    // Entries of ways that were bettered stay in the queue.
    if (node.visited || estimate != node.timeSec + node.leftSec)
      continue;
    if (!takesLess(estimate, limitSec))
      break;
    visit(number);
  }
  if (last < 0)
    return std::nullopt;
  return getSteps();
}

std::optional<std::vector<PricedStep>>
redistribute::searchPlan(Pricer &pricer, const Layout &from, const Layout &to,
                         int64_t capBytes, double limitSec) {
  return Search(pricer, from, to, capBytes, limitSec).run();
}
