// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

#include "ProgramGraph.h"

#include "ElementBytes.h"

#include "pctl/Dialect/Pctl/Interfaces/LaidOutRegions.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace pctl;
using layout::Layout;

//===----------------------------------------------------------------------===//
// The mesh of a program
//===----------------------------------------------------------------------===//

/// Calls \p callback for each layout that \p op itself states.
static LogicalResult
forEachLayoutOf(Operation *op,
                function_ref<LogicalResult(Attribute, Operation *)> callback) {
  auto visitAll = [&](ArrayAttr layouts) {
    for (Attribute layout : layouts)
      if (failed(callback(layout, op)))
        return failure();
    return success();
  };
  if (auto shard = dyn_cast<ShardOp>(op))
    return callback(shard.getLayout(), op);
  if (auto redistribute = dyn_cast<RedistributeOp>(op))
    return success(succeeded(callback(redistribute.getFrom(), op)) &&
                   succeeded(callback(redistribute.getTo(), op)));
  if (auto manual = dyn_cast<ManualOp>(op))
    return success(succeeded(visitAll(manual.getInLayouts())) &&
                   succeeded(visitAll(manual.getOutLayouts())));
  auto func = dyn_cast<func::FuncOp>(op);
  if (!func)
    return success();
  for (unsigned i = 0; i < func.getNumArguments(); ++i)
    if (Attribute layout = func.getArgAttr(i, kLayoutAttrName))
      if (failed(callback(layout, op)))
        return failure();
  for (unsigned i = 0; i < func.getNumResults(); ++i)
    if (Attribute layout = func.getResultAttr(i, kLayoutAttrName))
      if (failed(callback(layout, op)))
        return failure();
  return success();
}

/// Calls \p callback for each layout that the functions of \p module carry,
/// with the op that carries it, until one of the calls fails.
static LogicalResult
forEachLayout(ModuleOp module,
              function_ref<LogicalResult(Attribute, Operation *)> callback) {
  for (auto func : module.getOps<func::FuncOp>()) {
    if (failed(forEachLayoutOf(func, callback)))
      return failure();
    if (!walkLaidOutOps(func.getBody(), [&](Operation *op) {
          return succeeded(forEachLayoutOf(op, callback));
        }))
      return failure();
  }
  return success();
}

FailureOr<ProgramMesh> pctl::getProgramMesh(ModuleOp module) {
  FlatSymbolRefAttr symbol;
  Operation *firstUser = nullptr;
  LogicalResult outcome = forEachLayout(
      module, [&](Attribute layout, Operation *op) -> LogicalResult {
        LayoutAttr attr = resolveLayout(layout, op);
        if (!attr)
          return op->emitOpError()
                 << "names layout " << layout << ", which is not declared";
        if (!symbol) {
          symbol = attr.getMesh();
          firstUser = op;
        }
        if (symbol == attr.getMesh())
          return success();
        InFlightDiagnostic diagnostic = op->emitOpError();
        diagnostic << "has a layout on mesh " << attr.getMesh()
                   << ", but the program is laid out on one mesh, " << symbol;
        diagnostic.attachNote(firstUser->getLoc()) << "first layout here";
        return diagnostic;
      });
  if (failed(outcome))
    return failure();
  if (!symbol) {
    auto meshes = module.getOps<MeshOp>();
    if (meshes.empty())
      return module.emitError(
          "program declares no mesh, so there is nothing to lay it out on");
    if (!llvm::hasSingleElement(meshes))
      return module.emitError("program declares several meshes, and no layout "
                              "says on which to lay it out");
    symbol = FlatSymbolRefAttr::get((*meshes.begin()).getSymNameAttr());
  }
  FailureOr<layout::Mesh> mesh =
      lookupMesh(symbol, module, [&] { return module.emitError(); });
  if (failed(mesh))
    return failure();
  return ProgramMesh{*mesh, symbol};
}

//===----------------------------------------------------------------------===//
// The graph of a program
//===----------------------------------------------------------------------===//

namespace pctl {

class ProgramGraphBuilder {
public:
  ProgramGraphBuilder(ModuleOp module, const ProgramMesh &mesh)
      : module(module), program(mesh.mesh) {}

