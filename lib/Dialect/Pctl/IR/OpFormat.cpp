// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

#include "OpFormat.h"

#include <cstring>

using namespace mlir;

namespace pctl {

/// Parses a list of attributes in brackets by \p parseEntry.
static ParseResult
parseAttrList(OpAsmParser &parser, ArrayAttr &list,
              llvm::function_ref<ParseResult(Attribute &)> parseEntry) {
  SmallVector<Attribute> entries;
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
        return parseEntry(entries.emplace_back());
      }))
    return failure();
  list = parser.getBuilder().getArrayAttr(entries);
  return success();
}

ParseResult parseKind(OpAsmParser &parser, ReductionKindAttr &kind) {
  FailureOr<layout::ReductionKind> value = parseReductionKind(parser);
  if (failed(value))
    return failure();
  kind = ReductionKindAttr::get(parser.getContext(), *value);
  return success();
}

void printKind(OpAsmPrinter &printer, Operation *, ReductionKindAttr kind) {
  printer << layout::stringifyReductionKind(kind.getValue());
}

ParseResult parseAxisList(OpAsmParser &parser, ArrayAttr &axes) {
  return parseAttrList(parser, axes, [&](Attribute &entry) {
    FailureOr<AxisRefAttr> axis = parseListedAxis(parser);
    if (succeeded(axis))
      entry = *axis;
    return ParseResult(failure(failed(axis)));
  });
}

void printAxisList(OpAsmPrinter &printer, Operation *, ArrayAttr axes) {
  printer << '[';
  llvm::interleaveComma(axes, printer, [&](Attribute axis) {
    printListedAxis(printer, cast<AxisRefAttr>(axis));
  });
  printer << ']';
}

ParseResult parseLayoutOrSymbol(OpAsmParser &parser, Attribute &layout) {
  SMLoc loc = parser.getCurrentLocation();
  StringAttr name;
  if (succeeded(parser.parseOptionalSymbolName(name))) {
    layout = FlatSymbolRefAttr::get(name);
    return success();
  }
  if (!StringRef("<#").contains(*loc.getPointer()))
    return parser.emitError(loc) << "expected a layout or the symbol of one";
  LayoutAttr attr;
  if (parser.parseCustomAttributeWithFallback(attr))
    return failure();
  layout = attr;
  return success();
}

void printLayoutOrSymbol(OpAsmPrinter &printer, Operation *, Attribute layout) {
  if (auto attr = dyn_cast<LayoutAttr>(layout))
    printer.printStrippedAttrOrType(attr);
  else
    printer << layout;
}

ParseResult parseLayoutBeforeType(OpAsmParser &parser, Attribute &layout) {
  // The parser of dialect attributes takes a following `: type` for the type of
  // the attribute; there is no way to keep it from that.
  SMLoc loc = parser.getCurrentLocation();
  constexpr StringLiteral prefix = "#pctl.";
  if (std::strncmp(loc.getPointer(), prefix.data(), prefix.size()) == 0)
    return parser.emitError(loc) << "write this layout as '<@mesh, [...]>', "
                                    "without '#pctl.layout'";
  return parseLayoutOrSymbol(parser, layout);
}

void printLayoutBeforeType(OpAsmPrinter &printer, Operation *op,
                           Attribute layout) {
  printLayoutOrSymbol(printer, op, layout);
}

ParseResult parseLayoutList(OpAsmParser &parser, ArrayAttr &layouts) {
  return parseAttrList(parser, layouts, [&](Attribute &entry) {
    return parseLayoutOrSymbol(parser, entry);
  });
}

void printLayoutList(OpAsmPrinter &printer, Operation *op, ArrayAttr layouts) {
  printer << '[';
  llvm::interleaveComma(layouts, printer, [&](Attribute layout) {
    printLayoutOrSymbol(printer, op, layout);
  });
  printer << ']';
}

ParseResult parseSameOrTwoTypes(OpAsmParser &parser, Type &first,
                                Type &second) {
  if (parser.parseType(first))
    return failure();
  second = first;
  if (failed(parser.parseOptionalArrow()))
    return success();
  return parser.parseType(second);
}

void printSameOrTwoTypes(OpAsmPrinter &printer, Operation *, Type first,
                         Type second) {
  printer << first;
  if (first != second)
    printer << " -> " << second;
}

ParseResult parsePairs(OpAsmParser &parser, DenseI64ArrayAttr &pairs) {
  SmallVector<int64_t> flat;
  auto parsePair = [&]() -> ParseResult {
    return failure(
        parser.parseLSquare() || parser.parseInteger(flat.emplace_back()) ||
        parser.parseComma() || parser.parseInteger(flat.emplace_back()) ||
        parser.parseRSquare());
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parsePair))
    return failure();
  pairs = parser.getBuilder().getDenseI64ArrayAttr(flat);
  return success();
}

void printPairs(OpAsmPrinter &printer, Operation *, DenseI64ArrayAttr pairs) {
  ArrayRef<int64_t> flat = pairs.asArrayRef();
  printer << '[';
  for (size_t i = 0; i + 1 < flat.size(); i += 2)
    printer << (i == 0 ? "[" : ", [") << flat[i] << ", " << flat[i + 1] << ']';
  printer << ']';
}

/// Parses `[1, 2]` onto \p flat and returns how many numbers there are.
static FailureOr<size_t> parseNumbers(OpAsmParser &parser,
                                      SmallVectorImpl<int64_t> &flat) {
  size_t before = flat.size();
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
        return parser.parseInteger(flat.emplace_back());
      }))
    return failure();
  return flat.size() - before;
}

ParseResult parseTransfers(OpAsmParser &parser, DenseI64ArrayAttr &transfers) {
  SmallVector<int64_t> flat;
  std::optional<size_t> numDims;
  auto parseTransfer = [&]() -> ParseResult {
    if (parser.parseInteger(flat.emplace_back()) || parser.parseArrow() ||
        parser.parseInteger(flat.emplace_back()))
      return failure();
    for (StringRef what : {"offsets", "sizes"}) {
      SMLoc loc = parser.getCurrentLocation();
      FailureOr<size_t> found = parseNumbers(parser, flat);
      if (failed(found))
        return failure();
      if (*found != numDims.value_or(*found))
        return parser.emitError(loc) << "found " << *found << " " << what
                                     << ", before there were " << *numDims;
      numDims = *found;
    }
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square,
                                     parseTransfer))
    return failure();
  transfers = parser.getBuilder().getDenseI64ArrayAttr(flat);
  return success();
}

void printTransfers(OpAsmPrinter &printer, ExchangeOp op,
                    DenseI64ArrayAttr transfers) {
  size_t rank = cast<RankedTensorType>(op.getGlobalType()).getRank();
  ArrayRef<int64_t> rest = transfers.asArrayRef();
  printer << '[';
  bool isFirst = true;
  for (; rest.size() >= 2 + 2 * rank; rest = rest.drop_front(2 + 2 * rank)) {
    printer << (std::exchange(isFirst, false) ? "" : ", ") << rest[0] << " -> "
            << rest[1] << " [";
    llvm::interleaveComma(rest.slice(2, rank), printer);
    printer << "] [";
    llvm::interleaveComma(rest.slice(2 + rank, rank), printer);
    printer << ']';
  }
  printer << ']';
}

} // namespace pctl
