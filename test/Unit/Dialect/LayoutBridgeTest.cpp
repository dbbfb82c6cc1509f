// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Layouts go from attributes to values and back without loss; what the lit
/// tests of the verifiers can't see of the bridge.

#include "pctl/Dialect/Pctl/IR/LayoutBridge.h"
#include "pctl/Layout/LayoutText.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace pctl;

namespace {

class LayoutBridgeTest : public ::testing::Test {
protected:
  LayoutBridgeTest() {
    context.loadDialect<PctlDialect>();
    module = parseSourceString<ModuleOp>(
        R"mlir(
          pctl.mesh @m <["data"=4, "model"=2]>
          pctl.layout @row <@m, [{"data"}, {}]>
        )mlir",
        &context);
  }

  LayoutAttr parse(llvm::StringRef text) {
    return cast<LayoutAttr>(parseAttribute(text, &context));
  }
  layout::Mesh getMesh() {
    return *lookupMesh(FlatSymbolRefAttr::get(&context, "m"), *module, nullptr);
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

TEST_F(LayoutBridgeTest, LayoutsComeBackAsTheyWere) {
  for (llvm::StringRef text :
       {"#pctl.layout<@m, []>", "#pctl.layout<@m, [{?}, {\"data\"}]>",
        "#pctl.layout<@m, [{\"data\":(2)2, \"model\", ?}, {}]>",
        "#pctl.layout<@m, [{\"model\"}:[5, 1]]>",
        "#pctl.layout<@m, [{}], partial = [sum(\"data\"), "
        "maxsi(\"model\")]>"}) {
    LayoutAttr attr = parse(text);
    FailureOr<layout::Layout> layout = toLayout(attr, getMesh(), nullptr);
    ASSERT_TRUE(succeeded(layout)) << text.str();
    EXPECT_EQ(toAttr(&context, attr.getMesh(), getMesh(), *layout), attr)
        << text.str();
  }
}

TEST_F(LayoutBridgeTest, AttributesMeanWhatTheTextOfLayoutsMeans) {
  FailureOr<layout::Layout> layout = toLayout(
      parse("#pctl.layout<@m, [{\"data\":(2)2, ?}, {\"model\"}:[5, 1]], "
            "partial = [maxsi(\"data\":(1)2)]>"),
      getMesh(), nullptr);
  ASSERT_TRUE(succeeded(layout));
  llvm::Expected<layout::Layout> expected = layout::parseLayout(
      "[{data:(2)2, ?}, {model}:[5, 1]] partial = [maxsi(data:(1)2)]",
      getMesh());
  ASSERT_TRUE(bool(expected));
  EXPECT_EQ(*layout, *expected);
}

TEST_F(LayoutBridgeTest, ASubAxisOfFullSizeIsTheAxis) {
  FailureOr<layout::Layout> layout = toLayout(
      parse("#pctl.layout<@m, [{\"data\":(1)4}]>"), getMesh(), nullptr);
  ASSERT_TRUE(succeeded(layout));
  EXPECT_EQ(toAttr(&context, FlatSymbolRefAttr::get(&context, "m"), getMesh(),
                   *layout),
            parse("#pctl.layout<@m, [{\"data\"}]>"));
}

TEST_F(LayoutBridgeTest, PartialEntriesWithoutAxesAreDropped) {
  layout::Layout layout = layout::Layout::replicated(1);
  layout.partial.emplace_back();
  EXPECT_EQ(toAttr(&context, FlatSymbolRefAttr::get(&context, "m"), getMesh(),
                   layout),
            parse("#pctl.layout<@m, [{}]>"));
}

TEST_F(LayoutBridgeTest, AxisListsComeBackAsTheyWere) {
  Builder builder(&context);
  ArrayAttr axes =
      builder.getArrayAttr({AxisRefAttr::get(&context, "model"),
                            AxisRefAttr::get(&context, "data", 2, 2)});
  FailureOr<SmallVector<layout::AxisRef>> refs =
      toAxes(axes, getMesh(), nullptr);
  ASSERT_TRUE(succeeded(refs));
  EXPECT_EQ(layout::getNumPositions(*refs), 4);
  EXPECT_EQ(toAttr(&context, getMesh(), ArrayRef(*refs)), axes);
}

TEST_F(LayoutBridgeTest, NamesStandForLayouts) {
  LayoutAttr row = parse("#pctl.layout<@m, [{\"data\"}, {}]>");
  EXPECT_EQ(resolveLayout(FlatSymbolRefAttr::get(&context, "row"), *module),
            row);
  EXPECT_EQ(resolveLayout(row, *module), row);
  EXPECT_FALSE(
      resolveLayout(FlatSymbolRefAttr::get(&context, "column"), *module));
  EXPECT_FALSE(resolveLayout(FlatSymbolRefAttr::get(&context, "m"), *module));
  EXPECT_FALSE(resolveLayout(UnitAttr::get(&context), *module));
  EXPECT_FALSE(resolveLayout(Attribute(), *module));
}

TEST_F(LayoutBridgeTest, LocalTypesAreDynamicWhereRanksDiffer) {
  FailureOr<LayoutOnMesh> row =
      getCheckedLayout(FlatSymbolRefAttr::get(&context, "row"),
                       ArrayRef<int64_t>{6, 5}, *module, nullptr);
  ASSERT_TRUE(succeeded(row));
  Type f32 = Float32Type::get(&context);
  EXPECT_EQ(getLocalType(RankedTensorType::get({6, 5}, f32), row->layout),
            RankedTensorType::get({ShapedType::kDynamic, 5}, f32));
  Attribute encoding = StringAttr::get(&context, "kept");
  EXPECT_EQ(getLocalType(
                RankedTensorType::get({8, ShapedType::kDynamic}, f32, encoding),
                row->layout),
            RankedTensorType::get({2, ShapedType::kDynamic}, f32, encoding));
}

TEST_F(LayoutBridgeTest, FailuresAreQuietWhereNothingIsToBeReported) {
  std::string heard;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    heard += diagnostic.str();
    return success();
  });
  LayoutAttr unknownAxis = parse("#pctl.layout<@m, [{\"z\"}]>");
  LayoutAttr unknownMesh = parse("#pctl.layout<@n, [{}]>");
  for (LayoutAttr attr : {unknownAxis, unknownMesh})
    EXPECT_TRUE(failed(getCheckedLayout(attr, std::nullopt, *module, nullptr)));
  EXPECT_TRUE(failed(getCheckedLayout(UnitAttr::get(&context), std::nullopt,
                                      *module, nullptr)));
  EXPECT_EQ(heard, "");

  auto emitError = [&] { return module->emitError(); };
  EXPECT_TRUE(
      failed(getCheckedLayout(unknownMesh, std::nullopt, *module, emitError)));
  EXPECT_EQ(heard, "no mesh 'n' is declared");
}

TEST_F(LayoutBridgeTest, ErrorsOfTheLibrariesBecomeDiagnostics) {
  std::string heard;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    heard += diagnostic.str();
    return success();
  });
  auto emitError = [&] { return module->emitError() << "operand 1: "; };
  EXPECT_TRUE(succeeded(reportError(llvm::Error::success(), emitError)));
  EXPECT_EQ(heard, "");
  EXPECT_TRUE(failed(
      reportError(llvm::createStringError("a rank is missing"), emitError)));
  EXPECT_EQ(heard, "operand 1: a rank is missing");
}

} // namespace
