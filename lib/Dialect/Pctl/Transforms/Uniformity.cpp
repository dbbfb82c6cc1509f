// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// The analysis of which values are the same on which ranks. All starts from
/// "the same everywhere"; each op adds to its results the directions of what it
/// reads, and an op whose operands got more is looked at again, so that nothing
/// is looked at more often than directions can be added to its operands.

#include "pctl/Dialect/Pctl/Transforms/Uniformity.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace pctl;

/// Returns the dims of \p value that are of no static size, nothing for what is
/// no shaped value.
static SmallVector<int, 4> getDynamicDims(Value value) {
  SmallVector<int, 4> dims;
  auto type = dyn_cast<ShapedType>(value.getType());
  if (!type || !type.hasRank() || type.hasStaticShape())
    return dims;
  for (auto [dim, size] : llvm::enumerate(type.getShape()))
    if (ShapedType::isDynamic(size))
      dims.push_back(dim);
  return dims;
}

/// Returns whether the elements of what \p op makes may depend on more than its
/// operands: on memory. An op that is not registered says nothing, and is taken
/// to be a function of its operands, as partitioning takes it.
static bool readsMemory(Operation *op) {
  if (!op->isRegistered() || isMemoryEffectFree(op))
    return false;
  auto effects = dyn_cast<MemoryEffectOpInterface>(op);
  if (effects)
    return effects.hasEffect<MemoryEffects::Read>();
  return !op->hasTrait<OpTrait::HasRecursiveMemoryEffects>();
}

/// Returns whether the regions of \p op are run at well-known times: never or
/// once or, in loops, one time after the other.
static bool isOrdered(Operation *op) {
  return isa<scf::IfOp, scf::ForOp, scf::WhileOp, scf::IndexSwitchOp,
             scf::ExecuteRegionOp, ManualOp>(op);
}

Operation *pctl::getUnorderedParent(Operation *op) {
  for (Operation *parent = op->getParentOp();
       parent && !isa<FunctionOpInterface, ModuleOp>(parent);
       parent = parent->getParentOp())
    if (!isOrdered(parent))
      return parent;
  return nullptr;
}

//===----------------------------------------------------------------------===//
// The analysis
//===----------------------------------------------------------------------===//

class Uniformity::Impl {
public:
  Impl(ModuleOp module, bool recordsCauses)
      : module(module), recordsCauses(recordsCauses), axes(module) {
    module.walk([&](FunctionOpInterface func) { enterFunction(func); });
    worklist.clear();
    queued.clear();
    visitRegion(module.getBodyRegion());
    isFirstWalk = false;
    while (!worklist.empty())
      visit(worklist.pop_back_val());
    spreadExecution();
  }

  Directions get(Quantity quantity) const {
    return states.lookup({quantity.value, quantity.dim});
  }

  ModuleOp module;
  bool recordsCauses;
  ProgramAxes axes;

  /// Directions in which ranks may differ; nothing for none.
  llvm::DenseMap<std::pair<Value, int>, Directions> states;
  /// Where the directions of a quantity came from, in the order of coming.
  struct Cause {
    Directions directions;
    Quantity from;
  };
  llvm::DenseMap<std::pair<Value, int>, SmallVector<Cause, 1>> causes;

  struct FunctionState {
    /// By result, then by dim plus one: what is returned.
    SmallVector<SmallVector<Directions>> results;
    SmallVector<Quantity> resultCauses;
    SmallVector<Operation *> calls;
    Operation *addressUse = nullptr;
    Directions execution = 0;
  };
  llvm::DenseMap<Operation *, FunctionState> functions;
  /// What decides between the blocks of a region that has several.
  llvm::DenseMap<Region *, SmallVector<Decision, 1>> branches;

