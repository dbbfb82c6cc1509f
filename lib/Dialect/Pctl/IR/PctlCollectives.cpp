// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Constraints of the collectives, labelled as in
/// dialects/pctl/PctlCollectives.td.

#include "pctl/Dialect/Pctl/IR/PlanBridge.h"
#include "pctl/Layout/LayoutText.h"
#include "pctl/Layout/TensorType.h"
#include "pctl/Support/CheckedArith.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace pctl;

#include "pctl/Dialect/Pctl/IR/PctlInterfaces.cpp.inc"

//===----------------------------------------------------------------------===//
// What all share
//===----------------------------------------------------------------------===//

bool CollectiveOpInterface::hasBuffers() {
  return isa<BaseMemRefType>(getOutput().getType());
}

layout::Mesh CollectiveOpInterface::getMeshValue() {
  return *lookupMesh(getMeshAttr(), getOperation(), nullptr);
}

SmallVector<layout::AxisRef> CollectiveOpInterface::getMeshAxes() {
  return *toAxes(getAxes(), getMeshValue(), nullptr);
}

int64_t CollectiveOpInterface::getGroupSize() {
  return layout::getNumPositions(getMeshAxes());
}

LogicalResult pctl::detail::verifyCollective(CollectiveOpInterface op,
                                             SymbolTableCollection &) {
  Type input = op.getInput().getType(), output = op.getOutput().getType();
  // collective_c1
  if (isa<TensorType>(input) != isa<TensorType>(output))
    return op->emitOpError() << "input is " << input << ", output is " << output
                             << ", expected two tensors or two memrefs";
  // collective_c3
  FailureOr<AxesOnMesh> checked = getCheckedAxes(
      op.getAxes(), op.getMeshAttr(), op, [&] { return op->emitOpError(); });
  if (failed(checked))
    return failure();
  return op.verifyOnMesh(checked->mesh, checked->axes);
}

void pctl::detail::getCollectiveEffects(
    CollectiveOpInterface op,
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<BaseMemRefType>(operand.get().getType()))
      continue;
    if (operand.get() == op.getInput())
      effects.emplace_back(MemoryEffects::Read::get(), &operand);
    if (operand.get() == op.getOutput())
      effects.emplace_back(MemoryEffects::Write::get(), &operand);
  }
}

bool pctl::isKindFor(layout::ReductionKind kind, Type elementType) {
  if (elementType.isIntOrIndex())
    return layout::isKindFor(kind, layout::ElementClass::Integer);
  if (isa<FloatType>(elementType))
    return layout::isKindFor(kind, layout::ElementClass::Float);
  return isa<ComplexType>(elementType) &&
         layout::isKindFor(kind, layout::ElementClass::Complex);
}

static ShapedType getInputType(CollectiveOpInterface op) {
  return cast<ShapedType>(op.getInput().getType());
}
static ShapedType getOutputType(CollectiveOpInterface op) {
  return cast<ShapedType>(op.getOutput().getType());
}

/// Checks that \p dims are dims of the input, and that the output has as many.
static LogicalResult verifyDims(CollectiveOpInterface op,
                                ArrayRef<std::pair<StringRef, int64_t>> dims) {
  int64_t rank = getInputType(op).getRank();
  for (auto [name, dim] : dims)
    if (dim < 0 || dim >= rank)
      return op->emitOpError()
             << name << " is " << dim << ", input has " << rank << " dims";
  if (getOutputType(op).getRank() != rank)
    return op->emitOpError() << "output has " << getOutputType(op).getRank()
                             << " dims, input has " << rank;
  return success();
}

/// Checks the output against \p expected, where both are static.
static LogicalResult verifyOutputShape(CollectiveOpInterface op,
                                       ArrayRef<int64_t> expected) {
  for (auto [dim, found, wanted] :
       llvm::enumerate(getOutputType(op).getShape(), expected))
    if (!ShapedType::isDynamic(found) && !ShapedType::isDynamic(wanted) &&
        found != wanted)
      return op->emitOpError() << "dim " << dim << " of the output is " << found
                               << ", expected " << wanted;
  return success();
}

static LogicalResult verifySameShape(CollectiveOpInterface op) {
  if (failed(verifyDims(op, {})))
    return failure();
  return verifyOutputShape(op, getInputType(op).getShape());
}

