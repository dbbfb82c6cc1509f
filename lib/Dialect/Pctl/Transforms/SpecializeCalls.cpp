// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

#include "SpecializeCalls.h"

#include "pctl/Dialect/Pctl/Interfaces/LaidOutRegions.h"
#include "pctl/Dialect/Pctl/Transforms/ValueLayouts.h"

#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace pctl;

namespace {

/// The layouts that calls state for the arguments of a function; null where
/// they state none.
using ArgumentLayouts = SmallVector<LayoutAttr>;

class Specializer {
public:
  explicit Specializer(ModuleOp module) : module(module), symbols(module) {}

  void run();

private:
  bool orderFunctions(SmallVectorImpl<func::FuncOp> &ordered);
  void collectCalls(func::FuncOp func);
  LayoutAttr getStated(Value value) const;
  ArgumentLayouts getStatedArguments(func::CallOp call,
                                     func::FuncOp callee) const;
  void specialize(func::FuncOp func);
  void recordArguments(func::FuncOp func, const ArgumentLayouts &layouts);

  ModuleOp module;
  SymbolTable symbols;
  /// For each function its calls, in program order.
  llvm::MapVector<Operation *, SmallVector<func::CallOp>> calls;
  /// Functions that must stay one.
  llvm::DenseSet<Operation *> fixed;
  /// What the calls of a function state for its arguments.
  llvm::DenseMap<Value, LayoutAttr> stated;
};

} // namespace

/// Returns the one of \p a and \p b that cuts further, as to cut what is less
/// cut moves nothing; null where neither goes on from the other.
static DimLayoutAttr unite(DimLayoutAttr a, DimLayoutAttr b) {
  if (a.getAxes() == b.getAxes() && a.getBlockSizes() == b.getBlockSizes())
    return a.getIsOpen() ? b : a;
  if (a.getAxes().size() > b.getAxes().size())
    std::swap(a, b);
  bool extends = a.getAxes() == b.getAxes().take_front(a.getAxes().size());
  return extends && a.getBlockSizes().empty() ? b : DimLayoutAttr();
}

/// Returns whether an axis, or parts of it, cut two dims.
static bool repeatsAxis(ArrayRef<DimLayoutAttr> dims) {
  llvm::SmallDenseMap<StringRef, unsigned> cutDims;
  for (auto [d, dim] : llvm::enumerate(dims))
    for (AxisRefAttr axis : dim.getAxes())
      if (cutDims.try_emplace(axis.getName(), d).first->second != d)
        return true;
  return false;
}

/// Returns a layout to which both \p a and \p b can be cut where they are not;
/// null where there is none.
static LayoutAttr unite(LayoutAttr a, LayoutAttr b) {
  if (!a || !b)
    return a ? a : b;
  if (a.getMesh() != b.getMesh() || a.getTensorRank() != b.getTensorRank() ||
      a.getPartial() != b.getPartial())
    return {};
  SmallVector<DimLayoutAttr> dims;
  for (auto [dimA, dimB] : llvm::zip_equal(a.getDims(), b.getDims()))
    if (DimLayoutAttr dim = unite(dimA, dimB))
      dims.push_back(dim);
    else
      return {};
  if (ArrayRef(dims) != a.getDims() && ArrayRef(dims) != b.getDims() &&
      repeatsAxis(dims))
    return {};
  return LayoutAttr::get(a.getContext(), a.getMesh(), dims, a.getPartial());
}

void Specializer::collectCalls(func::FuncOp func) {
  func.walk([&](Operation *op) {
    if (auto call = dyn_cast<func::CallOp>(op)) {
      auto callee = symbols.lookup<func::FuncOp>(call.getCallee());
      if (!callee)
        return;
      calls[callee].push_back(call);
      if (getLaidOutAncestor(call) != call)
        fixed.insert(callee);
    } else if (auto constant = dyn_cast<func::ConstantOp>(op)) {
      if (auto callee = symbols.lookup<func::FuncOp>(constant.getValue()))
        fixed.insert(callee);
    }
  });
}

