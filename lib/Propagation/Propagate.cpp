// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Propagation as a fixed point: cuts of factors and axes of open dims only
/// ever grow, so looking at nodes again ends. docs/propagation.md.

#include "pctl/Propagation/Propagate.h"

#include "CutAlgebra.h"
#include "DeferSums.h"
#include "MoveCosts.h"

#include "pctl/Support/Error.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVectorExtras.h"

#include <set>
#include <tuple>

using namespace pctl;
using namespace pctl::propagation;
using layout::AxisRef;
using layout::DimLayout;
using layout::Layout;
using llvm::ArrayRef;
using llvm::Error;
using llvm::SmallVector;

//===----------------------------------------------------------------------===//
// Graph
//===----------------------------------------------------------------------===//

unsigned Graph::addValue(ArrayRef<int64_t> shape, int64_t sizeBytes) {
  values.push_back({SmallVector<int64_t>(shape), sizeBytes,
                    Layout::replicated(shape.size(), /*open=*/true),
                    /*annotated=*/false});
  return values.size() - 1;
}

unsigned Graph::addAnnotatedValue(ArrayRef<int64_t> shape, int64_t sizeBytes,
                                  const Layout &layout) {
  values.push_back({SmallVector<int64_t>(shape), sizeBytes, layout,
                    /*annotated=*/true});
  return values.size() - 1;
}

unsigned Graph::addNode(Rule rule, ArrayRef<unsigned> operands,
                        ArrayRef<unsigned> results) {
  Node node;
  node.rule = std::move(rule);
  node.operands.assign(operands.begin(), operands.end());
  node.results.assign(results.begin(), results.end());
  nodes.push_back(std::move(node));
  return nodes.size() - 1;
}

unsigned Graph::addTransfer(unsigned operand, unsigned result) {
  unsigned number = addNode(getElementwiseRule(values[operand].shape, 1, 1),
                            {operand}, {result});
  nodes[number].transfer = true;
  return number;
}

SmallVector<SmallVector<int64_t>>
Graph::getShapes(ArrayRef<unsigned> numbers) const {
  return llvm::map_to_vector(
      numbers, [&](unsigned number) { return values[number].shape; });
}

//===----------------------------------------------------------------------===//
// Propagation
//===----------------------------------------------------------------------===//

namespace {

/// A tensor of a node: the value, and how the rule describes it.
struct TensorUse {
  unsigned value;
  const TensorMap *map;
};

/// What one tensor of a node asks of one factor.
struct Claim {
  unsigned factor;
  DimLayout asked;
  /// The least is heard first: those of annotated tensors, then those that save
  /// most bytes a rank: the tensors that stay as they are, less what a
  /// reduction adds. Then in order.
  std::tuple<bool, int64_t, size_t, size_t> precedence;
};

class Propagator {
public:
  Propagator(Graph &graph, Statistics &statistics, MoveCosts &costs)
      : graph(graph), statistics(statistics), costs(costs),
        neighbours(graph.values.size()) {}

  Error prepare();
  void run();

private:
  void visitPending();
  void visit(unsigned number);
  void closeLayouts();
  void wakeNeighbours(unsigned value, unsigned visited, unsigned numUses);
  SmallVector<Claim, 0> getClaims(const Node &node,
                                  ArrayRef<TensorUse> uses) const;
  void mergeClaims(Node &node, ArrayRef<TensorUse> uses);
  FactorCuts merge(Node &node, ArrayRef<Claim> claims);
  bool isHeard(const Node &node, const Claim &claim) const;
  int64_t getMovedBytes(const Node &node, ArrayRef<TensorUse> uses);
  bool extendCut(Node &node, unsigned factor, const DimLayout &asked);
  bool isExpressible(const Node &node, unsigned factor) const;
  bool extendValue(Value &value, const Layout &wanted);

  Graph &graph;
  Statistics &statistics;
  MoveCosts &costs;
  /// Values of higher priority numbers are not heard yet.
  unsigned priority = 0;
  /// For each value the nodes that use or produce it.
  std::vector<SmallVector<unsigned, 2>> neighbours;
  /// Nodes to look at, in program order.
  std::set<unsigned> pending;
  /// Whether layouts of results follow from cuts: the second phase.
  bool closed = false;
};

} // namespace

