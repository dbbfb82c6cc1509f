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
using llvm::SmallVectorImpl;

//===----------------------------------------------------------------------===//
// Verification
//===----------------------------------------------------------------------===//

bool pctl::propagation::operator==(const Factor &a, const Factor &b) {
  if (a.size != b.size || a.use != b.use)
    return false;
  if (a.use == Factor::Use::Reduction)
    return a.reduction == b.reduction;
  if (a.use != Factor::Use::Sliding)
    return true;
  return a.leader == b.leader && a.edges.has_value() == b.edges.has_value() &&
         (!a.edges ||
          (a.edges->low == b.edges->low && a.edges->high == b.edges->high));
}

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

/// Counts the dims that each factor is in, those that slide with it included.
static SmallVector<unsigned> countUses(const Rule &rule,
                                       ArrayRef<TensorMap> maps) {
  SmallVector<unsigned> counts(rule.factors.size());
  for (const TensorMap &map : maps)
    for (ArrayRef<unsigned> numbers : map)
      for (unsigned number : numbers) {
        ++counts[number];
        if (rule.factors[number].use == Factor::Use::Sliding)
          ++counts[rule.factors[number].leader];
      }
  return counts;
}

/// Checks sliding factor \p number by itself.
static Error verifySliding(const Rule &rule, unsigned number,
                           ArrayRef<bool> merged) {
  const Factor &factor = rule.factors[number];
  if (factor.leader >= rule.factors.size())
    return makeError("factor {0} slides with factor {1}, but the rule has {2}",
                     number, factor.leader, rule.factors.size());
  const Factor &leader = rule.factors[factor.leader];
  if (leader.use == Factor::Use::Sliding)
    return makeError("factor {0} slides with factor {1}, which slides itself",
                     number, factor.leader);
  for (unsigned one : {number, factor.leader})
    if (merged[one])
      return makeError("factor {0} slides with factor {1}, so neither may be "
                       "merged with others in a dim",
                       number, factor.leader);
  if (!factor.edges)
    return Error::success();
  auto [low, high] = *factor.edges;
  std::optional<int64_t> added = checkedAdd(low, high);
  std::optional<int64_t> size =
      added ? checkedAdd(leader.size, *added) : std::nullopt;
  if (low < 0 || high < 0 || leader.size == layout::kDynamic ||
      size != factor.size)
    return makeError(
        "factor {0} of size {1} is not factor {2} of size {3} with "
        "{4} before and {5} behind",
        number, factor.size, factor.leader, leader.size, low, high);
  return Error::success();
}

/// Checks that no tensor has a factor along with one that slides with it, or
/// two that slide with the same one.
static Error verifySlidingIn(const Rule &rule, ArrayRef<TensorMap> maps,
                             const char *kind) {
  for (auto [i, map] : llvm::enumerate(maps)) {
    SmallVector<unsigned> counts = countUses(rule, {map});
    for (ArrayRef<unsigned> numbers : map)
      for (unsigned number : numbers)
        if (rule.factors[number].use == Factor::Use::Sliding &&
            counts[rule.factors[number].leader] > 1)
          return makeError("factor {0} slides with factor {1}, which cuts "
                           "another dim of {2} {3}",
                           number, rule.factors[number].leader, kind, i);
  }
  return Error::success();
}

static Error verifySliding(const Rule &rule) {
  SmallVector<bool> merged = getMergedFactors(rule);
  bool slides = false;
  for (auto [i, factor] : llvm::enumerate(rule.factors)) {
    if (factor.use != Factor::Use::Sliding)
      continue;
    slides = true;
    if (Error error = verifySliding(rule, i, merged))
      return error;
  }
  if (!slides)
    return Error::success();
  if (Error error = verifySlidingIn(rule, rule.operands, "operand"))
    return error;
  return verifySlidingIn(rule, rule.results, "result");
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
    if (factor.use != Factor::Use::Reduction &&
        factor.use != Factor::Use::Combined)
      continue;
    if (inResults[i])
      return makeError("factor {0} is reduced, but is in a result", i);
    if (!inOperands[i])
      return makeError("factor {0} is reduced, but is in no operand", i);
    if (factor.use == Factor::Use::Combined)
      continue;
    if (kind && *kind != factor.reduction)
      return makeError("rule reduces by {0} and by {1}, and does not say in "
                       "which order",
                       layout::stringifyReductionKind(*kind),
                       layout::stringifyReductionKind(factor.reduction));
    kind = factor.reduction;
  }
  return Error::success();
}

static Error verifyAdditive(const Rule &rule) {
  if (rule.additive.empty())
    return Error::success();
  if (rule.results.size() != 1)
    return makeError("rule has {0} results, so it can't be additive",
                     rule.results.size());
  for (const Factor &factor : rule.factors)
    if (factor.use == Factor::Use::Reduction &&
        factor.reduction != layout::ReductionKind::Sum)
      return makeError("rule reduces by {0}, so it can't be additive",
                       layout::stringifyReductionKind(factor.reduction));
  for (const OperandSet &set : rule.additive)
    for (unsigned number : set)
      if (number >= rule.operands.size())
        return makeError("rule is additive in operand {0}, but has {1}", number,
                         rule.operands.size());
  return Error::success();
}

