// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// The small questions about steps: their names, and the group of an exchange.

#include "pctl/Redistribute/Plan.h"

#include "Algebra.h"

using namespace pctl;
using namespace pctl::layout;
using namespace pctl::redistribute;
using llvm::ArrayRef;
using llvm::SmallVector;
using llvm::StringRef;

StringRef redistribute::stringifyStepKind(StepKind kind) {
  switch (kind) {
  case StepKind::Slice:
    return "all_slice";
  case StepKind::AllGather:
    return "all_gather";
  case StepKind::AllToAll:
    return "all_to_all";
  case StepKind::ReduceScatter:
    return "reduce_scatter";
  case StepKind::AllReduce:
    return "all_reduce";
  case StepKind::Permute:
    return "permute";
  case StepKind::Broadcast:
    return "broadcast";
  case StepKind::Exchange:
    return "exchange";
  }
  return "";
}

std::optional<StepKind> redistribute::symbolizeStepKind(StringRef keyword) {
  for (StepKind kind :
       {StepKind::Slice, StepKind::AllGather, StepKind::AllToAll,
        StepKind::ReduceScatter, StepKind::AllReduce, StepKind::Permute,
        StepKind::Exchange, StepKind::Broadcast})
    if (keyword == stringifyStepKind(kind))
      return kind;
  return std::nullopt;
}

SmallVector<AxisRef>
redistribute::getExchangeAxes(ArrayRef<int64_t> globalShape, const Layout &from,
                              const Layout &to) {
  return getAxisSet(getChangedAxes(globalShape, from, to).first);
}
