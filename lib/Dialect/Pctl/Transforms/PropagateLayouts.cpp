// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Builds the propagation graph of a program, has it solved, and writes the
/// answer on the program.

#include "CopySources.h"
#include "ProgramGraph.h"
#include "SpecializeCalls.h"

#include "pctl/Dialect/Pctl/IR/MoveReasons.h"
#include "pctl/Dialect/Pctl/Interfaces/LaidOutRegions.h"
#include "pctl/Dialect/Pctl/Transforms/Form.h"
#include "pctl/Dialect/Pctl/Transforms/Passes.h"
#include "pctl/Layout/LayoutText.h"

#include "llvm/Support/FormatVariadic.h"

namespace pctl {
#define GEN_PASS_DEF_PROPAGATELAYOUTSPASS
#include "pctl/Dialect/Pctl/Transforms/Passes.h.inc"
} // namespace pctl

using namespace mlir;
using namespace pctl;
using layout::Layout;
using propagation::Factor;
using propagation::Node;

//===----------------------------------------------------------------------===//
// Remarks
//===----------------------------------------------------------------------===//

/// Returns why \p node does not take \p axis for the factors \p numbers.
static std::string explainRefusal(const layout::Mesh &mesh, const Node &node,
                                  ArrayRef<unsigned> dimNumbers,
                                  layout::AxisRef axis) {
  SmallVector<unsigned> numbers(dimNumbers);
  for (unsigned &number : numbers)
    if (node.rule.factors[number].use == Factor::Use::Sliding)
      number = node.rule.factors[number].leader;
  if (llvm::all_of(numbers, [&](unsigned number) {
        return node.rule.factors[number].use == Factor::Use::Replicate;
      }))
    return "the op needs the dim whole";
  for (auto [i, cut] : llvm::enumerate(node.cuts))
    if (!llvm::is_contained(numbers, i))
      for (layout::AxisRef other : cut.axes)
        if (other.overlaps(axis))
          return "the op is cut by " + layout::toString(mesh, other) +
                 " along another dim";
  for (unsigned number : numbers)
    if (!node.cuts[number].axes.empty())
      return "the op is cut by " +
             layout::toString(mesh, node.cuts[number].axes) + " along the dim";
  return "no dim of the op's other tensors could have these blocks";
}

/// Returns what of \p from the op lets go of where it wants \p to, and why.
static std::string explainChange(Operation *op, const layout::Mesh &mesh,
                                 const Node &node, unsigned operand,
                                 const Layout &from, const Layout &to) {
  if (node.transfer && !getCarriedTargets(op).empty())
    return "what it becomes is laid out so";
  if (node.transfer)
    return "that is the layout stated here";
  if (propagation::isDoneWhole(node.rule))
    return "the op is done whole";
  for (auto [d, fromDim, toDim] : llvm::enumerate(from.dims, to.dims)) {
    SmallVector<layout::AxisRef> lost = layout::dropPrefix(
        fromDim.axes, layout::getCommonPrefix(fromDim.axes, toDim.axes));
    if (!lost.empty())
      return llvm::formatv("dim {0} is not to be cut by {1}, as {2}", d,
                           layout::toString(mesh, lost.front()),
                           explainRefusal(mesh, node,
                                          node.rule.operands[operand][d],
                                          lost.front()));
  }
  return "other tensors of the op are cut so";
}

namespace {
/// A tensor operand that an op wants otherwise than it is.
struct MovingOperand {
  Operation *op;
  /// Among the op's tensor operands.
  unsigned index;
  const propagation::Value &tensor;
  Layout wanted;
  std::string why;
};
} // namespace

/// Calls \p handle with each operand that has to move, in program order.
static void
forEachMovingOperand(const ProgramGraph &program,
                     llvm::function_ref<void(const MovingOperand &)> handle) {
  const propagation::Graph &graph = program.graph;
  for (const ProgramGraph::Entry &entry : program.entries)
    for (auto [i, value, want] : llvm::enumerate(entry.operands, entry.wants)) {
      const Node &node = graph.nodes[want.first];
      const propagation::Value &tensor =
          graph.values[program.numbers.lookup(value)];
      Layout wanted = propagation::getWantedLayout(graph, node, want.second);
      if (tensor.layout == wanted)
        continue;
      std::string why =
          tensor.layout.withoutPartial() == wanted
              ? "it is a sum, or the like, that is still to be done"
              : explainChange(entry.op, graph.mesh, node, want.second,
                              tensor.layout, wanted);
      handle({entry.op, static_cast<unsigned>(i), tensor, std::move(wanted),
              std::move(why)});
    }
}