Error pctl::propagation::verifyRule(const Rule &rule, Shapes operandShapes,
                                    Shapes resultShapes) {
  if (Error error =
          verifyTensors(rule, rule.operands, operandShapes, "operand"))
    return error;
  if (Error error = verifyTensors(rule, rule.results, resultShapes, "result"))
    return error;
  if (Error error = verifySliding(rule))
    return error;
  if (Error error = verifyAdditive(rule))
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
         llvm::all_of(rule.factors,
                      [](const Factor &factor) { return !mayBeCut(factor); });
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
         factor.use != Factor::Use::Sliding && factor.size != layout::kDynamic;
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

/// Returns \p cut, of the leader of \p factor, with the edges of \p factor
/// added, or taken away again where \p sign is -1. Blocks that were even are
/// not after that; nothing where an edge is not there to be taken away.
static std::optional<DimLayout> shiftEdges(const Factor &factor,
                                           const DimLayout &cut, int64_t size,
                                           int64_t sign) {
  DimLayout shifted = cut;
  shifted.blockSizes.clear();
  int64_t numPositions = layout::getNumPositions(cut.axes);
  for (int64_t position = 0; position < numPositions; ++position)
    shifted.blockSizes.push_back(layout::getBlock(cut, size, position).size);
  shifted.blockSizes.front() += sign * factor.edges->low;
  shifted.blockSizes.back() += sign * factor.edges->high;
  if (shifted.blockSizes.front() < 0 || shifted.blockSizes.back() < 0)
    return std::nullopt;
  return shifted;
}

/// Returns how factor \p number is cut under \p cuts.
static DimLayout getFactorCut(const Rule &rule, unsigned number,
                              ArrayRef<DimLayout> cuts) {
  const Factor &factor = rule.factors[number];
  if (factor.use != Factor::Use::Sliding)
    return cuts[number];
  const DimLayout &leader = cuts[factor.leader];
  if (leader.axes.empty())
    return {};
  if (factor.edges)
    return *shiftEdges(factor, leader, rule.factors[factor.leader].size, 1);
  DimLayout cut;
  cut.axes = leader.axes;
  return cut;
}

/// Gives the leader of \p factor what \p dim, a dim that slides with it, asks.
static void projectSlidingDim(const Rule &rule, const Factor &factor,
                              const DimLayout &dim, FactorCuts &cuts) {
  if (!mayBeCut(rule.factors[factor.leader]))
    return;
  DimLayout &cut = cuts[factor.leader];
  cut.axes = layout::normalizeAxes(dim.axes);
  if (!factor.edges || dim.blockSizes.empty())
    return;
  if (std::optional<DimLayout> inner =
          shiftEdges(factor, dim, factor.size, -1)) {
    Layout normal;
    normal.dims.push_back(*inner);
    cut.blockSizes = normal.getNormalForm().dims.front().blockSizes;
  }
}

void pctl::propagation::adoptFreeBlocks(const Rule &rule, const TensorMap &map,
                                        Layout &wanted, const Layout &held) {
  for (auto [numbers, dim, heldDim] :
       llvm::zip_equal(map, wanted.dims, held.dims)) {
    if (numbers.size() != 1)
      continue;
    const Factor &factor = rule.factors[numbers.front()];
    if (factor.use == Factor::Use::Sliding && !factor.edges &&
        layout::normalizeAxes(dim.axes) == layout::normalizeAxes(heldDim.axes))
      dim.blockSizes = heldDim.blockSizes;
  }
}

/// Projects the dims of a tensor onto factors, those that slide as well if \p
/// sliding says so.
static FactorCuts projectDims(const Rule &rule, const TensorMap &map,
                              const Layout &layout, bool sliding) {
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
    const Factor &factor = rule.factors[numbers.front()];
    if (factor.use == Factor::Use::Sliding && sliding)
      projectSlidingDim(rule, factor, dim, cuts);
    if (!mayBeCut(factor))
      continue;
    cuts[numbers.front()].axes = layout::normalizeAxes(dim.axes);
    cuts[numbers.front()].blockSizes = dim.blockSizes;
  }
  return cuts;
}

FactorCuts pctl::propagation::projectLayout(const Rule &rule,
                                            const TensorMap &map,
                                            const Layout &layout) {
  return projectDims(rule, map, layout, /*sliding=*/true);
}