static LogicalResult verifyKind(CollectiveOpInterface op,
                                layout::ReductionKind kind) {
  Type type = getInputType(op).getElementType();
  if (isKindFor(kind, type))
    return success();
  return op->emitOpError() << "kind " << layout::stringifyReductionKind(kind)
                           << " is not one for elements of type " << type;
}

/// Multiplies \p size, which may be dynamic. Errors: an overflow.
static FailureOr<int64_t> multiply(CollectiveOpInterface op, int64_t size,
                                   int64_t groupSize) {
  if (ShapedType::isDynamic(size))
    return size;
  if (std::optional<int64_t> product = checkedMul(size, groupSize))
    return *product;
  return op->emitOpError() << "dim of size " << size << " from each of "
                           << groupSize << " ranks is beyond 64 bits";
}

/// Divides \p size, which may be dynamic. Errors: a remainder.
static FailureOr<int64_t> divide(CollectiveOpInterface op, int64_t size,
                                 int64_t groupSize) {
  if (ShapedType::isDynamic(size))
    return size;
  if (size % groupSize == 0)
    return size / groupSize;
  return op->emitOpError() << "dim of size " << size
                           << " is not a multiple of the group of " << groupSize
                           << " ranks";
}

//===----------------------------------------------------------------------===//
// Gather, slice, reduce
//===----------------------------------------------------------------------===//

LogicalResult AllGatherOp::verifyOnMesh(const layout::Mesh &,
                                        ArrayRef<layout::AxisRef> axes) {
  // all_gather_c4
  int64_t dim = getDim();
  if (failed(verifyDims(*this, {{"dim", dim}})))
    return failure();
  // all_gather_c5, all_gather_c6
  SmallVector<int64_t> expected(getInputType(*this).getShape());
  FailureOr<int64_t> joined =
      multiply(*this, expected[dim], layout::getNumPositions(axes));
  if (failed(joined))
    return failure();
  expected[dim] = *joined;
  return verifyOutputShape(*this, expected);
}

LogicalResult AllSliceOp::verifyOnMesh(const layout::Mesh &,
                                       ArrayRef<layout::AxisRef> axes) {
  // all_slice_c4
  int64_t dim = getDim();
  if (failed(verifyDims(*this, {{"dim", dim}})))
    return failure();
  SmallVector<int64_t> expected(getInputType(*this).getShape());
  if (ShapedType::isDynamic(expected[dim]))
    return emitOpError() << "dim " << dim
                         << " of the input is dynamic, expected a static size";
  // all_slice_c5, all_slice_c6
  layout::DimLayout cut;
  cut.axes.assign(axes.begin(), axes.end());
  std::optional<int64_t> block = layout::getEvenBlockSize(cut, expected[dim]);
  int64_t found = getOutputType(*this).getDimSize(dim);
  if (block.value_or(ShapedType::kDynamic) == found) {
    expected[dim] = found;
    return verifyOutputShape(*this, expected);
  }
  if (block)
    return emitOpError() << "dim " << dim << " of the output must be " << *block
                         << ", one block of " << expected[dim];
  return emitOpError() << "dim " << dim
                       << " of the output must be dynamic, as the blocks of "
                       << expected[dim] << " differ between ranks";
}

bool AllReduceOp::allowsInPlace() { return true; }

LogicalResult AllReduceOp::verifyOnMesh(const layout::Mesh &,
                                        ArrayRef<layout::AxisRef>) {
  // all_reduce_c4, all_reduce_c5
  if (failed(verifySameShape(*this)))
    return failure();
  return verifyKind(*this, getKind());
}

LogicalResult ReduceScatterOp::verifyOnMesh(const layout::Mesh &,
                                            ArrayRef<layout::AxisRef> axes) {
  // reduce_scatter_c4
  int64_t dim = getDim();
  if (failed(verifyDims(*this, {{"dim", dim}})))
    return failure();
  // reduce_scatter_c5, reduce_scatter_c6
  SmallVector<int64_t> expected(getInputType(*this).getShape());
  FailureOr<int64_t> block =
      divide(*this, expected[dim], layout::getNumPositions(axes));
  if (failed(block))
    return failure();
  expected[dim] = *block;
  if (failed(verifyOutputShape(*this, expected)))
    return failure();
  // reduce_scatter_c7
  return verifyKind(*this, getKind());
}

//===----------------------------------------------------------------------===//
// Exchanges
//===----------------------------------------------------------------------===//

