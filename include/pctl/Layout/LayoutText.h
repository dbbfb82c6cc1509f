// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// The text of meshes and layouts on command lines and in messages. What is
/// printed parses back to an equal value.
///
/// \verbatim
///   mesh    ::= (axis (`,` axis)*)? devices?
///   axis    ::= name `=` int
///   devices ::= `devices` `=` ints
///   layout  ::= `[` (dim (`,` dim)*)? `]` partial?
///   dim     ::= `{` ((axisref `,`)* (axisref | `?`))? `}` (`:` ints)?
///   partial ::= `partial` `=` `[` (part (`,` part)*)? `]`
///   part    ::= kind `(` (axisref (`,` axisref)*)? `)`
///   axisref ::= name (`:` `(` int `)` int)?
///   ints    ::= `[` int (`,` int)* `]`
/// \endverbatim
///
/// Names are letters, digits, `_`, `.`, `-`, or anything else between double
/// quotes, where `\` stands before a quote or a backslash. Spaces between
/// tokens do not count. A `?` comes last in its dim. Kinds are the keywords of
/// stringifyReductionKind.

#ifndef PCTL_LAYOUT_LAYOUTTEXT_H
#define PCTL_LAYOUT_LAYOUTTEXT_H

#include "pctl/Layout/Layout.h"

namespace pctl::layout {

/// Parses `data=4, model=2`. Errors: a syntax error with its column, and those
/// of Mesh::create.
llvm::Expected<Mesh> parseMesh(llvm::StringRef text);

/// Parses `[{data},{model:(1)2,?}] partial=[sum(x)]`. Errors: a syntax error
/// with its column, and those of verifyLayout that need no shape: an axis that
/// \p mesh lacks, a sub-axis that does not divide, an axis used twice, another
/// number of block sizes than positions.
llvm::Expected<Layout> parseLayout(llvm::StringRef text, const Mesh &mesh);

/// Parses a layout at the start of \p text and drops it from \p text, so that a
/// caller can read a list of them.
llvm::Expected<Layout> consumeLayout(llvm::StringRef &text, const Mesh &mesh);

/// Prints `data=4, model=2 devices=[8,9,10,11,12,13,14,15]`.
std::string toString(const Mesh &mesh);
/// Prints `x`, or `x:(2)4` for a part of it. Here and below, axes must be of
/// \p mesh.
std::string toString(const Mesh &mesh, AxisRef ref);
/// Prints `x,y:(2)4`.
std::string toString(const Mesh &mesh, llvm::ArrayRef<AxisRef> refs);
/// Prints `[{data},{model:(1)2,?}] partial=[sum(x)]`.
std::string toString(const Mesh &mesh, const Layout &layout);
/// Prints `4x?x6`, as MLIR does: `?` for kDynamic, nothing for a scalar.
std::string shapeToString(llvm::ArrayRef<int64_t> shape);
/// Prints `[0:2, 4:8]`: offset and end a dim.
std::string toString(const Box &box);

} // namespace pctl::layout

#endif // PCTL_LAYOUT_LAYOUTTEXT_H
