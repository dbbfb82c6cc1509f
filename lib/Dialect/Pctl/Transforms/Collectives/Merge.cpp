// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Many small reductions as one: all-reduces of one group, kind and element
/// type, none of which waits for another, pack their elements into one tensor.
/// The gradients of a data-parallel model come to be one reduction.

#include "../ElementBytes.h"
#include "Rewrites.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace pctl;
using namespace pctl::collectives;

namespace {

/// What all-reduces have in common that can be one.
using Key = std::tuple<Attribute, Attribute, Attribute, Type>;

/// Merges the all-reduces of one key in one block.
class BlockMerger {
public:
  BlockMerger(Block &block, Key key, RewriteContext &context)
      : block(block), key(key), context(context) {}

  bool run();

private:
  bool flush();
  bool dependsOnMembers(Operation *op) const;
  Value pack();
  void unpack(Value packed);
  int64_t getBytes(AllReduceOp op) const;

  Block &block;
  Key key;
  RewriteContext &context;
  /// What is to be one, none of which depends on another.
  SmallVector<AllReduceOp> members;
  int64_t memberBytes = 0;
  /// What depends on members, in order.
  SmallVector<Operation *> dependents;
  llvm::DenseSet<Operation *> waiting;
};

} // namespace

static RankedTensorType getType(AllReduceOp op) {
  return cast<RankedTensorType>(op.getInput().getType());
}

/// Returns the key of \p op; nothing where its elements can't be packed.
static std::optional<Key> getKey(AllReduceOp op) {
  auto type = dyn_cast<RankedTensorType>(op.getInput().getType());
  if (!type || !type.hasStaticShape() || type.getEncoding())
    return std::nullopt;
  return Key{op.getMeshAttr(), op.getAxes(), op.getKindAttr(),
             type.getElementType()};
}

