// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Text of the attributes of meshes and layouts. Their grammar is that of
/// LayoutText.h with MLIR's tokens: names are strings, meshes are symbols.

#include "OpFormat.h"
#include "pctl/Dialect/Pctl/IR/Pctl.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace pctl {

FailureOr<layout::ReductionKind> parseReductionKind(AsmParser &parser) {
  SMLoc loc = parser.getCurrentLocation();
  StringRef keyword;
  if (failed(parser.parseOptionalKeyword(&keyword)))
    return parser.emitError(loc) << "expected a reduction kind";
  if (auto kind = layout::symbolizeReductionKind(keyword))
    return *kind;
  return parser.emitError(loc)
         << "unknown reduction kind '" << keyword
         << "', expected sum, product, maxsi, maxui, maximumf, maxnumf, minsi, "
            "minui, minimumf, minnumf, and, or or xor";
}

//===----------------------------------------------------------------------===//
// Axes
//===----------------------------------------------------------------------===//

static ParseResult parseMeshAxis(AsmParser &parser, std::string &name,
                                 int64_t &size) {
  return failure(parser.parseString(&name) || parser.parseEqual() ||
                 parser.parseInteger(size));
}

static void printMeshAxis(AsmPrinter &printer, StringRef name, int64_t size) {
  printer.printString(name);
  printer << '=' << size;
}

static ParseResult parseMeshAxes(AsmParser &parser,
                                 SmallVector<MeshAxisAttr> &axes) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
    std::string name;
    int64_t size = 0;
    if (parseMeshAxis(parser, name, size))
      return failure();
    axes.push_back(MeshAxisAttr::get(parser.getContext(), name, size));
    return success();
  });
}

static void printMeshAxes(AsmPrinter &printer, ArrayRef<MeshAxisAttr> axes) {
  printer << '[';
  llvm::interleaveComma(axes, printer, [&](MeshAxisAttr axis) {
    printMeshAxis(printer, axis.getName(), axis.getSize());
  });
  printer << ']';
}

static ParseResult parseAxisRef(AsmParser &parser, std::string &name,
                                int64_t &preSize, int64_t &size) {
  preSize = size = 0;
  if (parser.parseString(&name))
    return failure();
  if (failed(parser.parseOptionalColon()))
    return success();
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLParen() || parser.parseInteger(preSize) ||
      parser.parseRParen() || parser.parseInteger(size))
    return failure();
  if (preSize < 1 || size < 1)
    return parser.emitError(loc)
           << "sub-axis (" << preSize << ")" << size << " of axis '" << name
           << "' must have sizes of at least 1";
  return success();
}

static void printAxisRef(AsmPrinter &printer, StringRef name, int64_t preSize,
                         int64_t size) {
  printer.printString(name);
  if (size != 0)
    printer << ":(" << preSize << ')' << size;
}

FailureOr<AxisRefAttr> parseListedAxis(AsmParser &parser) {
  std::string name;
  int64_t preSize, size;
  if (parseAxisRef(parser, name, preSize, size))
    return failure();
  return AxisRefAttr::get(parser.getContext(), name, preSize, size);
}

void printListedAxis(AsmPrinter &printer, AxisRefAttr axis) {
  printAxisRef(printer, axis.getName(), axis.getPreSize(), axis.getSize());
}

static ParseResult parsePartial(AsmParser &parser, layout::ReductionKind &kind,
                                SmallVector<AxisRefAttr> &axes) {
  FailureOr<layout::ReductionKind> parsed = parseReductionKind(parser);
  if (failed(parsed))
    return failure();
  kind = *parsed;
  SMLoc loc = parser.getCurrentLocation();
  ParseResult result =
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren, [&] {
        FailureOr<AxisRefAttr> axis = parseListedAxis(parser);
        if (succeeded(axis))
          axes.push_back(*axis);
        return ParseResult(failure(failed(axis)));
      });
  if (succeeded(result) && axes.empty())
    return parser.emitError(loc) << "partial reduction over no axes";
  return result;
}

static void printPartial(AsmPrinter &printer, layout::ReductionKind kind,
                         ArrayRef<AxisRefAttr> axes) {
  printer << layout::stringifyReductionKind(kind) << '(';
  llvm::interleaveComma(
      axes, printer, [&](AxisRefAttr axis) { printListedAxis(printer, axis); });
  printer << ')';
}

