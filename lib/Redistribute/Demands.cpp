// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Boxes cut by numbers of elements.

#include "Demands.h"

#include "llvm/ADT/STLExtras.h"

using namespace pctl;
using namespace pctl::layout;
using namespace pctl::redistribute;
using llvm::ArrayRef;
using llvm::SmallVector;
using llvm::SmallVectorImpl;

/// Takes the first \p count elements of \p box off it, in row-major order, as
/// boxes that \p visit gets; what is left goes to \p rest.
static void takeElements(const Box &box, int64_t count,
                         llvm::function_ref<void(const Box &)> visit,
                         SmallVectorImpl<Box> &rest) {
  if (count == box.getNumElements())
    return visit(box);
  if (count == 0) {
    rest.push_back(box);
    return;
  }
  // As more than one element is in the box, some dim has more than one.
  unsigned dim = 0;
  while (box[dim].size == 1)
    ++dim;
  int64_t row = box.getNumElements() / box[dim].size, rows = count / row;
  auto getRows = [&](int64_t first, int64_t number) {
    SmallVector<Range, 4> ranges(box.getRanges());
    ranges[dim] = {box[dim].offset + first, number};
    return Box(ranges);
  };
  if (rows > 0)
    visit(getRows(0, rows));
  int64_t behind = box[dim].size - rows;
  if (count % row != 0) {
    takeElements(getRows(rows, 1), count % row, visit, rest);
    ++rows;
    --behind;
  }
  if (behind > 0)
    rest.push_back(getRows(rows, behind));
}

void redistribute::listTransfers(ArrayRef<Demand> demands,
                                 ArrayRef<Share> shares,
                                 std::vector<Transfer> &transfers) {
  // A stack of what is left: rests are put back in order.
  std::vector<Demand> left(llvm::reverse(demands).begin(),
                           llvm::reverse(demands).end());
  for (Share share : shares) {
    while (share.elements > 0) {
      Demand demand = std::move(left.back());
      left.pop_back();
      int64_t count = std::min(share.elements, demand.box.getNumElements());
      SmallVector<Box> rest;
      takeElements(
          demand.box, count,
          [&](const Box &box) {
            transfers.push_back({share.source, demand.target, box});
          },
          rest);
      for (const Box &box : llvm::reverse(rest))
        left.push_back({demand.target, box});
      share.elements -= count;
    }
  }
}