  void getDecisions(Operation *op, SmallVectorImpl<Decision> &decisions) const;

private:
  void enterFunction(FunctionOpInterface func);
  void visitRegion(Region &region);
  void visit(Operation *op);
  void visitPlain(Operation *op);
  void visitSizes(Operation *op);
  void visitSize(Operation *op, OpResult result, int dim);
  void visitCollective(CollectiveOpInterface op);
  void visitRedistribute(RedistributeOp op);
  void visitDim(tensor::DimOp op);
  void visitCall(func::CallOp op);
  void visitFor(scf::ForOp op);
  void visitTerminator(Operation *op);
  void visitBranch(Operation *op);
  void visitReturn(Operation *op, FunctionOpInterface func);

  void join(Quantity to, Directions directions, Quantity cause);
  void joinValue(Value to, Value from);
  void joinValues(ValueRange to, ValueRange from);
  void joinAll(ValueRange to, Directions directions, Quantity cause);
  void addDecision(Region *region, Decision decision);
  void push(Operation *op) {
    if (queued.insert(op).second)
      worklist.push_back(op);
  }

  /// Returns whether the first walk has not come to the users of \p value.
  bool isAheadOfUsers(Value value) const {
    if (isa<OpResult>(value))
      return value.getParentRegion()->hasOneBlock();
    return value.getParentRegion()->getParentOp() == current;
  }

  FunctionOpInterface getCallee(func::CallOp op) {
    return symbols.lookupNearestSymbolFrom<FunctionOpInterface>(
        op, op.getCalleeAttr());
  }
  Decision getDecision(Operation *op) const;
  void spreadExecution();

  SymbolTableCollection symbols;
  SmallVector<Operation *> worklist;
  llvm::DenseSet<Operation *> queued;
  bool isFirstWalk = true;
  /// The op that is looked at.
  Operation *current = nullptr;
};

/// Adds \p directions to \p to, which has them because of \p cause, and looks
/// at the users again if that is news.
void Uniformity::Impl::join(Quantity to, Directions directions,
                            Quantity cause) {
  if (directions == 0)
    return;
  Directions &state = states[{to.value, to.dim}];
  Directions added = directions & ~state;
  if (added == 0)
    return;
  state |= directions;
  if (recordsCauses)
    causes[{to.value, to.dim}].push_back({added, cause});
  if (isFirstWalk && isAheadOfUsers(to.value))
    return;
  for (Operation *user : to.value.getUsers())
    push(user);
}

/// Adds to the elements and sizes of \p to those of \p from.
void Uniformity::Impl::joinValue(Value to, Value from) {
  join({to}, get({from}), {from});
  for (int dim : getDynamicDims(to))
    join({to, dim}, get({from, dim}), {from, dim});
}

void Uniformity::Impl::joinValues(ValueRange to, ValueRange from) {
  for (auto [target, source] : llvm::zip(to, from))
    joinValue(target, source);
}

