// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Checks that the ranks of each group issue the same collectives in the same
/// order. All ranks run one program, so that they do if control flow around a
/// collective, and the sizes of what it moves, are the same in its groups.
/// docs/spmd.md has the argument.

#include "pctl/Dialect/Pctl/Transforms/Form.h"
#include "pctl/Dialect/Pctl/Transforms/Passes.h"
#include "pctl/Dialect/Pctl/Transforms/Uniformity.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace pctl {

#define GEN_PASS_DEF_VERIFYSPMDPASS
#include "pctl/Dialect/Pctl/Transforms/Passes.h.inc"

namespace {

/// Returns the mesh that \p op refers to; null if it does not.
FlatSymbolRefAttr getMeshOf(Operation *op) {
  if (auto collective = dyn_cast<CollectiveOpInterface>(op))
    return collective.getMeshAttr();
  if (auto index = dyn_cast<AxisIndexOp>(op))
    return index.getMeshAttr();
  if (auto range = dyn_cast<BlockRangeOp>(op))
    return range.getMeshAttr();
  if (auto redistribute = dyn_cast<RedistributeOp>(op))
    if (LayoutAttr layout = resolveLayout(redistribute.getTo(), op))
      return layout.getMesh();
  return {};
}

/// Returns whether ranks wait for each other in \p op.
bool communicates(Operation *op) {
  if (auto redistribute = dyn_cast<RedistributeOp>(op))
    return redistribute.isLocal() &&
           redistribute.getFrom() != redistribute.getTo();
  return isa<CollectiveOpInterface>(op) && !isa<AllSliceOp>(op);
}

/// Returns \p value as the program prints it, `%3`.
std::string getName(Value value) {
  std::string name;
  llvm::raw_string_ostream stream(name);
  value.printAsOperand(stream, OpPrintingFlags().useLocalScope());
  return name;
}

/// Checks one program.
class SpmdChecker {
public:
  explicit SpmdChecker(ModuleOp module) : module(module) {}

  LogicalResult check();

private:
  /// A dim of an operand that must have one size, but for some directions.
  struct SizeRule {
    Value value;
    int dim;
    /// In which the meaning of the op allows several sizes.
    Directions free;
  };

  LogicalResult check(Operation *op);
  LogicalResult checkExecution(Operation *op);
  LogicalResult checkSizes(Operation *op);
  LogicalResult checkMeshes();
  LogicalResult checkMeshes(FunctionOpInterface func);

  bool needsAnalysis(Operation *op) const;
  Directions getGroup(Operation *op);
  SmallVector<SizeRule> getSizeRules(Operation *op);
  InFlightDiagnostic report(Operation *op, const Twine &what);
  void addTraceNotes(InFlightDiagnostic &diagnostic, Quantity cause,
                     Directions directions);
  LogicalResult reportExecution(Operation *op, Directions group);
  LogicalResult reportSize(Operation *op, const SizeRule &rule,
                           Directions directions);
  /// Returns the analysis that knows where differences come from. Only errors
  /// need it.
  Uniformity &getTracing() {
    if (!tracing)
      tracing = std::make_unique<Uniformity>(module, /*recordsCauses=*/true);
    return *tracing;
  }

  ModuleOp module;
  std::unique_ptr<Uniformity> uniformity, tracing;
  /// The meshes that each function uses, and where.
  llvm::MapVector<Operation *, llvm::MapVector<Attribute, Operation *>> meshes;
  llvm::DenseMap<Operation *, llvm::SetVector<Operation *>> callees;
};

} // namespace

LogicalResult SpmdChecker::check() {
  SmallVector<Operation *> ops;
  SymbolTableCollection symbols;
  module.walk([&](Operation *op) {
    if (communicates(op))
      ops.push_back(op);
    Operation *func = op->getParentOfType<FunctionOpInterface>();
    if (FlatSymbolRefAttr mesh = getMeshOf(op); mesh && func)
      meshes[func].insert({mesh, op});
    if (auto call = dyn_cast<func::CallOp>(op))
      if (Operation *callee =
              symbols.lookupNearestSymbolFrom(op, call.getCalleeAttr()))
        callees[func].insert(callee);
  });
  if (failed(checkMeshes()))
    return failure();
  bool failedAny = false;
  for (Operation *op : ops)
    failedAny |= failed(check(op));
  return failure(failedAny);
}

LogicalResult SpmdChecker::check(Operation *op) {
  if (Operation *parent = getUnorderedParent(op))
    return op->emitOpError()
           << "communicates inside '" << parent->getName()
           << "', which does not say how often and in which order it runs what "
              "is inside";
  if (!needsAnalysis(op))
    return success();
  if (!uniformity)
    uniformity = std::make_unique<Uniformity>(module);
  if (failed(checkExecution(op)))
    return failure();
  return checkSizes(op);
}