//===----------------------------------------------------------------------===//
// Dims and layouts
//===----------------------------------------------------------------------===//

static ParseResult parseDimLayout(AsmParser &parser,
                                  SmallVector<AxisRefAttr> &axes, bool &isOpen,
                                  SmallVector<int64_t> &blockSizes) {
  isOpen = false;
  auto parseEntry = [&]() -> ParseResult {
    if (isOpen)
      return parser.emitError(parser.getCurrentLocation())
             << "'?' must be last in its dim";
    if (succeeded(parser.parseOptionalQuestion())) {
      isOpen = true;
      return success();
    }
    FailureOr<AxisRefAttr> axis = parseListedAxis(parser);
    if (succeeded(axis))
      axes.push_back(*axis);
    return failure(failed(axis));
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Braces, parseEntry))
    return failure();
  if (failed(parser.parseOptionalColon()))
    return success();
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
    return parser.parseInteger(blockSizes.emplace_back());
  });
}

static void printDimLayout(AsmPrinter &printer, ArrayRef<AxisRefAttr> axes,
                           bool isOpen, ArrayRef<int64_t> blockSizes) {
  printer << '{';
  llvm::interleaveComma(
      axes, printer, [&](AxisRefAttr axis) { printListedAxis(printer, axis); });
  if (isOpen)
    printer << (axes.empty() ? "?" : ", ?");
  printer << '}';
  if (blockSizes.empty())
    return;
  printer << ":[";
  llvm::interleaveComma(blockSizes, printer);
  printer << ']';
}

static ParseResult parseLayoutDims(AsmParser &parser,
                                   SmallVector<DimLayoutAttr> &dims) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
    SmallVector<AxisRefAttr> axes;
    SmallVector<int64_t> blockSizes;
    bool isOpen;
    if (parseDimLayout(parser, axes, isOpen, blockSizes))
      return failure();
    dims.push_back(
        DimLayoutAttr::get(parser.getContext(), axes, isOpen, blockSizes));
    return success();
  });
}

static void printLayoutDims(AsmPrinter &printer, ArrayRef<DimLayoutAttr> dims) {
  printer << '[';
  llvm::interleaveComma(dims, printer, [&](DimLayoutAttr dim) {
    printDimLayout(printer, dim.getAxes(), dim.getIsOpen(),
                   dim.getBlockSizes());
  });
  printer << ']';
}

/// Parses `, partial = [...]`, or nothing.
static ParseResult parseLayoutPartials(AsmParser &parser,
                                       SmallVector<PartialAttr> &partial) {
  if (failed(parser.parseOptionalComma()))
    return success();
  if (parser.parseKeyword("partial") || parser.parseEqual())
    return failure();
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
    layout::ReductionKind kind;
    SmallVector<AxisRefAttr> axes;
    if (parsePartial(parser, kind, axes))
      return failure();
    partial.push_back(PartialAttr::get(parser.getContext(), kind, axes));
    return success();
  });
}

static void printLayoutPartials(AsmPrinter &printer,
                                ArrayRef<PartialAttr> partial) {
  if (partial.empty())
    return;
  printer << ", partial = [";
  llvm::interleaveComma(partial, printer, [&](PartialAttr entry) {
    printPartial(printer, entry.getKind(), entry.getAxes());
  });
  printer << ']';
}

static ParseResult parseLayout(AsmParser &parser, FlatSymbolRefAttr &mesh,
                               SmallVector<DimLayoutAttr> &dims,
                               SmallVector<PartialAttr> &partial) {
  StringAttr name;
  if (parser.parseSymbolName(name) || parser.parseComma() ||
      parseLayoutDims(parser, dims) || parseLayoutPartials(parser, partial))
    return failure();
  mesh = FlatSymbolRefAttr::get(name);
  return success();
}

static void printLayout(AsmPrinter &printer, FlatSymbolRefAttr mesh,
                        ArrayRef<DimLayoutAttr> dims,
                        ArrayRef<PartialAttr> partial) {
  printer.printSymbolName(mesh.getValue());
  printer << ", ";
  printLayoutDims(printer, dims);
  printLayoutPartials(printer, partial);
}

} // namespace pctl

#define GET_ATTRDEF_CLASSES
#include "pctl/Dialect/Pctl/IR/PctlAttrs.cpp.inc"

void pctl::PctlDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "pctl/Dialect/Pctl/IR/PctlAttrs.cpp.inc"
      >();
}