/// Adds \p directions to the elements and sizes of all of \p to.
void Uniformity::Impl::joinAll(ValueRange to, Directions directions,
                               Quantity cause) {
  for (Value target : to) {
    join({target}, directions, cause);
    for (int dim : getDynamicDims(target))
      join({target, dim}, directions, cause);
  }
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

/// What is known of arguments before any call is: a layout says who holds the
/// same; a tensor without one that comes from outside may be anything.
void Uniformity::Impl::enterFunction(FunctionOpInterface func) {
  FunctionState &state = functions[func];
  for (Type type : func.getResultTypes()) {
    auto shaped = dyn_cast<ShapedType>(type);
    unsigned tensorRank = shaped && shaped.hasRank() ? shaped.getRank() : 0;
    state.results.emplace_back(tensorRank + 1, 0);
    state.resultCauses.emplace_back();
  }
  if (func.isExternal())
    return;
  for (BlockArgument arg : func.getArguments()) {
    if (!isa<ShapedType>(arg.getType()))
      continue;
    unsigned index = arg.getArgNumber();
    Attribute attr = func.getArgAttr(index, kLayoutAttrName);
    if (!attr) {
      if (func.isPublic())
        join({arg}, kAnyDirection, {});
      continue;
    }
    ProgramAxes::LayoutDirections layout = axes.getLayout(attr, func);
    join({arg}, layout.elements, {});
    for (int dim : getDynamicDims(arg))
      if (dim < int(layout.dims.size()))
        join({arg, dim}, layout.dims[dim], {});
  }
}

void Uniformity::Impl::visitCall(func::CallOp op) {
  FunctionOpInterface callee = getCallee(op);
  if (!callee)
    return visitPlain(op);
  FunctionState &state = functions[callee];
  if (isFirstWalk)
    state.calls.push_back(op);
  if (!callee.isExternal()) {
    joinValues(callee.getArguments(), op.getOperands());
    for (auto [index, result] : llvm::enumerate(op.getResults())) {
      ArrayRef<Directions> found = state.results[index];
      join({result}, found[0], state.resultCauses[index]);
      for (int dim : getDynamicDims(result))
        join({result, dim}, found[dim + 1], {});
    }
    return;
  }
  // What has no body is taken to be a function of its operands, laid out as it
  // says.
  for (auto [index, result] : llvm::enumerate(op.getResults())) {
    Attribute attr = callee.getResultAttr(index, kLayoutAttrName);
    if (!attr) {
      for (Value operand : op.getOperands())
        join({result}, get({operand}), {operand});
      continue;
    }
    ProgramAxes::LayoutDirections layout = axes.getLayout(attr, callee);
    join({result}, layout.elements, {});
    for (int dim : getDynamicDims(result))
      if (dim < int(layout.dims.size()))
        join({result, dim}, layout.dims[dim], {});
  }
}

void Uniformity::Impl::visitReturn(Operation *op, FunctionOpInterface func) {
  FunctionState &state = functions[func];
  bool grew = false;
  // Which return is reached may differ.
  Directions branching = 0;
  for (const Decision &decision : branches.lookup(op->getParentRegion()))
    branching |= decision.directions;
  auto add = [&](Directions &to, Directions directions) {
    grew |= (directions & ~to) != 0;
    to |= directions;
  };
  for (auto [index, operand] : llvm::enumerate(op->getOperands())) {
    if (index >= state.results.size())
      break;
    SmallVector<Directions> &found = state.results[index];
    Directions directions = get({operand}) | branching;
    if (directions & ~found[0])
      state.resultCauses[index] = {operand};
    add(found[0], directions);
    for (int dim : getDynamicDims(operand))
      add(found[dim + 1], get({operand, dim}) | branching);
  }
  if (grew)
    for (Operation *call : state.calls)
      push(call);
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

void Uniformity::Impl::visitRegion(Region &region) {
  for (Block &block : region)
    for (Operation &op : block) {
      visit(&op);
      for (Region &inner : op.getRegions())
        visitRegion(inner);
    }
}

void Uniformity::Impl::visit(Operation *op) {
  queued.erase(op);
  current = op;
  if (isa<FunctionOpInterface, ModuleOp>(op))
    return;
  if (op->hasTrait<OpTrait::IsTerminator>())
    return visitTerminator(op);
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](CollectiveOpInterface collective) {
        visitCollective(collective);
      })
      .Case(
          [&](RedistributeOp redistribute) { visitRedistribute(redistribute); })
      .Case([&](AxisIndexOp index) {
        join({index.getResult()},
             axes.getTouched(index.getMeshAttr(), index.getAxes()), {});
      })
      .Case([&](BlockRangeOp range) {
        Directions touched =
            axes.getTouched(range.getMeshAttr(), range.getAxes());
        join({range.getOffset()}, touched, {});
        join({range.getSize()}, touched, {});
      })
      .Case([&](tensor::DimOp dim) { visitDim(dim); })
      .Case([&](func::CallOp call) { visitCall(call); })
      .Case([&](func::ConstantOp constant) {
        auto callee = symbols.lookupNearestSymbolFrom<FunctionOpInterface>(
            constant, constant.getValueAttr());
        if (!callee)
          return;
        functions[callee].addressUse = constant;
        if (!callee.isExternal())
          joinAll(callee.getArguments(), kAnyDirection, {});
      })
      .Case([&](scf::ForOp loop) { visitFor(loop); })
      .Case([&](scf::WhileOp loop) {
        joinValues(loop.getBeforeArguments(), loop.getInits());
      })
      .Case<scf::IfOp, scf::IndexSwitchOp>([&](Operation *conditional) {
        Value condition = conditional->getOperand(0);
        joinAll(conditional->getResults(), get({condition}), {condition});
      })
      .Case([&](scf::ExecuteRegionOp) {})
      .Default([&](Operation *plain) { visitPlain(plain); });
}

