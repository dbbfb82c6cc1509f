// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

// The interface by which an op tells its sharding rule.

#ifndef PCTL_SHARDINGRULEINTERFACE_TD
#define PCTL_SHARDINGRULEINTERFACE_TD

include "mlir/IR/OpBase.td"

def ShardingRuleOpInterface : OpInterface<"ShardingRuleOpInterface"> {
  let cppNamespace = "::pctl";
  let description = [{
    An op that says how the dims of its tensors correspond, so that it can be
    cut: propagation gives it layouts, partitioning runs it on blocks. Ops
    without this interface and without a `pctl.rule` attribute are done whole on
    every rank.

    An op that is not one's own gets the interface by an external model:

    ```c++
    struct MyOpRule
        : pctl::ShardingRuleOpInterface::ExternalModel<MyOpRule, my::RowsOp> {
      llvm::FailureOr<pctl::propagation::Rule>
      getShardingRule(mlir::Operation *op) const {
        // Rows are independent, a row must be whole.
        auto type = mlir::cast<mlir::RankedTensorType>(
            op->getResult(0).getType());
        pctl::propagation::Rule rule = pctl::propagation::getElementwiseRule(
            type.getShape(), /*numOperands=*/1, /*numResults=*/1);
        rule.factors.back().use = pctl::propagation::Factor::Use::Replicate;
        return rule;
      }
    };

    registry.addExtension(+[](mlir::MLIRContext *context, my::Dialect *) {
      my::RowsOp::attachInterface<MyOpRule>(*context);
    });
    ```
  }];
  let methods = [
    InterfaceMethod<[{
      Returns the rule of the op. Its operands are those that
      `pctl::getTensorOperands` lists, in that order, its results the results
      that are ranked tensors, in order. Fails where the op has none that suits
      it: it is then done whole, without a message.
    }], "::llvm::FailureOr<::pctl::propagation::Rule>", "getShardingRule">,
  ];
}

#endif // PCTL_SHARDINGRULEINTERFACE_TD
