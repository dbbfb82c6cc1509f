// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Symbols, and the limits on how many of them are kept.

#include "Symbols.h"

#include "pctl/Layout/LayoutText.h"
#include "pctl/Support/CheckedArith.h"
#include "pctl/Support/Error.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace pctl;
using namespace pctl::layout;
using namespace pctl::redistribute;
using llvm::ArrayRef;
using llvm::Error;
using llvm::SmallVector;

//===----------------------------------------------------------------------===//
// Contributions
//===----------------------------------------------------------------------===//

unsigned TermTable::getId(const Terms &terms) {
  auto [entry, isNew] = ids.try_emplace(terms, all.size());
  if (isNew)
    all.push_back(terms);
  return entry->second;
}

unsigned TermTable::getSum(unsigned a, unsigned b) {
  auto [entry, isNew] = sums.try_emplace({a, b}, 0);
  if (isNew) {
    Terms sum = all[a];
    for (auto [count, other] : llvm::zip_equal(sum, all[b]))
      count = checkedAdd(count, other).value_or(INT64_MAX);
    entry->second = getId(sum);
  }
  return entry->second;
}

Terms redistribute::getOwnTerms(const Mesh &mesh, ArrayRef<AxisRef> partialAxes,
                                int64_t rank) {
  Terms own(getNumPositions(partialAxes), 0);
  own[mesh.getCoordinate(rank, partialAxes)] = 1;
  return own;
}

Terms redistribute::getRightTerms(const Mesh &mesh,
                                  ArrayRef<AxisRef> partialAxes,
                                  const Layout &layout, int64_t rank) {
  SmallVector<AxisRef> left = layout.getPartialAxes();
  Terms right(getNumPositions(partialAxes), 0);
  for (auto [position, count] : llvm::enumerate(right)) {
    int64_t other = mesh.withCoordinate(rank, partialAxes, position);
    count = mesh.getCoordinate(other, left) == mesh.getCoordinate(rank, left);
  }
  return right;
}

Error redistribute::verifyPartialAtStart(const Mesh &mesh,
                                         ArrayRef<AxisRef> partialAxes,
                                         const Layout &layout) {
  for (AxisRef ref : layout.getPartialAxes())
    for (AxisRef other : mesh.getComplement(partialAxes))
      if (ref.overlaps(other))
        return makeError("axis '{0}' is partial, it was not at the start",
                         toString(mesh, ref));
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Limits
//===----------------------------------------------------------------------===//

bool redistribute::canKeep(const Mesh &mesh, int64_t perRank) {
  // A rank that holds nothing costs something too.
  std::optional<int64_t> count =
      checkedMul(mesh.getNumRanks(), std::max<int64_t>(perRank, 1));
  return count && *count <= maxCells;
}

Error redistribute::checkCount(const Mesh &mesh, int64_t perRank,
                               const char *what) {
  if (canKeep(mesh, perRank))
    return Error::success();
  return makeError("{0} ranks that hold up to {1} {2} each are too many to "
                   "evaluate, at most {3} {2} in all can be",
                   mesh.getNumRanks(), perRank, what, maxCells);
}

Error redistribute::checkLayout(const Mesh &mesh, ArrayRef<int64_t> globalShape,
                                const Layout &layout) {
  if (Error error = verifyLayout(mesh, layout, globalShape))
    return error;
  return checkCount(mesh, getMaxLocalElements(layout, globalShape), "elements");
}

Error redistribute::checkQuestion(const Mesh &mesh,
                                  ArrayRef<int64_t> globalShape,
                                  const Layout &from, const Layout &to) {
  for (const Layout *layout : {&from, &to}) {
    for (auto [dim, size] : llvm::enumerate(globalShape))
      if (size == kDynamic)
        return makeError("dim {0} has no known size, which evaluation needs",
                         dim);
    if (Error error = checkLayout(mesh, globalShape, *layout))
      return error;
  }
  return checkCount(mesh, getNumPositions(from.getPartialAxes()),
                    "counts of contributions");
}

//===----------------------------------------------------------------------===//
// Indices
//===----------------------------------------------------------------------===//

std::vector<int64_t> redistribute::getNumbers(const Box &box,
                                              ArrayRef<int64_t> shape) {
  std::vector<int64_t> numbers{0};
  for (auto [range, size] : llvm::zip_equal(box.getRanges(), shape)) {
    std::vector<int64_t> longer;
    longer.reserve(numbers.size() * range.size);
    for (int64_t number : numbers)
      for (int64_t index = range.offset; index < range.getEnd(); ++index)
        longer.push_back(number * size + index);
    numbers = std::move(longer);
  }
  return numbers;
}

std::string redistribute::printList(ArrayRef<int64_t> values,
                                    const char *separator) {
  std::string text;
  llvm::interleave(
      values, [&](int64_t value) { text += llvm::itostr(value); },
      [&] { text += separator; });
  return text;
}

std::string redistribute::printIndex(int64_t number, ArrayRef<int64_t> shape) {
  SmallVector<int64_t> index(shape.size());
  for (unsigned dim = shape.size(); dim-- > 0;) {
    index[dim] = number % shape[dim];
    number /= shape[dim];
  }
  return "[" + printList(index, ", ") + "]";
}
