// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Files that passes write for people and other programs.

#ifndef PCTL_LIB_DIALECT_PCTL_TRANSFORMS_REPORTFILE_H
#define PCTL_LIB_DIALECT_PCTL_TRANSFORMS_REPORTFILE_H

#include "pctl/Dialect/Pctl/IR/LayoutBridge.h"

#include "mlir/IR/Location.h"
#include "llvm/Support/JSON.h"

namespace pctl {

/// Writes \p report to the file \p path, `-` being the standard output. Errors:
/// it can't be written.
llvm::LogicalResult writeReport(llvm::StringRef path,
                                const llvm::json::Value &report,
                                EmitErrorFn emitError);

/// Returns \p loc as reports have it.
std::string toReportText(mlir::Location loc);

} // namespace pctl

#endif // PCTL_LIB_DIALECT_PCTL_TRANSFORMS_REPORTFILE_H
