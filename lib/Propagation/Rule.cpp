// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// From the layouts of an op's tensors to cuts of its factors, and back. The
/// two agree on every element: blocks of a dim that several factors make up are
/// even, so a part of the iterations is a box of each tensor.
/// docs/propagation.md.

#include "pctl/Propagation/Rule.h"

#include "CutAlgebra.h"

#include "pctl/Layout/LayoutText.h"
#include "pctl/Support/CheckedArith.h"
#include "pctl/Support/Error.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <numeric>

using namespace pctl;
using namespace pctl::propagation;
using layout::AxisRef;
using layout::DimLayout;
using layout::Layout;
using llvm::ArrayRef;
using llvm::Error;
using llvm::SmallVector;

//===----------------------------------------------------------------------===//
// Verification
//===----------------------------------------------------------------------===//

static Error verifyDim(const Rule &rule, ArrayRef<unsigned> numbers,
                       int64_t size, const std::string &what) {
  SmallVector<int64_t> sizes;
  for (unsigned number : numbers) {
    if (number >= rule.factors.size())
      return makeError("{0} is made up of factor {1}, but the rule has {2}",
                       what, number, rule.factors.size());
    if (size == layout::kDynamic && mayBeCut(rule.factors[number]))
      return makeError("{0} has no known size, so factor {1} must be whole",
                       what, number);
    sizes.push_back(rule.factors[number].size);
  }
  if (size == layout::kDynamic || llvm::is_contained(sizes, layout::kDynamic))
    return Error::success();
  std::optional<int64_t> product = checkedProduct(sizes);
  if (!product)
    return makeError("the factors of {0} multiply to more than an int64_t "
                     "holds",
                     what);
  if (*product != size)
    return makeError("{0} has size {1}, but its factors multiply to {2}", what,
                     size, *product);
  return Error::success();
}

static Error verifyTensors(const Rule &rule, ArrayRef<TensorMap> maps,
                           Shapes shapes, const char *kind) {
  if (maps.size() != shapes.size())
    return makeError("rule is for {0} {1}s, but the op has {2}", maps.size(),
                     kind, shapes.size());
  for (auto [i, map, shape] : llvm::enumerate(maps, shapes)) {
    if (map.size() != shape.size())
      return makeError("rule is for {0} {1} of tensor rank {2}, but its tensor "
                       "rank is {3}",
                       kind, i, map.size(), shape.size());
    SmallVector<bool> seen(rule.factors.size());
    for (auto [d, numbers] : llvm::enumerate(map)) {
      std::string what = llvm::formatv("dim {0} of {1} {2}", d, kind, i);
      if (Error error = verifyDim(rule, numbers, shape[d], what))
        return error;
      for (unsigned number : numbers) {
        if (seen[number] && rule.factors[number].use != Factor::Use::Replicate)
          return makeError(
              "factor {0} is twice in {1} {2}, so it must be whole", number,
              kind, i);
        seen[number] = true;
      }
    }
  }
  return Error::success();
}

void pctl::propagation::keepUnknownDimsWhole(Rule &rule, Shapes operandShapes,
                                             Shapes resultShapes) {
  auto keepWhole = [&](ArrayRef<TensorMap> maps, Shapes shapes) {
    for (auto [map, shape] : llvm::zip(maps, shapes))
      for (auto [numbers, size] : llvm::zip(map, shape))
        for (unsigned number : numbers)
          if (size == layout::kDynamic && number < rule.factors.size())
            rule.factors[number].use = Factor::Use::Replicate;
  };
  keepWhole(rule.operands, operandShapes);
  keepWhole(rule.results, resultShapes);
}

static SmallVector<unsigned> countUses(const Rule &rule,
                                       ArrayRef<TensorMap> maps) {
  SmallVector<unsigned> counts(rule.factors.size());
  for (const TensorMap &map : maps)
    for (ArrayRef<unsigned> numbers : map)
      for (unsigned number : numbers)
        ++counts[number];
  return counts;
}

