// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Printing of plans.

#include "pctl/Redistribute/PlanText.h"

#include "pctl/Layout/LayoutText.h"
#include "pctl/Redistribute/Traffic.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace pctl;
using namespace pctl::layout;
using namespace pctl::redistribute;
using llvm::ArrayRef;

/// Prints what is particular to the kind of \p step.
static void printDetails(llvm::raw_ostream &os, const Mesh &mesh,
                         const Step &step) {
  switch (step.kind) {
  case StepKind::AllGather:
    os << " dim " << step.dim;
    break;
  case StepKind::AllToAll:
    os << " concat dim " << step.concatDim << ", split dim " << step.dim;
    break;
  case StepKind::ReduceScatter:
    os << " " << stringifyReductionKind(step.reduction) << " dim " << step.dim;
    break;
  case StepKind::AllReduce:
    os << " " << stringifyReductionKind(step.reduction);
    break;
  case StepKind::Permute:
    os << " ";
    for (auto [source, target] : step.pairs)
      os << "(" << source << "," << target << ")";
    break;
  case StepKind::Slice:
  case StepKind::Broadcast:
  case StepKind::Exchange:
    break;
  }
  if (!step.axes.empty())
    os << " over {" << toString(mesh, step.axes) << "}";
}

std::string redistribute::toString(const Mesh &mesh,
                                   ArrayRef<int64_t> globalShape,
                                   const Step &step) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << stringifyStepKind(step.kind);
  printDetails(os, mesh, step);
  os << ": " << toString(mesh, step.from) << " -> " << toString(mesh, step.to);
  if (llvm::is_contained(globalShape, kDynamic))
    return text;
  Traffic traffic = getTraffic(mesh, globalShape, step);
  os << ", " << (traffic.exact ? "" : "at most ") << traffic.maxReceived
     << " elements received a rank";
  return text;
}

std::string redistribute::toString(const Plan &plan) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << (plan.globalShape.empty() ? "scalar" : shapeToString(plan.globalShape))
     << " on " << toString(plan.mesh) << ": " << toString(plan.mesh, plan.from)
     << " -> " << toString(plan.mesh, plan.to) << ", " << plan.steps.size()
     << (plan.steps.size() == 1 ? " step\n" : " steps\n");
  for (const Step &step : plan.steps)
    os << "  " << toString(plan.mesh, plan.globalShape, step) << "\n";
  return text;
}
