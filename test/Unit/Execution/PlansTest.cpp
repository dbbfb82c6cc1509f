// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Plans on ranks: those of the planner for seeded pairs of layouts, and those
/// made here, with owners, listed transfers and rounds, which a planner may or
/// may not make.

#include "PlanRunner.h"

#include "pctl/Layout/LayoutText.h"
#include "pctl/Redistribute/Balance.h"
#include "pctl/Redistribute/Planner.h"

#include "llvm/ADT/STLExtras.h"

#include <random>

using namespace pctl;
using namespace pctl::test;
using layout::AxisRef;
using layout::Box;
using layout::Layout;
using layout::Mesh;
using redistribute::Plan;
using redistribute::Step;
using redistribute::StepKind;
using redistribute::Transfer;
using Shape = llvm::SmallVector<int64_t, 4>;

//===----------------------------------------------------------------------===//
// Random questions
//===----------------------------------------------------------------------===//

namespace {
/// Draws layouts and what goes with them.
class Draw {
public:
  explicit Draw(unsigned seed) : random(seed) {}

  int64_t number(int64_t below) { return random() % below; }
  bool oneOf(int64_t many) { return number(many) == 0; }

  Shape shape() {
    Shape shape;
    for (int64_t dims = number(4); dims > 0; --dims)
      shape.push_back(oneOf(16) ? number(2) : 1 + number(9));
    return shape;
  }

  /// The axes of \p mesh in random order, some of them split.
  llvm::SmallVector<AxisRef> axes(const Mesh &mesh) {
    llvm::SmallVector<AxisRef> axes;
    for (unsigned axis = 0; axis < mesh.getNumAxes(); ++axis) {
      int64_t size = mesh.getAxes()[axis].size;
      if (size % 2 == 0 && size > 2 && oneOf(2)) {
        axes.push_back({axis, 1, 2});
        axes.push_back({axis, 2, size / 2});
      } else {
        axes.push_back(mesh.getWholeAxis(axis));
      }
    }
    std::shuffle(axes.begin(), axes.end(), random);
    return axes;
  }

  /// Cuts dims by a random part of \p axes, sometimes in explicit blocks.
  Layout layout(llvm::ArrayRef<AxisRef> axes, const Shape &shape) {
    Layout layout = Layout::replicated(shape.size());
    for (AxisRef axis : axes)
      if (int64_t dim = number(shape.size() + 1); dim < int64_t(shape.size()))
        layout.dims[dim].axes.push_back(axis);
    for (auto [dim, size] : llvm::zip(layout.dims, shape))
      if (!dim.axes.empty() && oneOf(5))
        dim.blockSizes = blocks(layout::getNumPositions(dim.axes), size);
    return layout;
  }

  llvm::SmallVector<int64_t, 0> blocks(int64_t count, int64_t total) {
    llvm::SmallVector<int64_t, 0> sizes(count, 0);
    for (; total > 0; --total)
      ++sizes[number(count)];
    return sizes;
  }

  /// Two layouts, sometimes with an axis that is partial in both.
  std::pair<Layout, Layout> pair(const Mesh &mesh, const Shape &shape) {
    llvm::SmallVector<AxisRef> axes = this->axes(mesh),
                               others = this->axes(mesh);
    if (!oneOf(4))
      return {layout(axes, shape), layout(others, shape)};
    AxisRef partial = axes.pop_back_val();
    others = axes;
    std::shuffle(others.begin(), others.end(), random);
    Layout from = layout(axes, shape), to = layout(others, shape);
    from.partial = to.partial = {{layout::ReductionKind::Sum, {partial}}};
    return {from, to};
  }

  const ElementType &type() { return kAllTypes[number(std::size(kAllTypes))]; }

private:
  std::mt19937 random;
};
} // namespace

static const char *const kMeshes[] = {"x=4",     "x=2,y=2", "x=2,y=3",
                                      "x=4,y=2", "x=6",     "x=2,y=2,z=2"};

//===----------------------------------------------------------------------===//
// The planner's plans
//===----------------------------------------------------------------------===//

/// Plans random pairs on \p meshText and runs them.
static void runPlanned(const std::string &meshText, unsigned seed) {
  Draw draw(seed);
  Mesh mesh = parseMesh(meshText);
  std::vector<TypedPlan> plans;
  for (int i = 0; i < 80; ++i) {
    Shape shape = draw.shape();
    Layout from = draw.layout(draw.axes(mesh), shape);
    Layout to = draw.layout(draw.axes(mesh), shape);
    plans.push_back({llvm::cantFail(redistribute::planRedistribution(
                         mesh, shape, from, to)),
                     draw.type()});
  }
  runPlans(plans);
}

TEST(Plans, TakeAnyLayoutToAnyOther) {
  for (auto [seed, mesh] : llvm::enumerate(kMeshes))
    runPlanned(mesh, 100 + seed);
}