Layout pctl::propagation::getLayout(const Rule &rule, const TensorMap &map,
                                    ArrayRef<DimLayout> cuts) {
  Layout result = Layout::replicated(map.size());
  for (auto [numbers, dim] : llvm::zip_equal(map, result.dims)) {
    for (unsigned number : numbers) {
      DimLayout cut = getFactorCut(rule, number, cuts);
      dim.axes.append(cut.axes.begin(), cut.axes.end());
      if (numbers.size() == 1)
        dim.blockSizes = cut.blockSizes;
      if (!isCutFully(rule.factors[number], cut))
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
// Sums that wait
//===----------------------------------------------------------------------===//

/// Returns the set in which \p rule is additive that has all partial ones of
/// \p operands, or null.
static const OperandSet *findAdditiveSet(const Rule &rule,
                                         ArrayRef<Layout> operands) {
  for (const OperandSet &set : rule.additive) {
    auto fits = [&](auto indexed) {
      return !indexed.value().isPartial() ||
             llvm::is_contained(set, indexed.index());
    };
    if (llvm::all_of(llvm::enumerate(operands), fits))
      return &set;
  }
  return nullptr;
}

/// Adds the axes along which operand number \p index is a sum to \p axes.
static Error addSumAxes(unsigned index, const Layout &operand,
                        ArrayRef<DimLayout> cuts,
                        SmallVectorImpl<AxisRef> &axes) {
  for (const layout::PartialAxes &partial : operand.partial)
    if (partial.kind != layout::ReductionKind::Sum)
      return makeError("operand {0} is partial by {1}, and only sums wait",
                       index, layout::stringifyReductionKind(partial.kind));
  for (AxisRef axis : operand.getPartialAxes()) {
    auto overlaps = [&](AxisRef other) { return axis.overlaps(other); };
    for (const DimLayout &cut : cuts)
      if (llvm::any_of(cut.axes, overlaps))
        return makeError("operand {0} is partial along an axis that cuts the "
                         "op",
                         index);
    if (llvm::is_contained(axes, axis))
      continue;
    if (llvm::any_of(axes, overlaps))
      return makeError("operand {0} is partial along a part of an axis of "
                       "which another operand has another part",
                       index);
    axes.push_back(axis);
  }
  return Error::success();
}

llvm::Expected<CarriedSums>
pctl::propagation::getCarriedSums(const Rule &rule, ArrayRef<DimLayout> cuts,
                                  ArrayRef<Layout> operands) {
  CarriedSums sums;
  sums.countedOnce.resize(operands.size());
  for (auto [i, operand] : llvm::enumerate(operands))
    if (Error error = addSumAxes(i, operand, cuts, sums.axes))
      return std::move(error);
  if (sums.axes.empty())
    return sums;
  const OperandSet *set = findAdditiveSet(rule, operands);
  if (!set) {
    auto isPartial = [](const Layout &layout) { return layout.isPartial(); };
    return makeError("operand {0} is partial, and the op is not additive in "
                     "all operands that are",
                     llvm::find_if(operands, isPartial) - operands.begin());
  }
  for (unsigned i : *set) {
    SmallVector<AxisRef> own = operands[i].getPartialAxes();
    for (AxisRef axis : sums.axes)
      if (!llvm::is_contained(own, axis))
        sums.countedOnce[i].push_back(axis);
  }
  return sums;
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
      // Each factor is a dim somewhere, which says more than one that slides.
      FactorCuts asked = projectDims(rule, map, layout, /*sliding=*/false);
      for (auto [cut, other] : llvm::zip_equal(cuts, asked))
        if (!other.axes.empty() && extends(other, cut))
          cut = other;
    }
    return Error::success();
  };
  auto compare = [&](ArrayRef<Layout> layouts, ArrayRef<TensorMap> maps,
                     auto getExpected, const char *kind) -> Error {
    for (auto [i, layout, map] : llvm::enumerate(layouts, maps)) {
      Layout expected = getExpected(i);
      adoptFreeBlocks(rule, map, expected, layout.getNormalForm());
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
  // What says nothing of sums wants operands that are none.
  bool takesSums = !rule.additive.empty();
  auto getOperand = [&](unsigned i) {
    Layout expected = getOperandLayout(rule, i, cuts);
    if (takesSums)
      expected.partial = operandLayouts[i].getNormalForm().partial;
    return expected;
  };
  if (Error error =
          compare(operandLayouts, rule.operands, getOperand, "operand"))
    return std::move(error);
  CarriedSums sums;
  if (takesSums) {
    llvm::Expected<CarriedSums> carried =
        getCarriedSums(rule, cuts, operandLayouts);
    if (!carried)
      return carried.takeError();
    sums = std::move(*carried);
  }
  auto getResult = [&](unsigned i) {
    Layout expected = getResultLayout(rule, i, cuts);
    expected.partial.push_back({layout::ReductionKind::Sum, sums.axes});
    return expected.getNormalForm();
  };
  if (Error error = compare(resultLayouts, rule.results, getResult, "result"))
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
    if (factor.use == Factor::Use::Combined)
      os << " combined";
    if (factor.use != Factor::Use::Sliding)
      continue;
    os << " with f" << factor.leader;
    if (factor.edges)
      os << " plus " << factor.edges->low << " and " << factor.edges->high;
  }
  for (const OperandSet &set : rule.additive) {
    os << ", additive {";
    llvm::interleaveComma(set, os);
    os << '}';
  }
  return text;
}