LogicalResult AllToAllOp::verifyOnMesh(const layout::Mesh &,
                                       ArrayRef<layout::AxisRef> axes) {
  // all_to_all_c4
  int64_t split = getSplitDim(), concat = getConcatDim();
  if (failed(verifyDims(*this, {{"split_dim", split}, {"concat_dim", concat}})))
    return failure();
  // all_to_all_c5
  int64_t groupSize = layout::getNumPositions(axes);
  SmallVector<int64_t> expected(getInputType(*this).getShape());
  FailureOr<int64_t> block = divide(*this, expected[split], groupSize);
  if (failed(block))
    return failure();
  // all_to_all_c6
  expected[split] = *block;
  FailureOr<int64_t> joined = multiply(*this, expected[concat], groupSize);
  if (failed(joined))
    return failure();
  expected[concat] = *joined;
  return verifyOutputShape(*this, expected);
}

SmallVector<std::pair<int64_t, int64_t>> PermuteOp::getPairList() {
  ArrayRef<int64_t> flat = getPairs();
  SmallVector<std::pair<int64_t, int64_t>> pairs;
  for (size_t i = 0; i + 1 < flat.size(); i += 2)
    pairs.emplace_back(flat[i], flat[i + 1]);
  return pairs;
}

bool PermuteOp::overwritesOutput() {
  int64_t numPairs = getPairList().size();
  return numPairs == cast<CollectiveOpInterface>(getOperation()).getGroupSize();
}

LogicalResult PermuteOp::verifyOnMesh(const layout::Mesh &,
                                      ArrayRef<layout::AxisRef> axes) {
  // permute_c4
  if (failed(verifySameShape(*this)))
    return failure();
  if (getPairs().size() % 2 != 0)
    return emitOpError() << "pairs hold an odd number of positions";
  int64_t groupSize = layout::getNumPositions(axes);
  llvm::DenseSet<int64_t> sources, destinations;
  for (auto [source, destination] : getPairList()) {
    // permute_c5
    for (int64_t position : {source, destination})
      if (position < 0 || position >= groupSize)
        return emitOpError()
               << "position " << position << " is not in the group of "
               << groupSize << " ranks";
    // permute_c6
    if (!sources.insert(source).second)
      return emitOpError() << "position " << source << " is a source twice";
    if (!destinations.insert(destination).second)
      return emitOpError() << "position " << destination
                           << " is a destination twice";
  }
  return success();
}

bool BroadcastOp::allowsInPlace() { return true; }

LogicalResult BroadcastOp::verifyOnMesh(const layout::Mesh &,
                                        ArrayRef<layout::AxisRef> axes) {
  // broadcast_c4
  if (failed(verifySameShape(*this)))
    return failure();
  // broadcast_c5
  int64_t groupSize = layout::getNumPositions(axes), root = getRoot();
  if (root < 0 || root >= groupSize)
    return emitOpError() << "root " << root << " is not in the group of "
                         << groupSize << " ranks";
  return success();
}

bool HaloExchangeOp::overwritesOutput() {
  return getBefore() == 0 && getAfter() == 0;
}

LogicalResult HaloExchangeOp::verifyOnMesh(const layout::Mesh &,
                                           ArrayRef<layout::AxisRef>) {
  // halo_exchange_c4
  int64_t dim = getDim(), before = getBefore(), after = getAfter();
  if (failed(verifyDims(*this, {{"dim", dim}})))
    return failure();
  // halo_exchange_c5
  if (before < 0 || after < 0)
    return emitOpError() << "takes " << before << " before and " << after
                         << " after, expected at least 0";
  // halo_exchange_c6, halo_exchange_c7
  SmallVector<int64_t> expected(getInputType(*this).getShape());
  int64_t &size = expected[dim];
  if (!ShapedType::isDynamic(size) && (llvm::AddOverflow(size, before, size) ||
                                       llvm::AddOverflow(size, after, size)))
    return emitOpError() << "dim " << dim << " with its halo is beyond 64 bits";
  return verifyOutputShape(*this, expected);
}

/// Checks C7: that \p axes reach what is to be moved.
static LogicalResult verifyReach(ExchangeOp op, const layout::Mesh &mesh,
                                 const redistribute::Step &step,
                                 ArrayRef<layout::AxisRef> axes) {
  const layout::Layout &held = step.owners ? *step.owners : step.from;
  SmallVector<layout::AxisRef> needed = redistribute::getExchangeAxes(
      cast<RankedTensorType>(op.getGlobalType()).getShape(),
      held.getNormalForm(), step.to.getNormalForm());
  for (layout::AxisRef missing : mesh.getComplement(axes))
    for (layout::AxisRef axis : needed)
      if (missing.overlaps(axis))
        return op.emitOpError()
               << "axes lack some of "
               << layout::toString(mesh, ArrayRef(needed))
               << ", along which what ranks will hold is spread";
  return success();
}