/// Returns whether \p op, or an op inside of it, reads what a member makes, or
/// what is made from that.
bool BlockMerger::dependsOnMembers(Operation *op) const {
  if (waiting.empty())
    return false;
  auto reads = [&](Operation *reader) {
    return llvm::any_of(reader->getOperands(), [&](Value operand) {
      Operation *producer = operand.getDefiningOp();
      return producer && waiting.contains(producer);
    });
  };
  if (op->getNumRegions() == 0)
    return reads(op);
  return op
      ->walk([&](Operation *inner) {
        return reads(inner) ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

int64_t BlockMerger::getBytes(AllReduceOp op) const {
  return getType(op).getNumElements() *
         getElementBytes(getType(op).getElementType()).value_or(1);
}

bool BlockMerger::run() {
  bool changed = false;
  SmallVector<Operation *> ops;
  for (Operation &op : block)
    ops.push_back(&op);
  for (Operation *op : ops) {
    auto reduce = dyn_cast<AllReduceOp>(op);
    bool isCandidate = reduce && getKey(reduce) == key;
    bool depends = dependsOnMembers(op);
    if (isCandidate) {
      bool isFull = context.mergeBytes > 0 &&
                    memberBytes + getBytes(reduce) > context.mergeBytes;
      if (depends || isFull)
        changed |= flush();
      members.push_back(reduce);
      memberBytes += getBytes(reduce);
      waiting.insert(reduce);
      continue;
    }
    if (!depends)
      continue;
    // What has effects stays in its place, and so does what it needs.
    if (!isMemoryEffectFree(op) || op->hasTrait<OpTrait::IsTerminator>()) {
      changed |= flush();
      continue;
    }
    dependents.push_back(op);
    waiting.insert(op);
  }
  return changed | flush();
}

/// Makes one of the members, where the last of them is, and moves there what
/// depends on the others.
bool BlockMerger::flush() {
  bool changed = members.size() > 1;
  if (changed) {
    AllReduceOp last = members.back();
    context.rewriter.setInsertionPoint(last);
    Value packed = pack();
    unpack(packed);
    // What was before the last member follows it, in its order.
    auto moved = llvm::to_vector(llvm::make_filter_range(
        dependents, [&](Operation *op) { return op->isBeforeInBlock(last); }));
    Operation *behind = last;
    for (Operation *op : moved) {
      context.rewriter.moveOpAfter(op, behind);
      behind = op;
    }
    for (AllReduceOp member : members)
      context.rewriter.eraseOp(member);
  }
  members.clear();
  dependents.clear();
  waiting.clear();
  memberBytes = 0;
  return changed;
}

/// Returns the reassociation that makes one dim of all dims of \p type.
static SmallVector<ReassociationIndices> getFlat(RankedTensorType type) {
  if (type.getRank() == 0)
    return {};
  return {llvm::to_vector(llvm::seq<int64_t>(0, type.getRank()))};
}

/// Creates the reduction of the elements of all members, one behind the other.
Value BlockMerger::pack() {
  IRRewriter &rewriter = context.rewriter;
  AllReduceOp last = members.back();
  SmallVector<Location> locs;
  int64_t numElements = 0;
  for (AllReduceOp member : members) {
    locs.push_back(member.getLoc());
    numElements += getType(member).getNumElements();
  }
  Location loc = rewriter.getFusedLoc(locs);
  Type element = getType(last).getElementType();
  auto type = RankedTensorType::get({numElements}, element);
  Value packed =
      tensor::EmptyOp::create(rewriter, loc, type.getShape(), element);
  int64_t offset = 0;
  for (AllReduceOp member : members) {
    RankedTensorType from = getType(member);
    Value flat = member.getInput();
    auto flatType = RankedTensorType::get({from.getNumElements()}, element);
    if (from.getRank() == 0)
      flat = tensor::ExpandShapeOp::create(rewriter, loc, flatType, flat,
                                           getFlat(from));
    else if (from.getRank() > 1)
      flat = tensor::CollapseShapeOp::create(rewriter, loc, flatType, flat,
                                             getFlat(from));
    OpFoldResult size = rewriter.getIndexAttr(from.getNumElements());
    packed = tensor::InsertSliceOp::create(
        rewriter, loc, flat, packed,
        OpFoldResult(rewriter.getIndexAttr(offset)), size,
        OpFoldResult(rewriter.getIndexAttr(1)));
    offset += from.getNumElements();
  }
  Value output =
      tensor::EmptyOp::create(rewriter, loc, type.getShape(), element);
  auto merged = AllReduceOp::create(rewriter, loc, type, packed, output,
                                    last.getKindAttr(), last.getAxes(),
                                    last.getMeshAttr());
  SmallVector<Operation *> before(members.begin(), members.end());
  context.record(RewriteKind::Merge, loc, before, {merged});
  return merged.getResult();
}

/// Gives each member its part of \p packed.
void BlockMerger::unpack(Value packed) {
  IRRewriter &rewriter = context.rewriter;
  Type element = getType(members.back()).getElementType();
  int64_t offset = 0;
  for (AllReduceOp member : members) {
    RankedTensorType to = getType(member);
    Location loc = member.getLoc();
    auto flatType = RankedTensorType::get({to.getNumElements()}, element);
    Value part = tensor::ExtractSliceOp::create(
        rewriter, loc, flatType, packed,
        OpFoldResult(rewriter.getIndexAttr(offset)),
        OpFoldResult(rewriter.getIndexAttr(to.getNumElements())),
        OpFoldResult(rewriter.getIndexAttr(1)));
    if (to.getRank() == 0)
      part =
          tensor::CollapseShapeOp::create(rewriter, loc, to, part, getFlat(to));
    else if (to.getRank() > 1)
      part =
          tensor::ExpandShapeOp::create(rewriter, loc, to, part, getFlat(to));
    context.rewriter.replaceAllUsesWith(member.getResult(), part);
    offset += to.getNumElements();
  }
}

/// Merges what is in \p block, key by key.
static bool mergeInBlock(Block &block, RewriteContext &context) {
  llvm::MapVector<Key, unsigned> counts;
  for (auto reduce : block.getOps<AllReduceOp>())
    if (std::optional<Key> key = getKey(reduce))
      ++counts[*key];
  bool changed = false;
  for (auto [key, count] : counts)
    if (count > 1)
      changed |= BlockMerger(block, key, context).run();
  return changed;
}

bool collectives::mergeReductions(func::FuncOp func, RewriteContext &context) {
  bool changed = false;
  SmallVector<Block *> blocks;
  func.walk([&](Block *block) { blocks.push_back(block); });
  for (Block *block : blocks)
    changed |= mergeInBlock(*block, context);
  return changed;
}
