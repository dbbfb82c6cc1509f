// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Moves as JSON, for other programs: the question, then all steps in one list,
/// each with the part that it belongs to. Steps and texts are those of
/// PlanJson.h.
///
/// \verbatim
///   {"mesh": "a=6", "shape": [12], "from": "[{a}]",
///    "to_mesh": "b=4", "to_shape": [12], "to": "[{b}]", "offset": [],
///    "before": {"mesh": "a=6", "from": "[{a}]", "to": "[{a}]"},
///    "after": {"mesh": "b=4", "from": "[{b}]", "to": "[{b}]"},
///    "steps": [
///      {"op": "crossing", "part": "crossing", "axes": [], "rounds": 1,
///       "listed": [{"from": 1, "to": 0, "offset": [2], "size": [1]}, ...]}]}
/// \endverbatim
///
/// `before` and `after` say where the two plans start and end; their steps have
/// the parts `before` and `after`. The crossing is there where it has
/// transfers; its `listed` ones are of devices, in coordinates of the source.

#ifndef PCTL_REDISTRIBUTE_MOVEJSON_H
#define PCTL_REDISTRIBUTE_MOVEJSON_H

#include "pctl/Redistribute/Move.h"

#include "llvm/Support/JSON.h"

namespace pctl::redistribute {

/// Returns \p move as JSON.
llvm::json::Value toJson(const Move &move);

/// Reads a move, which may be wrong, as verifyMove says. Keys that this page
/// does not name are read over.
///
/// Errors, each with the path of a key: a key that is missing, a value of
/// another type, a step of no part or after one of a later part, and what
/// parseMesh and parseLayout reject.
llvm::Expected<Move> moveFromJson(const llvm::json::Value &value);

} // namespace pctl::redistribute

#endif // PCTL_REDISTRIBUTE_MOVEJSON_H