static Error verifyUses(const Rule &rule) {
  SmallVector<unsigned> inOperands = countUses(rule, rule.operands);
  SmallVector<unsigned> inResults = countUses(rule, rule.results);
  std::optional<layout::ReductionKind> kind;
  for (auto [i, factor] : llvm::enumerate(rule.factors)) {
    if (factor.size < 0 && factor.size != layout::kDynamic)
      return makeError("factor {0} has size {1}, which is negative", i,
                       factor.size);
    if (factor.use == Factor::Use::PassThrough &&
        inResults[i] != rule.results.size())
      return makeError(
          "factor {0} passes through, but is in {1} of {2} results", i,
          inResults[i], rule.results.size());
    if (factor.use != Factor::Use::Reduction)
      continue;
    if (inResults[i])
      return makeError("factor {0} is reduced, but is in a result", i);
    if (!inOperands[i])
      return makeError("factor {0} is reduced, but is in no operand", i);
    if (kind && *kind != factor.reduction)
      return makeError("rule reduces by {0} and by {1}, and does not say in "
                       "which order",
                       layout::stringifyReductionKind(*kind),
                       layout::stringifyReductionKind(factor.reduction));
    kind = factor.reduction;
  }
  return Error::success();
}

Error pctl::propagation::verifyRule(const Rule &rule, Shapes operandShapes,
                                    Shapes resultShapes) {
  if (Error error =
          verifyTensors(rule, rule.operands, operandShapes, "operand"))
    return error;
  if (Error error = verifyTensors(rule, rule.results, resultShapes, "result"))
    return error;
  return verifyUses(rule);
}

//===----------------------------------------------------------------------===//
// Common rules
//===----------------------------------------------------------------------===//

Rule pctl::propagation::getWholeRule(Shapes operandShapes,
                                     Shapes resultShapes) {
  Rule rule;
  auto addTensor = [&](ArrayRef<int64_t> shape) {
    TensorMap map;
    for (int64_t size : shape) {
      map.push_back({static_cast<unsigned>(rule.factors.size())});
      rule.factors.push_back({size, Factor::Use::Replicate});
    }
    return map;
  };
  for (const auto &shape : operandShapes)
    rule.operands.push_back(addTensor(shape));
  for (const auto &shape : resultShapes)
    rule.results.push_back(addTensor(shape));
  return rule;
}

Rule pctl::propagation::getElementwiseRule(ArrayRef<int64_t> shape,
                                           unsigned numOperands,
                                           unsigned numResults) {
  Rule rule;
  TensorMap map;
  for (auto [d, size] : llvm::enumerate(shape)) {
    map.push_back({static_cast<unsigned>(d)});
    rule.factors.push_back({size});
  }
  rule.operands.assign(numOperands, map);
  rule.results.assign(numResults, map);
  return rule;
}

bool pctl::propagation::isDoneWhole(const Rule &rule) {
  return !rule.factors.empty() &&
         llvm::all_of(rule.factors, [](const Factor &factor) {
           return factor.use == Factor::Use::Replicate ||
                  factor.size == layout::kDynamic;
         });
}

//===----------------------------------------------------------------------===//
// From layouts to factors and back
//===----------------------------------------------------------------------===//

SmallVector<bool> pctl::propagation::getMergedFactors(const Rule &rule) {
  SmallVector<bool> merged(rule.factors.size());
  for (ArrayRef<TensorMap> maps :
       {ArrayRef<TensorMap>(rule.operands), ArrayRef<TensorMap>(rule.results)})
    for (const TensorMap &map : maps)
      for (ArrayRef<unsigned> numbers : map)
        if (numbers.size() > 1)
          for (unsigned number : numbers)
            merged[number] = true;
  return merged;
}

