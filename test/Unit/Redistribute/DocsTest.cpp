// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// The plans that docs/redistribution.md prints are what is planned.

#include "TestSupport.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace pctl;
using namespace pctl::layout;
using namespace pctl::redistribute;
using namespace pctl::redistribute::test;

namespace {

/// Plans again what the header of \p text asks for:
/// `8x8 on x=2, y=2: [{x},{}] -> [{},{}], 1 step`.
std::string planAgain(llvm::StringRef text) {
  auto [shapeText, rest] = text.split(" on ");
  auto [meshText, question] = rest.split(": ");
  llvm::SmallVector<llvm::StringRef> sizeTexts;
  shapeText.split(sizeTexts, 'x');
  llvm::SmallVector<int64_t> shape;
  for (llvm::StringRef sizeText : sizeTexts)
    EXPECT_FALSE(sizeText.getAsInteger(10, shape.emplace_back()));
  Mesh mesh = makeMesh(meshText);
  Layout from = llvm::cantFail(consumeLayout(question, mesh));
  question = question.ltrim();
  EXPECT_TRUE(question.consume_front("-> "));
  Layout to = llvm::cantFail(consumeLayout(question, mesh));
  Plan plan = llvm::cantFail(planRedistribution(mesh, shape, from, to));
  EXPECT_TRUE(isRight(plan));
  return toString(plan);
}

TEST(Docs, printed_plans_are_planned) {
  auto file =
      llvm::MemoryBuffer::getFile(PCTL_SOURCE_DIR "/docs/redistribution.md");
  ASSERT_TRUE(file);
  llvm::StringRef rest = (*file)->getBuffer();
  unsigned plans = 0;
  for (const char *fence = "```plan\n"; rest.contains(fence); ++plans) {
    rest = rest.split(fence).second;
    auto [text, behind] = rest.split("```");
    EXPECT_EQ(planAgain(text), text.str());
    rest = behind;
  }
  EXPECT_GE(plans, 4u);
}

} // namespace