/// Sums of a few random axes; some plans keep a part of them.
TEST(Plans, ReduceWhatIsPartial) {
  Draw draw(7);
  for (const char *text : {"x=2,y=3", "x=2,y=2,z=2"}) {
    Mesh mesh = parseMesh(text);
    std::vector<TypedPlan> plans;
    for (int i = 0; i < 20; ++i) {
      Shape shape = draw.shape();
      llvm::SmallVector<AxisRef> axes = draw.axes(mesh);
      AxisRef partial = axes.pop_back_val();
      Layout from = draw.layout(axes, shape);
      from.partial.push_back({layout::ReductionKind::Sum, {partial}});
      Layout to = from;
      if (draw.oneOf(3)) {
        to = draw.layout(axes, shape);
        to.partial = from.partial;
      } else {
        to = draw.layout(draw.axes(mesh), shape);
      }
      plans.push_back({llvm::cantFail(redistribute::planRedistribution(
                           mesh, shape, from, to)),
                       {"i16", 2, 16}});
    }
    runPlans(plans);
  }
}

//===----------------------------------------------------------------------===//
// Exchanges
//===----------------------------------------------------------------------===//

/// Returns the exchange of \p from and \p to in which \p owners, or \p from,
/// supply.
static Step makeExchange(const Shape &shape, const Layout &from,
                         const Layout &to, std::optional<Layout> owners) {
  Step step;
  step.kind = StepKind::Exchange;
  step.from = from;
  step.to = to;
  step.owners = owners;
  llvm::append_range(step.axes, redistribute::getExchangeAxes(
                                    shape, owners.value_or(from), to));
  return step;
}

/// Draws a layout that cuts what replicas hold of \p from further.
static Layout drawOwners(Draw &draw, const Mesh &mesh, const Shape &shape,
                         const Layout &from) {
  Layout owners = from;
  for (AxisRef axis : mesh.getComplement(from.getUsedAxes())) {
    unsigned dim = draw.number(shape.size() + 1);
    if (dim == shape.size())
      continue;
    layout::DimLayout cut = owners.dims[dim];
    cut.axes.push_back(axis);
    if (cut.blockSizes.empty() && layout::getEvenBlockSize(cut, shape[dim])) {
      owners.dims[dim] = cut;
      continue;
    }
    // Blocks inside of those that there are.
    int64_t positions = layout::getNumPositions(owners.dims[dim].axes);
    cut.blockSizes.clear();
    for (int64_t i = 0; i < positions; ++i)
      llvm::append_range(
          cut.blockSizes,
          draw.blocks(axis.size,
                      layout::getBlock(owners.dims[dim], shape[dim], i).size));
    owners.dims[dim] = cut;
  }
  return owners;
}

TEST(Plans, ExchangeWhatOwnersSupply) {
  Draw draw(11);
  for (const char *text : kMeshes) {
    Mesh mesh = parseMesh(text);
    std::vector<TypedPlan> plans;
    while (plans.size() < 50) {
      Shape shape = draw.shape();
      Layout from = draw.layout(draw.axes(mesh), shape);
      Layout to = draw.layout(draw.axes(mesh), shape);
      Step step =
          makeExchange(shape, from, to, drawOwners(draw, mesh, shape, from));
      step.rounds = 1 + draw.number(3);
      plans.push_back({makePlan(mesh, shape, step), draw.type()});
    }
    runPlans(plans);
  }
}

/// Lists transfers that bring each rank what it lacks, from any that has it.
static std::vector<Transfer> drawTransfers(Draw &draw, const Mesh &mesh,
                                           const Shape &shape,
                                           const Layout &from,
                                           const Layout &to) {
  std::vector<Transfer> transfers;
  auto getBox = [&](const Layout &layout, int64_t rank) {
    return layout::getBox(mesh, layout, shape, rank);
  };
  // Contributions do not mix.
  llvm::SmallVector<AxisRef> partial = from.getPartialAxes();
  auto areApart = [&](int64_t a, int64_t b) {
    return mesh.getCoordinate(a, partial) != mesh.getCoordinate(b, partial);
  };
  int64_t numRanks = mesh.getNumRanks();
  for (int64_t target = 0; target < numRanks; ++target)
    for (const Box &lacked :
         layout::subtract(getBox(to, target), getBox(from, target))) {
      // Each box that ranks have, once: boxes that differ are disjoint.
      std::vector<Box> seen;
      for (int64_t holder = 0; holder < numRanks; ++holder) {
        Box held = getBox(from, holder);
        std::optional<Box> common = layout::intersect(held, lacked);
        if (areApart(holder, target) || !common ||
            llvm::is_contained(seen, held))
          continue;
        seen.push_back(held);
        llvm::SmallVector<int64_t> holders;
        for (int64_t rank = 0; rank < numRanks; ++rank)
          if (!areApart(rank, target) && getBox(from, rank) == held)
            holders.push_back(rank);
        transfers.push_back(
            {holders[draw.number(holders.size())], target, *common});
      }
    }
  return transfers;
}

