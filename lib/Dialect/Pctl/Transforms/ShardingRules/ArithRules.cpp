// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

#include "pctl/Dialect/Pctl/Interfaces/ShardingRuleInterface.h"
#include "pctl/Dialect/Pctl/Transforms/ShardingRules.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace pctl;

namespace {

/// A constant is cut by slicing its elements, for which they must be at hand.
struct ConstantRule
    : ShardingRuleOpInterface::ExternalModel<ConstantRule, arith::ConstantOp> {
  FailureOr<propagation::Rule> getShardingRule(Operation *op) const {
    auto constant = cast<arith::ConstantOp>(op);
    auto type = dyn_cast<RankedTensorType>(constant.getType());
    if (!type || !isa<DenseElementsAttr>(constant.getValue()))
      return failure();
    return propagation::getElementwiseRule(type.getShape(), /*numOperands=*/0,
                                           /*numResults=*/1);
  }
};

} // namespace

void pctl::registerArithShardingRules(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, arith::ArithDialect *) {
    arith::ConstantOp::attachInterface<ConstantRule>(*context);
  });
}
