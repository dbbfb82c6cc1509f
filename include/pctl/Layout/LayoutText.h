// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// The text of meshes and layouts on command lines and in messages. What is
/// printed parses back to an equal value.
///
///   mesh   ::= axis `=` size (`,` axis `=` size)*  [`devices` `=` `[` int,*
///   `]`] layout ::= `[` (dim (`,` dim)*)? `]` (`partial` `=` `[` part (`,`
///   part)* `]`)? dim    ::= `{` (axisref | `?`) (`,` (axisref | `?`))* `}`
///   (`:` `[` int,* `]`)? axisref::= name (`:` `(` int `)` int)? part   ::=
///   kind `(` axisref (`,` axisref)* `)`
///
/// Names are letters, digits, `_`, `.`, `-`, or anything else between double
/// quotes; spaces between tokens do not count. A `?` comes last in its dim.

#ifndef PCTL_LAYOUT_LAYOUTTEXT_H
#define PCTL_LAYOUT_LAYOUTTEXT_H

#include "pctl/Layout/Layout.h"

namespace pctl::layout {

/// Parses `data=4, model=2`. Errors: a syntax error with its column, and those
/// of Mesh::create.
llvm::Expected<Mesh> parseMesh(llvm::StringRef text);

/// Parses `[{data},{model:(1)2,?}] partial=[sum(x)]`. Errors: a syntax error
/// with its column, an axis that \p mesh lacks, a sub-axis that does not
/// divide, an axis used twice.
llvm::Expected<Layout> parseLayout(llvm::StringRef text, const Mesh &mesh);

/// Parses a layout at the start of \p text and drops it from \p text, so that a
/// caller can read a list of them.
llvm::Expected<Layout> consumeLayout(llvm::StringRef &text, const Mesh &mesh);

std::string toString(const Mesh &mesh);
std::string toString(const Mesh &mesh, AxisRef ref);
std::string toString(const Mesh &mesh, llvm::ArrayRef<AxisRef> refs);
std::string toString(const Mesh &mesh, const Layout &layout);
/// Prints `[0:2, 4:8]`: offset and end a dim.
std::string toString(const Box &box);

} // namespace pctl::layout

#endif // PCTL_LAYOUT_LAYOUTTEXT_H