/// Says for each operand that has to move what moves and why.
static void emitRemarks(const ProgramGraph &program) {
  const layout::Mesh &mesh = program.graph.mesh;
  forEachMovingOperand(program, [&](const MovingOperand &moving) {
    moving.op->emitRemark()
        << "tensor operand #" << moving.index << " (" << moving.tensor.sizeBytes
        << " bytes whole) moves from "
        << layout::toString(mesh, moving.tensor.layout) << " to "
        << layout::toString(mesh, moving.wanted) << ": " << moving.why;
  });
}

/// Writes on each op why its operands have to move.
static void writeReasons(const ProgramGraph &program, MLIRContext *context) {
  llvm::MapVector<Operation *, SmallVector<Attribute>> reasons;
  forEachMovingOperand(program, [&](const MovingOperand &moving) {
    SmallVector<Attribute> &texts = reasons[moving.op];
    texts.resize(getTensorOperands(moving.op).size(), StringAttr::get(context));
    texts[moving.index] = StringAttr::get(context, moving.why);
  });
  for (auto &[op, texts] : reasons)
    op->setAttr(kOperandReasonsAttrName, ArrayAttr::get(context, texts));
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {

class LayoutWriter {
public:
  LayoutWriter(const ProgramGraph &program, const ProgramMesh &mesh,
               MLIRContext *context)
      : program(program), mesh(mesh), context(context) {}

  void write(ModuleOp module);

private:
  LayoutAttr getAttr(const Layout &layout) {
    return toAttr(context, mesh.symbol, mesh.mesh, layout);
  }
  LayoutAttr getAttr(unsigned number) {
    return getAttr(program.graph.values[number].layout);
  }
  void writeBoundary(func::FuncOp func);
  void writeOp(const ProgramGraph::Entry &entry);

  const ProgramGraph &program;
  const ProgramMesh &mesh;
  MLIRContext *context;
};

} // namespace

void LayoutWriter::writeBoundary(func::FuncOp func) {
  ArrayRef<unsigned> arguments = program.arguments.find(func)->second;
  for (auto [i, type] : llvm::enumerate(func.getArgumentTypes()))
    if (isa<RankedTensorType>(type))
      func.setArgAttr(i, kLayoutAttrName, getAttr(arguments[i]));
  ArrayRef<unsigned> results = program.results.find(func)->second;
  for (auto [i, type] : llvm::enumerate(func.getResultTypes()))
    if (isa<RankedTensorType>(type))
      func.setResultAttr(i, kLayoutAttrName, getAttr(results[i]));
}

void LayoutWriter::writeOp(const ProgramGraph::Entry &entry) {
  SmallVector<Attribute> operandLayouts, resultLayouts;
  for (auto [node, operand] : entry.wants)
    operandLayouts.push_back(getAttr(propagation::getWantedLayout(
        program.graph, program.graph.nodes[node], operand)));
  for (OpResult result : entry.op->getResults()) {
    auto number = program.numbers.find(result);
    if (number == program.numbers.end())
      resultLayouts.push_back(UnitAttr::get(context));
    else
      resultLayouts.push_back(getAttr(number->second));
  }
  if (!operandLayouts.empty())
    entry.op->setAttr(kOperandLayoutsAttrName,
                      ArrayAttr::get(context, operandLayouts));
  if (!getTensorResults(entry.op).empty() &&
      !isa<RedistributeOp, ManualOp>(entry.op))
    entry.op->setAttr(kLayoutsAttrName, ArrayAttr::get(context, resultLayouts));
}

void LayoutWriter::write(ModuleOp module) {
  for (auto func : module.getOps<func::FuncOp>())
    writeBoundary(func);
  for (const ProgramGraph::Entry &entry : program.entries)
    writeOp(entry);
}

namespace {

struct PropagateLayouts
    : pctl::impl::PropagateLayoutsPassBase<PropagateLayouts> {
  using PropagateLayoutsPassBase::PropagateLayoutsPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (failed(requireAnnotatedForm(module, getArgument())))
      return signalPassFailure();
    FailureOr<ProgramMesh> mesh = getProgramMesh(module);
    if (failed(mesh))
      return signalPassFailure();
    specializeCalls(module);
    SourceCopies copies(module);
    FailureOr<ProgramGraph> program = ProgramGraph::build(module, *mesh);
    if (failed(program))
      return signalPassFailure();

    if (llvm::Error error = propagation::propagate(program->graph)) {
      (void)reportError(std::move(error), [&] { return module.emitError(); });
      return signalPassFailure();
    }
    if (remarks)
      emitRemarks(*program);
    LayoutWriter(*program, *mesh, &getContext()).write(module);
    if (reasons)
      writeReasons(*program, &getContext());
    copies.merge();
  }
};

} // namespace
