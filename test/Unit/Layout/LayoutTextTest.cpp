// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Text of meshes and layouts: what is printed parses back, what does not parse
/// says where and why.

#include "Enumerate.h"

#include "llvm/ADT/STLExtras.h"

using namespace pctl::layout;
using namespace pctl::layout::test;

namespace {

TEST(LayoutText, EveryLayoutReadsBack) {
  unsigned count = 0;
  for (const Mesh &m : smallMeshes())
    forEachLayout(m, 2, [&](Layout l) {
      ++count;
      l.dims[count % 2].open = count % 3 == 0;
      if (count % 5 == 0 && !l.dims[0].open)
        l.dims[0].blockSizes.assign(countAll(l.dims[0].axes), count);
      if (l.isPartial())
        l.partial[0].kind = static_cast<ReductionKind>(count % 13);
      std::string text = toString(m, l);
      llvm::Expected<Layout> parsed = parseLayout(text, m);
      ASSERT_TRUE(static_cast<bool>(parsed))
          << text << ": " << llvm::toString(parsed.takeError());
      ASSERT_EQ(*parsed, l) << text;
    });
  EXPECT_GT(count, 1000u);
}

TEST(LayoutText, EveryMeshReadsBack) {
  for (const Mesh &m : smallMeshes())
    EXPECT_TRUE(mesh(toString(m)) == m) << toString(m);
  for (const char *name :
       {"data", "0", "a.b-c_d", "with space", "quote\"d", "back\\slash", "a=b",
        "[x]", "?", "devices", "partial", "\xc3\xa4", "\\\"", ","}) {
    Mesh m = llvm::cantFail(Mesh::create({{name, 2}, {"x", 3}}));
    EXPECT_TRUE(mesh(toString(m)) == m) << toString(m);
    Layout l = layout("[{x}]", m);
    l.dims.push_back({{m.getWholeAxis(0)}, true, {}});
    EXPECT_EQ(layout(toString(m, l), m), l) << toString(m, l);
  }
}

TEST(LayoutText, MeshesWithDevicesReadBack) {
  for (const char *text :
       {"x=4 devices=[8,9,10,11]", "x=2, y=2 devices=[3,2,1,0]", "devices=[5]",
        "devices=1 devices=[7]", "devices=2, x=1 devices=[1,0]"})
    EXPECT_EQ(toString(mesh(text)), text);
}

TEST(LayoutText, IsPrintedInOneWay) {
  Mesh m = mesh(" data = 4,model=8,\"odd name\"=2 ");
  EXPECT_EQ(toString(m), "data=4, model=8, \"odd name\"=2");
  EXPECT_EQ(toString(m, layout(" [ { data , ? } , { model : ( 1 ) 2 } , {?} , "
                               "{\"odd name\"} : [ 3 , 4 ] ]  partial = [ sum "
                               "( model:(2)4 ) ] ",
                               m)),
            "[{data,?},{model:(1)2},{?},{\"odd name\"}:[3,4]] "
            "partial=[sum(model:(2)4)]");
  EXPECT_EQ(toString(m, layout("[]", m)), "[]");
  EXPECT_EQ(toString(m, layout("[{model:(1)8}]", m)), "[{model}]");
  EXPECT_EQ(toString(m, layout("[] partial=[sum(),maxnumf(data)]", m)),
            "[] partial=[sum(),maxnumf(data)]");
  EXPECT_EQ(toString(Box(llvm::ArrayRef<Range>{{0, 2}, {4, 4}})), "[0:2, 4:8]");
  EXPECT_EQ(toString(Box()), "[]");
}

TEST(LayoutText, ConsumesOneLayoutOfMany) {
  Mesh m = mesh("x=2, y=2");
  llvm::StringRef text = "[{x}] , [{y}] partial=[sum(x)] -> [{}]";
  std::vector<std::string> read;
  while (!text.empty()) {
    read.push_back(toString(m, llvm::cantFail(consumeLayout(text, m))));
    text = text.ltrim(" ,->");
  }
  EXPECT_EQ(read, (std::vector<std::string>{"[{x}]", "[{y}] partial=[sum(x)]",
                                            "[{}]"}));
}

TEST(LayoutText, KeepsTheTextWhereItFails) {
  Mesh m = mesh("x=2, y=2");
  llvm::StringRef text = "[{z}] rest";
  EXPECT_NE(messageOf(consumeLayout(text, m)), "");
  EXPECT_EQ(text, "[{z}] rest");
}

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

std::string meshError(llvm::StringRef text) {
  return messageOf(parseMesh(text));
}

TEST(LayoutTextErrors, SyntaxOfMeshes) {
  EXPECT_EQ(meshError("x"),
            "column 2: expected '=', found the end of the text");
  EXPECT_EQ(meshError("x=4,"),
            "column 5: expected an axis name, found the end of the text");
  EXPECT_EQ(meshError("x=four"), "column 3: expected a number, found 'four'");
  EXPECT_EQ(meshError("x=-"), "column 3: expected a number, found '-'");
  EXPECT_EQ(meshError("x=99999999999999999999"),
            "column 3: expected a number of at most 64 bits, found "
            "'99999999999999999999'");
  EXPECT_EQ(meshError("x=4; y=2"),
            "column 4: expected the end of the text, found ';'");
  EXPECT_EQ(meshError("x=4 y=2"),
            "column 5: expected the end of the text, found 'y'");
  EXPECT_EQ(meshError("\"x=4"), "column 1: quoted name has no closing '\"'");
  EXPECT_EQ(meshError("\"x\\"), "column 1: quoted name has no closing '\"'");
  EXPECT_EQ(meshError("x=2 devices=4"), "column 13: expected '[', found '4'");
  EXPECT_EQ(meshError("x=2 devices[0]"), "column 12: expected '=', found '['");
  EXPECT_EQ(meshError("x=2 devices=[0;1]"),
            "column 15: expected ',' or ']', found ';'");
  EXPECT_EQ(meshError("x=2 devices=[0,"),
            "column 16: expected a number, found the end of the text");
  EXPECT_EQ(meshError("x=2 devices=[]"),
            "device list is empty; leave it out where rank i is device i");
}

TEST(LayoutTextErrors, MeaningOfMeshes) {
  EXPECT_EQ(meshError("x=4, x=2"), "mesh has two axes named 'x'");
  EXPECT_EQ(meshError("x=0"), "axis 'x' has size 0, it must be at least 1");
  EXPECT_EQ(meshError("\"\"=2"), "axis 0 of the mesh has an empty name");
  EXPECT_EQ(meshError("x=2 devices=[1,1]"),
            "device 1 is listed twice, at positions 0 and 1");
}

std::string layoutError(llvm::StringRef text) {
  return messageOf(parseLayout(text, mesh("x=2, y=8")));
}

TEST(LayoutTextErrors, SyntaxOfLayouts) {
  EXPECT_EQ(layoutError(""),
            "column 1: expected '[', found the end of the text");
  EXPECT_EQ(layoutError("[x]"), "column 2: expected '{', found 'x'");
  EXPECT_EQ(layoutError("[{x}"),
            "column 5: expected ',' or ']', found the end of the text");
  EXPECT_EQ(layoutError("[{x y}]"), "column 5: expected ',' or '}', found 'y'");
  EXPECT_EQ(layoutError("[{x},]"), "column 6: expected '{', found ']'");
  EXPECT_EQ(layoutError("[{x,}]"),
            "column 5: expected an axis name, found '}'");
  EXPECT_EQ(layoutError("[{?,x}]"),
            "column 5: expected '}' after '?', found 'x'");
  EXPECT_EQ(layoutError("[{y:1}]"), "column 5: expected '(', found '1'");
  EXPECT_EQ(layoutError("[{y:(a)2}]"),
            "column 6: expected a number, found 'a'");
  EXPECT_EQ(layoutError("[{y:(1 2}]"), "column 8: expected ')', found '2'");
  EXPECT_EQ(layoutError("[{y:(1)}]"), "column 8: expected a number, found '}'");
  EXPECT_EQ(layoutError("[{x}:4]"), "column 6: expected '[', found '4'");
  EXPECT_EQ(layoutError("[{x}:[]]"),
            "explicit block sizes are empty; leave them out for blocks of "
            "equal size");
  EXPECT_EQ(layoutError("[{x}] more"),
            "column 7: expected the end of the text, found 'more'");
}

TEST(LayoutTextErrors, SyntaxOfPartialAxes) {
  EXPECT_EQ(layoutError("[{x}] partial"),
            "column 14: expected '=', found the end of the text");
  EXPECT_EQ(layoutError("[{x}] partial=sum(y)"),
            "column 15: expected '[', found 'sum'");
  EXPECT_EQ(layoutError("[{x}] partial=[mean(y)]"),
            "column 16: expected a reduction kind (sum, product, maxsi, maxui, "
            "maximumf, maxnumf, minsi, minui, minimumf, minnumf, and, or, "
            "xor), found 'mean'");
  EXPECT_EQ(layoutError("[{x}] partial=[sum y]"),
            "column 20: expected '(', found 'y'");
  EXPECT_EQ(layoutError("[{x}] partial=[sum(y]"),
            "column 21: expected ',' or ')', found ']'");
}

TEST(LayoutTextErrors, MeaningOfLayouts) {
  EXPECT_EQ(layoutError("[{z}]"),
            "mesh has no axis 'z'; its axes are 'x' (size 2), 'y' (size 8)");
  EXPECT_EQ(layoutError("[{z:(1)2}]"),
            "mesh has no axis 'z'; its axes are 'x' (size 2), 'y' (size 8)");
  EXPECT_EQ(layoutError("[{y:(1)3}]"),
            "sub-axis 'y:(1)3' does not divide axis 'y' (size 8)");
  EXPECT_EQ(layoutError("[{x},{x}]"),
            "axis 'x' (size 2) is used twice in layout");
  EXPECT_EQ(layoutError("[{y:(1)4},{y:(2)4}]"),
            "'y:(1)4' and 'y:(2)4' in layout are not separate factors of axis "
            "'y' (size 8)");
  EXPECT_EQ(layoutError("[{x}:[1,2,3]]"),
            "dim 0 has 3 explicit block sizes, its axes have 2 positions");
  EXPECT_EQ(layoutError("[{x,?}:[1,2]]"),
            "dim 0 is open, only a closed dim may have explicit block sizes");
}

// No text crashes the parsers: prefixes and small changes of a rich one.
TEST(LayoutTextErrors, DamagedTextIsReadOrRefused) {
  const std::string texts[] = {
      "[{x,?},{y:(1)2}:[3,4],{}] partial=[sum(y:(2)4),maxsi()]",
      "x=2, \"y \\\"z\"=8 devices=[0,1,2,3]"};
  Mesh m = mesh("x=2, y=8");
  std::mt19937_64 random(11);
  const llvm::StringRef alphabet = "[]{}():,?=\"\\-09xy z";
  unsigned refused = 0;
  for (int i = 0; i < 20000; ++i) {
    std::string text = texts[i % 2];
    for (int change = 0; change < 1 + i % 3; ++change) {
      size_t at = random() % text.size();
      char c = alphabet[random() % alphabet.size()];
      switch (random() % 3) {
      case 0:
        text[at] = c;
        break;
      case 1:
        text.insert(at, 1, c);
        break;
      default:
        text.resize(std::max<size_t>(at, 1));
      }
    }
    if (i % 2 == 0) {
      llvm::Expected<Layout> parsed = parseLayout(text, m);
      refused += !parsed;
      if (parsed) {
        ASSERT_EQ(layout(toString(m, *parsed), m), *parsed) << text;
      } else {
        ASSERT_NE(llvm::toString(parsed.takeError()), "") << text;
      }
      continue;
    }
    llvm::Expected<Mesh> parsed = parseMesh(text);
    refused += !parsed;
    if (parsed) {
      ASSERT_TRUE(mesh(toString(*parsed)) == *parsed) << text;
    } else {
      ASSERT_NE(llvm::toString(parsed.takeError()), "") << text;
    }
  }
  EXPECT_GT(refused, 1000u);
}

} // namespace
