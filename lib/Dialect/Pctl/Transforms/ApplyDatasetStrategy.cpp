// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Lays out the data inputs of a program. The meaning of the strategies is
/// MindSpore's: what the cuts leave of the ranks repeats the data, and is the
/// major part of the rank number.

#include "Annotate.h"

#include "pctl/Dialect/Pctl/Transforms/Form.h"
#include "pctl/Dialect/Pctl/Transforms/Passes.h"
#include "pctl/Layout/LayoutText.h"

namespace pctl {
#define GEN_PASS_DEF_APPLYDATASETSTRATEGYPASS
#include "pctl/Dialect/Pctl/Transforms/Passes.h.inc"
} // namespace pctl

using namespace mlir;
using namespace pctl;
using layout::Layout;
using layout::Mesh;

namespace {

/// What a dataset strategy says.
struct DatasetStrategy {
  enum Kind { DataParallel, FullBatch, Cuts, Layouts } kind = DataParallel;
  SmallVector<SmallVector<int64_t>> cuts;
  SmallVector<Layout, 2> layouts;
};

} // namespace

static constexpr StringLiteral kInterleaved = "interleaved_parallel";

static FailureOr<DatasetStrategy> emitMixedKinds(ModuleOp module) {
  return module.emitError(
      "dataset strategy mixes cuts and layouts, expected one "
      "kind for all data inputs");
}

//===----------------------------------------------------------------------===//
// Strategies as text
//===----------------------------------------------------------------------===//

/// Parses `((4,1),(4,1))`, the parentheses around a tuple of one tuple, and
/// commas after the last entry, being as free as in Python.
static FailureOr<DatasetStrategy> parseCuts(ModuleOp module, StringRef text) {
  auto emitSyntax = [&](StringRef rest) {
    return module.emitError()
           << "dataset strategy '" << text << "': expected tuples of cuts such "
           << "as '((4,1),(4,1))', found '" << rest << "'";
  };
  DatasetStrategy strategy{DatasetStrategy::Cuts, {}, {}};
  StringRef rest = text;
  if (!rest.consume_front("("))
    return emitSyntax(rest);
  rest = rest.ltrim();
  while (!rest.consume_front(")")) {
    if (rest.starts_with("["))
      return emitMixedKinds(module);
    if (!rest.consume_front("("))
      return emitSyntax(rest);
    SmallVector<int64_t> &cuts = strategy.cuts.emplace_back();
    rest = rest.ltrim();
    while (!rest.consume_front(")")) {
      int64_t cut;
      if (rest.consumeInteger(10, cut))
        return emitSyntax(rest);
      cuts.push_back(cut);
      rest = rest.ltrim();
      if (!rest.consume_front(",") && !rest.starts_with(")"))
        return emitSyntax(rest);
      rest = rest.ltrim();
    }
    rest = rest.ltrim();
    if (!rest.consume_front(",") && !rest.starts_with(")"))
      return emitSyntax(rest);
    rest = rest.ltrim();
  }
  if (!rest.trim().empty())
    return emitSyntax(rest);
  return strategy;
}

static FailureOr<DatasetStrategy>
parseLayouts(ModuleOp module, const Mesh &mesh, StringRef text) {
  DatasetStrategy strategy{DatasetStrategy::Layouts, {}, {}};
  do {
    text = text.ltrim();
    if (text.starts_with("("))
      return emitMixedKinds(module);
    llvm::Expected<Layout> layout = layout::consumeLayout(text, mesh);
    if (!layout)
      return module.emitError()
             << "dataset strategy: " << llvm::toString(layout.takeError());
    strategy.layouts.push_back(*layout);
    text = text.ltrim();
  } while (text.consume_front(";"));
  if (!text.empty())
    return module.emitError()
           << "dataset strategy: expected ';' before '" << text << "'";
  return strategy;
}

static FailureOr<DatasetStrategy>
parseStrategy(ModuleOp module, const Mesh &mesh, StringRef text) {
  text = text.trim();
  if (text == "data_parallel")
    return DatasetStrategy{DatasetStrategy::DataParallel, {}, {}};
  if (text == "full_batch")
    return DatasetStrategy{DatasetStrategy::FullBatch, {}, {}};
  if (text.starts_with("("))
    return parseCuts(module, text);
  if (text.starts_with("["))
    return parseLayouts(module, mesh, text);
  return module.emitError()
         << "dataset strategy is '" << text
         << "', expected 'data_parallel', 'full_batch', tuples of cuts such as "
            "'((4,1),(4,1))' or layouts such as '[{data},{}]'";
}

//===----------------------------------------------------------------------===//
// Strategies as attributes
//===----------------------------------------------------------------------===//

