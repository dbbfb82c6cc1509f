// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Rules of the tensor dialect: what makes tensors, reshapes them, or takes
/// parts of them.

#include "pctl/Dialect/Pctl/Interfaces/ShardingRuleInterface.h"
#include "pctl/Dialect/Pctl/Transforms/ShardingRules.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace pctl;
using propagation::Factor;
using propagation::Rule;
using propagation::TensorMap;

static ArrayRef<int64_t> getShape(Value tensor) {
  return cast<RankedTensorType>(tensor.getType()).getShape();
}

namespace {

/// What each rank can make for itself may be laid out anyhow. Tensors that the
/// body of a generate reads are captured, so they are whole.
template <typename OpTy>
struct SourceRule
    : ShardingRuleOpInterface::ExternalModel<SourceRule<OpTy>, OpTy> {
  FailureOr<Rule> getShardingRule(Operation *op) const {
    return propagation::getElementwiseRule(getShape(op->getResult(0)),
                                           /*numOperands=*/0,
                                           /*numResults=*/1);
  }
};

/// The size of the whole dim is known on every rank, however it is cut.
struct DimRule
    : ShardingRuleOpInterface::ExternalModel<DimRule, tensor::DimOp> {
  FailureOr<Rule> getShardingRule(Operation *op) const {
    auto dim = cast<tensor::DimOp>(op);
    if (!isa<RankedTensorType>(dim.getSource().getType()) ||
        !dim.getConstantIndex())
      return failure();
    return propagation::getElementwiseRule(getShape(dim.getSource()),
                                           /*numOperands=*/1,
                                           /*numResults=*/0);
  }
};

template <typename OpTy>
struct CastRule : ShardingRuleOpInterface::ExternalModel<CastRule<OpTy>, OpTy> {
  FailureOr<Rule> getShardingRule(Operation *op) const {
    auto from = dyn_cast<RankedTensorType>(op->getOperand(0).getType());
    auto to = dyn_cast<RankedTensorType>(op->getResult(0).getType());
    if (!from || !to || from.getShape() != to.getShape())
      return failure();
    return propagation::getElementwiseRule(from.getShape(), 1, 1);
  }
};

/// A merged dim is made up of the dims that it merges.
template <typename OpTy>
struct ReshapeRule
    : ShardingRuleOpInterface::ExternalModel<ReshapeRule<OpTy>, OpTy> {
  FailureOr<Rule> getShardingRule(Operation *op) const {
    auto reshape = cast<OpTy>(op);
    constexpr bool merges = std::is_same_v<OpTy, tensor::CollapseShapeOp>;
    ArrayRef<int64_t> split =
        getShape(merges ? reshape.getSrc() : reshape.getResult());
    Rule rule;
    TensorMap splitMap, mergedMap;
    for (const ReassociationIndices &group :
         reshape.getReassociationIndices()) {
      auto &merged = mergedMap.emplace_back();
      for (int64_t d : group) {
        auto &numbers = splitMap.emplace_back();
        // A dim of size 1 among others has nothing to cut.
        if (split[d] == 1 && group.size() > 1)
          continue;
        numbers.push_back(rule.factors.size());
        merged.push_back(rule.factors.size());
        rule.factors.push_back({split[d]});
      }
    }
    // All dims are of size 1 where there is nothing to merge them into.
    splitMap.resize(split.size());
    rule.operands = {merges ? splitMap : mergedMap};
    rule.results = {merges ? mergedMap : splitMap};
    return rule;
  }
};

} // namespace

/// Returns which dim of the slice each dim of the tensor is; -1 for a dim of
/// size 1 that the slice lacks.
template <typename OpTy> static SmallVector<int64_t> getSliceDims(OpTy op) {
  llvm::SmallBitVector dropped = op.getDroppedDims();
  SmallVector<int64_t> dims;
  int64_t next = 0;
  for (unsigned d = 0; d < dropped.size(); ++d)
    dims.push_back(dropped.test(d) ? -1 : next++);
  return dims;
}

/// Returns a rule in which the dims of \p whole that \p op takes entirely are
/// those of \p part, and all others are whole. The tensors are, in order, those
/// of \p order: 'w' for the whole one, 'p' for the part.
template <typename OpTy>
static FailureOr<Rule> getSliceRule(OpTy op, ArrayRef<int64_t> whole,
                                    ArrayRef<int64_t> part, StringRef operands,
                                    char result) {
  SmallVector<int64_t> sliceDims = getSliceDims(op);
  if (sliceDims.size() != whole.size())
    return failure();
  Rule rule;
  TensorMap wholeMap, partMap(part.size());
  for (unsigned d = 0; d < whole.size(); ++d) {
    unsigned number = rule.factors.size();
    wholeMap.push_back({number});
    bool entire = !op.isDynamicOffset(d) && op.getStaticOffset(d) == 0 &&
                  !op.isDynamicStride(d) && op.getStaticStride(d) == 1 &&
                  !op.isDynamicSize(d) && op.getStaticSize(d) == whole[d] &&
                  sliceDims[d] >= 0;
    rule.factors.push_back(
        {whole[d], entire ? Factor::Use::PassThrough : Factor::Use::Replicate});
    if (sliceDims[d] < 0)
      continue;
    if (!entire) {
      number = rule.factors.size();
      rule.factors.push_back({part[sliceDims[d]], Factor::Use::Replicate});
    }
    partMap[sliceDims[d]] = {number};
  }
  for (char tensor : operands)
    rule.operands.push_back(tensor == 'w' ? wholeMap : partMap);
  rule.results.push_back(result == 'w' ? wholeMap : partMap);
  return rule;
}

