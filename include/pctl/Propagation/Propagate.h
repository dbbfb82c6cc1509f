// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Layout propagation over a graph of values and nodes, without any IR: the
/// pass builds the graph from a program and writes the answer back.
/// docs/propagation.md states how conflicts are decided, and why.

#ifndef PCTL_PROPAGATION_PROPAGATE_H
#define PCTL_PROPAGATION_PROPAGATE_H

#include "pctl/Propagation/Rule.h"

#include <vector>

namespace pctl::propagation {

/// A tensor of the program.
struct Value {
  llvm::SmallVector<int64_t> shape;
  /// Size of the whole tensor; what a rank holds of it decides, between equals,
  /// who keeps an axis.
  int64_t sizeBytes = 0;
  /// What is known: axes are only ever added, and to open dims only.
  layout::Layout layout;
  /// Whether a user wrote the layout, or that of the value of which this is a
  /// reshape or a transpose: it then goes before what was derived.
  bool annotated = false;
  /// When it is heard: what all values of lower numbers ask is spread first,
  /// and this one says and takes nothing before.
  unsigned priority = 0;
  /// Number of the body in which it is made, as those of loops run many times:
  /// a sum is done in the body that makes it.
  unsigned scope = 0;
};

/// An op: a rule and the numbers of the values it is about.
struct Node {
  Rule rule;
  llvm::SmallVector<unsigned, 3> operands;
  llvm::SmallVector<unsigned, 1> results;
  /// A transfer passes its one operand on, laid out as its one result says (an
  /// argument of a call, a value returned, a shard op). The layout of the
  /// result of any other node is what its cuts make of it.
  bool transfer = false;
  /// How propagation cuts the factors; empty before.
  FactorCuts cuts;
  /// For each operand the axes along which it is taken as a sum still to be
  /// done; empty where none is.
  llvm::SmallVector<llvm::SmallVector<layout::AxisRef, 2>, 0> sums;
};

/// A program as propagation sees it. A value is a result of at most one node
/// that is no transfer, and of no transfer then.
class Graph {
public:
  explicit Graph(const layout::Mesh &mesh) : mesh(mesh) {}

  /// Adds a value about which nothing is known: all its dims are open.
  unsigned addValue(llvm::ArrayRef<int64_t> shape, int64_t sizeBytes);
  /// Adds a value with a layout from the user.
  unsigned addAnnotatedValue(llvm::ArrayRef<int64_t> shape, int64_t sizeBytes,
                             const layout::Layout &layout);
  unsigned addNode(Rule rule, llvm::ArrayRef<unsigned> operands,
                   llvm::ArrayRef<unsigned> results);
  /// Adds a transfer from \p operand to \p result, of equal shape.
  unsigned addTransfer(unsigned operand, unsigned result);

  /// Returns the shapes of the values \p numbers.
  llvm::SmallVector<llvm::SmallVector<int64_t>>
  getShapes(llvm::ArrayRef<unsigned> numbers) const;

  layout::Mesh mesh;
  std::vector<Value> values;
  std::vector<Node> nodes;
};

/// What a run of propagation did.
struct Statistics {
  /// Nodes looked at, again counted each time.
  int64_t numVisits = 0;
  /// Times that a dim of a value was given axes.
  int64_t numExtensions = 0;
};

/// Gives every node cuts and every value a closed layout.
///
/// Each node gathers what its tensors ask of its factors. A factor takes the
/// longest list of axes that extends what it has, where no axis cuts another
/// factor. Where tensors disagree, those that a user annotated come first; then
/// what has the busiest rank receive the fewest bytes, as redistributions would
/// be planned; then what leaves most bytes of a rank where they are, a
/// reduction moving its result; then the order of operands and results. Values
/// of a lower priority number are heard before all others. What the factors
/// have is offered to the open dims of all the node's tensors, and nodes whose
/// tensors changed are looked at again, in program order up and down, until
/// nothing changes: at most as often as there are axes to add.
///
/// In the end a node's result has the layout that the cuts give it, partial
/// where a reduction is cut. Sums are passed on as they are by nodes that are
/// additive in them, within one scope and where fewer bytes are summed for it.
/// Where an operand is wanted otherwise than it is
/// laid out (see getWantedLayout) the program needs a redistribution.
///
/// Running again on the outcome changes nothing. Errors: a rule that does not
/// fit its tensors, a layout that does not fit its value, a value number out of
/// range, a value with two producers.
llvm::Error propagate(Graph &graph, Statistics *statistics = nullptr);

/// Returns the layout that operand \p operand of \p node must have, after
/// propagation.
layout::Layout getWantedLayout(const Graph &graph, const Node &node,
                               unsigned operand);

} // namespace pctl::propagation

#endif // PCTL_PROPAGATION_PROPAGATE_H
