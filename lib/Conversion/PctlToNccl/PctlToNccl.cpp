// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// The conversion from pctl on buffers to nccl: which function needs which
/// communicators, how they come to be, and the positions of a rank. Collectives
/// are lowered one by one in Collectives.cpp and Exchange.cpp.

#include "Lowering.h"

#include "pctl/Conversion/EntryPoint.h"
#include "pctl/Conversion/Passes.h"
#include "pctl/Dialect/Nccl/IR/Nccl.h"
#include "pctl/Dialect/Pctl/Transforms/Form.h"

#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace pctl;
using layout::AxisRef;

namespace pctl {
#define GEN_PASS_DEF_CONVERTTONCCLPASS
#include "pctl/Conversion/Passes.h.inc"
} // namespace pctl

//===----------------------------------------------------------------------===//
// Groups
//===----------------------------------------------------------------------===//

FailureOr<Group> pctl::getGroup(CollectiveOpInterface op) {
  Group group{op.getMeshAttr(), op.getMeshValue(), op.getMeshAxes(), {}};
  if (auto exchange = dyn_cast<ExchangeOp>(op.getOperation())) {
    FailureOr<redistribute::Step> step =
        getStep(exchange, [&] { return op->emitOpError(); });
    if (failed(step))
      return failure();
    group.axes.assign(step->axes.begin(), step->axes.end());
  }
  group.axes = layout::normalizeAxes(group.axes);
  group.axesAttr = toAttr(op.getContext(), group.mesh, group.axes);
  return group;
}

static GroupKey getKey(const Group &group) {
  return {group.symbol, group.axesAttr};
}

//===----------------------------------------------------------------------===//
// The conversion of a module
//===----------------------------------------------------------------------===//

namespace {
/// What a function needs from its caller.
struct FunctionNeeds {
  /// Whether it has to know its rank, or communicates.
  bool needsWorld = false;
  llvm::SetVector<GroupKey> groups;
  /// Meshes whose ranks it speaks of, with an op that does.
  llvm::MapVector<Attribute, Operation *> meshes;

  /// Takes over the needs of a callee; returns whether that added any.
  bool join(const FunctionNeeds &callee);
};

/// The values that a converted function has for them.
struct FunctionValues {
  Value world;
  DenseMap<GroupKey, Value> comms;
  Value stream;
  Value rank;
};

class ModuleConversion {
public:
  ModuleConversion(ModuleOp module, int64_t chunkBytes)
      : module(module), chunkBytes(chunkBytes), symbols(module), tables(module),
        builder(module.getContext()) {}

  LogicalResult run();

private:
  LogicalResult collect(func::FuncOp function);
  LogicalResult collectCollective(CollectiveOpInterface op,
                                  FunctionNeeds &needs);
  void propagateToCallers();
  LogicalResult checkNames(func::FuncOp function);
  LogicalResult checkUses();
  LogicalResult checkMeshes(func::FuncOp function);

  static bool isEntry(func::FuncOp function) {
    return function.isPublic() && !function.isExternal();
  }
  bool takesContext(func::FuncOp function) {
    return isEntry(function) || needs[function].needsWorld;
  }
  SmallVector<GroupKey> getOrderedGroups(func::FuncOp function);
  void addArguments(func::FuncOp function);
  void forwardArguments(func::CallOp call);
  LogicalResult lowerOps(func::FuncOp function);
  Value getRank(func::FuncOp function);
  LogicalResult lowerOp(func::FuncOp function, Operation *op);
  void lowerPosition(AxisIndexOp op, Value rank);
  void lowerPosition(BlockRangeOp op, Value rank);
  void addCommsFunction(func::FuncOp function);
  void eraseSymbols();

  ModuleOp module;
  int64_t chunkBytes;
  SymbolTable symbols;
  ConstantTables tables;
  OpBuilder builder;
  llvm::MapVector<func::FuncOp, FunctionNeeds> needs;
  llvm::MapVector<GroupKey, Group> groups;
  DenseMap<func::FuncOp, FunctionValues> values;
};
} // namespace

