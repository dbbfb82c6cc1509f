// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Printer and recursive-descent parser of the grammar in LayoutText.h. The
/// grammar has no keywords that a name could not also be: what a word means
/// follows from its place.

#include "pctl/Layout/LayoutText.h"

#include "pctl/Support/Error.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace pctl;
using namespace pctl::layout;
using llvm::ArrayRef;
using llvm::Error;
using llvm::Expected;
using llvm::SmallVector;
using llvm::StringRef;

//===----------------------------------------------------------------------===//
// Printing
//===----------------------------------------------------------------------===//

static bool isWordChar(char c) {
  return llvm::isAlnum(c) || c == '_' || c == '.' || c == '-';
}

static std::string quoteName(StringRef name) {
  if (!name.empty() && llvm::all_of(name, isWordChar))
    return name.str();
  std::string text = "\"";
  for (char c : name) {
    if (c == '"' || c == '\\')
      text += '\\';
    text += c;
  }
  return text + '"';
}

template <typename Values, typename Print>
static std::string join(const Values &values, StringRef separator,
                        Print print) {
  std::string text;
  llvm::interleave(
      values, [&](const auto &value) { text += print(value); },
      [&] { text += separator; });
  return text;
}

static std::string joinNumbers(ArrayRef<int64_t> numbers) {
  return join(numbers, ",",
              [](int64_t number) { return llvm::itostr(number); });
}

std::string layout::toString(const Mesh &mesh) {
  std::string text = join(mesh.getAxes(), ", ", [](const MeshAxis &axis) {
    return quoteName(axis.name) + "=" + llvm::itostr(axis.size);
  });
  if (mesh.getDeviceIds().empty())
    return text;
  if (!text.empty())
    text += " ";
  return text + "devices=[" + joinNumbers(mesh.getDeviceIds()) + "]";
}

std::string layout::toString(const Mesh &mesh, AxisRef ref) {
  std::string name = quoteName(mesh.getAxes()[ref.axis].name);
  if (ref == mesh.getWholeAxis(ref.axis))
    return name;
  return llvm::formatv("{0}:({1}){2}", name, ref.preSize, ref.size).str();
}

std::string layout::toString(const Mesh &mesh, ArrayRef<AxisRef> refs) {
  return join(refs, ",", [&](AxisRef ref) { return toString(mesh, ref); });
}

static std::string printDim(const Mesh &mesh, const DimLayout &dim) {
  std::string text = "{" + toString(mesh, dim.axes);
  if (dim.open)
    text += dim.axes.empty() ? "?" : ",?";
  text += "}";
  if (!dim.blockSizes.empty())
    text += ":[" + joinNumbers(dim.blockSizes) + "]";
  return text;
}

std::string layout::toString(const Mesh &mesh, const Layout &layout) {
  std::string text =
      "[" +
      join(layout.dims, ",",
           [&](const DimLayout &dim) { return printDim(mesh, dim); }) +
      "]";
  if (!layout.isPartial())
    return text;
  return text + " partial=[" +
         join(layout.partial, ",",
              [&](const PartialAxes &entry) {
                return stringifyReductionKind(entry.kind).str() + "(" +
                       toString(mesh, entry.axes) + ")";
              }) +
         "]";
}

std::string layout::shapeToString(ArrayRef<int64_t> shape) {
  return join(shape, "x", [](int64_t size) {
    return size == kDynamic ? "?" : llvm::itostr(size);
  });
}

std::string layout::toString(const Box &box) {
  return "[" +
         join(box.getRanges(), ", ",
              [](Range range) {
                return llvm::formatv("{0}:{1}", range.offset, range.getEnd())
                    .str();
              }) +
         "]";
}

//===----------------------------------------------------------------------===//
// Parsing
//===----------------------------------------------------------------------===//

namespace {

/// A place in a text. Each function reads one phrase of the grammar and leaves
/// the place after it.
class Parser {
public:
  explicit Parser(StringRef text) : whole(text), rest(text) {}

  StringRef getRest() const { return rest; }