Error Propagator::prepare() {
  for (auto [i, value] : llvm::enumerate(graph.values))
    if (Error error =
            layout::verifyLayout(graph.mesh, value.layout, value.shape))
      return makeError("value {0}: {1}", i, llvm::toString(std::move(error)));
  SmallVector<char> producers(graph.values.size(), 0);
  constexpr char kOp = 1, kTransfer = 2;
  for (auto [i, node] : llvm::enumerate(graph.nodes)) {
    for (ArrayRef<unsigned> numbers :
         {ArrayRef<unsigned>(node.operands), ArrayRef<unsigned>(node.results)})
      for (unsigned number : numbers) {
        if (number >= graph.values.size())
          return makeError("node {0} names value {1}, but there are {2} values",
                           i, number, graph.values.size());
        if (neighbours[number].empty() || neighbours[number].back() != i)
          neighbours[number].push_back(i);
      }
    for (unsigned number : node.results) {
      char kind = node.transfer ? kTransfer : kOp;
      if (producers[number] && (producers[number] | kind) != kTransfer)
        return makeError("value {0} is a result of two nodes", number);
      producers[number] = kind;
    }
    if (Error error = verifyRule(node.rule, graph.getShapes(node.operands),
                                 graph.getShapes(node.results)))
      return makeError("node {0}: {1}", i, llvm::toString(std::move(error)));
    node.cuts.resize(node.rule.factors.size());
  }
  return Error::success();
}

void Propagator::run() {
  auto wakeAll = [&] {
    for (unsigned i = 0, e = graph.nodes.size(); i < e; ++i)
      pending.insert(pending.end(), i);
  };
  std::set<unsigned> priorities = {0};
  for (const Value &value : graph.values)
    priorities.insert(value.priority);
  for (unsigned next : priorities) {
    priority = next;
    wakeAll();
    visitPending();
  }
  // A producer may give a value other axes than its users had agreed on. Users
  // then take up what is there, as far as it extends what they have.
  closeLayouts();
  wakeAll();
  visitPending();
}

void Propagator::visitPending() {
  // Up and down through the program, so that a change travels its whole way in
  // one sweep and is never met half-way by what it would have decided.
  unsigned position = 0;
  bool forward = true;
  while (!pending.empty()) {
    auto next = pending.lower_bound(position);
    if (forward && next == pending.end()) {
      forward = false;
      next = std::prev(pending.end());
    } else if (!forward && (next == pending.end() || *next != position)) {
      if (next == pending.begin())
        forward = true;
      else
        next = std::prev(next);
    }
    position = *next;
    pending.erase(next);
    ++statistics.numVisits;
    visit(position);
  }
}

void Propagator::visit(unsigned number) {
  Node &node = graph.nodes[number];
  SmallVector<TensorUse> uses;
  for (auto [value, map] : llvm::zip_equal(node.operands, node.rule.operands))
    uses.push_back({value, &map});
  for (auto [value, map] : llvm::zip_equal(node.results, node.rule.results))
    uses.push_back({value, &map});
  mergeClaims(node, uses);
  auto countUses = [&](unsigned value) {
    return llvm::count_if(
        uses, [&](const TensorUse &use) { return use.value == value; });
  };
  if (!closed) {
    for (const TensorUse &use : uses)
      if (extendValue(graph.values[use.value],
                      getLayout(node.rule, *use.map, node.cuts)))
        wakeNeighbours(use.value, number, countUses(use.value));
    return;
  }
  if (node.transfer)
    return;
  for (auto [i, result] : llvm::enumerate(node.results)) {
    Layout layout = getResultLayout(node.rule, i, node.cuts);
    if (layout == graph.values[result].layout)
      continue;
    graph.values[result].layout = layout;
    wakeNeighbours(result, number, countUses(result));
  }
}

/// Has the nodes of \p value looked at again. The one just visited knows,
/// unless it has the value more than once and so was told something by itself.
void Propagator::wakeNeighbours(unsigned value, unsigned visited,
                                unsigned numUses) {
  for (unsigned neighbour : neighbours[value])
    if (neighbour != visited || numUses > 1)
      pending.insert(neighbour);
}

/// Returns the bytes of \p value that a rank holds, bounded so that they can be
/// added up.
static int64_t getHeldBytes(const Value &value) {
  constexpr int64_t kMost = int64_t(1) << 55;
  return std::min(value.sizeBytes, kMost) /
         layout::getNumPositions(value.layout.getUsedAxes());
}