/// An op of which nothing is known but what it reads.
void Uniformity::Impl::visitPlain(Operation *op) {
  if (readsMemory(op))
    joinAll(op->getResults(), kAnyDirection, {});
  for (Value operand : op->getOperands()) {
    Directions directions = get({operand});
    if (directions == 0)
      continue;
    for (Value result : op->getResults())
      join({result}, directions, {operand});
    for (Region &region : op->getRegions())
      for (BlockArgument arg : region.getArguments())
        join({arg}, directions, {operand});
    // What parts of a parallel loop insert is the loop's result.
    if (isa<tensor::ParallelInsertSliceOp>(op))
      for (Value result : op->getParentOp()->getParentOp()->getResults())
        join({result}, directions, {operand});
  }
  visitSizes(op);
}

void Uniformity::Impl::visitCollective(CollectiveOpInterface op) {
  if (op->getNumResults() == 0)
    return;
  Value result = op->getResult(0), input = op.getInput();
  Value output = op.getOutput();
  for (int dim : getDynamicDims(result))
    join({result, dim}, get({output, dim}), {output, dim});
  Directions found = get({input});
  if (auto exchange = dyn_cast<ExchangeOp>(*op)) {
    // Where the input is as it should be, the result is.
    join({result}, axes.getLayout(exchange.getTo(), op).elements, {});
    join({result}, found & ~axes.getLayout(exchange.getFrom(), op).elements,
         {input});
    return;
  }
  if (isa<AllReduceOp, AllGatherOp, BroadcastOp>(*op)) {
    join({result}, found & ~axes.getCovered(op.getMeshAttr(), op.getAxes()),
         {input});
    return;
  }
  join({result}, axes.getTouched(op.getMeshAttr(), op.getAxes()), {});
  join({result}, found, {input});
  if (!op.overwritesOutput())
    join({result}, get({output}), {output});
}

void Uniformity::Impl::visitRedistribute(RedistributeOp op) {
  Value result = op.getResult(), input = op.getInput();
  ProgramAxes::LayoutDirections from = axes.getLayout(op.getFrom(), op);
  ProgramAxes::LayoutDirections to = axes.getLayout(op.getTo(), op);
  join({result}, to.elements, {});
  join({result}, get({input}) & ~from.elements, {input});
  RankedTensorType whole = op.getWholeType();
  for (int dim : getDynamicDims(result)) {
    if (whole.isDynamicDim(dim))
      join({result, dim}, get({input, dim}), {input, dim});
    else if (dim < int(to.dims.size()))
      join({result, dim}, to.dims[dim], {});
  }
}

void Uniformity::Impl::visitDim(tensor::DimOp op) {
  Value source = op.getSource(), result = op.getResult();
  std::optional<int64_t> index = op.getConstantIndex();
  join({result}, get({op.getIndex()}), {op.getIndex()});
  for (int dim : getDynamicDims(source))
    if (!index || *index == dim)
      join({result}, get({source, dim}), {source, dim});
}

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

void Uniformity::Impl::visitSizes(Operation *op) {
  for (OpResult result : op->getResults())
    for (int dim : getDynamicDims(result))
      visitSize(op, result, dim);
}

/// Returns what \p sizes, of dims in order, says of dim \p dim of \p type: the
/// value of \p dynamicSizes that is its size.
static Value getDynamicSize(ShapedType type, int dim, ValueRange dynamicSizes) {
  unsigned index = type.getDynamicDimIndex(dim);
  return index < dynamicSizes.size() ? dynamicSizes[index] : Value();
}

