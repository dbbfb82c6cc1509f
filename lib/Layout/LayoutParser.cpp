// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Recursive-descent parser of the grammar in LayoutText.h. The grammar has no
/// keywords that a name could not also be: what a word means follows from its
/// place.

#include "pctl/Layout/LayoutParser.h"

#include "TextChars.h"

#include "pctl/Support/Error.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace pctl;
using namespace pctl::layout;
using llvm::Error;
using llvm::Expected;
using llvm::SmallVector;
using llvm::StringRef;

//===----------------------------------------------------------------------===//
// Places and tokens
//===----------------------------------------------------------------------===//

std::string LayoutParser::printLocation(StringRef place) {
  StringRef before = whole.drop_back(place.size());
  if (locations == Locations::Columns)
    return llvm::formatv("column {0}", before.size() + 1).str();
  size_t lineStart = before.rfind('\n') + 1;
  return llvm::formatv("line {0}, column {1}", before.count('\n') + 1,
                       before.size() - lineStart + 1)
      .str();
}

Error LayoutParser::locate(StringRef place, Error error) {
  if (!error || locations == Locations::Columns)
    return error;
  return makeError("{0}: {1}", printLocation(place.ltrim()),
                   llvm::toString(std::move(error)));
}

bool LayoutParser::peek(char c) {
  return skipSpace().starts_with(StringRef(&c, 1));
}

bool LayoutParser::consume(StringRef token) {
  skipSpace();
  return rest.consume_front(token);
}

StringRef LayoutParser::peekWord() {
  return skipSpace().take_while(isWordChar);
}

bool LayoutParser::consumeWord(StringRef word) {
  if (peekWord() != word)
    return false;
  rest = rest.drop_front(word.size());
  return true;
}

Error LayoutParser::expected(const llvm::Twine &what) {
  StringRef found = peekWord();
  std::string location = printLocation(rest);
  if (rest.empty())
    return makeError("{0}: expected {1}, found the end of the text", location,
                     what.str());
  return makeError("{0}: expected {1}, found '{2}'", location, what.str(),
                   found.empty() ? rest.take_front(1) : found);
}

Error LayoutParser::expect(StringRef token) {
  if (consume(token))
    return Error::success();
  return expected("'" + token + "'");
}

Error LayoutParser::expectEnd() {
  if (skipSpace().empty())
    return Error::success();
  return expected("the end of the text");
}

//===----------------------------------------------------------------------===//
// Phrases
//===----------------------------------------------------------------------===//

Expected<std::string> LayoutParser::parseName(const char *what) {
  if (!peek('"')) {
    StringRef word = rest.take_while(isWordChar);
    if (word.empty())
      return expected(what);
    rest = rest.drop_front(word.size());
    return word.str();
  }
  std::string location = printLocation(rest);
  rest = rest.drop_front();
  std::string name;
  while (!rest.empty() && rest.front() != '"') {
    if (rest.front() == '\\')
      rest = rest.drop_front();
    name += rest.take_front(1);
    rest = rest.drop_front(std::min<size_t>(rest.size(), 1));
  }
  if (rest.empty())
    return makeError("{0}: quoted name has no closing '\"'", location);
  rest = rest.drop_front();
  return name;
}

Expected<int64_t> LayoutParser::parseInt() {
  StringRef word = peekWord();
  // In `0->1` the minus sign belongs to the arrow.
  if (rest.substr(word.size()).starts_with(">"))
    word.consume_back("-");
  StringRef digits = word;
  digits.consume_front("-");
  if (digits.empty() || !llvm::all_of(digits, llvm::isDigit))
    return expected("a number");
  int64_t value;
  if (word.getAsInteger(10, value))
    return expected("a number of at most 64 bits");
  rest = rest.drop_front(word.size());
  return value;
}

Error LayoutParser::parseList(char close, llvm::function_ref<Error()> element) {
  if (consume(StringRef(&close, 1)))
    return Error::success();
  while (true) {
    if (Error error = element())
      return error;
    if (consume(StringRef(&close, 1)))
      return Error::success();
    if (!consume(","))
      return expected("',' or '" + llvm::Twine(close) + "'");
  }
}

Expected<SmallVector<int64_t>> LayoutParser::parseInts() {
  if (Error error = expect("["))
    return std::move(error);
  SmallVector<int64_t> values;
  Error error = parseList(']', [&]() -> Error {
    Expected<int64_t> value = parseInt();
    if (!value)
      return value.takeError();
    values.push_back(*value);
    return Error::success();
  });
  if (error)
    return std::move(error);
  return values;
}

Expected<SmallVector<int64_t>> LayoutParser::parseDevices() {
  if (Error error = expect("="))
    return std::move(error);
  StringRef start = rest;
  Expected<SmallVector<int64_t>> devices = parseInts();
  if (devices && devices->empty())
    return locate(start, makeError("device list is empty; leave it out where "
                                   "rank i is device i"));
  return devices;
}

