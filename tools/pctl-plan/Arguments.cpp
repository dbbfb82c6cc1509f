// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// The table of options, and the parser of words by it.

#include "Arguments.h"

#include "pctl/Support/Error.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"

#include <set>

using namespace pctl;
using namespace pctl::plan;
using llvm::Error;
using llvm::Expected;
using llvm::SmallVector;
using llvm::StringRef;

char UsageError::ID;

namespace {

/// One option: either a flag or one with a value.
struct Option {
  StringRef name;
  StringRef valueName;
  StringRef description;
  std::optional<std::string> Arguments::*value = nullptr;
  bool Arguments::*flag = nullptr;
};

} // namespace

static const Option options[] = {
    {"mesh", "MESH", "Mesh of the source: 'x=4,y=2', 'x=2 devices=[6,7]'",
     &Arguments::mesh},
    {"shape", "SHAPE", "The global tensor: 16x16x16xf32; f32 for a scalar",
     &Arguments::shape},
    {"from", "LAYOUT", "Layout at the start: '[{y},{},{x}] partial=[sum(z)]'",
     &Arguments::from},
    {"to", "LAYOUT", "Layout at the end", &Arguments::to},
    {"to-mesh", "MESH", "Mesh of the target (default: that of the source)",
     &Arguments::toMesh},
    {"to-shape", "SHAPE", "Tensor of the target (default: that of the source)",
     &Arguments::toShape},
    {"offset", "N,...",
     "Element t of the target is element t + offset of the source",
     &Arguments::offset},
    {"cluster", "NAME|FILE",
     "What moving data costs: bytes (default), a100, h100, b200, or a file",
     &Arguments::cluster},
    {"cap-bytes", "N", "The most that a device may hold in any step",
     &Arguments::capBytes},
    {"chunk-bytes", "N", "What a device may stage of a message (4194304)",
     &Arguments::chunkBytes},
    {"json", "", "Print JSON", nullptr, &Arguments::json},
    {"expand", "", "In JSON, list what each device sends to each other",
     nullptr, &Arguments::expand},
    {"svg", "FILE", "Draw who sends what to whom", &Arguments::svg},
    {"batch", "FILE",
     "Answer the question of each line of FILE ('-': stdin) with a line of "
     "JSON; options given beside it hold for lines that lack them",
     &Arguments::batch},
    {"check", "FILE",
     "Read a plan, as text or JSON ('-': stdin), instead of making one; "
     "validate and evaluate it",
     &Arguments::check},
    {"help", "", "Print this", nullptr, &Arguments::help},
};

static const Option *findOption(StringRef name) {
  for (const Option &option : options)
    if (option.name == name)
      return &option;
  return nullptr;
}

/// Reads the option at \p words, and its value, into \p arguments and drops
/// them from \p words.
static Error parseOption(llvm::ArrayRef<std::string> &words,
                         Arguments &arguments, std::set<StringRef> &seen) {
  StringRef word = words.front();
  words = words.drop_front();
  StringRef text = word;
  if (!text.consume_front("-"))
    return llvm::make_error<UsageError>("'" + word +
                                        "' is no option; see --help");
  text.consume_front("-");
  auto [name, value] = text.split('=');
  bool hasValue = name.size() < text.size();
  const Option *option = findOption(name);
  if (!option)
    return llvm::make_error<UsageError>(
        "unknown option '" +
        word.take_front(word.size() - text.size() + name.size()) +
        "'; see --help");
  if (!seen.insert(option->name).second)
    return llvm::make_error<UsageError>("option --" + option->name +
                                        " is given twice");
  if (option->flag) {
    if (hasValue)
      return llvm::make_error<UsageError>("option --" + option->name +
                                          " takes no value");
    arguments.*option->flag = true;
    return Error::success();
  }
  if (!hasValue) {
    if (words.empty() || StringRef(words.front()).starts_with("--"))
      return llvm::make_error<UsageError>("option --" + option->name +
                                          " needs a value");
    value = words.front();
    words = words.drop_front();
  }
  if (!llvm::json::isUTF8(value))
    return makeError("--{0}: the value is not UTF-8", option->name);
  arguments.*option->value = value.str();
  return Error::success();
}

Expected<Arguments> plan::parseArguments(llvm::ArrayRef<std::string> words,
                                         const Arguments &defaults) {
  Arguments arguments = defaults;
  std::set<StringRef> seen;
  while (!words.empty())
    if (Error error = parseOption(words, arguments, seen))
      return std::move(error);
  return arguments;
}

/// Reads one quoted part, whose opening quote is gone from \p rest, into
/// \p word.
static Error readQuoted(StringRef &rest, char quote, std::string &word) {
  while (!rest.empty() && rest.front() != quote) {
    if (quote == '"' && rest.size() > 1 && rest[0] == '\\' &&
        StringRef("\"\\$`").contains(rest[1]))
      rest = rest.drop_front();
    word += rest.front();
    rest = rest.drop_front();
  }
  if (rest.empty())
    return makeError("a {0} has no second one",
                     quote == '"' ? "double quote" : "single quote");
  rest = rest.drop_front();
  return Error::success();
}

/// Reads one word, at whose first character \p rest is.
static Expected<std::string> readWord(StringRef &rest) {
  std::string word;
  while (!rest.empty() && !llvm::isSpace(rest.front())) {
    char c = rest.front();
    rest = rest.drop_front();
    if (c == '\'' || c == '"') {
      if (Error error = readQuoted(rest, c, word))
        return std::move(error);
      continue;
    }
    if (c == '\\') {
      if (rest.empty())
        return makeError("a backslash ends the line");
      c = rest.front();
      rest = rest.drop_front();
    }
    word += c;
  }
  return word;
}

Expected<SmallVector<std::string>> plan::splitWords(StringRef line) {
  SmallVector<std::string> words;
  for (StringRef rest = line.ltrim(); !rest.empty() && rest.front() != '#';
       rest = rest.ltrim()) {
    Expected<std::string> word = readWord(rest);
    if (!word)
      return word.takeError();
    words.push_back(std::move(*word));
  }
  return words;
}

void plan::printHelp(llvm::raw_ostream &os) {
  os << "usage: pctl-plan --mesh MESH --shape SHAPE --from LAYOUT --to LAYOUT "
        "[OPTION...]\n"
        "       pctl-plan --batch FILE [OPTION...]\n"
        "       pctl-plan --check FILE [OPTION...]\n"
        "Plans how a tensor gets from one layout to another, and says what the "
        "plan costs\nand which bound it meets.\n\n";
  for (const Option &option : options) {
    std::string title = ("--" + option.name).str();
    if (!option.valueName.empty())
      title += (" " + option.valueName).str();
    os << "  " << llvm::left_justify(title, 21) << option.description << "\n";
  }
}