  FailureOr<ProgramGraph> build();

private:
  LogicalResult orderFunctions();
  void findWholeFunctions();
  LogicalResult addBoundary(func::FuncOp func);
  LogicalResult checkRanked(func::FuncOp func);
  LogicalResult checkBlocks(func::FuncOp func);
  LogicalResult checkRegions(Operation *op);
  LogicalResult defineResults(Operation *op);
  void defineArguments(Operation *op);
  unsigned getScope(Block *block);
  LogicalResult defineFixed(Operation *op, ArrayRef<Attribute> layouts);
  LogicalResult addOp(Operation *op, func::FuncOp func);
  LogicalResult addFixedWants(ProgramGraph::Entry &entry,
                              ArrayRef<Attribute> layouts);
  LogicalResult addRuled(ProgramGraph::Entry &entry);

  FailureOr<unsigned> addBoundaryValue(func::FuncOp func, Type type,
                                       Attribute layout, const Twine &what);
  FailureOr<unsigned> addAnnotated(Type type, Attribute layout, Operation *op);
  unsigned addPlain(Type type);
  unsigned getNumber(Value value) { return program.numbers.lookup(value); }
  void addWant(ProgramGraph::Entry &entry, Value operand, unsigned wanted);

  ModuleOp module;
  ProgramGraph program;
  SmallVector<func::FuncOp> functions;
  llvm::StringMap<func::FuncOp> functionsByName;
  /// Functions that something other than a call between functions' bodies
  /// refers to, with that op: their arguments and results are whole.
  llvm::DenseMap<Operation *, Operation *> wholeFunctions;
  /// Numbers of the blocks met so far, from 1 on.
  llvm::DenseMap<Block *, unsigned> scopes;
};

} // namespace pctl

/// Returns the bytes of a whole tensor, to weigh it by: dims and elements of
/// unknown size count as 1 and as 8 bytes.
static int64_t getWholeSizeBytes(RankedTensorType type) {
  int64_t size = getElementBytes(type.getElementType()).value_or(8);
  for (int64_t dim : type.getShape()) {
    std::optional<int64_t> next =
        checkedMul(size, ShapedType::isDynamic(dim) ? 1 : dim);
    if (!next)
      return std::numeric_limits<int64_t>::max();
    size = *next;
  }
  return size;
}

unsigned ProgramGraphBuilder::addPlain(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  return program.graph.addValue(tensor.getShape(), getWholeSizeBytes(tensor));
}

FailureOr<unsigned>
ProgramGraphBuilder::addAnnotated(Type type, Attribute layout, Operation *op) {
  auto tensor = cast<RankedTensorType>(type);
  FailureOr<LayoutOnMesh> checked = getCheckedLayout(
      layout, tensor.getShape(), op, [&] { return op->emitOpError(); });
  if (failed(checked))
    return failure();
  return program.graph.addAnnotatedValue(
      tensor.getShape(), getWholeSizeBytes(tensor), checked->layout);
}

