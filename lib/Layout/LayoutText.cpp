// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Printer of the grammar in LayoutText.h, and the texts that are one phrase of
/// it; LayoutParser.cpp reads the phrases.

#include "pctl/Layout/LayoutText.h"

#include "TextChars.h"

#include "pctl/Layout/LayoutParser.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

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

Expected<Mesh> layout::parseMesh(StringRef text) {
  return LayoutParser(text).parseMesh();
}

Expected<Layout> layout::parseLayout(StringRef text, const Mesh &mesh) {
  LayoutParser parser(text);
  Expected<Layout> layout = parser.parseLayout(mesh);
  if (!layout)
    return layout;
  if (Error error = parser.expectEnd())
    return std::move(error);
  return layout;
}

Expected<Layout> layout::consumeLayout(StringRef &text, const Mesh &mesh) {
  LayoutParser parser(text);
  Expected<Layout> layout = parser.parseLayout(mesh);
  if (layout)
    text = parser.getRest();
  return layout;
}