/// Cuts some of \p transfers in two, in another order.
static std::vector<Transfer> splitSome(Draw &draw,
                                       std::vector<Transfer> transfers) {
  std::vector<Transfer> split;
  for (const Transfer &transfer : transfers) {
    llvm::SmallVector<layout::Range> first(transfer.box.getRanges());
    unsigned dim = draw.number(first.size());
    if (first[dim].size < 2 || draw.oneOf(2)) {
      split.push_back(transfer);
      continue;
    }
    llvm::SmallVector<layout::Range> second = first;
    first[dim].size = 1;
    ++second[dim].offset;
    --second[dim].size;
    split.push_back({transfer.source, transfer.target, Box(second)});
    split.push_back({transfer.source, transfer.target, Box(first)});
  }
  return split;
}

TEST(Plans, ExchangeWhatIsListed) {
  Draw draw(13);
  for (const char *text : kMeshes) {
    Mesh mesh = parseMesh(text);
    std::vector<TypedPlan> plans;
    while (plans.size() < 40) {
      Shape shape = draw.shape();
      auto [from, to] = draw.pair(mesh, shape);
      Step step = makeExchange(shape, from, to, {});
      step.transfers =
          splitSome(draw, drawTransfers(draw, mesh, shape, step.from, step.to));
      if (step.transfers.empty())
        continue;
      step.axes.clear();
      llvm::append_range(step.axes, mesh.getComplement(from.getPartialAxes()));
      step.rounds = 1 + draw.number(3);
      plans.push_back({makePlan(mesh, shape, step), draw.type()});
    }
    runPlans(plans);
  }
}

/// What the library balances, with a chunk that asks for rounds.
TEST(Plans, ExchangeWhatIsBalanced) {
  Draw draw(19);
  cost::Cluster bytes = *cost::getNamedCluster("bytes");
  for (const char *text : kMeshes) {
    Mesh mesh = parseMesh(text);
    std::vector<TypedPlan> plans;
    while (plans.size() < 30) {
      Shape shape = draw.shape();
      auto [drawnFrom, drawnTo] = draw.pair(mesh, shape);
      Layout from = drawnFrom.getNormalForm(), to = drawnTo.getNormalForm();
      if (from == to)
        continue;
      plans.push_back({makePlan(mesh, shape,
                                redistribute::makeBalancedExchange(
                                    mesh, shape, from, to, bytes,
                                    /*elementBytes=*/4, /*chunkBytes=*/64)),
                       draw.type()});
      if (std::optional<Step> listed =
              redistribute::makeListedExchange(mesh, shape, from, to))
        plans.push_back({makePlan(mesh, shape, *listed), draw.type()});
    }
    runPlans(plans);
  }
}

//===----------------------------------------------------------------------===//
// Each kind of step, on each type
//===----------------------------------------------------------------------===//

/// Returns a step of \p kind on `x=2,y=2`.
static Step makeStep(const Mesh &mesh, StepKind kind, const char *from,
                     const char *to, const char *axes) {
  Step step;
  step.kind = kind;
  step.from = test::parseLayout(from, mesh);
  step.to = test::parseLayout(to, mesh);
  step.axes =
      test::parseLayout(std::string("[{") + axes + "}]", mesh).dims[0].axes;
  return step;
}

/// Returns a plan of one step for each kind, and for each way of an exchange.
static std::vector<Plan> makeKinds() {
  Mesh mesh = parseMesh("x=2,y=2");
  Shape shape = {4, 6};
  std::vector<Step> steps;
  auto add = [&](StepKind kind, const char *from, const char *to,
                 const char *axes) -> Step & {
    steps.push_back(makeStep(mesh, kind, from, to, axes));
    return steps.back();
  };
  add(StepKind::Slice, "[{x},{}]", "[{x},{y}]", "");
  add(StepKind::AllGather, "[{x},{y}]", "[{x},{}]", "y").dim = 1;
  Step &toAll = add(StepKind::AllToAll, "[{x},{y}]", "[{x,y},{}]", "y");
  toAll.dim = 0;
  toAll.concatDim = 1;
  add(StepKind::Permute, "[{x,y},{}]", "[{y,x},{}]", "x,y").pairs = {
      {0, 0}, {1, 2}, {2, 1}, {3, 3}};
  add(StepKind::Broadcast, "[{x}:[0,4],{y}]", "[{},{y}]", "x").root = 1;
  add(StepKind::Exchange, "[{x},{y}]", "[{y},{x}]", "x,y");
  add(StepKind::Exchange, "[{x},{}]", "[{},{x}]", "x,y").owners =
      test::parseLayout("[{x,y},{}]", mesh);
  add(StepKind::Exchange, "[{x},{}]", "[{},{x}]", "x").rounds = 3;
  Step &listed = add(StepKind::Exchange, "[{x},{}]", "[{},{x}]", "x,y");
  Draw draw(17);
  listed.transfers = drawTransfers(draw, mesh, shape, listed.from, listed.to);
  std::vector<Plan> plans;
  for (const Step &step : steps)
    plans.push_back(makePlan(mesh, shape, step));
  return plans;
}