//===----------------------------------------------------------------------===//
// What functions need
//===----------------------------------------------------------------------===//

bool FunctionNeeds::join(const FunctionNeeds &callee) {
  size_t before = groups.size() + meshes.size() + needsWorld;
  needsWorld |= callee.needsWorld;
  groups.insert_range(callee.groups);
  for (auto &mesh : callee.meshes)
    meshes.insert(mesh);
  return groups.size() + meshes.size() + needsWorld != before;
}

LogicalResult ModuleConversion::collectCollective(CollectiveOpInterface op,
                                                  FunctionNeeds &needs) {
  if (!op.hasBuffers())
    return op->emitOpError("is on tensors; bufferize it first");
  FailureOr<Group> group = getGroup(op);
  if (failed(group))
    return failure();
  needs.needsWorld = true;
  needs.meshes.insert({op.getMeshAttr(), op});
  GroupKey key = getKey(*group);
  bool communicates = group->getSize() > 1 && !isa<AllSliceOp>(op);
  groups.insert({key, std::move(*group)});
  if (communicates)
    needs.groups.insert(key);
  return success();
}

/// Returns whether \p op takes or gives tensors.
static bool hasTensors(Operation *op) {
  auto isTensor = llvm::IsaPred<TensorType>;
  if (auto function = dyn_cast<func::FuncOp>(op))
    return llvm::any_of(function.getArgumentTypes(), isTensor) ||
           llvm::any_of(function.getResultTypes(), isTensor);
  return llvm::any_of(op->getOperandTypes(), isTensor) ||
         llvm::any_of(op->getResultTypes(), isTensor);
}

