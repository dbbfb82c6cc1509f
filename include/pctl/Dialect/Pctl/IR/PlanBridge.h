// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// The bridge between steps of plans (pctl/Redistribute/Plan.h) and the ops
/// that do them, as far as verifier, conversions and passes all cross it: the
/// exchange, whose op has what its step has.

#ifndef PCTL_DIALECT_PCTL_IR_PLANBRIDGE_H
#define PCTL_DIALECT_PCTL_IR_PLANBRIDGE_H

#include "pctl/Dialect/Pctl/IR/LayoutBridge.h"
#include "pctl/Redistribute/Plan.h"

namespace pctl {

/// Returns the step that \p op is. Its axes are those of the group in which
/// ranks send to each other: with listed transfers those of the op, otherwise
/// the factors of them that cut what each rank is to supply, as ranks that
/// differ along others alone hold the same elements.
///
/// Errors: layouts that getCheckedLayout rejects; axes that split an axis in
/// another way than the layout. An op that is verified has neither.
mlir::FailureOr<redistribute::Step> getStep(ExchangeOp op,
                                            EmitErrorFn emitError);

/// Returns \p transfers in the flat form that the op has them in, or null where
/// there are none.
mlir::DenseI64ArrayAttr
toAttr(mlir::MLIRContext *context,
       llvm::ArrayRef<redistribute::Transfer> transfers);

} // namespace pctl

#endif // PCTL_DIALECT_PCTL_IR_PLANBRIDGE_H
