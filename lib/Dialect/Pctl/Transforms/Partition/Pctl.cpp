// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Partitions the global view of the pctl dialect itself.

#include "pctl/Dialect/Pctl/IR/Pctl.h"
#include "Models.h"
#include "pctl/Dialect/Pctl/Transforms/Partition.h"
#include "pctl/Layout/LayoutText.h"

using namespace mlir;

namespace pctl {
namespace {

/// A shard is a wish, and wishes are gone in the laid-out form.
struct ShardPartition
    : PartitionOpInterface::ExternalModel<ShardPartition, ShardOp> {
  LogicalResult partition(Operation *op, PartitionContext &ctx) const {
    return op->emitOpError("is left in the laid-out form; propagation turns it "
                           "into layouts");
  }
};

struct RedistributePartition
    : PartitionOpInterface::ExternalModel<RedistributePartition,
                                          RedistributeOp> {
  LogicalResult partition(Operation *op, PartitionContext &ctx) const {
    auto redistribute = cast<RedistributeOp>(op);
    if (redistribute.isLocal())
      return op->emitOpError("is in its local spelling already");
    Value input = redistribute.getInput();
    RankedTensorType type = redistribute.getWholeType();
    FailureOr<layout::Layout> from =
        ctx.readLayout(op, "operand #0", redistribute.getFrom(), type);
    if (failed(from))
      return failure();
    if (*from != ctx.getLayout(input))
      return ctx.emitLayoutError(op, "operand #0", input,
                                 "the op takes it from " +
                                     layout::toString(ctx.getMesh(), *from));
    auto local = RedistributeOp::create(
        ctx.getBuilder(), op->getLoc(),
        ctx.getLocalType(redistribute.getResult()), ctx.getLocal(input),
        redistribute.getFrom(), redistribute.getTo(), TypeAttr::get(type));
    ctx.setLocal(redistribute.getResult(), local);
    return success();
  }
};

/// The body speaks about one rank already: it takes the op's place.
struct ManualPartition
    : PartitionOpInterface::ExternalModel<ManualPartition, ManualOp> {
  bool partitionsRegions(Operation *) const { return true; }

  LogicalResult partition(Operation *op, PartitionContext &ctx) const {
    auto manual = cast<ManualOp>(op);
    for (auto [index, input, attr] :
         llvm::enumerate(manual.getInputs(), manual.getInLayouts())) {
      FailureOr<layout::Layout> in =
          ctx.readLayout(op, "operand #" + Twine(index), attr,
                         cast<RankedTensorType>(input.getType()));
      if (failed(in))
        return failure();
      if (*in != ctx.getLayout(input))
        return ctx.emitLayoutError(op, "operand #" + Twine(index), input,
                                   "the op takes it as " +
                                       layout::toString(ctx.getMesh(), *in));
    }
    IRMapping inner;
    Block &body = manual.getBody().front();
    inner.map(body.getArguments(), ctx.getLocals(manual.getInputs()));
    for (Operation &nested : body.without_terminator())
      ctx.getBuilder().clone(nested, inner);
    for (auto [result, yielded] :
         llvm::zip(manual.getResults(), manual.getYielded()))
      ctx.setLocal(result, inner.lookup(yielded));
    return success();
  }
};

} // namespace

void detail::registerPctlModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *ctx, PctlDialect *) {
    ShardOp::attachInterface<ShardPartition>(*ctx);
    RedistributeOp::attachInterface<RedistributePartition>(*ctx);
    ManualOp::attachInterface<ManualPartition>(*ctx);
  });
}

} // namespace pctl
