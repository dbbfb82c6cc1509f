// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// The few elements of SVG that pictures are made of. Coordinates are whole
/// pixels and text is of a fixed width, so that a picture is the same
/// everywhere and its text can be kept apart by arithmetic.

#ifndef PCTL_TOOLS_PCTL_PLAN_SVG_H
#define PCTL_TOOLS_PCTL_PLAN_SVG_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdint>
#include <string>

namespace pctl::plan {

/// Which end of a text is at its position.
enum class Anchor { Start, Middle, End };

/// How a text looks.
struct Font {
  int64_t size = 12;
  llvm::StringRef color = "#1f2328";
  bool bold = false;
};

/// Returns the width of \p text, at most: characters are 0.61 of the size.
int64_t getTextWidth(llvm::StringRef text, int64_t size);

/// Returns \p text, which is UTF-8, as XML; a character that XML does not have
/// becomes U+FFFD.
std::string escapeXml(llvm::StringRef text);

/// Collects the elements of a picture.
class Svg {
public:
  void text(int64_t x, int64_t y, llvm::StringRef text, const Font &font,
            Anchor anchor = Anchor::Start);
  void rect(int64_t x, int64_t y, int64_t width, int64_t height,
            llvm::StringRef fill, int64_t opacityPercent = 100,
            llvm::StringRef title = "");
  void line(int64_t x1, int64_t y1, int64_t x2, int64_t y2,
            llvm::StringRef color, bool dashed = false);
  /// A level line with a head at \p x2.
  void arrow(int64_t x1, int64_t x2, int64_t y, llvm::StringRef color,
             bool dashed, llvm::StringRef title);

  /// Prints a picture of all that was added, in that order.
  void print(llvm::raw_ostream &os, int64_t width, int64_t height) const;

private:
  std::string body;
};

} // namespace pctl::plan

#endif // PCTL_TOOLS_PCTL_PLAN_SVG_H