Expected<Mesh> LayoutParser::parseMesh(std::optional<char> end) {
  StringRef start = skipSpace();
  auto atEnd = [&] { return end ? peek(*end) : skipSpace().empty(); };
  SmallVector<MeshAxis> axes;
  for (bool more = !atEnd(); more;) {
    StringRef axisStart = skipSpace();
    Expected<std::string> name = parseName("an axis name");
    if (!name)
      return name.takeError();
    if (Error error = expect("="))
      return std::move(error);
    // A device list may stand alone, for a mesh without axes.
    if (axes.empty() && *name == "devices" && peek('[')) {
      rest = axisStart;
      break;
    }
    Expected<int64_t> size = parseInt();
    if (!size)
      return size.takeError();
    axes.push_back({std::move(*name), *size});
    more = consume(",");
  }

  SmallVector<int64_t> devices;
  if (consume("devices")) {
    Expected<SmallVector<int64_t>> list = parseDevices();
    if (!list)
      return list.takeError();
    devices = std::move(*list);
  }
  if (!atEnd())
    return end ? expected("'" + llvm::Twine(*end) + "'") : expectEnd();
  Expected<Mesh> mesh = Mesh::create(axes, devices);
  if (!mesh)
    return locate(start, mesh.takeError());
  return mesh;
}

Expected<AxisRef> LayoutParser::parseAxisRef(const Mesh &mesh) {
  StringRef start = skipSpace();
  auto getSubAxis = [&](StringRef name, int64_t preSize,
                        int64_t size) -> Expected<AxisRef> {
    Expected<AxisRef> ref = mesh.getSubAxis(name, preSize, size);
    if (!ref)
      return locate(start, ref.takeError());
    return ref;
  };
  Expected<std::string> name = parseName("an axis name");
  if (!name)
    return name.takeError();
  if (!consume(":")) {
    if (std::optional<unsigned> axis = mesh.findAxis(*name))
      return mesh.getWholeAxis(*axis);
    return getSubAxis(*name, 1, 1);
  }
  if (Error error = expect("("))
    return std::move(error);
  Expected<int64_t> preSize = parseInt();
  if (!preSize)
    return preSize.takeError();
  if (Error error = expect(")"))
    return std::move(error);
  Expected<int64_t> size = parseInt();
  if (!size)
    return size.takeError();
  return getSubAxis(*name, *preSize, *size);
}

Error LayoutParser::parseDim(const Mesh &mesh, DimLayout &dim) {
  if (Error error = expect("{"))
    return error;
  Error error = parseList('}', [&]() -> Error {
    if (dim.open)
      return expected("'}' after '?'");
    if (consume("?")) {
      dim.open = true;
      return Error::success();
    }
    Expected<AxisRef> ref = parseAxisRef(mesh);
    if (!ref)
      return ref.takeError();
    dim.axes.push_back(*ref);
    return Error::success();
  });
  if (error || !consume(":"))
    return error;
  StringRef start = rest;
  Expected<SmallVector<int64_t>> sizes = parseInts();
  if (!sizes)
    return sizes.takeError();
  if (sizes->empty())
    return locate(start, makeError("explicit block sizes are empty; leave them "
                                   "out for blocks of equal size"));
  dim.blockSizes.assign(sizes->begin(), sizes->end());
  return Error::success();
}

Error LayoutParser::parsePartial(const Mesh &mesh, PartialAxes &entry) {
  StringRef word = peekWord();
  std::optional<ReductionKind> kind = symbolizeReductionKind(word);
  if (!kind)
    return expected("a reduction kind (sum, product, maxsi, maxui, maximumf, "
                    "maxnumf, minsi, minui, minimumf, minnumf, and, or, xor)");
  entry.kind = *kind;
  rest = rest.drop_front(word.size());
  if (Error error = expect("("))
    return error;
  return parseList(')', [&]() -> Error {
    Expected<AxisRef> ref = parseAxisRef(mesh);
    if (!ref)
      return ref.takeError();
    entry.axes.push_back(*ref);
    return Error::success();
  });
}

Expected<Layout> LayoutParser::parseLayout(const Mesh &mesh) {
  StringRef start = rest;
  if (Error error = expect("["))
    return std::move(error);
  Layout layout;
  if (Error error = parseList(
          ']', [&] { return parseDim(mesh, layout.dims.emplace_back()); }))
    return std::move(error);

  if (consumeWord("partial")) {
    if (Error error = expect("="))
      return std::move(error);
    if (Error error = expect("["))
      return std::move(error);
    if (Error error = parseList(']', [&] {
          return parsePartial(mesh, layout.partial.emplace_back());
        }))
      return std::move(error);
  }
  if (Error error = verifyLayout(mesh, layout))
    return locate(start, std::move(error));
  return layout;
}
