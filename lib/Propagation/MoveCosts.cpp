// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

#include "MoveCosts.h"

#include "pctl/Layout/LayoutText.h"
#include "pctl/Redistribute/PlanCost.h"
#include "pctl/Redistribute/Planner.h"

#include "llvm/Support/FormatVariadic.h"

using namespace pctl;
using namespace pctl::propagation;
using layout::Layout;

int64_t MoveCosts::getReceivedBytes(const Value &value, const Layout &from,
                                    const Layout &to) {
  Layout source = from.getNormalForm(), target = to.getNormalForm();
  if (source == target || value.sizeBytes == 0)
    return 0;
  llvm::SmallVector<int64_t> shape = value.shape;
  int64_t elements = 1;
  for (int64_t &size : shape) {
    if (size == layout::kDynamic)
      size = 1;
    // What is too large to count has no plan.
    if (size != 0 && elements > value.sizeBytes / size)
      return value.sizeBytes;
    elements *= size;
  }
  std::string key = llvm::formatv("{0} {1} {2} {3}", value.sizeBytes,
                                  llvm::make_range(shape.begin(), shape.end()),
                                  layout::toString(mesh, source),
                                  layout::toString(mesh, target));
  auto [entry, isNew] = known.try_emplace(std::move(key), value.sizeBytes);
  if (!isNew)
    return entry->second;
  redistribute::PlannerOptions options;
  options.elementBytes = std::max<int64_t>(value.sizeBytes / elements, 1);
  llvm::Expected<redistribute::Plan> plan =
      redistribute::planRedistribution(mesh, shape, source, target, options);
  if (!plan) {
    llvm::consumeError(plan.takeError());
    return entry->second;
  }
  entry->second =
      redistribute::getPlanCost(*plan, options.cluster, options.elementBytes,
                                options.chunkBytes)
          .maxReceivedBytes;
  return entry->second;
}
