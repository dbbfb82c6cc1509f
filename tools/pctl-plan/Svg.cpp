// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Writes SVG elements.

#include "Svg.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace pctl;
using namespace pctl::plan;
using llvm::formatv;
using llvm::StringRef;

int64_t plan::getTextWidth(StringRef text, int64_t size) {
  int64_t characters = llvm::count_if(text, [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
  });
  return (characters * size * 61 + 99) / 100;
}

/// Returns the number of bytes at the start of \p text that make up a character
/// which no XML may have.
static size_t getForbiddenLength(StringRef text) {
  unsigned char c = text.front();
  if (c < 0x20 && c != '\t' && c != '\n' && c != '\r')
    return 1;
  return text.starts_with("\xef\xbf\xbe") || text.starts_with("\xef\xbf\xbf")
             ? 3
             : 0;
}

std::string plan::escapeXml(StringRef text) {
  std::string escaped;
  while (!text.empty()) {
    if (size_t length = getForbiddenLength(text)) {
      escaped += "\xef\xbf\xbd";
      text = text.drop_front(length);
      continue;
    }
    char c = text.front();
    text = text.drop_front();
    switch (c) {
    case '&':
      escaped += "&amp;";
      break;
    case '<':
      escaped += "&lt;";
      break;
    case '>':
      escaped += "&gt;";
      break;
    case '"':
      escaped += "&quot;";
      break;
    default:
      escaped += c;
    }
  }
  return escaped;
}

/// Returns the element that browsers show beside the pointer.
static std::string printTitle(StringRef title) {
  return title.empty() ? "" : "<title>" + escapeXml(title) + "</title>";
}

void Svg::text(int64_t x, int64_t y, StringRef text, const Font &font,
               Anchor anchor) {
  static constexpr StringRef names[] = {"start", "middle", "end"};
  body += formatv("<text x=\"{0}\" y=\"{1}\" font-size=\"{2}\" fill=\"{3}\" "
                  "text-anchor=\"{4}\"{5}>{6}</text>\n",
                  x, y, font.size, font.color, names[int(anchor)],
                  font.bold ? " font-weight=\"bold\"" : "", escapeXml(text));
}

void Svg::rect(int64_t x, int64_t y, int64_t width, int64_t height,
               StringRef fill, int64_t opacityPercent, StringRef title) {
  std::string opacity;
  if (opacityPercent < 100)
    opacity = formatv(" fill-opacity=\"0.{0,0+2}\"", opacityPercent);
  body += formatv("<rect x=\"{0}\" y=\"{1}\" width=\"{2}\" height=\"{3}\" "
                  "fill=\"{4}\"{5}>{6}</rect>\n",
                  x, y, width, height, fill, opacity, printTitle(title));
}

void Svg::line(int64_t x1, int64_t y1, int64_t x2, int64_t y2, StringRef color,
               bool dashed) {
  body +=
      formatv("<line x1=\"{0}\" y1=\"{1}\" x2=\"{2}\" y2=\"{3}\" "
              "stroke=\"{4}\"{5}/>\n",
              x1, y1, x2, y2, color, dashed ? " stroke-dasharray=\"4 3\"" : "");
}

void Svg::arrow(int64_t x1, int64_t x2, int64_t y, StringRef color, bool dashed,
                StringRef title) {
  int64_t back = x2 > x1 ? -6 : 6;
  body +=
      formatv("<g stroke=\"{0}\" fill=\"{0}\">{1}", color, printTitle(title));
  line(x1, y, x2 + back, y, color, dashed);
  body += formatv("<path d=\"M{0} {1} l{2} -3 v6 z\"/></g>\n", x2, y, back);
}

void Svg::print(llvm::raw_ostream &os, int64_t width, int64_t height) const {
  os << formatv("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" "
                "height=\"{1}\" viewBox=\"0 0 {0} {1}\" "
                "font-family=\"DejaVu Sans Mono, Menlo, Consolas, "
                "monospace\">\n",
                width, height)
     << formatv("<rect x=\"0\" y=\"0\" width=\"{0}\" height=\"{1}\" "
                "fill=\"#ffffff\"/>\n",
                width, height)
     << body << "</svg>\n";
}