/// Puts callers before callees. Returns whether that is possible.
bool Specializer::orderFunctions(SmallVectorImpl<func::FuncOp> &ordered) {
  llvm::DenseMap<Operation *, unsigned> numOpenCalls;
  llvm::DenseMap<Operation *, SmallVector<func::FuncOp>> callees;
  SmallVector<func::FuncOp> functions(module.getOps<func::FuncOp>());
  for (auto &[callee, sites] : calls)
    for (func::CallOp call : sites) {
      ++numOpenCalls[callee];
      callees[call->getParentOfType<func::FuncOp>()].push_back(
          cast<func::FuncOp>(callee));
    }
  for (func::FuncOp func : functions)
    if (!numOpenCalls.lookup(func))
      ordered.push_back(func);
  for (size_t next = 0; next < ordered.size(); ++next)
    for (func::FuncOp callee : callees.lookup(ordered[next]))
      if (--numOpenCalls[callee] == 0)
        ordered.push_back(callee);
  return ordered.size() == functions.size();
}

LayoutAttr Specializer::getStated(Value value) const {
  if (LayoutAttr layout = stated.lookup(value))
    return layout;
  if (auto shard = value.getDefiningOp<ShardOp>())
    return resolveLayout(shard.getLayout(), shard);
  if (auto argument = dyn_cast<BlockArgument>(value);
      argument && !isa<func::FuncOp>(argument.getOwner()->getParentOp()))
    return {};
  if (isa<BlockArgument>(value) || value.getDefiningOp<RedistributeOp>() ||
      value.getDefiningOp<ManualOp>())
    return getValueLayout(value);
  return {};
}

ArgumentLayouts Specializer::getStatedArguments(func::CallOp call,
                                                func::FuncOp callee) const {
  ArgumentLayouts layouts(call.getNumOperands());
  for (auto [i, operand] : llvm::enumerate(call.getOperands())) {
    if (!isa<RankedTensorType>(operand.getType()) ||
        callee.getArgAttr(i, kLayoutAttrName))
      continue;
    if (LayoutAttr layout = getStated(operand))
      layouts[i] = layout;
  }
  return layouts;
}

void Specializer::recordArguments(func::FuncOp func,
                                  const ArgumentLayouts &layouts) {
  for (auto [argument, layout] : llvm::zip(func.getArguments(), layouts))
    if (layout)
      stated[argument] = layout;
}

/// Takes over what \p other states into \p layouts if the two nowhere
/// contradict each other. Returns whether so.
static bool unite(ArgumentLayouts &layouts, const ArgumentLayouts &other) {
  ArgumentLayouts united;
  for (auto [layout, more] : llvm::zip_equal(layouts, other)) {
    united.push_back(unite(layout, more));
    if (!united.back() && (layout || more))
      return false;
  }
  layouts = united;
  return true;
}

void Specializer::specialize(func::FuncOp func) {
  if (func.isExternal() || fixed.contains(func))
    return;
  SmallVector<std::pair<ArgumentLayouts, SmallVector<func::CallOp>>> groups;
  for (func::CallOp call : calls.lookup(func)) {
    if (call.getNumOperands() != func.getNumArguments())
      return;
    ArgumentLayouts layouts = getStatedArguments(call, func);
    auto group = llvm::find_if(
        groups, [&](auto &known) { return unite(known.first, layouts); });
    if (group == groups.end())
      groups.push_back({layouts, {call}});
    else
      group->second.push_back(call);
  }
  if (groups.empty())
    return;
  recordArguments(func, groups.front().first);
  Operation *last = func;
  for (auto &[layouts, sites] : llvm::drop_begin(groups)) {
    func::FuncOp clone = func.clone();
    clone.setPrivate();
    symbols.insert(clone, std::next(Block::iterator(last)));
    last = clone;
    for (func::CallOp site : sites)
      site.setCallee(clone.getSymName());
    recordArguments(clone, layouts);
    // What the clone calls is called once more.
    collectCalls(clone);
  }
}

void Specializer::run() {
  for (auto func : module.getOps<func::FuncOp>())
    collectCalls(func);
  SmallVector<func::FuncOp> ordered;
  if (!orderFunctions(ordered))
    return;
  for (func::FuncOp func : ordered)
    specialize(func);
}

void pctl::specializeCalls(ModuleOp module) { Specializer(module).run(); }