/// Types beyond those of all other tests: unsigned, narrow, rare.
static const ElementType kMoreTypes[] = {{"i2", 1, 2},
                                         {"ui8", 1, 8},
                                         {"ui16", 2, 16},
                                         {"ui32", 4, 32},
                                         {"ui64", 8, 64},
                                         {"si8", 1, 8},
                                         {"f4E2M1FN", 1, 4},
                                         {"f6E3M2FN", 1, 6},
                                         {"f8E4M3", 1, 8},
                                         {"f8E8M0FNU", 1, 8},
                                         {"f128", 16, 128},
                                         {"complex<f16>", 4, 32},
                                         {"complex<bf16>", 4, 32},
                                         {"complex<i32>", 8, 64}};

TEST(Plans, MoveEveryElementType) {
  std::vector<TypedPlan> plans;
  for (llvm::ArrayRef<ElementType> types :
       {llvm::ArrayRef(kAllTypes), llvm::ArrayRef(kMoreTypes)})
    for (const ElementType &type : types)
      for (const Plan &plan : makeKinds())
        plans.push_back({plan, type});
  runPlans(plans);
  // With a chunk of 16 bytes, in parts where that can be.
  runPlans(plans, 16);
}

/// Chunks of a few bytes: parts of one row, of some with a rest, of all but
/// one.
TEST(Plans, MoveInParts) {
  Mesh mesh = parseMesh("x=2,y=2");
  Shape shape = {5, 2, 4, 6};
  std::vector<Step> steps;
  auto add = [&](StepKind kind, const char *from, const char *to,
                 unsigned dim) -> Step & {
    steps.push_back(makeStep(mesh, kind, from, to, "x"));
    steps.back().dim = dim;
    return steps.back();
  };
  add(StepKind::AllGather, "[{},{y},{},{x}]", "[{},{y},{},{}]", 3);
  add(StepKind::AllGather, "[{},{},{x},{}]", "[{},{},{},{}]", 2);
  add(StepKind::AllToAll, "[{},{},{x},{}]", "[{},{},{},{x}]", 3).concatDim = 2;
  add(StepKind::AllToAll, "[{},{},{},{x}]", "[{},{x},{},{}]", 1).concatDim = 3;
  const char *sum = "[{},{},{},{}] partial=[sum(x)]";
  const char *bits = "[{},{y},{},{}] partial=[xor(x)]";
  add(StepKind::ReduceScatter, sum, "[{},{},{},{x}]", 3);
  add(StepKind::AllReduce, sum, "[{},{},{},{}]", 0);
  add(StepKind::ReduceScatter, bits, "[{},{y},{x},{}]", 2).reduction =
      layout::ReductionKind::Xor;
  add(StepKind::AllReduce, bits, "[{},{y},{},{}]", 0).reduction =
      layout::ReductionKind::Xor;
  add(StepKind::Permute, "[{},{x},{},{}]", "[{},{x},{},{}]", 0).pairs = {
      {0, 0}, {1, 1}};
  for (int64_t chunkBytes : {1, 100, 400, 2000}) {
    std::vector<TypedPlan> plans;
    for (const Step &step : steps)
      for (const ElementType &type :
           {ElementType{"i32", 4, 32}, ElementType{"i16", 2, 16}})
        plans.push_back({makePlan(mesh, shape, step), type});
    runPlans(plans, chunkBytes);
  }
}

/// A type that no memory of the host holds is refused at the op.
TEST(Plans, RefuseTypesWithoutBytes) {
  for (const char *type : {"tf32", "i256", "vector<2xf32>"}) {
    std::string tensor = std::string("tensor<4x") + type + ">", message;
    lowerText(
        "pctl.mesh @m <[\"x\"=2]>\nfunc.func @main(%x: " + tensor + ") -> " +
            tensor + " {\n%r = pctl.broadcast ins(%x : " + tensor +
            ") outs(%x : " + tensor + ") root = 0 axes = [\"x\"] on @m -> " +
            tensor + "\nreturn %r : " + tensor + "\n}",
        message);
    EXPECT_NE(message.find("'pctl.broadcast' op cannot move elements of type"),
              std::string::npos)
        << message;
  }
}
