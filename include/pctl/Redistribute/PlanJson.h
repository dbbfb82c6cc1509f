// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Plans as JSON, for other programs. A plan is one object; meshes, axes and
/// layouts in it are texts as of LayoutText.h:
///
/// \verbatim
///   {"mesh": "x=2, y=2", "shape": [8, 8], "from": "[{x},{}]",
///    "to": "[{},{y}]",
///    "steps": [
///      {"op": "all_slice", "axes": [], "from": "[{x},{}]",
///       "to": "[{x},{y}]"},
///      {"op": "all_gather", "axes": ["x"], "dim": 0, "from": "[{x},{y}]",
///       "to": "[{},{y}]"}]}
/// \endverbatim
///
/// A step has, where its kind uses them, `dim`, `concat_dim`, `reduction`,
/// `pairs` (`[[0, 1], [1, 0]]`) and `root`. An exchange may have `owners`,
/// `rounds`, and what it lists as `listed`: objects of the ranks `from` and
/// `to`, and of `offset` and `size`, one number a dim. A size that is not known
/// is `"?"`.

#ifndef PCTL_REDISTRIBUTE_PLANJSON_H
#define PCTL_REDISTRIBUTE_PLANJSON_H

#include "pctl/Redistribute/Plan.h"

#include "llvm/Support/JSON.h"

namespace pctl::redistribute {

/// Returns \p plan, whose layouts must be of its mesh, as JSON. Printed, its
/// keys are in alphabetical order.
llvm::json::Value toJson(const Plan &plan);

/// Returns an entry of what a step lists.
llvm::json::Object toJson(const Transfer &transfer);

/// Returns one step as JSON.
llvm::json::Object toJson(const layout::Mesh &mesh, const Step &step);

/// Reads a plan, which may be wrong, as verifyPlan says. Keys that this page
/// does not name are read over, so that others can add what they know.
///
/// Errors, each with the path of a key, such as `steps[1].listed[0].size`: a
/// key that is missing, a value of another type, and what parseMesh and
/// parseLayout reject.
llvm::Expected<Plan> planFromJson(const llvm::json::Value &value);

/// Parses the text of such an object. Errors: those of parseJson and of
/// planFromJson.
llvm::Expected<Plan> parsePlanJson(llvm::StringRef text);

} // namespace pctl::redistribute

#endif // PCTL_REDISTRIBUTE_PLANJSON_H