LogicalResult ModuleConversion::collect(func::FuncOp function) {
  FunctionNeeds &own = needs[function];
  WalkResult result = function.walk([&](Operation *op) {
    if (auto collective = dyn_cast<CollectiveOpInterface>(op))
      return WalkResult(collectCollective(collective, own));
    FlatSymbolRefAttr mesh;
    if (auto index = dyn_cast<AxisIndexOp>(op))
      mesh = index.getMeshAttr();
    else if (auto range = dyn_cast<BlockRangeOp>(op))
      mesh = range.getMeshAttr();
    else if (isa_and_nonnull<PctlDialect>(op->getDialect()))
      return WalkResult(op->emitOpError("has no meaning on one rank; plan the "
                                        "program first"));
    else if (hasTensors(op))
      return WalkResult(op->emitOpError("is on tensors; bufferize it first"));
    if (mesh) {
      own.needsWorld = true;
      own.meshes.insert({mesh, op});
    }
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

void ModuleConversion::propagateToCallers() {
  SmallVector<std::pair<func::FuncOp, func::FuncOp>> calls;
  for (auto &[function, ignored] : needs)
    function->walk([&, caller = function](func::CallOp call) {
      if (auto callee = symbols.lookup<func::FuncOp>(call.getCallee()))
        calls.push_back({caller, callee});
    });
  bool changed = true;
  while (changed) {
    changed = false;
    for (auto [caller, callee] : calls)
      changed |= needs[caller].join(needs[callee]);
  }
}

LogicalResult ModuleConversion::checkNames(func::FuncOp function) {
  if (!isEntry(function))
    return success();
  std::string name = getCommsFunctionName(function.getSymName());
  Operation *other = symbols.lookup(name);
  if (!other)
    return success();
  InFlightDiagnostic diagnostic =
      function.emitOpError("needs the name '")
      << name << "' for the function that makes its communicators";
  diagnostic.attachNote(other->getLoc()) << "already defined here";
  return diagnostic;
}

/// Fails where a function that gets communicators is used other than by a call
/// in a function that has them to hand down.
LogicalResult ModuleConversion::checkUses() {
  std::optional<SymbolTable::UseRange> uses =
      SymbolTable::getSymbolUses(&module.getBodyRegion());
  if (!uses) {
    // An op of an unregistered dialect with a region might use any.
    for (auto &[function, own] : needs)
      if (own.needsWorld)
        return func::FuncOp(function).emitOpError(
            "communicates, but may be used by an op that may hold any symbol");
    return success();
  }
  for (SymbolTable::SymbolUse use : *uses) {
    auto function =
        symbols.lookup<func::FuncOp>(use.getSymbolRef().getRootReference());
    if (!function || !takesContext(function))
      continue;
    if (isa<func::CallOp>(use.getUser()) &&
        use.getUser()->getParentOfType<func::FuncOp>())
      continue;
    InFlightDiagnostic diagnostic =
        function.emitOpError("takes communicators, but is used other than by "
                             "'func.call' in a function, so that it cannot be "
                             "handed any");
    diagnostic.attachNote(use.getUser()->getLoc()) << "used here";
    return diagnostic;
  }
  return success();
}

LogicalResult ModuleConversion::checkMeshes(func::FuncOp function) {
  Operation *first = nullptr;
  int64_t numRanks = 0;
  for (auto [symbol, op] : needs[function].meshes) {
    FailureOr<layout::Mesh> mesh =
        lookupMesh(cast<FlatSymbolRefAttr>(symbol), op,
                   [&, user = op] { return user->emitOpError(); });
    if (failed(mesh))
      return failure();
    if (first && mesh->getNumRanks() != numRanks) {
      InFlightDiagnostic diagnostic =
          op->emitOpError("is on a mesh of ")
          << mesh->getNumRanks() << " ranks, but '" << function.getSymName()
          << "' also uses one of " << numRanks
          << "; all ranks of a program take part in each of its meshes";
      diagnostic.attachNote(first->getLoc()) << "other mesh used here";
      return diagnostic;
    }
    first = op;
    numRanks = mesh->getNumRanks();
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Signatures
//===----------------------------------------------------------------------===//

/// One order for all functions and ranks: by mesh, then by axes.
SmallVector<GroupKey>
ModuleConversion::getOrderedGroups(func::FuncOp function) {
  SmallVector<GroupKey> ordered(needs[function].groups.getArrayRef());
  llvm::sort(ordered, [&](GroupKey a, GroupKey b) {
    if (a.first != b.first)
      return cast<FlatSymbolRefAttr>(a.first).getValue() <
             cast<FlatSymbolRefAttr>(b.first).getValue();
    const Group &x = groups.find(a)->second, &y = groups.find(b)->second;
    return std::lexicographical_compare(x.axes.begin(), x.axes.end(),
                                        y.axes.begin(), y.axes.end());
  });
  return ordered;
}

void ModuleConversion::addArguments(func::FuncOp function) {
  MLIRContext *context = module.getContext();
  SmallVector<GroupKey> ordered = getOrderedGroups(function);
  FunctionType signature = function.getFunctionType();
  Type comm = nccl::CommType::get(context);
  SmallVector<Type> types(ordered.size() + 1, comm);
  types.push_back(nccl::StreamType::get(context));
  SmallVector<DictionaryAttr> attrs(types.size(), DictionaryAttr::get(context));
  SmallVector<Attribute> axes;
  for (auto [i, key] : llvm::enumerate(ordered)) {
    axes.push_back(key.second);
    attrs[i + 1] = builder.getDictionaryAttr(
        builder.getNamedAttr(kCommArgAttrName, key.second));
  }
  SmallVector<unsigned> places(types.size(), 0);
  SmallVector<Location> locs(types.size(), function.getLoc());
  (void)function.insertArguments(places, types, attrs, locs);

  FunctionValues &own = values[function];
  own.world = function.getArgument(0);
  for (auto [i, key] : llvm::enumerate(ordered))
    own.comms[key] = function.getArgument(i + 1);
  own.stream = function.getArgument(ordered.size() + 1);
  if (!isEntry(function))
    return;
  function->setAttr(kSignatureAttrName, TypeAttr::get(signature));
  function->setAttr(kCommsAttrName, builder.getArrayAttr(axes));
  function->setAttr(LLVM::LLVMDialect::getEmitCWrapperAttrName(),
                    builder.getUnitAttr());
}

void ModuleConversion::forwardArguments(func::CallOp call) {
  auto callee = symbols.lookup<func::FuncOp>(call.getCallee());
  if (!callee || !takesContext(callee))
    return;
  FunctionValues &caller = values[call->getParentOfType<func::FuncOp>()];
  SmallVector<Value> operands = {caller.world};
  for (GroupKey key : getOrderedGroups(callee))
    operands.push_back(caller.comms[key]);
  operands.push_back(caller.stream);
  llvm::append_range(operands, call.getOperands());
  call->setOperands(operands);
}

void ModuleConversion::addCommsFunction(func::FuncOp function) {
  SmallVector<GroupKey> ordered = getOrderedGroups(function);
  if (ordered.empty())
    return;
  MLIRContext *context = module.getContext();
  Location loc = function.getLoc();
  Type comm = nccl::CommType::get(context);
  builder.setInsertionPointAfter(function);
  auto maker = func::FuncOp::create(
      builder, loc, getCommsFunctionName(function.getSymName()),
      builder.getFunctionType(comm, SmallVector<Type>(ordered.size(), comm)));
  maker->setAttr(LLVM::LLVMDialect::getEmitCWrapperAttrName(),
                 builder.getUnitAttr());
  builder.setInsertionPointToStart(maker.addEntryBlock());
  Value world = maker.getArgument(0);
  IndexMath math(builder, loc);
  Value number =
      nccl::CommUserRankOp::create(builder, loc, builder.getI32Type(), world);
  Value rank =
      arith::IndexCastOp::create(builder, loc, builder.getIndexType(), number);
  SmallVector<Value> made;
  for (auto [i, key] : llvm::enumerate(ordered)) {
    const Group &group = groups.find(key)->second;
    // What layout::ReplicaGroups computes.
    Value color = math.toI32(emitCoordinate(
        math, group.mesh, group.mesh.getComplement(group.axes), rank));
    Value place =
        math.toI32(emitCoordinate(math, group.mesh, group.axes, rank));
    made.push_back(
        nccl::CommSplitOp::create(builder, loc, comm, world, color, place));
    maker.setResultAttr(i, kCommArgAttrName, key.second);
  }
  func::ReturnOp::create(builder, loc, made);
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

Value ModuleConversion::getRank(func::FuncOp function) {
  FunctionValues &own = values[function];
  if (own.rank)
    return own.rank;
  Location loc = function.getLoc();
  OpBuilder atStart = OpBuilder::atBlockBegin(&function.front());
  Value number = nccl::CommUserRankOp::create(atStart, loc,
                                              atStart.getI32Type(), own.world);
  own.rank =
      arith::IndexCastOp::create(atStart, loc, atStart.getIndexType(), number);
  return own.rank;
}

void ModuleConversion::lowerPosition(AxisIndexOp op, Value rank) {
  IndexMath math(builder, op.getLoc());
  auto emitError = [&] { return op.emitOpError(); };
  // The verifier has checked both.
  FailureOr<layout::Mesh> mesh = lookupMesh(op.getMeshAttr(), op, emitError);
  FailureOr<SmallVector<AxisRef>> axes = toAxes(op.getAxes(), *mesh, emitError);
  op.getResult().replaceAllUsesWith(
      math.toValue(emitCoordinate(math, *mesh, *axes, rank)));
}

void ModuleConversion::lowerPosition(BlockRangeOp op, Value rank) {
  IndexMath math(builder, op.getLoc());
  auto emitError = [&] { return op.emitOpError(); };
  // The verifier has checked both.
  FailureOr<layout::Mesh> mesh = lookupMesh(op.getMeshAttr(), op, emitError);
  FailureOr<SmallVector<AxisRef>> axes = toAxes(op.getAxes(), *mesh, emitError);
  layout::DimLayout dim;
  dim.axes = *axes;
  if (std::optional<ArrayRef<int64_t>> sizes = op.getBlockSizes())
    llvm::append_range(dim.blockSizes, *sizes);
  EmittedRange range =
      emitBlock(builder, op.getLoc(), tables, dim, op.getGlobalSize(),
                emitCoordinate(math, *mesh, *axes, rank));
  op.getOffset().replaceAllUsesWith(math.toValue(range.offset));
  op.getSize().replaceAllUsesWith(math.toValue(range.size));
}

LogicalResult ModuleConversion::lowerOp(func::FuncOp function, Operation *op) {
  Value rank = getRank(function);
  builder.setInsertionPoint(op);
  if (auto collective = dyn_cast<CollectiveOpInterface>(op)) {
    FailureOr<Group> group = getGroup(collective);
    if (failed(group))
      return failure();
    FunctionValues &own = values[function];
    Value comm = own.comms.lookup(getKey(*group));
    OpContext context{builder, tables,     std::move(*group), rank,
                      comm,    own.stream, chunkBytes};
    if (failed(lowerCollective(collective, context)))
      return failure();
  } else if (auto index = dyn_cast<AxisIndexOp>(op)) {
    lowerPosition(index, rank);
  } else {
    lowerPosition(cast<BlockRangeOp>(op), rank);
  }
  op->erase();
  return success();
}

LogicalResult ModuleConversion::lowerOps(func::FuncOp function) {
  SmallVector<Operation *> ops;
  function.walk([&](Operation *op) {
    if (isa_and_nonnull<PctlDialect>(op->getDialect()))
      ops.push_back(op);
  });
  for (Operation *op : ops)
    if (failed(lowerOp(function, op)))
      return failure();
  return success();
}

/// Meshes and layouts have done their duty, and so has what refers to them.
void ModuleConversion::eraseSymbols() {
  for (auto &[function, ignored] : needs)
    for (StringRef name :
         {kLayoutAttrName, kGlobalTypeAttrName, kDataAttrName}) {
      auto attr = builder.getStringAttr(name);
      for (unsigned i = 0, e = function.getNumArguments(); i != e; ++i)
        const_cast<func::FuncOp &>(function).removeArgAttr(i, attr);
      for (unsigned i = 0, e = function.getNumResults(); i != e; ++i)
        const_cast<func::FuncOp &>(function).removeResultAttr(i, attr);
    }
  for (Operation &op : llvm::make_early_inc_range(*module.getBody()))
    if (isa<MeshOp, LayoutOp>(op))
      op.erase();
}

LogicalResult ModuleConversion::run() {
  for (auto function : module.getOps<func::FuncOp>())
    if (failed(collect(function)))
      return failure();
  propagateToCallers();
  for (auto &[function, ignored] : needs)
    if (failed(checkNames(function)) || failed(checkMeshes(function)))
      return failure();
  if (failed(checkUses()))
    return failure();

  for (auto &[function, ignored] : needs)
    if (takesContext(function))
      addArguments(function);
  for (auto &[function, ignored] : needs)
    function->walk([&](func::CallOp call) { forwardArguments(call); });
  for (auto &[function, ignored] : needs)
    if (failed(lowerOps(function)))
      return failure();
  for (auto &[function, ignored] : needs)
    if (isEntry(function))
      addCommsFunction(function);
  eraseSymbols();
  setForm(module, Form::Buffers);
  return success();
}

namespace {
struct ConvertToNccl : pctl::impl::ConvertToNcclPassBase<ConvertToNccl> {
  using ConvertToNcclPassBase::ConvertToNcclPassBase;

  void runOnOperation() override {
    if (chunkBytes < 1) {
      getOperation().emitError()
          << getArgument() << ": chunk-bytes is " << chunkBytes.getValue()
          << ", expected at least 1";
      return signalPassFailure();
    }
    // Bufferization leaves the form as it was.
    if (failed(requireForm(getOperation(), Form::Planned, getArgument(),
                           "pctl-plan-redistribution")) ||
        failed(ModuleConversion(getOperation(), chunkBytes).run()))
      signalPassFailure();
  }
};
} // namespace