/// Returns whether it takes more than a look at \p op to say that it is right.
bool SpmdChecker::needsAnalysis(Operation *op) const {
  Region *region = op->getParentRegion();
  auto func = dyn_cast<FunctionOpInterface>(region->getParentOp());
  auto isDynamic = [](Value value) {
    auto type = dyn_cast<ShapedType>(value.getType());
    return type && !type.hasStaticShape();
  };
  // A public function may be called too.
  return !func || !region->hasOneBlock() || !func.isPublic() ||
         !callees.empty() || llvm::any_of(op->getOperands(), isDynamic);
}

/// Returns the directions in which \p op waits for other ranks. Which ranks a
/// redistribute needs is not known before it is planned.
Directions SpmdChecker::getGroup(Operation *op) {
  ProgramAxes &axes = uniformity->getAxes();
  if (auto collective = dyn_cast<CollectiveOpInterface>(op))
    return axes.getTouched(collective.getMeshAttr(), collective.getAxes());
  return axes.getAll(getMeshOf(op));
}

/// Starts an error at \p op, which communicates along axes, with \p what is
/// wrong with that.
InFlightDiagnostic SpmdChecker::report(Operation *op, const Twine &what) {
  return op->emitOpError() << "communicates along "
                           << uniformity->getAxes().toString(getGroup(op),
                                                             getMeshOf(op))
                           << ", but " << what;
}

//===----------------------------------------------------------------------===//
// Who comes to a collective
//===----------------------------------------------------------------------===//

LogicalResult SpmdChecker::checkExecution(Operation *op) {
  Operation *func = op->getParentOfType<FunctionOpInterface>();
  if (Operation *use = func ? uniformity->getAddressUse(func) : nullptr) {
    InFlightDiagnostic diagnostic =
        op->emitOpError("communicates in a function of which the address is "
                        "taken, so that nothing says who calls it");
    diagnostic.attachNote(use->getLoc()) << "address taken here";
    return diagnostic;
  }
  Directions execution = uniformity->getExecution(op);
  Directions group = getGroup(op);
  if ((uniformity->getAxes().onMesh(execution, getMeshOf(op)) & group) == 0)
    return success();
  return reportExecution(op, group);
}

/// Reports that not all of the group of \p op come to it: finds the decision,
/// around the op or around a call of its function.
LogicalResult SpmdChecker::reportExecution(Operation *op, Directions group) {
  Uniformity &tracing = getTracing();
  FlatSymbolRefAttr mesh = getMeshOf(op);
  auto getConflict = [&](Directions directions) {
    return uniformity->getAxes().onMesh(directions, mesh) & group;
  };
  SmallVector<Operation *> calls;
  Operation *at = op;
  while (true) {
    for (const Decision &decision : tracing.getDecisions(at)) {
      Directions conflict = getConflict(decision.directions);
      if (!conflict)
        continue;
      std::string along = uniformity->getAxes().toString(conflict, mesh);
      InFlightDiagnostic diagnostic =
          report(op, "not all ranks along " + along +
                         " need come to it: what decides in '" +
                         decision.op->getName().getStringRef() + "' around " +
                         (calls.empty() ? "it" : "a call") + " differs along " +
                         along);
      for (Operation *call : calls)
        diagnostic.attachNote(call->getLoc()) << "called here";
      diagnostic.attachNote(decision.op->getLoc())
          << getName(decision.cause.value) << " decides here";
      addTraceNotes(diagnostic, decision.cause, decision.directions);
      return diagnostic;
    }
    // Go on at a call that is decided, or is in a function that is.
    auto calling = llvm::find_if(
        tracing.getCalls(at->getParentOfType<FunctionOpInterface>()),
        [&](Operation *call) {
          return getConflict(tracing.getExecution(call)) &&
                 !llvm::is_contained(calls, call);
        });
    if (calling ==
        tracing.getCalls(at->getParentOfType<FunctionOpInterface>()).end())
      return report(op, "not all ranks need come to it");
    at = *calling;
    calls.push_back(at);
  }
}

void SpmdChecker::addTraceNotes(InFlightDiagnostic &diagnostic, Quantity cause,
                                Directions directions) {
  Quantity source = getTracing().trace(cause, directions);
  auto arg = dyn_cast<BlockArgument>(source.value);
  auto func = arg ? dyn_cast<FunctionOpInterface>(arg.getOwner()->getParentOp())
                  : FunctionOpInterface();
  if (func)
    diagnostic.attachNote(func.getLoc())
        << "argument #" << arg.getArgNumber() << " of '" << func.getName()
        << "' differs between ranks";
  else
    diagnostic.attachNote(source.value.getLoc()) << "it differs since here";
}

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

