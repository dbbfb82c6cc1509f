// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Reading of texts that have meshes, axes and layouts in them. LayoutText.h
/// has the grammar of these, and the functions for texts that are nothing else;
/// this is for larger grammars, such as that of plans.

#ifndef PCTL_LAYOUT_LAYOUTPARSER_H
#define PCTL_LAYOUT_LAYOUTPARSER_H

#include "pctl/Layout/Layout.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace pctl::layout {

/// A place in a text. Each function reads one phrase and leaves the place
/// behind it; spaces and line breaks in front of a token do not count. After an
/// error the place is of no use but for more errors.
///
/// Worked example: with the text `x, y` and a mesh of these axes,
/// `parseAxisRef(mesh)`, `consume(',')` and `parseAxisRef(mesh)` read it, and
/// `expectEnd()` succeeds.
class LayoutParser {
public:
  /// How errors say where they are.
  enum class Locations {
    /// Syntax errors by their column; others name what they are about.
    Columns,
    /// All errors by line and column, for texts of several phrases.
    LinesAndColumns,
  };

  /// Reads \p text, which must outlive this.
  explicit LayoutParser(llvm::StringRef text,
                        Locations locations = Locations::Columns)
      : whole(text), rest(text), locations(locations) {}

  /// Returns what is not read yet.
  llvm::StringRef getRest() const { return rest; }
  /// Returns what is not read yet, from the next token on.
  llvm::StringRef skipSpace() { return rest = rest.ltrim(); }

  /// Returns whether the next token starts with \p c.
  bool peek(char c);
  /// Reads \p token where it comes next, and returns whether it did.
  bool consume(llvm::StringRef token);
  /// Reads the word \p word, and not only the start of a longer one.
  bool consumeWord(llvm::StringRef word);
  /// Returns the word that comes next, empty where there is none.
  llvm::StringRef peekWord();

  /// Reads \p token. Error: something else comes next.
  llvm::Error expect(llvm::StringRef token);
  llvm::Error expectEnd();

  llvm::Expected<std::string> parseName(const char *what);
  llvm::Expected<int64_t> parseInt();
  llvm::Expected<llvm::SmallVector<int64_t>> parseInts();
  /// Reads a mesh up to the end, or up to \p end.
  llvm::Expected<Mesh> parseMesh(std::optional<char> end = std::nullopt);
  llvm::Expected<AxisRef> parseAxisRef(const Mesh &mesh);
  llvm::Expected<Layout> parseLayout(const Mesh &mesh);
  /// Reads the element (`,` element)* up to \p close, which it reads too.
  llvm::Error parseList(char close, llvm::function_ref<llvm::Error()> element);

  /// Makes the error that \p what is right at this place.
  llvm::Error expected(const llvm::Twine &what);
  /// Returns \p error, about what starts at \p place in the text, with its
  /// location where all errors have one.
  llvm::Error locate(llvm::StringRef place, llvm::Error error);

private:
  std::string printLocation(llvm::StringRef place);
  llvm::Error parseDim(const Mesh &mesh, DimLayout &dim);
  llvm::Error parsePartial(const Mesh &mesh, PartialAxes &entry);
  llvm::Expected<llvm::SmallVector<int64_t>> parseDevices();

  llvm::StringRef whole, rest;
  Locations locations;
};

} // namespace pctl::layout

#endif // PCTL_LAYOUT_LAYOUTPARSER_H
