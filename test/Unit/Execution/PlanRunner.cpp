// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

#include "PlanRunner.h"

#include "pctl/Dialect/Pctl/IR/LayoutBridge.h"
#include "pctl/Dialect/Pctl/Transforms/Form.h"
#include "pctl/Dialect/Pctl/Transforms/MaterializePlan.h"
#include "pctl/Redistribute/PlanText.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"

using namespace mlir;
using namespace pctl;
using namespace pctl::test;
using layout::AxisRef;
using layout::Layout;
using redistribute::Plan;

Plan pctl::test::makePlan(const layout::Mesh &mesh, ArrayRef<int64_t> shape,
                          const redistribute::Step &step) {
  return {mesh, SmallVector<int64_t, 4>(shape), step.from, step.to, {step}};
}

/// Adds the function \p name that does \p typed.
static void addFunction(ModuleOp module, const std::string &name,
                        const TypedPlan &typed) {
  MLIRContext *context = module.getContext();
  const Plan &plan = typed.plan;
  // Each function has a mesh of its own: axes differ between plans.
  std::string meshName = "m_" + name;
  OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
  Location loc = NameLoc::get(builder.getStringAttr(name));
  auto symbol = FlatSymbolRefAttr::get(context, meshName);
  auto global = RankedTensorType::get(plan.globalShape,
                                      parseType(typed.type.name, context));
  Type in = getLocalType(global, plan.from),
       out = getLocalType(global, plan.to);
  auto function = func::FuncOp::create(builder, loc, name,
                                       builder.getFunctionType(in, out));
  builder.setInsertionPointToStart(function.addEntryBlock());
  FailureOr<Value> result =
      materializePlan(builder, loc, symbol, function.getArgument(0), global,
                      plan, [&] { return emitError(loc); });
  ASSERT_TRUE(succeeded(result));
  Value value = *result;
  if (value.getType() != out)
    value = tensor::CastOp::create(builder, loc, out, value);
  func::ReturnOp::create(builder, loc, value);
}

/// Returns the program of all \p plans, in planned form.
static OwningOpRef<ModuleOp> makeModule(const std::vector<TypedPlan> &plans) {
  MLIRContext &context = getContext();
  context.loadDialect<PctlDialect, func::FuncDialect, tensor::TensorDialect,
                      arith::ArithDialect>();
  std::string text;
  for (auto [number, typed] : llvm::enumerate(plans)) {
    std::string mesh = meshText(typed.plan.mesh);
    mesh.replace(mesh.find("@m"), 2, "@m_f" + std::to_string(number));
    text += mesh;
  }
  auto module = parseSourceString<ModuleOp>(text, &context);
  setForm(*module, Form::Planned);
  for (auto [number, typed] : llvm::enumerate(plans))
    addFunction(*module, "f" + std::to_string(number), typed);
  EXPECT_TRUE(succeeded(verify(*module)));
  return module;
}

/// Contributions to a value: one for each position along the axes that are
/// partial at the start.
class Contributions {
public:
  explicit Contributions(const TypedPlan &typed)
      : typed(typed), axes(typed.plan.from.getPartialAxes()) {
    for (int64_t i = 0, e = layout::getNumPositions(axes); i != e; ++i)
      parts.push_back(fill(typed.plan.globalShape, typed.type, i + 1));
  }

  /// What \p rank has of the value under \p layout.
  Array get(const Layout &layout, int64_t rank) const {
    const layout::Mesh &mesh = typed.plan.mesh;
    SmallVector<AxisRef> apart = layout.getPartialAxes();
    std::vector<Array> joined;
    for (auto [position, part] : llvm::enumerate(parts)) {
      int64_t other = mesh.withCoordinate(rank, axes, position);
      if (mesh.getCoordinate(other, apart) == mesh.getCoordinate(rank, apart))
        joined.push_back(part);
    }
    Array value = joined.front();
    if (joined.size() > 1)
      value = reduce(joined, typed.plan.from.partial.front().kind, typed.type);
    return slice(value,
                 layout::getBox(mesh, layout, typed.plan.globalShape, rank));
  }

private:
  const TypedPlan &typed;
  SmallVector<AxisRef> axes;
  std::vector<Array> parts;
};

std::vector<Array> pctl::test::runPlan(const TypedPlan &typed,
                                       const std::vector<Array> &inputs) {
  std::vector<std::vector<Array>> arguments;
  for (const Array &input : inputs)
    arguments.push_back({input});
  auto results = run(compileModule(makeModule({typed})), "f0",
                     typed.plan.mesh.getNumRanks(), arguments);
  std::vector<Array> joined;
  for (const std::vector<Array> &result : results)
    llvm::append_range(joined, result);
  return joined;
}

void pctl::test::runPlans(const std::vector<TypedPlan> &plans,
                          int64_t chunkBytes) {
  for (const TypedPlan &typed : plans)
    if (llvm::Error error = redistribute::verifyPlan(typed.plan)) {
      ADD_FAILURE() << llvm::toString(std::move(error)) << "\nin\n"
                    << redistribute::toString(typed.plan);
      return;
    }
  Compiled compiled =
      compileModule(makeModule(plans), /*optLevel=*/0, chunkBytes);
  if (!compiled.program)
    return;
  for (auto [number, typed] : llvm::enumerate(plans)) {
    SCOPED_TRACE(redistribute::toString(typed.plan) + typed.type.name);
    Contributions value(typed);
    int64_t numRanks = typed.plan.mesh.getNumRanks();
    std::vector<std::vector<Array>> inputs;
    for (int64_t rank = 0; rank < numRanks; ++rank)
      inputs.push_back({value.get(typed.plan.from, rank)});
    auto results =
        run(compiled, "f" + std::to_string(number), numRanks, inputs);
    for (int64_t rank = 0; rank < numRanks; ++rank)
      EXPECT_EQ(results[rank],
                std::vector<Array>{value.get(typed.plan.to, rank)})
          << "rank " << rank;
  }
}