/// Returns what must hold of the dims of \p op whose sizes are not static.
SmallVector<SpmdChecker::SizeRule> SpmdChecker::getSizeRules(Operation *op) {
  SmallVector<SizeRule> rules;
  auto add = [&](Value value, function_ref<Directions(int)> getFree) {
    auto type = cast<ShapedType>(value.getType());
    for (auto [dim, size] : llvm::enumerate(type.getShape()))
      if (ShapedType::isDynamic(size))
        rules.push_back({value, int(dim), getFree(dim)});
  };
  auto addLayout = [&](Value value, Attribute attr) {
    auto layout = uniformity->getAxes().getLayout(attr, op);
    add(value, [&](int dim) {
      return dim < int(layout.dims.size()) ? layout.dims[dim] : kAnyDirection;
    });
  };
  auto addAllBut = [&](Value value, std::optional<uint64_t> free) {
    add(value, [&](int dim) {
      return free && int(*free) == dim ? kAnyDirection : Directions(0);
    });
  };
  if (auto redistribute = dyn_cast<RedistributeOp>(op)) {
    addLayout(redistribute.getInput(), redistribute.getFrom());
    return rules;
  }
  auto collective = cast<CollectiveOpInterface>(op);
  Value input = collective.getInput(), output = collective.getOutput();
  if (auto exchange = dyn_cast<ExchangeOp>(op)) {
    addLayout(input, exchange.getFrom());
    addLayout(output, exchange.getTo());
  } else if (auto gather = dyn_cast<AllGatherOp>(op)) {
    addAllBut(input, gather.getDim());
    addAllBut(output, {});
  } else if (auto scatter = dyn_cast<ReduceScatterOp>(op)) {
    addAllBut(input, {});
    addAllBut(output, scatter.getDim());
  } else if (auto halo = dyn_cast<HaloExchangeOp>(op)) {
    addAllBut(input, halo.getDim());
    addAllBut(output, halo.getDim());
  } else {
    // What the ranks of a broadcast put in does not count, but for the root's.
    if (!isa<BroadcastOp>(op))
      addAllBut(input, {});
    addAllBut(output, {});
  }
  return rules;
}

LogicalResult SpmdChecker::checkSizes(Operation *op) {
  Directions group = getGroup(op);
  for (const SizeRule &rule : getSizeRules(op)) {
    Directions found = uniformity->get({rule.value, rule.dim}) & ~rule.free;
    if (uniformity->getAxes().onMesh(found, getMeshOf(op)) & group)
      return reportSize(op, rule, found);
  }
  return success();
}

LogicalResult SpmdChecker::reportSize(Operation *op, const SizeRule &rule,
                                      Directions directions) {
  FlatSymbolRefAttr mesh = getMeshOf(op);
  ProgramAxes &axes = uniformity->getAxes();
  Directions conflict = axes.onMesh(directions, mesh) & getGroup(op);
  InFlightDiagnostic diagnostic = report(
      op, "the size of dim " + Twine(rule.dim) + " of " + getName(rule.value) +
              " differs along " + axes.toString(conflict, mesh));
  addTraceNotes(diagnostic, {rule.value, rule.dim}, directions);
  return diagnostic;
}

//===----------------------------------------------------------------------===//
// Meshes
//===----------------------------------------------------------------------===//

LogicalResult SpmdChecker::checkMeshes() {
  bool failedAny = false;
  module.walk([&](FunctionOpInterface func) {
    failedAny |= failed(checkMeshes(func));
  });
  return failure(failedAny);
}

/// Checks that the meshes of \p func and of what it calls hold the same ranks.
LogicalResult SpmdChecker::checkMeshes(FunctionOpInterface func) {
  llvm::SetVector<Operation *> reached;
  reached.insert(func);
  Operation *firstUse = nullptr;
  std::optional<layout::Mesh> first;
  for (unsigned i = 0; i < reached.size(); ++i) {
    Operation *function = reached[i];
    auto known = callees.find(function);
    if (known != callees.end())
      reached.insert(known->second.begin(), known->second.end());
    auto used = meshes.find(function);
    if (used == meshes.end())
      continue;
    for (auto [symbol, use] : used->second) {
      FailureOr<layout::Mesh> mesh =
          lookupMesh(cast<FlatSymbolRefAttr>(symbol), use, nullptr);
      if (failed(mesh))
        continue;
      if (!firstUse) {
        firstUse = use;
        first = std::move(*mesh);
        continue;
      }
      bool sameRanks = mesh->getNumRanks() == first->getNumRanks();
      if (sameRanks && mesh->getDeviceIds() == first->getDeviceIds())
        continue;
      InFlightDiagnostic diagnostic = use->emitOpError();
      if (sameRanks)
        diagnostic << "is on a mesh of other devices than one that '"
                   << func.getName() << "' also uses";
      else
        diagnostic << "is on a mesh of " << mesh->getNumRanks()
                   << " ranks, but '" << func.getName() << "' also uses one of "
                   << first->getNumRanks();
      diagnostic << "; all ranks of a program take part in each of its meshes";
      diagnostic.attachNote(firstUse->getLoc()) << "other mesh used here";
      return diagnostic;
    }
  }
  return success();
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {
struct VerifySpmdPass : impl::VerifySpmdPassBase<VerifySpmdPass> {
  using Base::Base;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    // Of a module in the local form nothing else is to be asked.
    if (getForm(module) != Form::Local &&
        failed(requireForm(module, Form::Planned, getArgument(),
                           "pctl-plan-redistribution")))
      return signalPassFailure();
    if (failed(SpmdChecker(module).check()))
      return signalPassFailure();
    markAllAnalysesPreserved();
  }
};
} // namespace

} // namespace pctl
