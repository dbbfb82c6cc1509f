// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Takes a program in a global view back to the one-device program that it
/// means: what verification compares the ranks with.

#include "pctl/Dialect/Pctl/Transforms/Form.h"
#include "pctl/Dialect/Pctl/Transforms/Passes.h"

#include "pctl/Dialect/Pctl/IR/Pctl.h"

#include "mlir/Interfaces/FunctionInterfaces.h"

namespace pctl {
#define GEN_PASS_DEF_STRIPLAYOUTSPASS
#include "pctl/Dialect/Pctl/Transforms/Passes.h.inc"
} // namespace pctl

using namespace mlir;
using namespace pctl;

namespace {

/// Returns the attributes of \p attributes that another dialect owns.
SmallVector<NamedAttribute> withoutPctl(ArrayRef<NamedAttribute> attributes) {
  return llvm::filter_to_vector(attributes, [](NamedAttribute attribute) {
    return !isa_and_nonnull<PctlDialect>(attribute.getNameDialect());
  });
}

class StripLayoutsPass
    : public pctl::impl::StripLayoutsPassBase<StripLayoutsPass> {
public:
  void runOnOperation() override {
    if (failed(checkGlobal()))
      return signalPassFailure();
    SmallVector<Operation *> erased;
    getOperation().walk([&](Operation *op) {
      if (isa<ShardOp, RedistributeOp>(op))
        op->getResult(0).replaceAllUsesWith(op->getOperand(0));
      if (isa<ShardOp, RedistributeOp, MeshOp, LayoutOp>(op))
        erased.push_back(op);
      else
        stripAttributes(op);
    });
    for (Operation *op : erased)
      op->erase();
  }

private:
  /// Reports what has no meaning on one device.
  LogicalResult checkGlobal() {
    // Before what is in them, ops with regions: the user wrote pctl.manual.
    WalkResult result =
        getOperation().walk<WalkOrder::PreOrder>([](Operation *op) {
          if (!isa<ManualOp>(op) && !isLocalToRank(op))
            return WalkResult::advance();
          op->emitError("'")
              << op->getName() << "' "
              << (isa<ManualOp>(op) ? "has a body that is" : "is")
              << " local to a rank; only a program in a global view is the "
                 "program of one device";
          return WalkResult::interrupt();
        });
    return failure(result.wasInterrupted());
  }

  static void stripAttributes(Operation *op) {
    // Only discardable attributes can be of another dialect than the op's.
    op->setDiscardableAttrs(
        withoutPctl(llvm::to_vector(op->getDiscardableAttrs())));
    auto function = dyn_cast<FunctionOpInterface>(op);
    if (!function)
      return;
    for (unsigned i = 0, e = function.getNumArguments(); i < e; ++i)
      function.setArgAttrs(
          i, withoutPctl(llvm::to_vector(function.getArgAttrs(i))));
    for (unsigned i = 0, e = function.getNumResults(); i < e; ++i)
      function.setResultAttrs(
          i, withoutPctl(llvm::to_vector(function.getResultAttrs(i))));
  }
};

} // namespace