/// Makes \p operand of the entry's op wanted as value \p wanted is laid out.
void ProgramGraphBuilder::addWant(ProgramGraph::Entry &entry, Value operand,
                                  unsigned wanted) {
  unsigned node = program.graph.addTransfer(getNumber(operand), wanted);
  entry.operands.push_back(operand);
  entry.wants.emplace_back(node, 0);
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

/// Collects the functions and refuses cycles of calls, with the stack of calls
/// kept by hand: chains of calls may be long.
LogicalResult ProgramGraphBuilder::orderFunctions() {
  llvm::DenseMap<Operation *, SmallVector<func::CallOp>> calls;
  for (auto func : module.getOps<func::FuncOp>()) {
    functions.push_back(func);
    functionsByName[func.getSymName()] = func;
    func.walk([&](func::CallOp call) { calls[func].push_back(call); });
  }
  enum State : char { Unseen, Open, Done };
  llvm::DenseMap<Operation *, State> states;
  for (func::FuncOp root : functions) {
    SmallVector<std::pair<Operation *, unsigned>> stack;
    if (states[root] == Unseen) {
      states[root] = Open;
      stack.emplace_back(root, 0);
    }
    while (!stack.empty()) {
      auto &[func, next] = stack.back();
      if (next == calls[func].size()) {
        states[func] = Done;
        stack.pop_back();
        continue;
      }
      func::CallOp call = calls[func][next++];
      func::FuncOp callee = functionsByName.lookup(call.getCallee());
      if (!callee)
        return call.emitOpError() << "calls '" << call.getCallee()
                                  << "', which is no function of the module";
      if (states[callee] == Open) {
        InFlightDiagnostic diagnostic = call.emitOpError();
        diagnostic << "calls '" << call.getCallee()
                   << "' from within itself, and recursion can't be laid out";
        diagnostic.attachNote(callee.getLoc()) << "function declared here";
        return diagnostic;
      }
      if (states[callee] == Done)
        continue;
      states[callee] = Open;
      stack.emplace_back(callee, 0);
    }
  }
  return success();
}

/// Finds functions that are called from within ops that are done whole, or
/// whose address is taken: there, every rank passes whole tensors.
void ProgramGraphBuilder::findWholeFunctions() {
  for (func::FuncOp func : functions)
    func.walk([&](Operation *op) {
      FlatSymbolRefAttr symbol;
      if (auto call = dyn_cast<func::CallOp>(op)) {
        if (getLaidOutAncestor(op) == op)
          return;
        symbol = call.getCalleeAttr();
      } else if (auto constant = dyn_cast<func::ConstantOp>(op)) {
        symbol = constant.getValueAttr();
      } else {
        return;
      }
      if (func::FuncOp callee = functionsByName.lookup(symbol.getValue()))
        wholeFunctions.try_emplace(callee, op);
    });
}

FailureOr<unsigned> ProgramGraphBuilder::addBoundaryValue(func::FuncOp func,
                                                          Type type,
                                                          Attribute layout,
                                                          const Twine &what) {
  Operation *wholeUser = wholeFunctions.lookup(func);
  if (!layout && !wholeUser && !func.isExternal())
    return addPlain(type);
  auto tensor = cast<RankedTensorType>(type);
  Layout whole = Layout::replicated(tensor.getRank());
  if (!layout)
    return program.graph.addAnnotatedValue(tensor.getShape(),
                                           getWholeSizeBytes(tensor), whole);
  FailureOr<unsigned> number = addAnnotated(type, layout, func);
  if (failed(number))
    return failure();
  Layout &stated = program.graph.values[*number].layout;
  if (!wholeUser)
    return number;
  if (stated.getNormalForm() != whole) {
    InFlightDiagnostic diagnostic = wholeUser->emitOpError();
    diagnostic << "needs function '" << func.getSymName() << "' to take and "
               << "return whole tensors, but " << what << " is laid out as "
               << layout;
    diagnostic.attachNote(func.getLoc()) << "function declared here";
    return diagnostic;
  }
  stated = whole;
  return number;
}

LogicalResult ProgramGraphBuilder::addBoundary(func::FuncOp func) {
  SmallVector<unsigned> &arguments = program.arguments[func];
  arguments.resize(func.getNumArguments());
  for (auto [i, type] : llvm::enumerate(func.getArgumentTypes())) {
    if (!isa<RankedTensorType>(type))
      continue;
    FailureOr<unsigned> number =
        addBoundaryValue(func, type, func.getArgAttr(i, kLayoutAttrName),
                         "argument #" + Twine(i));
    if (failed(number))
      return failure();
    arguments[i] = *number;
    if (func.isExternal())
      continue;
    program.numbers[func.getArgument(i)] = *number;
    program.graph.values[*number].scope = getScope(&func.front());
  }
  SmallVector<unsigned> &results = program.results[func];
  results.resize(func.getNumResults());
  for (auto [i, type] : llvm::enumerate(func.getResultTypes())) {
    if (!isa<RankedTensorType>(type))
      continue;
    FailureOr<unsigned> number =
        addBoundaryValue(func, type, func.getResultAttr(i, kLayoutAttrName),
                         "result #" + Twine(i));
    if (failed(number))
      return failure();
    results[i] = *number;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

/// Refuses what asks for layouts inside \p op, which is done as a whole.
LogicalResult ProgramGraphBuilder::checkRegions(Operation *op) {
  if (op->getNumRegions() == 0)
    return success();
  WalkResult outcome = op->walk([&](Operation *inner) {
    if (inner == op || !isa<ShardOp, RedistributeOp, ManualOp>(inner))
      return WalkResult::advance();
    inner->emitOpError() << "is inside a '" << op->getName()
                         << "', and only bodies of functions and of structured "
                            "control flow are laid out";
    return WalkResult::interrupt();
  });
  return failure(outcome.wasInterrupted());
}

/// Returns the number of \p block, by which values made in other blocks are
/// told apart.
unsigned ProgramGraphBuilder::getScope(Block *block) {
  return scopes.try_emplace(block, scopes.size() + 1).first->second;
}

/// Gives the results of \p op, which states their \p layouts itself, numbers.
LogicalResult ProgramGraphBuilder::defineFixed(Operation *op,
                                               ArrayRef<Attribute> layouts) {
  for (auto [result, layout] : llvm::zip(op->getResults(), layouts)) {
    FailureOr<unsigned> number = addAnnotated(result.getType(), layout, op);
    if (failed(number))
      return failure();
    program.numbers[result] = *number;
  }
  return success();
}

LogicalResult ProgramGraphBuilder::defineResults(Operation *op) {
  if (auto shard = dyn_cast<ShardOp>(op))
    return defineFixed(op, shard.getLayout());
  if (auto redistribute = dyn_cast<RedistributeOp>(op)) {
    if (redistribute.isLocal())
      return op->emitOpError("is in local form already");
    return defineFixed(op, redistribute.getTo());
  }
  if (auto manual = dyn_cast<ManualOp>(op))
    return defineFixed(op, manual.getOutLayouts().getValue());
  if (auto call = dyn_cast<func::CallOp>(op)) {
    // All calls have the layouts of the one function.
    ArrayRef<unsigned> results =
        program.results[functionsByName.lookup(call.getCallee())];
    for (OpResult result : getTensorResults(op))
      program.numbers[result] = results[result.getResultNumber()];
    return success();
  }
  for (OpResult result : getTensorResults(op)) {
    unsigned number = addPlain(result.getType());
    program.numbers[result] = number;
    program.graph.values[number].scope = getScope(op->getBlock());
  }
  if (!hasLaidOutRegions(op))
    return checkRegions(op);
  defineArguments(op);
  return success();
}

/// Gives the tensors that enter the regions of \p op, which are laid out op by
/// op, numbers: those of its results where they become results.
void ProgramGraphBuilder::defineArguments(Operation *op) {
  for (Region &region : op->getRegions())
    for (BlockArgument argument : region.getArguments())
      if (isa<RankedTensorType>(argument.getType())) {
        Value carrier = getCarrier(argument);
        program.numbers[argument] = carrier == argument
                                        ? addPlain(argument.getType())
                                        : getNumber(carrier);
      }
}

/// Makes the operands of the entry's op wanted in \p layouts, which it states
/// itself.
LogicalResult ProgramGraphBuilder::addFixedWants(ProgramGraph::Entry &entry,
                                                 ArrayRef<Attribute> layouts) {
  for (auto [operand, layout] : llvm::zip(entry.op->getOperands(), layouts)) {
    FailureOr<unsigned> wanted =
        addAnnotated(operand.getType(), layout, entry.op);
    if (failed(wanted))
      return failure();
    addWant(entry, operand, *wanted);
  }
  return success();
}

/// Returns whether the elements of the result of \p op are those of its first
/// operand, each once.
static bool rearranges(Operation *op) {
  if (isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp, linalg::TransposeOp>(
          op))
    return op->getNumResults() == 1;
  auto generic = dyn_cast<linalg::GenericOp>(op);
  return generic && generic.hasPureTensorSemantics() &&
         generic.getNumDpsInputs() == 1 && generic.getNumDpsInits() == 1 &&
         generic.getNumParallelLoops() == generic.getNumLoops() &&
         generic.getIndexingMapsArray().front().isPermutation() &&
         generic.getBody()->getTerminator()->getOperand(0) ==
             generic.getBody()->getArgument(0);
}

LogicalResult ProgramGraphBuilder::addRuled(ProgramGraph::Entry &entry) {
  FailureOr<propagation::Rule> rule = getRule(entry.op);
  if (failed(rule))
    return failure();
  SmallVector<unsigned> operands, results;
  unsigned node = program.graph.nodes.size();
  for (auto [i, operand] : llvm::enumerate(getTensorOperands(entry.op))) {
    operands.push_back(getNumber(operand.value));
    entry.operands.push_back(operand.value);
    entry.wants.emplace_back(node, i);
  }
  for (OpResult result : getTensorResults(entry.op))
    results.push_back(getNumber(result));
  // A user who annotates a weight means its reshape as well.
  if (rearranges(entry.op) && program.graph.values[operands[0]].annotated)
    program.graph.values[results[0]].annotated = true;
  program.graph.addNode(std::move(*rule), operands, results);
  return success();
}

LogicalResult ProgramGraphBuilder::addOp(Operation *op, func::FuncOp func) {
  if (getTensorOperands(op).empty() && getTensorResults(op).empty())
    return success();
  ProgramGraph::Entry entry;
  entry.op = op;
  LogicalResult outcome = success();
  auto addWants = [&](ArrayRef<unsigned> wanted) {
    for (auto [operand, number] : llvm::zip(op->getOperands(), wanted))
      if (isa<RankedTensorType>(operand.getType()))
        addWant(entry, operand, number);
  };
  if (auto call = dyn_cast<func::CallOp>(op))
    addWants(program.arguments[functionsByName.lookup(call.getCallee())]);
  else if (isa<func::ReturnOp>(op))
    addWants(program.results[func]);
  else if (auto shard = dyn_cast<ShardOp>(op))
    addWants(getNumber(shard.getResult()));
  else if (auto redistribute = dyn_cast<RedistributeOp>(op))
    outcome = addFixedWants(entry, redistribute.getFrom());
  else if (auto manual = dyn_cast<ManualOp>(op))
    outcome = addFixedWants(entry, manual.getInLayouts().getValue());
  else if (SmallVector<Value> targets = getCarriedTargets(op);
           !targets.empty() || hasLaidOutRegions(op))
    addWants(llvm::map_to_vector(
        targets, [&](Value target) { return getNumber(target); }));
  else
    outcome = addRuled(entry);
  program.entries.push_back(std::move(entry));
  return outcome;
}

/// Refuses tensors among whose dims there is nothing to cut as they are
/// unknown.
LogicalResult ProgramGraphBuilder::checkRanked(func::FuncOp func) {
  auto check = [](Operation *op, const Twine &what,
                  TypeRange types) -> LogicalResult {
    for (auto [i, type] : llvm::enumerate(types))
      if (isa<UnrankedTensorType>(type))
        return op->emitOpError() << what << " #" << i << " is a " << type
                                 << ", and an unranked tensor can't be laid "
                                    "out";
    return success();
  };
  if (failed(check(func, "argument", func.getArgumentTypes())) ||
      failed(check(func, "result", func.getResultTypes())))
    return failure();
  return success(walkLaidOutOps(func.getBody(), [&](Operation *op) {
    return succeeded(check(op, "result", op->getResultTypes()));
  }));
}

LogicalResult ProgramGraphBuilder::checkBlocks(func::FuncOp func) {
  for (Block &block : func.getBody()) {
    if (block.isEntryBlock())
      continue;
    for (BlockArgument argument : block.getArguments())
      if (isa<TensorType>(argument.getType()))
        return func.emitOpError()
               << "has a block that takes a tensor, and control flow between "
                  "blocks can't be laid out";
  }
  return success();
}

FailureOr<ProgramGraph> ProgramGraphBuilder::build() {
  if (failed(orderFunctions()))
    return failure();
  findWholeFunctions();
  for (func::FuncOp func : functions)
    if (failed(checkRanked(func)) || failed(addBoundary(func)))
      return failure();
  // Blocks may be in any order, so all results come before all uses.
  for (func::FuncOp func : functions) {
    if (failed(checkBlocks(func)))
      return failure();
    if (!walkLaidOutOps(func.getBody(), [&](Operation *op) {
          return succeeded(defineResults(op));
        }))
      return failure();
  }
  for (func::FuncOp func : functions)
    if (!walkLaidOutOps(func.getBody(), [&](Operation *op) {
          return succeeded(addOp(op, func));
        }))
      return failure();
  return std::move(program);
}

FailureOr<ProgramGraph> ProgramGraph::build(ModuleOp module,
                                            const ProgramMesh &mesh) {
  return ProgramGraphBuilder(module, mesh).build();
}