  Expected<Mesh> parseMesh();
  Expected<Layout> parseLayout(const Mesh &mesh);
  Error expectEnd();

private:
  /// Reads \p c where it comes next.
  bool consume(char c);
  bool peek(char c);
  Error expect(char c);
  Error expected(const llvm::Twine &what);

  Expected<std::string> parseName(const char *what);
  Expected<int64_t> parseInt();
  Expected<SmallVector<int64_t>> parseInts();
  Expected<AxisRef> parseAxisRef(const Mesh &mesh);
  Error parseDim(const Mesh &mesh, DimLayout &dim);
  Error parsePartial(const Mesh &mesh, PartialAxes &entry);
  /// Reads \p element (`,` \p element)* up to \p close, which it reads too.
  Error parseList(char close, llvm::function_ref<Error()> element);

  StringRef whole, rest;
};

} // namespace

bool Parser::peek(char c) {
  rest = rest.ltrim();
  return rest.starts_with(StringRef(&c, 1));
}

bool Parser::consume(char c) {
  if (!peek(c))
    return false;
  rest = rest.drop_front();
  return true;
}

Error Parser::expected(const llvm::Twine &what) {
  rest = rest.ltrim();
  size_t column = whole.size() - rest.size() + 1;
  if (rest.empty())
    return makeError("column {0}: expected {1}, found the end of the text",
                     column, what.str());
  StringRef found = rest.take_while(isWordChar);
  return makeError("column {0}: expected {1}, found '{2}'", column, what.str(),
                   found.empty() ? rest.take_front(1) : found);
}

Error Parser::expect(char c) {
  if (consume(c))
    return Error::success();
  return expected("'" + llvm::Twine(c) + "'");
}

Error Parser::expectEnd() {
  if (rest.ltrim().empty())
    return Error::success();
  return expected("the end of the text");
}

Expected<std::string> Parser::parseName(const char *what) {
  if (!peek('"')) {
    StringRef word = rest.take_while(isWordChar);
    if (word.empty())
      return expected(what);
    rest = rest.drop_front(word.size());
    return word.str();
  }
  size_t column = whole.size() - rest.size() + 1;
  rest = rest.drop_front();
  std::string name;
  while (!rest.empty() && rest.front() != '"') {
    if (rest.front() == '\\')
      rest = rest.drop_front();
    name += rest.take_front(1);
    rest = rest.drop_front(std::min<size_t>(rest.size(), 1));
  }
  if (rest.empty())
    return makeError("column {0}: quoted name has no closing '\"'", column);
  rest = rest.drop_front();
  return name;
}