/// Finds the size of dim \p dim of \p result. An op that is not known here is
/// taken to make sizes that are the same on all ranks: what is known to differ
/// is an error, not what is not known to agree.
void Uniformity::Impl::visitSize(Operation *op, OpResult result, int dim) {
  auto joinSize = [&](Value value, int from) {
    join({result, dim}, get({value, from}), {value, from});
  };
  auto joinOperand = [&](Value value) {
    if (value)
      join({result, dim}, get({value}), {value});
  };
  auto type = cast<ShapedType>(result.getType());
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](tensor::GenerateOp maker) {
        joinOperand(getDynamicSize(type, dim, maker.getDynamicExtents()));
      })
      .Case<tensor::EmptyOp, tensor::SplatOp, bufferization::AllocTensorOp>(
          [&](auto maker) {
            joinOperand(getDynamicSize(type, dim, maker.getDynamicSizes()));
          })
      .Case([&](tensor::CastOp cast) { joinSize(cast.getSource(), dim); })
      .Case([&](tensor::ExtractSliceOp slice) {
        llvm::SmallBitVector dropped = slice.getDroppedDims();
        int kept = -1;
        for (auto [index, size] : llvm::enumerate(slice.getMixedSizes())) {
          kept += !dropped.test(index);
          if (kept == dim && !dropped.test(index))
            joinOperand(dyn_cast<Value>(size));
        }
      })
      .Case([&](tensor::ExpandShapeOp expand) {
        if (dim < int(expand.getMixedOutputShape().size()))
          joinOperand(dyn_cast<Value>(expand.getMixedOutputShape()[dim]));
      })
      .Case([&](tensor::CollapseShapeOp collapse) {
        for (int64_t from : collapse.getReassociationIndices()[dim])
          joinSize(collapse.getSrc(), from);
      })
      .Case([&](tensor::PadOp pad) {
        joinSize(pad.getSource(), dim);
        for (OpFoldResult size :
             {pad.getMixedLowPad()[dim], pad.getMixedHighPad()[dim]})
          joinOperand(dyn_cast<Value>(size));
      })
      .Case([&](tensor::ConcatOp concat) {
        for (Value input : concat.getInputs())
          joinSize(input, dim);
      })
      .Case([&](DestinationStyleOpInterface op) {
        if (OpOperand *init = op.getTiedOpOperand(result))
          joinSize(init->get(), dim);
      })
      .Default([&](Operation *op) {
        if (!OpTrait::hasElementwiseMappableTraits(op))
          return;
        // All operands have one size; it differs no more than each of them.
        SmallVector<Value> sameShape =
            llvm::filter_to_vector(op->getOperands(), [&](Value operand) {
              auto shaped = dyn_cast<ShapedType>(operand.getType());
              return shaped && shaped.hasRank() &&
                     shaped.getRank() == type.getRank();
            });
        if (sameShape.empty())
          return;
        Directions directions = kAnyDirection;
        for (Value operand : sameShape)
          directions &= get({operand, dim});
        join({result, dim}, directions, {sameShape.front(), dim});
      });
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

/// Returns whether the number of iterations is a number in the program.
static bool hasStaticTripCount(scf::ForOp loop) {
  return loop.getStaticTripCount().has_value();
}

void Uniformity::Impl::visitFor(scf::ForOp op) {
  for (Value bound : {op.getLowerBound(), op.getStep()})
    join({op.getInductionVar()}, get({bound}), {bound});
  joinValues(op.getRegionIterArgs(), op.getInitArgs());
  joinValues(op.getResults(), op.getInitArgs());
  // Ranks that leave a loop earlier have values of an earlier iteration.
  if (!hasStaticTripCount(op))
    for (Value bound : {op.getLowerBound(), op.getUpperBound(), op.getStep()})
      joinAll(op.getResults(), get({bound}), {bound});
}