namespace {

struct ExtractSliceRule
    : ShardingRuleOpInterface::ExternalModel<ExtractSliceRule,
                                             tensor::ExtractSliceOp> {
  FailureOr<Rule> getShardingRule(Operation *op) const {
    auto slice = cast<tensor::ExtractSliceOp>(op);
    return getSliceRule(slice, getShape(slice.getSource()),
                        getShape(slice.getResult()), "w", 'p');
  }
};

struct InsertSliceRule
    : ShardingRuleOpInterface::ExternalModel<InsertSliceRule,
                                             tensor::InsertSliceOp> {
  FailureOr<Rule> getShardingRule(Operation *op) const {
    auto slice = cast<tensor::InsertSliceOp>(op);
    return getSliceRule(slice, getShape(slice.getDest()),
                        getShape(slice.getSource()), "pw", 'w');
  }
};

/// Dims other than the one along which tensors are joined pass through.
struct ConcatRule
    : ShardingRuleOpInterface::ExternalModel<ConcatRule, tensor::ConcatOp> {
  FailureOr<Rule> getShardingRule(Operation *op) const {
    auto concat = cast<tensor::ConcatOp>(op);
    uint64_t joined = concat.getDim();
    Rule rule = propagation::getElementwiseRule(getShape(concat.getResult()),
                                                op->getNumOperands(), 1);
    rule.factors[joined].use = Factor::Use::Replicate;
    for (auto [map, operand] :
         llvm::zip_equal(rule.operands, op->getOperands())) {
      if (getShape(operand)[joined] == rule.factors[joined].size)
        continue;
      map[joined] = {static_cast<unsigned>(rule.factors.size())};
      rule.factors.push_back(
          {getShape(operand)[joined], Factor::Use::Replicate});
    }
    return rule;
  }
};

/// Returns what is added to dim \p d of the source of \p pad, if that is known
/// and no more than the dim is long: else the ranks at its ends would hold most
/// of the result.
static std::optional<Factor::Edges> getEdges(tensor::PadOp pad, unsigned d) {
  int64_t low = pad.getStaticLow()[d], high = pad.getStaticHigh()[d];
  int64_t from = pad.getSourceType().getDimSize(d);
  int64_t to = pad.getResultType().getDimSize(d);
  if (ShapedType::isDynamic(low) || ShapedType::isDynamic(high) || low < 0 ||
      high < 0 || ShapedType::isDynamic(from) || ShapedType::isDynamic(to) ||
      low > from || high > from - low)
    return std::nullopt;
  return Factor::Edges{low, high};
}

/// Dims that are not padded pass through; of those that are the ranks at the
/// ends have the padding, if there is not too much of it.
struct PadRule
    : ShardingRuleOpInterface::ExternalModel<PadRule, tensor::PadOp> {
  FailureOr<Rule> getShardingRule(Operation *op) const {
    auto pad = cast<tensor::PadOp>(op);
    ArrayRef<int64_t> from = getShape(pad.getSource());
    ArrayRef<int64_t> to = getShape(pad.getResult());
    Rule rule = propagation::getElementwiseRule(to, 1, 1);
    for (unsigned d = 0; d < to.size(); ++d) {
      if (pad.getStaticLow()[d] == 0 && pad.getStaticHigh()[d] == 0)
        continue;
      unsigned source = rule.factors.size();
      std::optional<Factor::Edges> edges = getEdges(pad, d);
      rule.operands[0][d] = {source};
      rule.factors.push_back(
          {from[d], edges ? Factor::Use::PassThrough : Factor::Use::Replicate});
      rule.factors[d].use =
          edges ? Factor::Use::Sliding : Factor::Use::Replicate;
      rule.factors[d].leader = source;
      rule.factors[d].edges = edges;
    }
    return rule;
  }
};

} // namespace

void pctl::registerTensorShardingRules(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, tensor::TensorDialect *) {
    tensor::EmptyOp::attachInterface<SourceRule<tensor::EmptyOp>>(*context);
    tensor::GenerateOp::attachInterface<SourceRule<tensor::GenerateOp>>(
        *context);
    tensor::DimOp::attachInterface<DimRule>(*context);
    tensor::SplatOp::attachInterface<SourceRule<tensor::SplatOp>>(*context);
    tensor::CastOp::attachInterface<CastRule<tensor::CastOp>>(*context);
    tensor::BitcastOp::attachInterface<CastRule<tensor::BitcastOp>>(*context);
    tensor::CollapseShapeOp::attachInterface<
        ReshapeRule<tensor::CollapseShapeOp>>(*context);
    tensor::ExpandShapeOp::attachInterface<ReshapeRule<tensor::ExpandShapeOp>>(
        *context);
    tensor::ExtractSliceOp::attachInterface<ExtractSliceRule>(*context);
    tensor::InsertSliceOp::attachInterface<InsertSliceRule>(*context);
    tensor::ConcatOp::attachInterface<ConcatRule>(*context);
    tensor::PadOp::attachInterface<PadRule>(*context);
  });
}
