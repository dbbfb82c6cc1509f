// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// pctl-plan: says how a tensor gets from one layout to another, what that
/// costs and how near it is to what no plan beats. docs/pctl-plan.md is its
/// manual. It links no MLIR, so that it answers in milliseconds.

#include "Batch.h"
#include "Picture.h"
#include "Report.h"

#include "pctl/Support/Error.h"

using namespace pctl;
using namespace pctl::plan;
using llvm::Error;
using llvm::Expected;

namespace {

/// Exit statuses of every tool of the project.
enum ExitStatus { Success = 0, BadInput = 1, BadUsage = 2 };

} // namespace

/// Prints \p error as every tool does and returns the exit status.
static int fail(Error error) {
  int status = error.isA<UsageError>() ? BadUsage : BadInput;
  llvm::errs() << "pctl-plan: error: " << llvm::toString(std::move(error))
               << "\n";
  return status;
}

/// Prints \p answer in the ways that \p arguments ask for.
static Error report(Answer answer, const Arguments &arguments,
                    const CheckResult *check) {
  if (arguments.expand) {
    Expected<std::vector<redistribute::ExpandedStep>> expanded =
        answer.listTransfers();
    if (!expanded)
      return expanded.takeError();
    answer.expanded = std::move(*expanded);
  }
  if (arguments.svg)
    if (Error error = drawToFile(answer, *arguments.svg))
      return error;
  if (arguments.json) {
    printJson(llvm::outs(), answer, /*onOneLine=*/false, check);
    llvm::outs() << "\n";
  } else if (arguments.svg != "-") {
    printText(llvm::outs(), answer, check);
  }
  return Error::success();
}

static Error run(const Arguments &arguments) {
  if (arguments.expand && !arguments.json)
    return llvm::make_error<UsageError>("option --expand needs --json");
  if (arguments.json && arguments.svg && *arguments.svg == "-")
    return llvm::make_error<UsageError>(
        "options --json and --svg - both go to the standard output; give the "
        "picture a file");
  ClusterCache clusters;
  if (arguments.check) {
    Expected<CheckedPlan> checked = checkPlan(arguments, clusters);
    if (!checked)
      return checked.takeError();
    return report(std::move(checked->answer), arguments, &checked->result);
  }
  Expected<Question> question = readQuestion(arguments, clusters);
  if (!question)
    return question.takeError();
  Expected<Answer> answer = answerQuestion(*question);
  if (!answer)
    return answer.takeError();
  return report(std::move(*answer), arguments, nullptr);
}

int main(int argc, char **argv) {
  Expected<Arguments> arguments = parseArguments(
      llvm::SmallVector<std::string>(argv + std::min(argc, 1), argv + argc));
  if (!arguments)
    return fail(arguments.takeError());
  if (arguments->help) {
    printHelp(llvm::outs());
    return Success;
  }
  if (arguments->batch) {
    Expected<bool> allGood = runBatch(*arguments, llvm::outs());
    if (!allGood)
      return fail(allGood.takeError());
    return *allGood ? Success : BadInput;
  }
  if (Error error = run(*arguments))
    return fail(std::move(error));
  return Success;
}