void Uniformity::Impl::visitTerminator(Operation *op) {
  Operation *parent = op->getParentOp();
  if (op->getNumSuccessors() > 0)
    return visitBranch(op);
  if (auto func = dyn_cast<FunctionOpInterface>(parent))
    return visitReturn(op, func);
  if (auto condition = dyn_cast<scf::ConditionOp>(op)) {
    auto loop = cast<scf::WhileOp>(parent);
    joinValues(loop.getAfterArguments(), condition.getArgs());
    joinValues(loop.getResults(), condition.getArgs());
    Value decider = condition.getCondition();
    joinAll(loop.getResults(), get({decider}), {decider});
    return;
  }
  if (auto loop = dyn_cast<scf::WhileOp>(parent))
    return joinValues(loop.getBeforeArguments(), op->getOperands());
  if (auto loop = dyn_cast<scf::ForOp>(parent)) {
    joinValues(loop.getRegionIterArgs(), op->getOperands());
    return joinValues(loop.getResults(), op->getOperands());
  }
  if (isOrdered(parent)) {
    for (const Decision &decision : branches.lookup(op->getParentRegion()))
      joinAll(parent->getResults(), decision.directions, decision.cause);
    return joinValues(parent->getResults(), op->getOperands());
  }
  // Elements of a body that is run for each element, or nobody knows when.
  for (Value operand : op->getOperands())
    for (Value result : parent->getResults())
      join({result}, get({operand}), {operand});
}

/// Notes that \p decision decides between the blocks of \p region. Whatever is
/// made in other blocks than the first may then differ, as one rank may have
/// been there where another was not, or more often.
void Uniformity::Impl::addDecision(Region *region, Decision decision) {
  SmallVector<Decision, 1> &known = branches[region];
  Directions directions = decision.directions;
  for (const Decision &other : known)
    directions &= ~other.directions;
  if (directions == 0)
    return;
  known.push_back(decision);
  for (Block &block : *region) {
    if (&block != &region->front()) {
      joinAll(block.getArguments(), directions, decision.cause);
      for (Operation &op : block)
        joinAll(op.getResults(), directions, decision.cause);
    }
    if (block.mightHaveTerminator())
      push(block.getTerminator());
  }
}

void Uniformity::Impl::visitBranch(Operation *op) {
  auto branch = dyn_cast<BranchOpInterface>(op);
  for (auto [index, successor] : llvm::enumerate(op->getSuccessors())) {
    if (!branch) {
      joinAll(successor->getArguments(), kAnyDirection, {});
      continue;
    }
    SuccessorOperands operands = branch.getSuccessorOperands(index);
    for (BlockArgument arg : successor->getArguments()) {
      unsigned number = arg.getArgNumber();
      if (operands.isOperandProduced(number))
        joinAll(Value(arg), kAnyDirection, {});
      else
        joinValue(arg, operands[number]);
    }
  }
  if (op->getNumSuccessors() < 2)
    return;
  // Which of the operands decides is not known of every branch; the first does
  // in those of cf.
  for (Value operand : op->getOperands())
    if (Directions directions = get({operand}))
      if (!branch || operand == op->getOperand(0))
        addDecision(op->getParentRegion(), {op, {operand}, directions});
}

/// Returns what decides about the regions of \p op; no directions where it is
/// the same on all ranks.
Decision Uniformity::Impl::getDecision(Operation *op) const {
  SmallVector<Value, 3> deciders;
  if (isa<scf::IfOp, scf::IndexSwitchOp>(op))
    deciders = {op->getOperand(0)};
  else if (auto loop = dyn_cast<scf::WhileOp>(op))
    deciders = {loop.getConditionOp().getCondition()};
  else if (auto loop = dyn_cast<scf::ForOp>(op)) {
    if (!hasStaticTripCount(loop))
      deciders = {loop.getLowerBound(), loop.getUpperBound(), loop.getStep()};
  }
  Decision decision{op, {}, 0};
  for (Value decider : deciders) {
    Directions directions = get({decider});
    if (directions & ~decision.directions)
      decision.cause = {decider};
    decision.directions |= directions;
  }
  return decision;
}