Expected<int64_t> Parser::parseInt() {
  rest = rest.ltrim();
  StringRef word = rest.take_while(isWordChar);
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

Error Parser::parseList(char close, llvm::function_ref<Error()> element) {
  if (consume(close))
    return Error::success();
  while (true) {
    if (Error error = element())
      return error;
    if (consume(close))
      return Error::success();
    if (!consume(','))
      return expected("',' or '" + llvm::Twine(close) + "'");
  }
}

Expected<SmallVector<int64_t>> Parser::parseInts() {
  if (Error error = expect('['))
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

Expected<Mesh> Parser::parseMesh() {
  SmallVector<MeshAxis> axes;
  bool more = !rest.ltrim().empty();
  while (more) {
    StringRef start = rest.ltrim();
    Expected<std::string> name = parseName("an axis name");
    if (!name)
      return name.takeError();
    if (Error error = expect('='))
      return std::move(error);
    // A device list may stand alone, for a mesh without axes.
    if (axes.empty() && *name == "devices" && peek('[')) {
      rest = start;
      break;
    }
    Expected<int64_t> size = parseInt();
    if (!size)
      return size.takeError();
    axes.push_back({std::move(*name), *size});
    more = consume(',');
  }

  SmallVector<int64_t> devices;
  if (rest.ltrim().starts_with("devices")) {
    rest = rest.ltrim().drop_front(StringRef("devices").size());
    if (Error error = expect('='))
      return std::move(error);
    Expected<SmallVector<int64_t>> list = parseInts();
    if (!list)
      return list.takeError();
    if (list->empty())
      return makeError("device list is empty; leave it out where rank i is "
                       "device i");
    devices = std::move(*list);
  }
  if (Error error = expectEnd())
    return std::move(error);
  return Mesh::create(axes, devices);
}

Expected<AxisRef> Parser::parseAxisRef(const Mesh &mesh) {
  Expected<std::string> name = parseName("an axis name");
  if (!name)
    return name.takeError();
  if (!consume(':')) {
    if (std::optional<unsigned> axis = mesh.findAxis(*name))
      return mesh.getWholeAxis(*axis);
    return mesh.getSubAxis(*name, 1, 1);
  }
  if (Error error = expect('('))
    return std::move(error);
  Expected<int64_t> preSize = parseInt();
  if (!preSize)
    return preSize.takeError();
  if (Error error = expect(')'))
    return std::move(error);
  Expected<int64_t> size = parseInt();
  if (!size)
    return size.takeError();
  return mesh.getSubAxis(*name, *preSize, *size);
}

Error Parser::parseDim(const Mesh &mesh, DimLayout &dim) {
  if (Error error = expect('{'))
    return error;
  Error error = parseList('}', [&]() -> Error {
    if (dim.open)
      return expected("'}' after '?'");
    if (consume('?')) {
      dim.open = true;
      return Error::success();
    }
    Expected<AxisRef> ref = parseAxisRef(mesh);
    if (!ref)
      return ref.takeError();
    dim.axes.push_back(*ref);
    return Error::success();
  });
  if (error || !consume(':'))
    return error;
  Expected<SmallVector<int64_t>> sizes = parseInts();
  if (!sizes)
    return sizes.takeError();
  if (sizes->empty())
    return makeError("explicit block sizes are empty; leave them out for "
                     "blocks of equal size");
  dim.blockSizes.assign(sizes->begin(), sizes->end());
  return Error::success();
}

Error Parser::parsePartial(const Mesh &mesh, PartialAxes &entry) {
  rest = rest.ltrim();
  StringRef word = rest.take_while(isWordChar);
  std::optional<ReductionKind> kind = symbolizeReductionKind(word);
  if (!kind)
    return expected("a reduction kind (sum, product, maxsi, maxui, maximumf, "
                    "maxnumf, minsi, minui, minimumf, minnumf, and, or, xor)");
  entry.kind = *kind;
  rest = rest.drop_front(word.size());
  if (Error error = expect('('))
    return error;
  return parseList(')', [&]() -> Error {
    Expected<AxisRef> ref = parseAxisRef(mesh);
    if (!ref)
      return ref.takeError();
    entry.axes.push_back(*ref);
    return Error::success();
  });
}

Expected<Layout> Parser::parseLayout(const Mesh &mesh) {
  if (Error error = expect('['))
    return std::move(error);
  Layout layout;
  if (Error error = parseList(
          ']', [&] { return parseDim(mesh, layout.dims.emplace_back()); }))
    return std::move(error);

  StringRef next = rest.ltrim();
  if (next.take_while(isWordChar) == "partial") {
    rest = next.drop_front(StringRef("partial").size());
    if (Error error = expect('='))
      return std::move(error);
    if (Error error = expect('['))
      return std::move(error);
    if (Error error = parseList(']', [&] {
          return parsePartial(mesh, layout.partial.emplace_back());
        }))
      return std::move(error);
  }
  if (Error error = verifyLayout(mesh, layout))
    return std::move(error);
  return layout;
}

Expected<Mesh> layout::parseMesh(StringRef text) {
  return Parser(text).parseMesh();
}

Expected<Layout> layout::parseLayout(StringRef text, const Mesh &mesh) {
  Parser parser(text);
  Expected<Layout> layout = parser.parseLayout(mesh);
  if (!layout)
    return layout;
  if (Error error = parser.expectEnd())
    return std::move(error);
  return layout;
}

Expected<Layout> layout::consumeLayout(StringRef &text, const Mesh &mesh) {
  Parser parser(text);
  Expected<Layout> layout = parser.parseLayout(mesh);
  if (layout)
    text = parser.getRest();
  return layout;
}
