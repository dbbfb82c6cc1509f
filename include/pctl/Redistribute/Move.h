// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Layout changes between two meshes: other devices, other axes, and tensors
/// that are offset against each other, as in slices, pads and concatenations.
/// docs/redistribution.md, "Moves".

#ifndef PCTL_REDISTRIBUTE_MOVE_H
#define PCTL_REDISTRIBUTE_MOVE_H

#include "pctl/Redistribute/Bound.h"
#include "pctl/Redistribute/Evaluate.h"
#include "pctl/Redistribute/Planner.h"

#include <map>

namespace pctl::redistribute {

/// A tensor laid over a mesh.
struct Placement {
  layout::Mesh mesh;
  layout::Layout layout;
  llvm::SmallVector<int64_t, 4> globalShape;
};

/// A move from one placement to another. Element t of the target is element
/// t + \ref offset of the source, and is not written where the source has none:
/// a slice has the offset where it starts, a pad that of its low padding,
/// negated, and each operand of a concatenation is a move of its own.
struct MoveQuestion {
  Placement from;
  Placement to;
  /// One entry a dim; empty for zeros.
  llvm::SmallVector<int64_t, 4> offset;
};

/// What goes from device to device between two meshes.
struct Crossing {
  /// Sources and targets are devices, boxes are of the source's global tensor.
  std::vector<Transfer> transfers;
  /// As in an exchange: into how many parts each message is cut.
  int64_t rounds = 1;
};

/// A move as a plan on the source's mesh, transfers, and a plan on the target's
/// mesh. Where both meshes have the same devices in the same order and a mesh
/// of common factors, \ref before does all of it on that one.
struct Move {
  MoveQuestion question;
  /// From the source's layout, on its mesh or one with the same devices.
  Plan before;
  Crossing crossing;
  /// To the target's layout, on its mesh.
  Plan after;
};

/// Plans a move.
///
/// Partial axes of the source are reduced on its mesh first, by reduce-scatter
/// where some dim can be cut further. Then each device of the target gets what
/// it lacks, and devices with the same block share the sending evenly; a device
/// that is in one node with some of them gets it from those. Where it takes
/// less time on the options' cluster, each element goes to one device of the
/// target, and they gather it among themselves.
///
/// Worked example, 12 rows on `a=6` from `[{a}]` to `b=4` as `[{b}]`: devices 1
/// to 3 lack 2, 3 and 3 rows, which devices 1 to 5 send; device 0 lacks one.
///
/// Errors: those of planRedistribution; a size that is not known; shapes of
/// different numbers of dims; an offset of another number of dims, or such that
/// the two tensors do not meet in some dim; a target with partial axes where
/// the meshes have no common factors; and, where they have none, more than 2^16
/// ranks, \p maxTransfers transfers, or 256 times as many pairs of boxes to
/// compare.
llvm::Expected<Move> planMove(const MoveQuestion &question,
                              const PlannerOptions &options = {},
                              int64_t maxTransfers = 1 << 14);

/// Checks that the parts of \p move lead from its source to its target.
/// Errors: those of planMove for the question; those of verifyPlan; a part that
/// does not start or end where it must; and, each with the number of the
/// transfer, a device that is in no mesh, a box that the source does not hold
/// or the target does not want or has; elements that reach a device twice or
/// not at all.
llvm::Error verifyMove(const Move &move);

/// What an evaluation of a move counted: elements that each device received and
/// sent.
struct MoveEvaluation {
  std::map<int64_t, int64_t> received, sent;

  int64_t getMaxReceived() const;
  int64_t getMaxSent() const;
};

/// Does \p move element by element. Errors: those of verifyMove for the
/// question, those of evaluatePlan for both plans; more than 2^26 elements on
/// all devices together; an element that a device sends and does not have,
/// or has in the end and should not, each located.
llvm::Expected<MoveEvaluation> evaluateMove(const Move &move);

/// Returns what a valid move costs: the sum over its parts, which is an upper
/// bound where more than one moves anything. The crossing is one of the steps,
/// between those of the two plans.
PlanCost getMoveCost(const Move &move, const cost::Cluster &cluster,
                     int64_t elementBytes, int64_t chunkBytes);

/// Returns the bound of a question that planMove accepts.
Bound getMoveBound(const MoveQuestion &question, const cost::Cluster &cluster,
                   int64_t elementBytes);

} // namespace pctl::redistribute

#endif // PCTL_REDISTRIBUTE_MOVE_H
