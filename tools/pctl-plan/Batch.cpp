// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Reads lines and answers them one by one, so that another program can ask
/// and wait for each answer.

#include "Batch.h"

#include "Picture.h"
#include "Report.h"

#include "pctl/Support/Error.h"

#include <cerrno>
#include <cstdio>
#include <memory>
#include <system_error>

using namespace pctl;
using namespace pctl::plan;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;

namespace {

/// The lines of a file or of stdin, read as they are asked for.
class LineReader {
public:
  explicit LineReader(std::FILE *file) : file(file) {}
  LineReader(const LineReader &) = delete;
  LineReader &operator=(const LineReader &) = delete;
  ~LineReader() {
    std::free(buffer);
    if (file != stdin)
      std::fclose(file);
  }

  /// Returns the next line without its end, or nothing behind the last one.
  std::optional<StringRef> next() {
    ssize_t length = getline(&buffer, &capacity, file);
    if (length < 0)
      return std::nullopt;
    StringRef line(buffer, length);
    line.consume_back("\n");
    return line;
  }
  bool failed() const { return std::ferror(file); }

private:
  std::FILE *file;
  char *buffer = nullptr;
  size_t capacity = 0;
};

} // namespace

/// Returns what the system says of the call that failed last.
static std::string getSystemMessage() {
  return std::error_code(errno, std::generic_category()).message();
}

/// Checks the options of a batch, and of each of its lines.
static Error checkOptions(const Arguments &arguments, const char *place) {
  if (arguments.check)
    return llvm::make_error<UsageError>(
        llvm::Twine("option --check can't be ") + place);
  return Error::success();
}

static Expected<Answer> answerWords(llvm::ArrayRef<std::string> words,
                                    const Arguments &defaults,
                                    ClusterCache &clusters) {
  Expected<Arguments> arguments = parseArguments(words, defaults);
  if (!arguments)
    return arguments.takeError();
  if (Error error = checkOptions(*arguments, "in a line of a batch"))
    return std::move(error);
  if (arguments->batch || arguments->help)
    return makeError("option --{0} can't be in a line of a batch",
                     arguments->batch ? "batch" : "help");
  if (arguments->svg && *arguments->svg == "-")
    return makeError("option --svg - can't be in a line of a batch: answers go "
                     "to the standard output");
  Expected<Question> question = readQuestion(*arguments, clusters);
  if (!question)
    return question.takeError();
  Expected<Answer> answer = answerQuestion(*question);
  if (!answer)
    return answer;
  if (arguments->svg)
    if (Error error = drawToFile(*answer, *arguments->svg))
      return std::move(error);
  if (!arguments->expand)
    return answer;
  Expected<std::vector<redistribute::ExpandedStep>> expanded =
      answer->listTransfers();
  if (!expanded)
    return expanded.takeError();
  answer->expanded = std::move(*expanded);
  return answer;
}

/// Prints the answer to \p line, if it asks anything, and returns whether it is
/// good.
static bool answerLine(StringRef line, const Arguments &defaults,
                       ClusterCache &clusters, llvm::raw_ostream &os) {
  Expected<llvm::SmallVector<std::string>> words = splitWords(line);
  if (words && words->empty())
    return true;
  Expected<Answer> answer =
      words ? answerWords(*words, defaults, clusters) : words.takeError();
  bool good = bool(answer);
  if (good)
    printJson(os, *answer, /*onOneLine=*/true);
  else
    printJsonError(os, llvm::toString(answer.takeError()));
  os << "\n";
  os.flush();
  return good;
}

Expected<bool> plan::runBatch(const Arguments &arguments,
                              llvm::raw_ostream &os) {
  if (Error error = checkOptions(arguments, "beside --batch"))
    return std::move(error);
  if (arguments.svg)
    return llvm::make_error<UsageError>(
        "option --svg can't be beside --batch; a line of it can have one");
  const std::string &path = *arguments.batch;
  std::FILE *file = path == "-" ? stdin : std::fopen(path.c_str(), "r");
  if (!file)
    return makeError("--batch: {0}: {1}", path, getSystemMessage());
  LineReader lines(file);
  Arguments defaults = arguments;
  defaults.batch = std::nullopt;
  ClusterCache clusters;
  bool allGood = true;
  while (std::optional<StringRef> line = lines.next())
    allGood &= answerLine(*line, defaults, clusters, os);
  if (lines.failed())
    return makeError("--batch: {0}: {1}", path, getSystemMessage());
  return allGood;
}