/// Returns whether \p block of \p region is run exactly once when the region
/// is, whatever its branches do.
static bool isRunOnce(Block *block, Region *region) {
  if (block == &region->front())
    return true;
  PostDominanceInfo postDominance(region->getParentOp());
  if (!postDominance.postDominates(block, &region->front()))
    return false;
  llvm::SetVector<Block *> reached;
  reached.insert_range(block->getSuccessors());
  for (unsigned i = 0; i < reached.size(); ++i) {
    if (reached[i] == block)
      return false;
    reached.insert_range(reached[i]->getSuccessors());
  }
  return true;
}

void Uniformity::Impl::getDecisions(
    Operation *op, SmallVectorImpl<Decision> &decisions) const {
  for (; !isa<FunctionOpInterface, ModuleOp>(op); op = op->getParentOp()) {
    Region *region = op->getParentRegion();
    auto branching = branches.find(region);
    if (branching != branches.end() && !isRunOnce(op->getBlock(), region))
      llvm::append_range(decisions, branching->second);
    Operation *parent = op->getParentOp();
    if (!parent || isa<FunctionOpInterface, ModuleOp>(parent))
      return;
    Decision decision = getDecision(parent);
    if (decision.directions)
      decisions.push_back(decision);
  }
}

/// Hands to functions what decides about their calls.
void Uniformity::Impl::spreadExecution() {
  llvm::SetVector<Operation *> pending;
  auto add = [&](Operation *function, Directions directions) {
    FunctionState &state = functions[function];
    if ((directions & ~state.execution) == 0)
      return;
    state.execution |= directions;
    pending.insert(function);
  };
  llvm::DenseMap<Operation *, SmallVector<Operation *>> callees;
  module.walk([&](func::CallOp call) {
    FunctionOpInterface callee = getCallee(call);
    if (!callee)
      return;
    SmallVector<Decision> decisions;
    getDecisions(call, decisions);
    for (const Decision &decision : decisions)
      add(callee, decision.directions);
    callees[call->getParentOfType<FunctionOpInterface>()].push_back(callee);
  });
  while (!pending.empty()) {
    Operation *function = pending.pop_back_val();
    for (Operation *callee : callees.lookup(function))
      add(callee, functions[function].execution);
  }
}

//===----------------------------------------------------------------------===//
// Answers
//===----------------------------------------------------------------------===//

Uniformity::Uniformity(ModuleOp module, bool recordsCauses)
    : impl(std::make_unique<Impl>(module, recordsCauses)) {}

Uniformity::~Uniformity() = default;

ProgramAxes &Uniformity::getAxes() { return impl->axes; }

Directions Uniformity::get(Quantity quantity) const {
  return impl->get(quantity);
}

SmallVector<Decision> Uniformity::getDecisions(Operation *op) const {
  SmallVector<Decision> decisions;
  impl->getDecisions(op, decisions);
  return decisions;
}

Directions Uniformity::getExecution(Operation *op) const {
  Directions directions = 0;
  for (const Decision &decision : getDecisions(op))
    directions |= decision.directions;
  auto func = op->getParentOfType<FunctionOpInterface>();
  auto state = impl->functions.find(func);
  if (state != impl->functions.end())
    directions |= state->second.execution;
  return directions;
}

ArrayRef<Operation *> Uniformity::getCalls(Operation *function) const {
  auto state = impl->functions.find(function);
  return state == impl->functions.end() ? ArrayRef<Operation *>()
                                        : state->second.calls;
}

Operation *Uniformity::getAddressUse(Operation *function) const {
  auto state = impl->functions.find(function);
  return state == impl->functions.end() ? nullptr : state->second.addressUse;
}

Quantity Uniformity::trace(Quantity quantity, Directions directions) const {
  while (true) {
    auto causes = impl->causes.find({quantity.value, quantity.dim});
    if (causes == impl->causes.end())
      return quantity;
    auto cause = llvm::find_if(causes->second, [&](const Impl::Cause &entry) {
      return entry.directions & directions;
    });
    if (cause == causes->second.end() || !cause->from.value)
      return quantity;
    directions &= cause->directions;
    quantity = cause->from;
  }
}