/// Reads `pctl.dataset_strategy`, whose form the dialect has checked.
static FailureOr<DatasetStrategy>
readStrategy(ModuleOp module, const Mesh &mesh, Attribute attr) {
  if (auto name = dyn_cast<StringAttr>(attr))
    return parseStrategy(module, mesh, name.getValue());
  DatasetStrategy strategy;
  for (Attribute entry : cast<ArrayAttr>(attr)) {
    auto emitError = [&] { return module.emitError("dataset strategy: "); };
    if (auto layout = dyn_cast<LayoutAttr>(entry)) {
      FailureOr<Layout> value = toLayout(layout, mesh, emitError);
      if (failed(value))
        return failure();
      strategy.layouts.push_back(*value);
      continue;
    }
    SmallVector<int64_t> &cuts = strategy.cuts.emplace_back();
    if (auto dense = dyn_cast<DenseI64ArrayAttr>(entry))
      llvm::append_range(cuts, dense.asArrayRef());
    else
      for (auto cut : cast<ArrayAttr>(entry).getAsRange<IntegerAttr>())
        cuts.push_back(cut.getInt());
  }
  if (!strategy.cuts.empty() && !strategy.layouts.empty())
    return emitMixedKinds(module);
  strategy.kind = strategy.layouts.empty() ? DatasetStrategy::Cuts
                                           : DatasetStrategy::Layouts;
  return strategy;
}

static bool wantsFullBatch(ModuleOp module) {
  auto fullBatch = module->getAttrOfType<BoolAttr>(kFullBatchAttrName);
  return fullBatch && fullBatch.getValue();
}

/// Returns what the option or the module say, `data_parallel` where neither
/// does.
static FailureOr<DatasetStrategy> getStrategy(ModuleOp module, const Mesh &mesh,
                                              StringRef option) {
  Attribute attr = module->getAttr(kDatasetStrategyAttrName);
  bool wantsFull = wantsFullBatch(module);
  FailureOr<DatasetStrategy> strategy = DatasetStrategy{
      wantsFull ? DatasetStrategy::FullBatch : DatasetStrategy::DataParallel,
      {},
      {}};
  if (!option.trim().empty())
    strategy = parseStrategy(module, mesh, option);
  else if (attr)
    strategy = readStrategy(module, mesh, attr);
  if (succeeded(strategy) && wantsFull &&
      strategy->kind != DatasetStrategy::FullBatch)
    return module.emitError("module says 'pctl.full_batch', but the dataset "
                            "strategy is another, expected one of them");
  return strategy;
}

//===----------------------------------------------------------------------===//
// From strategies to layouts
//===----------------------------------------------------------------------===//

namespace {

/// Lays out the data inputs of one function.
class DatasetApplier {
public:
  DatasetApplier(func::FuncOp func, MeshOp meshOp,
                 const DatasetStrategy &strategy)
      : func(func), meshOp(meshOp), mesh(meshOp.getMesh()), strategy(strategy) {
  }

  LogicalResult apply(ArrayRef<unsigned> inputs);

private:
  FailureOr<Layout> getLayout(unsigned position, unsigned argument,
                              RankedTensorType type);
  FailureOr<Layout> getCutLayout(unsigned argument, RankedTensorType type,
                                 ArrayRef<int64_t> cuts);
  InFlightDiagnostic emitError(unsigned argument) {
    InFlightDiagnostic diagnostic = func.emitOpError();
    diagnostic << "data input #" << argument << " ";
    return diagnostic;
  }

  func::FuncOp func;
  MeshOp meshOp;
  Mesh mesh;
  const DatasetStrategy &strategy;
};

} // namespace

/// The ranks are a matrix of what repeats, then the cuts of each dim.
FailureOr<Layout> DatasetApplier::getCutLayout(unsigned argument,
                                               RankedTensorType type,
                                               ArrayRef<int64_t> cuts) {
  if (static_cast<int64_t>(cuts.size()) != type.getRank())
    return emitError(argument)
           << "has tensor rank " << type.getRank() << ", but the dataset "
           << "strategy has " << cuts.size() << " cuts for it";
  int64_t repeat = mesh.getNumRanks();
  for (int64_t cut : cuts) {
    if (cut < 1)
      return emitError(argument)
             << "is to be cut " << cut << " ways, expected 1 or more";
    if (repeat % cut != 0)
      return emitError(argument)
             << "is to be cut in more ways than divide the "
             << mesh.getNumRanks() << " ranks of mesh @" << meshOp.getSymName();
    repeat /= cut;
  }
  Layout layout = Layout::replicated(type.getRank());
  int64_t before = repeat;
  for (auto [dim, cut] : llvm::zip_equal(layout.dims, cuts)) {
    llvm::Expected<SmallVector<layout::AxisRef>> axes =
        mesh.getFlatFactor(before, cut);
    if (!axes)
      return emitError(argument)
             << "can't be cut so on mesh @" << meshOp.getSymName() << ": "
             << llvm::toString(axes.takeError());
    dim.axes.assign(axes->begin(), axes->end());
    before *= cut;
  }
  return layout;
}

