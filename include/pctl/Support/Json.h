// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// JSON from files that users give. The parser of LLVM recurses, so that a file
/// of brackets alone would end the program.

#ifndef PCTL_SUPPORT_JSON_H
#define PCTL_SUPPORT_JSON_H

#include "pctl/Support/Error.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

#include <cstdint>
#include <string>

namespace pctl {

/// Returns whether brackets nest in \p text more than \p limit deep.
inline bool nestsDeeperThan(llvm::StringRef text, int64_t limit) {
  int64_t depth = 0;
  bool inString = false;
  for (size_t at = 0; at < text.size(); ++at) {
    char c = text[at];
    if (inString && c == '\\')
      ++at;
    else if (c == '"')
      inString = !inString;
    else if (!inString && (c == '[' || c == '{') && ++depth > limit)
      return true;
    else if (!inString && (c == ']' || c == '}'))
      --depth;
  }
  return false;
}

/// Parses JSON. Errors: values that nest more than 64 deep; `no JSON: ` and
/// what llvm::json::parse says, with line and column.
inline llvm::Expected<llvm::json::Value> parseJson(llvm::StringRef text) {
  if (nestsDeeperThan(text, 64))
    return makeError("values nest more than 64 deep");
  llvm::Expected<llvm::json::Value> value = llvm::json::parse(text);
  if (!value)
    return makeError("no JSON: {0}", llvm::toString(value.takeError()));
  return value;
}

/// Prints \p value as an error quotes it.
inline std::string quoteJson(const llvm::json::Value &value) {
  switch (value.kind()) {
  case llvm::json::Value::Object:
    return "an object";
  case llvm::json::Value::Array:
    return "an array";
  default:
    return llvm::formatv("{0}", value).str();
  }
}

} // namespace pctl

#endif // PCTL_SUPPORT_JSON_H
