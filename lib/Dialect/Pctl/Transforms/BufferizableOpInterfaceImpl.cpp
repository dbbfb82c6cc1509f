// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

#include "pctl/Dialect/Pctl/Transforms/BufferizableOpInterfaceImpl.h"

#include "pctl/Dialect/Pctl/IR/Pctl.h"

#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/Dialect/Bufferization/IR/DstBufferizableOpInterfaceImpl.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace mlir::bufferization;

namespace pctl {
namespace {

template <typename OpT>
struct CollectiveModel
    : DstBufferizableOpInterfaceExternalModel<CollectiveModel<OpT>, OpT> {
  bool bufferizesToMemoryRead(Operation *op, OpOperand &operand,
                              const AnalysisState &) const {
    auto collective = cast<CollectiveOpInterface>(op);
    bool isOutput = cast<DestinationStyleOpInterface>(op).isDpsInit(&operand);
    return !isOutput || !collective.overwritesOutput();
  }

  // An op that may work in place needs no copy where its operands are one.
  bool bufferizesToElementwiseAccess(Operation *op, const AnalysisState &,
                                     ArrayRef<OpOperand *>) const {
    return cast<CollectiveOpInterface>(op).allowsInPlace();
  }

  LogicalResult bufferize(Operation *op, RewriterBase &rewriter,
                          const BufferizationOptions &options,
                          BufferizationState &state) const {
    auto collective = cast<CollectiveOpInterface>(op);
    if (collective.hasBuffers())
      return success();
    FailureOr<Value> input =
        getBuffer(rewriter, collective.getInput(), options, state);
    FailureOr<Value> output =
        getBuffer(rewriter, collective.getOutput(), options, state);
    if (failed(input) || failed(output))
      return failure();
    OperationState bufferOp(op->getLoc(), op->getName());
    bufferOp.addOperands({*input, *output});
    bufferOp.addAttributes(llvm::to_vector(op->getDiscardableAttrs()));
    bufferOp.propertiesAttr = op->getPropertiesAsAttribute();
    rewriter.create(bufferOp);
    replaceOpWithBufferizedValues(rewriter, op, *output);
    return success();
  }
};

template <typename... OpTs> void attachModels(MLIRContext *context) {
  (OpTs::template attachInterface<CollectiveModel<OpTs>>(*context), ...);
}

} // namespace

void registerBufferizableOpInterfaceExternalModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, PctlDialect *) {
    attachModels<AllGatherOp, AllSliceOp, AllReduceOp, ReduceScatterOp,
                 AllToAllOp, PermuteOp, BroadcastOp, ExchangeOp,
                 HaloExchangeOp>(context);
  });
}

} // namespace pctl