FailureOr<Layout> DatasetApplier::getLayout(unsigned position,
                                            unsigned argument,
                                            RankedTensorType type) {
  Layout whole = Layout::replicated(type.getRank());
  switch (strategy.kind) {
  case DatasetStrategy::FullBatch:
    return whole;
  case DatasetStrategy::DataParallel:
    if (type.getRank() > 0)
      for (unsigned axis = 0; axis < mesh.getNumAxes(); ++axis)
        whole.dims[0].axes.push_back(mesh.getWholeAxis(axis));
    return whole.getNormalForm();
  case DatasetStrategy::Cuts:
    return getCutLayout(argument, type, strategy.cuts[position]);
  case DatasetStrategy::Layouts:
    break;
  }
  const Layout &layout = strategy.layouts[position];
  if (layout.getTensorRank() != type.getRank())
    return emitError(argument)
           << "has tensor rank " << type.getRank() << ", but the dataset "
           << "strategy has a layout of " << layout.getTensorRank()
           << " dims for it";
  return layout;
}

LogicalResult DatasetApplier::apply(ArrayRef<unsigned> inputs) {
  size_t numGiven = strategy.kind == DatasetStrategy::Cuts
                        ? strategy.cuts.size()
                        : strategy.layouts.size();
  if (strategy.kind >= DatasetStrategy::Cuts && numGiven != inputs.size())
    return func.emitOpError() << "has " << inputs.size() << " data inputs, but "
                              << "the dataset strategy is for " << numGiven;
  for (auto [position, argument] : llvm::enumerate(inputs)) {
    BoundaryRef boundary{func, argument, /*isResult=*/false};
    if (argument >= func.getNumArguments())
      return func.emitOpError()
             << "has " << func.getNumArguments()
             << " arguments, so there is no argument #" << argument;
    auto type = dyn_cast<RankedTensorType>(boundary.getType());
    // A number is the same on all ranks.
    if (!type && !isa<ShapedType>(boundary.getType()))
      continue;
    if (!type)
      return emitError(argument) << "is of type " << boundary.getType()
                                 << ", expected a ranked tensor";
    FailureOr<Layout> layout = getLayout(position, argument, type);
    if (failed(layout) || failed(annotate(boundary, meshOp, mesh, *layout)))
      return failure();
  }
  return success();
}

/// Returns the numbers of the data inputs of \p func.
static FailureOr<SmallVector<unsigned>> getInputs(func::FuncOp func,
                                                  ArrayRef<unsigned> option) {
  SmallVector<unsigned> inputs(option);
  if (option.empty())
    for (unsigned i = 0; i < func.getNumArguments(); ++i)
      if (func.getArgAttr(i, kDataAttrName))
        inputs.push_back(i);
  if (inputs.empty())
    return func.emitOpError("has no data input, expected arguments with "
                            "'pctl.data' or the option 'data-args'");
  return inputs;
}

namespace {

struct ApplyDatasetStrategy
    : pctl::impl::ApplyDatasetStrategyPassBase<ApplyDatasetStrategy> {
  using ApplyDatasetStrategyPassBase::ApplyDatasetStrategyPassBase;

  /// Returns whether the options or the program name a strategy or data.
  bool isAsked(ModuleOp module) {
    if (!strategy.empty() || !dataArgs.empty() ||
        module->hasAttr(kDatasetStrategyAttrName) || wantsFullBatch(module))
      return true;
    return llvm::any_of(module.getOps<func::FuncOp>(), [](func::FuncOp func) {
      return llvm::any_of(llvm::seq(func.getNumArguments()), [&](unsigned i) {
        return func.getArgAttr(i, kDataAttrName) != nullptr;
      });
    });
  }

  LogicalResult run() {
    ModuleOp module = getOperation();
    if (ifAsked && !isAsked(module))
      return success();
    FailureOr<MeshOp> meshOp = getOnlyMesh(module);
    if (failed(meshOp))
      return failure();
    Mesh mesh = meshOp->getMesh();
    if (mesh.findAxis(kInterleaved))
      return meshOp->emitOpError() << "has an axis '" << kInterleaved
                                   << "', which a dataset strategy can't have";
    FailureOr<DatasetStrategy> dataset = getStrategy(module, mesh, strategy);
    if (failed(dataset))
      return failure();
    FailureOr<func::FuncOp> func = getDefaultFunction(module, entry);
    if (failed(func))
      return failure();
    FailureOr<SmallVector<unsigned>> inputs = getInputs(*func, dataArgs);
    if (failed(inputs))
      return failure();
    return DatasetApplier(*func, *meshOp, *dataset).apply(*inputs);
  }

  void runOnOperation() override {
    if (failed(requireAnnotatedForm(getOperation(), getArgument())) ||
        failed(run()))
      signalPassFailure();
  }
};

} // namespace
