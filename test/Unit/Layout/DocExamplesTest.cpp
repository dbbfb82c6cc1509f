// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// The examples of docs/layout.md hold: each row of its tables of boxes is
/// computed again.

#include "Enumerate.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace pctl::layout;
using namespace pctl::layout::test;
using llvm::StringRef;

namespace {

std::vector<std::string> cellsOf(StringRef line) {
  std::vector<std::string> cells;
  while (line.consume_front("|") && !line.trim().empty()) {
    cells.push_back(
        line.take_until([](char c) { return c == '|'; }).trim().str());
    line = line.drop_until([](char c) { return c == '|'; });
  }
  return cells;
}

llvm::SmallVector<int64_t> parseShape(StringRef text) {
  llvm::SmallVector<int64_t> shape;
  for (StringRef size : llvm::split(text, 'x'))
    EXPECT_FALSE(size.getAsInteger(10, shape.emplace_back())) << text.str();
  return shape;
}

TEST(LayoutDoc, TablesOfBoxesHold) {
  auto file = llvm::MemoryBuffer::getFile(PCTL_DOCS_DIR "/layout.md");
  ASSERT_TRUE(static_cast<bool>(file)) << file.getError().message();
  const std::vector<std::string> header = {"mesh", "layout", "global shape",
                                           "rank", "box"};
  bool inTable = false;
  unsigned checked = 0;
  for (StringRef line : llvm::split((*file)->getBuffer(), '\n')) {
    std::vector<std::string> cells = cellsOf(line);
    inTable = cells.size() == header.size() && (inTable || cells == header);
    if (!inTable || cells == header || line.starts_with("|--"))
      continue;
    SCOPED_TRACE(line.str());
    Mesh m = mesh(cells[0]);
    Layout l = layout(cells[1], m);
    llvm::SmallVector<int64_t> shape = parseShape(cells[2]);
    ASSERT_EQ(messageOf(verifyLayout(m, l, shape)), "");
    int64_t rank;
    ASSERT_FALSE(StringRef(cells[3]).getAsInteger(10, rank));
    EXPECT_EQ(toString(getBox(m, l, shape, rank)), cells[4]);
    ++checked;
  }
  EXPECT_EQ(checked, 16u);
}

} // namespace