bool pctl::propagation::mayBeCut(const Factor &factor) {
  return factor.use != Factor::Use::Replicate &&
         factor.size != layout::kDynamic;
}

bool pctl::propagation::isCutFully(const Factor &factor, const DimLayout &cut) {
  return factor.size != layout::kDynamic &&
         layout::getNumPositions(cut.axes) == factor.size;
}

/// Gives the axes of a dim to the factors that make it up, in order, for as
/// long as blocks stay even.
static void projectMergedDim(const Rule &rule, ArrayRef<unsigned> numbers,
                             ArrayRef<AxisRef> axes, FactorCuts &cuts) {
  SmallVector<AxisRef> left(axes.rbegin(), axes.rend());
  for (unsigned number : numbers) {
    const Factor &factor = rule.factors[number];
    if (!mayBeCut(factor))
      return;
    SmallVector<AxisRef> taken;
    int64_t rest = factor.size;
    while (rest > 1 && !left.empty()) {
      AxisRef axis = left.pop_back_val();
      int64_t size = std::gcd(rest, axis.size);
      if (size > 1)
        taken.push_back({axis.axis, axis.preSize, size});
      rest /= size;
      if (size == axis.size)
        continue;
      left.push_back({axis.axis, axis.preSize * size, axis.size / size});
      break;
    }
    cuts[number].axes = layout::normalizeAxes(taken);
    if (rest != 1)
      return;
  }
}

FactorCuts pctl::propagation::projectLayout(const Rule &rule,
                                            const TensorMap &map,
                                            const Layout &layout) {
  FactorCuts cuts(rule.factors.size());
  SmallVector<bool> merged = getMergedFactors(rule);
  for (auto [numbers, dim] : llvm::zip_equal(map, layout.dims)) {
    if (dim.axes.empty() || numbers.empty())
      continue;
    if (numbers.size() > 1 || merged[numbers.front()]) {
      if (dim.blockSizes.empty())
        projectMergedDim(rule, numbers, dim.axes, cuts);
      continue;
    }
    if (!mayBeCut(rule.factors[numbers.front()]))
      continue;
    cuts[numbers.front()].axes = layout::normalizeAxes(dim.axes);
    cuts[numbers.front()].blockSizes = dim.blockSizes;
  }
  return cuts;
}

Layout pctl::propagation::getLayout(const Rule &rule, const TensorMap &map,
                                    ArrayRef<DimLayout> cuts) {
  Layout result = Layout::replicated(map.size());
  for (auto [numbers, dim] : llvm::zip_equal(map, result.dims)) {
    for (unsigned number : numbers) {
      dim.axes.append(cuts[number].axes.begin(), cuts[number].axes.end());
      if (numbers.size() == 1)
        dim.blockSizes = cuts[number].blockSizes;
      if (!isCutFully(rule.factors[number], cuts[number]))
        break;
    }
  }
  return result.getNormalForm();
}

Layout pctl::propagation::getOperandLayout(const Rule &rule, unsigned index,
                                           ArrayRef<DimLayout> cuts) {
  return getLayout(rule, rule.operands[index], cuts);
}

Layout pctl::propagation::getResultLayout(const Rule &rule, unsigned index,
                                          ArrayRef<DimLayout> cuts) {
  Layout result = getLayout(rule, rule.results[index], cuts);
  for (auto [factor, cut] : llvm::zip_equal(rule.factors, cuts))
    if (factor.use == Factor::Use::Reduction && !cut.axes.empty())
      result.partial.push_back({factor.reduction, cut.axes});
  return result.getNormalForm();
}

//===----------------------------------------------------------------------===//
// Reading cuts off a program
//===----------------------------------------------------------------------===//

