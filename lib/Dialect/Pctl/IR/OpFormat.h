// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// The parts of op syntax that assemblyFormat can't say: lists of axes, layouts
/// in place or by name, types that are written once where they are equal.
/// Private to the dialect; the generated parsers call these.

#ifndef PCTL_LIB_DIALECT_PCTL_IR_OPFORMAT_H
#define PCTL_LIB_DIALECT_PCTL_IR_OPFORMAT_H

#include "pctl/Dialect/Pctl/IR/Pctl.h"

namespace pctl {

/// `"y":(1)2`, as it stands inside a list.
mlir::FailureOr<AxisRefAttr> parseListedAxis(mlir::AsmParser &parser);
void printListedAxis(mlir::AsmPrinter &printer, AxisRefAttr axis);

/// `sum`
mlir::ParseResult parseKind(mlir::OpAsmParser &parser, ReductionKindAttr &kind);
void printKind(mlir::OpAsmPrinter &printer, mlir::Operation *,
               ReductionKindAttr kind);

/// `["x", "y":(1)2]`
mlir::ParseResult parseAxisList(mlir::OpAsmParser &parser,
                                mlir::ArrayAttr &axes);
void printAxisList(mlir::OpAsmPrinter &printer, mlir::Operation *,
                   mlir::ArrayAttr axes);

/// `@name`, `<@m, [{"x"}, {}]>`, or any attribute in full.
mlir::ParseResult parseLayoutOrSymbol(mlir::OpAsmParser &parser,
                                      mlir::Attribute &layout);
void printLayoutOrSymbol(mlir::OpAsmPrinter &printer, mlir::Operation *,
                         mlir::Attribute layout);

/// The same before a colon and a type, where a dialect attribute in full would
/// swallow the type: that is an error which says what to write.
mlir::ParseResult parseLayoutBeforeType(mlir::OpAsmParser &parser,
                                        mlir::Attribute &layout);
void printLayoutBeforeType(mlir::OpAsmPrinter &printer, mlir::Operation *,
                           mlir::Attribute layout);

/// `[@name, <@m, [{"x"}, {}]>]`
mlir::ParseResult parseLayoutList(mlir::OpAsmParser &parser,
                                  mlir::ArrayAttr &layouts);
void printLayoutList(mlir::OpAsmPrinter &printer, mlir::Operation *,
                     mlir::ArrayAttr layouts);

/// `T` where both are, or `T -> U`.
mlir::ParseResult parseSameOrTwoTypes(mlir::OpAsmParser &parser,
                                      mlir::Type &first, mlir::Type &second);
void printSameOrTwoTypes(mlir::OpAsmPrinter &printer, mlir::Operation *,
                         mlir::Type first, mlir::Type second);

/// `[[0, 1], [1, 0]]`
mlir::ParseResult parsePairs(mlir::OpAsmParser &parser,
                             mlir::DenseI64ArrayAttr &pairs);
void printPairs(mlir::OpAsmPrinter &printer, mlir::Operation *,
                mlir::DenseI64ArrayAttr pairs);

/// `[0 -> 1 [0, 4] [2, 2]]`: source, target, offsets and sizes of a box, flat,
/// one after the other.
mlir::ParseResult parseTransfers(mlir::OpAsmParser &parser,
                                 mlir::DenseI64ArrayAttr &transfers);
void printTransfers(mlir::OpAsmPrinter &printer, ExchangeOp op,
                    mlir::DenseI64ArrayAttr transfers);

} // namespace pctl

#endif // PCTL_LIB_DIALECT_PCTL_IR_OPFORMAT_H
