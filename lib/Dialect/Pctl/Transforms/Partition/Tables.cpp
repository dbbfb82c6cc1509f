// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Reads of the slices of captured tensors.

#include "Tables.h"

#include "Neutral.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace pctl::detail {

LogicalResult checkTables(Operation *op, ArrayRef<TableReads> tables,
                          const PartitionContext &ctx) {
  for (const TableReads &reads : tables) {
    const layout::Layout &layout = ctx.getLayout(reads.table);
    if (layout.isPartial())
      return ctx.emitLayoutError(op, "captured tensor", reads.table,
                                 "it must not be partial");
    for (auto [d, dim, loop] : llvm::enumerate(layout.dims, reads.loops))
      if (!dim.axes.empty() && !loop && !reads.lookup)
        return ctx.emitLayoutError(
            op, "captured tensor", reads.table,
            "dim " + Twine(d) +
                " is read at no loop's index, and the op gives more than what "
                "it reads, so the dim must be whole");
  }
  return success();
}

SmallVector<layout::AxisRef> getLookupAxes(ArrayRef<TableReads> tables,
                                           const PartitionContext &ctx) {
  SmallVector<layout::AxisRef> axes;
  for (const TableReads &reads : tables)
    for (auto [loop, dim] :
         llvm::zip(reads.loops, ctx.getLayout(reads.table).dims))
      if (!loop)
        llvm::append_range(axes, dim.axes);
  return axes;
}

namespace {

/// Rewrites the reads of one table in the body of a local op.
class TableLocalizer {
public:
  TableLocalizer(const TableReads &reads, PartitionContext &ctx)
      : reads(reads), ctx(ctx), dims(ctx.getLayout(reads.table).dims),
        builder(reads.table.getContext()) {}

  void localize(tensor::ExtractOp extract);
  void localize(tensor::DimOp dim);

private:
  Value createGuarded(tensor::ExtractOp extract, Value isHere,
                      ArrayRef<Value> indices);

  const TableReads &reads;
  PartitionContext &ctx;
  ArrayRef<layout::DimLayout> dims;
  OpBuilder builder;
};

} // namespace

/// Reads the element only where this rank has it, as its slice may be empty.
Value TableLocalizer::createGuarded(tensor::ExtractOp extract, Value isHere,
                                    ArrayRef<Value> indices) {
  Location loc = extract.getLoc();
  auto choice = scf::IfOp::create(
      builder, loc, isHere,
      [&](OpBuilder &then, Location) {
        Value element =
            tensor::ExtractOp::create(then, loc, extract.getTensor(), indices);
        scf::YieldOp::create(then, loc, element);
      },
      [&](OpBuilder &otherwise, Location) {
        Value neutral =
            createNeutral(otherwise, loc, *reads.lookup, extract.getType());
        scf::YieldOp::create(otherwise, loc, neutral);
      });
  return choice.getResult(0);
}

void TableLocalizer::localize(tensor::ExtractOp extract) {
  Location loc = extract.getLoc();
  builder.setInsertionPoint(extract);
  SmallVector<Value> indices = extract.getIndices();
  Value isHere;
  for (auto [d, dim] : llvm::enumerate(dims)) {
    if (dim.axes.empty())
      continue;
    int64_t size = reads.getType().getDimSize(d);
    auto offset = cast<Value>(ctx.getOffset(dim, size));
    indices[d] = arith::SubIOp::create(builder, loc, indices[d], offset);
    if (reads.loops[d])
      continue;
    // Unsigned, so that what lies before the slice is beyond it.
    Value length =
        getValueOrCreateConstantIndexOp(builder, loc, ctx.getSize(dim, size));
    Value fits = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult,
                                       indices[d], length);
    isHere = isHere ? Value(arith::AndIOp::create(builder, loc, isHere, fits))
                    : fits;
  }
  if (!isHere) {
    extract.getIndicesMutable().assign(indices);
    return;
  }
  extract.replaceAllUsesWith(createGuarded(extract, isHere, indices));
  extract.erase();
}

void TableLocalizer::localize(tensor::DimOp dim) {
  int64_t number = *dim.getConstantIndex();
  if (number < 0 || number >= static_cast<int64_t>(dims.size()) ||
      dims[number].axes.empty())
    return;
  builder.setInsertionPoint(dim);
  Value size = arith::ConstantIndexOp::create(
      builder, dim.getLoc(), reads.getType().getDimSize(number));
  dim.replaceAllUsesWith(size);
  dim.erase();
}

void localizeTables(Operation *op, ArrayRef<TableReads> tables,
                    PartitionContext &ctx) {
  for (const TableReads &reads : tables) {
    if (ctx.isWhole(reads.table))
      continue;
    Value local = ctx.getLocal(reads.table);
    SmallVector<Operation *> users;
    op->walk([&](Operation *user) {
      if (user != op && llvm::is_contained(user->getOperands(), local))
        users.push_back(user);
    });
    TableLocalizer localizer(reads, ctx);
    for (Operation *user : users) {
      if (auto extract = dyn_cast<tensor::ExtractOp>(user))
        localizer.localize(extract);
      else
        localizer.localize(cast<tensor::DimOp>(user));
    }
  }
}

} // namespace pctl::detail