/// Lists what the tensors of \p node ask of its factors, in the order in which
/// they are to be heard.
SmallVector<Claim, 0> Propagator::getClaims(const Node &node,
                                            ArrayRef<TensorUse> uses) const {
  SmallVector<FactorCuts, 0> asked;
  for (const TensorUse &use : uses)
    if (graph.values[use.value].priority <= priority)
      asked.push_back(
          projectLayout(node.rule, *use.map, graph.values[use.value].layout));
    else
      asked.emplace_back(node.rule.factors.size());
  SmallVector<int64_t> heldBytes;
  for (const TensorUse &use : uses)
    heldBytes.push_back(getHeldBytes(graph.values[use.value]));
  int64_t resultBytes = 0;
  for (int64_t bytes : ArrayRef(heldBytes).take_back(node.results.size()))
    resultBytes += bytes;

  SmallVector<Claim, 0> claims;
  for (auto [position, cuts] : llvm::enumerate(asked))
    for (auto [factor, cut] : llvm::enumerate(cuts)) {
      if (cut.axes.empty())
        continue;
      Claim claim{static_cast<unsigned>(factor), cut, {}};
      bool annotated = false;
      int64_t savedBytes = 0;
      for (auto [use, bytes, other] : llvm::zip_equal(uses, heldBytes, asked)) {
        const DimLayout &otherCut = other[factor];
        if (otherCut.axes.empty() ||
            (!extends(otherCut, cut) && !extends(cut, otherCut)))
          continue;
        annotated |= graph.values[use.value].annotated;
        savedBytes += bytes;
      }
      Factor::Use kind = node.rule.factors[factor].use;
      if (kind == Factor::Use::Reduction || kind == Factor::Use::Combined)
        savedBytes -= resultBytes;
      claim.precedence = {!annotated, -savedBytes, position, factor};
      claims.push_back(claim);
    }
  llvm::sort(claims, [](const Claim &a, const Claim &b) {
    return a.precedence < b.precedence;
  });
  return claims;
}

/// Returns whether \p node is cut as \p claim asks.
bool Propagator::isHeard(const Node &node, const Claim &claim) const {
  return !mayBeCut(node.rule.factors[claim.factor]) ||
         extends(node.cuts[claim.factor], claim.asked);
}

/// Returns the bytes that the busiest rank receives for all that moves before
/// and after \p node, cut as it is. What is not cut yet may become cut.
int64_t Propagator::getMovedBytes(const Node &node, ArrayRef<TensorUse> uses) {
  int64_t bytes = 0;
  for (auto [i, use] : llvm::enumerate(uses)) {
    const Value &value = graph.values[use.value];
    Layout known = value.layout.getNormalForm();
    if (i < node.operands.size()) {
      bytes += costs.getReceivedBytes(
          value, known, getLayout(node.rule, *use.map, node.cuts));
      continue;
    }
    Layout made =
        getResultLayout(node.rule, i - node.operands.size(), node.cuts);
    bool isCut = !known.withoutPartial().getUsedAxes().empty();
    bytes += costs.getReceivedBytes(
        value, made,
        isCut || !made.isPartial() ? known : made.withoutPartial());
  }
  return bytes;
}

/// Has \p node cut as its tensors ask. Where they can't all be heard, each that
/// is not is tried first, among those that come equally first, and what moves
/// the fewest bytes is done.
void Propagator::mergeClaims(Node &node, ArrayRef<TensorUse> uses) {
  SmallVector<Claim, 0> claims = getClaims(node, uses);
  FactorCuts before = node.cuts;
  FactorCuts best = merge(node, claims);
  SmallVector<Claim, 0> unheard;
  for (const Claim &claim : claims)
    if (!isHeard(node, claim))
      unheard.push_back(claim);
  if (unheard.empty() || closed)
    return;
  int64_t bestBytes = getMovedBytes(node, uses);
  for (const Claim &first : unheard) {
    SmallVector<Claim, 0> order(claims);
    llvm::sort(order, [&](const Claim &a, const Claim &b) {
      auto getRank = [&](const Claim &claim) {
        bool leads = claim.factor == first.factor && claim.asked == first.asked;
        return std::make_tuple(std::get<0>(claim.precedence), !leads,
                               claim.precedence);
      };
      return getRank(a) < getRank(b);
    });
    node.cuts = before;
    FactorCuts cuts = merge(node, order);
    int64_t bytes = cuts == best ? bestBytes : getMovedBytes(node, uses);
    if (bytes >= bestBytes)
      continue;
    bestBytes = bytes;
    best = cuts;
  }
  node.cuts = best;
}

/// Gives the factors of \p node what \p claims ask, in order, and returns it.
FactorCuts Propagator::merge(Node &node, ArrayRef<Claim> claims) {
  // A factor of a merged dim has to wait for the ones before it, so what was
  // refused may be taken in the next round.
  bool changed;
  do {
    changed = false;
    for (const Claim &claim : claims)
      changed |= extendCut(node, claim.factor, claim.asked);
  } while (changed);
  return node.cuts;
}