/// Checks C6: that nothing is reduced.
static LogicalResult verifySamePartial(ExchangeOp op, const layout::Mesh &mesh,
                                       const layout::Layout &from,
                                       const layout::Layout &to,
                                       ArrayRef<layout::AxisRef> axes) {
  layout::Layout fromForm = from.getNormalForm();
  if (fromForm.partial != to.getNormalForm().partial)
    return op.emitOpError() << "'from' and 'to' differ in partial axes, which "
                               "an exchange does not reduce";
  for (layout::AxisRef partial : fromForm.getPartialAxes())
    for (layout::AxisRef axis : axes)
      if (axis.overlaps(partial))
        return op.emitOpError()
               << "exchanges along axis '" << mesh.getAxes()[axis.axis].name
               << "', along which the value is partial";
  return success();
}

/// Checks what the attributes alone tell of C8, C9 and C11.
static LogicalResult verifyAttributes(ExchangeOp op, unsigned tensorRank) {
  // exchange_c8
  if (op.getOwners() && op.getTransfers())
    return op.emitOpError("has both owners and transfers, expected one of them "
                          "to say who sends");
  // exchange_c9
  std::optional<ArrayRef<int64_t>> transfers = op.getTransfers();
  size_t length = 2 + 2 * tensorRank;
  if (transfers && (transfers->empty() || transfers->size() % length != 0))
    return op.emitOpError()
           << "transfers hold " << transfers->size() << " numbers, expected "
           << length
           << " for each of one or more: source, target, offsets, "
              "sizes";
  // exchange_c11
  if (int64_t rounds = op.getRounds(); rounds < 1)
    return op.emitOpError()
           << "has " << rounds << " rounds, expected at least 1";
  return success();
}

LogicalResult ExchangeOp::verifyOnMesh(const layout::Mesh &mesh,
                                       ArrayRef<layout::AxisRef> axes) {
  // exchange_c4
  auto global = cast<RankedTensorType>(getGlobalType());
  if (getTransfers() && !global.hasStaticShape())
    return emitOpError() << "global type is " << global
                         << ", expected a static shape for listed transfers";
  auto verifyLayout = [&](Attribute layout, StringRef name) -> LogicalResult {
    FailureOr<LayoutOnMesh> checked =
        getCheckedLayout(layout, global.getShape(), *this,
                         [&] { return emitOpError() << "'" << name << "': "; });
    if (succeeded(checked) && checked->symbol != getMeshAttr())
      return emitOpError() << "'" << name << "' is on mesh '"
                           << checked->symbol.getValue() << "', the op on '"
                           << getMesh() << "'";
    return checked;
  };
  if (failed(verifyLayout(getFrom(), "from")) ||
      failed(verifyLayout(getTo(), "to")) ||
      (getOwners() && failed(verifyLayout(*getOwners(), "owners"))))
    return failure();
  if (failed(verifyAttributes(*this, global.getRank())))
    return failure();
  FailureOr<redistribute::Step> step =
      getStep(*this, [&] { return emitOpError(); });
  if (failed(step))
    return failure();
  // exchange_c5
  auto verifyLocal = [&](ShapedType type, const layout::Layout &layout,
                         StringRef name) -> LogicalResult {
    RankedTensorType local = getLocalType(global, layout);
    if (type.getShape() == local.getShape() &&
        type.getElementType() == local.getElementType())
      return success();
    return emitOpError() << name << " is " << type
                         << ", expected the shape and elements of " << local;
  };
  if (failed(verifyLocal(getInputType(*this), step->from, "input")) ||
      failed(verifyLocal(getOutputType(*this), step->to, "output")))
    return failure();
  // exchange_c6, exchange_c7
  if (failed(verifySamePartial(*this, mesh, step->from, step->to, axes)))
    return failure();
  if (!getTransfers() && failed(verifyReach(*this, mesh, *step, axes)))
    return failure();
  // exchange_c8, exchange_c9, exchange_c10: the planner's own check.
  if (!getOwners() && !getTransfers())
    return success();
  return reportError(redistribute::verifyStep(mesh, global.getShape(), *step),
                     [&] { return emitOpError(); });
}
