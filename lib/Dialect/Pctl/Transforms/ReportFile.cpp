// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

#include "ReportFile.h"

#include "mlir/Support/FileUtilities.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/ToolOutputFile.h"

using namespace mlir;

namespace pctl {

LogicalResult writeReport(StringRef path, const llvm::json::Value &report,
                          EmitErrorFn emitError) {
  std::string message;
  std::unique_ptr<llvm::ToolOutputFile> file = openOutputFile(path, &message);
  if (!file)
    return emitError() << message;
  file->os() << llvm::formatv("{0:2}", report) << "\n";
  file->keep();
  return success();
}

std::string toReportText(Location loc) {
  std::string text;
  llvm::raw_string_ostream(text) << loc;
  return text;
}

} // namespace pctl