/// Returns whether every dim of which \p factor is a part can have its axes:
/// all factors before it are cut fully.
bool Propagator::isExpressible(const Node &node, unsigned factor) const {
  for (ArrayRef<TensorMap> maps : {ArrayRef<TensorMap>(node.rule.operands),
                                   ArrayRef<TensorMap>(node.rule.results)})
    for (const TensorMap &map : maps)
      for (ArrayRef<unsigned> numbers : map) {
        if (!llvm::is_contained(numbers, factor))
          continue;
        for (unsigned before :
             llvm::make_range(numbers.begin(), llvm::find(numbers, factor)))
          if (!isCutFully(node.rule.factors[before], node.cuts[before]))
            return false;
      }
  return true;
}

/// Adds to \p cut the leading axes of \p asked beyond it that overlap none of
/// \p used. Returns whether there were any.
static bool addFreeAxes(DimLayout &cut, const DimLayout &asked,
                        ArrayRef<AxisRef> used) {
  if (!extends(asked, cut))
    return false;
  SmallVector<AxisRef> added;
  for (AxisRef axis : layout::dropPrefix(asked.axes, cut.axes)) {
    if (llvm::any_of(used, [&](AxisRef other) { return axis.overlaps(other); }))
      break;
    added.push_back(axis);
  }
  if (added.empty())
    return false;
  SmallVector<AxisRef> all(cut.axes);
  all.append(added);
  SmallVector<AxisRef> normal = layout::normalizeAxes(all);
  // Explicit block sizes are for all axes or for none.
  if (!asked.blockSizes.empty()) {
    if (ArrayRef<AxisRef>(normal) !=
        ArrayRef<AxisRef>(layout::normalizeAxes(asked.axes)))
      return false;
    cut.blockSizes = asked.blockSizes;
  }
  cut.axes.assign(normal.begin(), normal.end());
  return true;
}

bool Propagator::extendCut(Node &node, unsigned factor,
                           const DimLayout &asked) {
  if (!mayBeCut(node.rule.factors[factor]) || !isExpressible(node, factor))
    return false;
  SmallVector<AxisRef> used;
  for (auto [i, cut] : llvm::enumerate(node.cuts))
    if (i != factor)
      used.append(cut.axes.begin(), cut.axes.end());
  return addFreeAxes(node.cuts[factor], asked, used);
}

bool Propagator::extendValue(Value &value, const Layout &wanted) {
  if (value.priority > priority)
    return false;
  bool changed = false;
  for (auto [d, dim] : llvm::enumerate(value.layout.dims)) {
    if (!dim.open)
      continue;
    SmallVector<AxisRef> used = value.layout.getPartialAxes();
    for (auto [other, otherDim] : llvm::enumerate(value.layout.dims))
      if (other != d)
        used.append(otherDim.axes.begin(), otherDim.axes.end());
    if (!addFreeAxes(dim, wanted.dims[d], used))
      continue;
    // Explicit block sizes say all there is to say of a dim.
    if (!dim.blockSizes.empty())
      dim.open = false;
    ++statistics.numExtensions;
    changed = true;
  }
  return changed;
}

void Propagator::closeLayouts() {
  closed = true;
  for (Value &value : graph.values)
    value.layout = value.layout.getNormalForm();
  for (const Node &node : graph.nodes) {
    if (node.transfer)
      continue;
    for (auto [i, number] : llvm::enumerate(node.results))
      graph.values[number].layout = getResultLayout(node.rule, i, node.cuts);
  }
}

Error pctl::propagation::propagate(Graph &graph, Statistics *statistics) {
  Statistics unused;
  MoveCosts costs(graph.mesh);
  Propagator propagator(graph, statistics ? *statistics : unused, costs);
  if (Error error = propagator.prepare())
    return error;
  propagator.run();
  deferSums(graph, costs);
  return Error::success();
}

Layout pctl::propagation::getWantedLayout(const Graph &graph, const Node &node,
                                          unsigned operand) {
  if (node.transfer)
    return graph.values[node.results.front()].layout;
  Layout wanted = getOperandLayout(node.rule, operand, node.cuts);
  adoptFreeBlocks(node.rule, node.rule.operands[operand], wanted,
                  graph.values[node.operands[operand]].layout);
  if (node.sums.empty())
    return wanted;
  wanted.partial.push_back({layout::ReductionKind::Sum, node.sums[operand]});
  return wanted.getNormalForm();
}
