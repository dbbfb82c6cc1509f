// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// The options of pctl-plan as they are typed. A line of a batch has the same
/// ones as the command line, so both are words that one parser reads into a
/// value of their own: nothing of one line can be seen by the next.

#ifndef PCTL_TOOLS_PCTL_PLAN_ARGUMENTS_H
#define PCTL_TOOLS_PCTL_PLAN_ARGUMENTS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

#include <optional>
#include <string>

namespace pctl::plan {

/// What was typed; nothing is set that was not.
struct Arguments {
  std::optional<std::string> mesh, shape, from, to, toMesh, toShape, offset;
  std::optional<std::string> cluster, capBytes, chunkBytes;
  std::optional<std::string> svg, batch, check;
  bool json = false;
  bool expand = false;
  bool help = false;
};

/// An error in how the tool is called, not in what it is given: it ends with
/// exit status 2.
class UsageError : public llvm::ErrorInfo<UsageError> {
public:
  static char ID;

  explicit UsageError(const llvm::Twine &message) : message(message.str()) {}

  void log(llvm::raw_ostream &os) const override { os << message; }
  std::error_code convertToErrorCode() const override {
    return llvm::inconvertibleErrorCode();
  }

private:
  std::string message;
};

/// Parses \p words, `--name value` or `--name=value` each, over \p defaults.
/// Errors: an option that there is not, or that is given twice in \p words; a
/// value that is missing, or given to a flag; a word that is no option; and, as
/// an input that is wrong, a word that is not UTF-8.
llvm::Expected<Arguments> parseArguments(llvm::ArrayRef<std::string> words,
                                         const Arguments &defaults = {});

/// Splits \p line into words as a POSIX shell does: at blanks; `'...'` as it
/// is; in `"..."` a backslash stands before `"`, `\`, `$` and a backquote;
/// elsewhere before anything. Nothing is expanded. A word that starts with `#`
/// begins a comment. Errors: a quote without end; a backslash at the end.
llvm::Expected<llvm::SmallVector<std::string>> splitWords(llvm::StringRef line);

/// Prints what `--help` does.
void printHelp(llvm::raw_ostream &os);

} // namespace pctl::plan

#endif // PCTL_TOOLS_PCTL_PLAN_ARGUMENTS_H