bool pctl::propagation::extends(const DimLayout &longer,
                                const DimLayout &shorter) {
  if (shorter.axes.empty())
    return true;
  if (!shorter.blockSizes.empty() || !longer.blockSizes.empty())
    return longer.axes == shorter.axes &&
           longer.blockSizes == shorter.blockSizes;
  SmallVector<AxisRef> prefix =
      layout::getCommonPrefix(longer.axes, shorter.axes);
  return ArrayRef<AxisRef>(prefix) ==
         ArrayRef<AxisRef>(layout::normalizeAxes(shorter.axes));
}

llvm::Expected<FactorCuts>
pctl::propagation::inferFactorCuts(const layout::Mesh &mesh, const Rule &rule,
                                   ArrayRef<Layout> operandLayouts,
                                   ArrayRef<Layout> resultLayouts) {
  FactorCuts cuts(rule.factors.size());
  auto gather = [&](ArrayRef<TensorMap> maps, ArrayRef<Layout> layouts,
                    const char *kind) -> Error {
    if (maps.size() != layouts.size())
      return makeError("rule is for {0} {1}s, but there are layouts of {2}",
                       maps.size(), kind, layouts.size());
    for (auto [i, map, layout] : llvm::enumerate(maps, layouts)) {
      if (map.size() != layout.dims.size())
        return makeError("{0} {1} has tensor rank {2}, but its layout has {3} "
                         "dims",
                         kind, i, map.size(), layout.dims.size());
      FactorCuts asked = projectLayout(rule, map, layout);
      for (auto [cut, other] : llvm::zip_equal(cuts, asked))
        if (!other.axes.empty() && extends(other, cut))
          cut = other;
    }
    return Error::success();
  };
  auto compare = [&](ArrayRef<Layout> layouts, auto getExpected,
                     const char *kind) -> Error {
    for (auto [i, layout] : llvm::enumerate(layouts)) {
      Layout expected = getExpected(rule, i, cuts);
      if (layout.getNormalForm() != expected)
        return makeError("{0} {1} is laid out as {2}, but the op's rule asks "
                         "for {3}",
                         kind, i, layout::toString(mesh, layout),
                         layout::toString(mesh, expected));
    }
    return Error::success();
  };

  if (Error error = gather(rule.operands, operandLayouts, "operand"))
    return std::move(error);
  if (Error error = gather(rule.results, resultLayouts, "result"))
    return std::move(error);
  SmallVector<AxisRef> used;
  for (const DimLayout &cut : cuts)
    for (AxisRef axis : cut.axes) {
      for (AxisRef other : used)
        if (axis.overlaps(other))
          return makeError("axis '{0}' cuts two factors of one op",
                           layout::toString(mesh, axis));
      used.push_back(axis);
    }
  if (Error error = compare(operandLayouts, getOperandLayout, "operand"))
    return std::move(error);
  if (Error error = compare(resultLayouts, getResultLayout, "result"))
    return std::move(error);
  return cuts;
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

static void printTensors(llvm::raw_ostream &os, ArrayRef<TensorMap> maps) {
  os << '(';
  llvm::interleaveComma(maps, os, [&](const TensorMap &map) {
    os << '[';
    llvm::interleaveComma(map, os, [&](ArrayRef<unsigned> numbers) {
      if (numbers.empty())
        os << '1';
      llvm::interleave(
          numbers, os, [&](unsigned number) { os << 'f' << number; }, "*");
    });
    os << ']';
  });
  os << ')';
}

std::string pctl::propagation::toString(const Rule &rule) {
  std::string text;
  llvm::raw_string_ostream os(text);
  printTensors(os, rule.operands);
  os << " -> ";
  printTensors(os, rule.results);
  for (auto [i, factor] : llvm::enumerate(rule.factors)) {
    os << ", f" << i << '=';
    if (factor.size == layout::kDynamic)
      os << '?';
    else
      os << factor.size;
    if (factor.use == Factor::Use::Reduction)
      os << ' ' << layout::stringifyReductionKind(factor.reduction);
    if (factor.use == Factor::Use::Replicate)
      os << " whole";
  }
  return text;
}
