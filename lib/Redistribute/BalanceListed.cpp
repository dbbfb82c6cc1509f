// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Exchanges whose transfers are listed, such that the most that any rank sends
/// is the least possible. Demands that the same ranks can serve are one node of
/// a flow network; the least load for which all demands flow is found by
/// bisection, and flows are integral.

#include "pctl/Redistribute/Balance.h"

#include "Demands.h"
#include "ExchangeCount.h"

#include "pctl/Support/CheckedArith.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"

using namespace pctl;
using namespace pctl::layout;
using namespace pctl::redistribute;
using llvm::ArrayRef;
using llvm::SmallVector;
using llvm::SmallVectorImpl;

/// Holders of a demand are a set of bits.
static constexpr int64_t maxRanks = 64;

//===----------------------------------------------------------------------===//
// Demands
//===----------------------------------------------------------------------===//

namespace {

/// Demands that the same ranks can serve.
struct DemandClass {
  uint64_t holders = 0;
  int64_t elements = 0;
  std::vector<Demand> demands;
};

/// Cuts what ranks lack into boxes with one set of holders each.
class DemandCollector {
public:
  /// Of the holders of what a rank lacks those with its number in \p units
  /// serve it, if there are some.
  DemandCollector(const Mesh &mesh, ArrayRef<int64_t> shape, const Layout &from,
                  const Layout &to, SmallVector<int64_t> units);

  /// Returns whether there are at most \p limit boxes.
  bool collect(int64_t limit);
  std::vector<DemandClass> takeClasses();

private:
  void collectFrom(unsigned dim, SmallVector<Range, 4> &cell);
  void addCell(const Box &cell);

  const Mesh &mesh;
  const unsigned tensorRank;
  const AxisList partial;
  const SmallVector<int64_t> units;
  std::vector<Box> held, wanted;
  /// Where blocks of either layout begin or end in each dim.
  std::vector<SmallVector<int64_t>> ends;
  llvm::MapVector<uint64_t, DemandClass> classes;
};

} // namespace

DemandCollector::DemandCollector(const Mesh &mesh, ArrayRef<int64_t> shape,
                                 const Layout &from, const Layout &to,
                                 SmallVector<int64_t> units)
    : mesh(mesh), tensorRank(shape.size()), partial(from.getPartialAxes()),
      units(std::move(units)), ends(shape.size()) {
  for (int64_t rank = 0; rank < mesh.getNumRanks(); ++rank) {
    held.push_back(getBox(mesh, from, shape, rank));
    wanted.push_back(getBox(mesh, to, shape, rank));
    for (unsigned dim = 0; dim < tensorRank; ++dim)
      for (const Box &box : {held.back(), wanted.back()}) {
        ends[dim].push_back(box[dim].offset);
        ends[dim].push_back(box[dim].getEnd());
      }
  }
  for (SmallVector<int64_t> &list : ends) {
    llvm::sort(list);
    list.erase(std::unique(list.begin(), list.end()), list.end());
  }
}

bool DemandCollector::collect(int64_t limit) {
  int64_t cells = mesh.getNumRanks();
  for (const SmallVector<int64_t> &list : ends)
    cells = multiplyCounts(cells, list.size());
  if (cells > limit)
    return false;
  SmallVector<Range, 4> cell;
  collectFrom(0, cell);
  return true;
}

void DemandCollector::collectFrom(unsigned dim, SmallVector<Range, 4> &cell) {
  if (dim == tensorRank)
    return addCell(Box(cell));
  for (size_t i = 1; i < ends[dim].size(); ++i) {
    cell.push_back({ends[dim][i - 1], ends[dim][i] - ends[dim][i - 1]});
    collectFrom(dim + 1, cell);
    cell.pop_back();
  }
}

void DemandCollector::addCell(const Box &cell) {
  for (int64_t target = 0; target < mesh.getNumRanks(); ++target) {
    if (!wanted[target].contains(cell) || held[target].contains(cell))
      continue;
    // A contribution comes from where the same one is.
    uint64_t all = 0, near = 0;
    for (int64_t rank = 0; rank < mesh.getNumRanks(); ++rank) {
      if (!held[rank].contains(cell) || mesh.getCoordinate(rank, partial) !=
                                            mesh.getCoordinate(target, partial))
        continue;
      all |= uint64_t(1) << rank;
      if (units[rank] == units[target])
        near |= uint64_t(1) << rank;
    }
    uint64_t holders = near != 0 ? near : all;
    DemandClass &demandClass = classes[holders];
    demandClass.holders = holders;
    demandClass.elements += cell.getNumElements();
    demandClass.demands.push_back({target, cell});
  }
}

std::vector<DemandClass> DemandCollector::takeClasses() {
  std::vector<DemandClass> result;
  for (auto &entry : classes)
    result.push_back(std::move(entry.second));
  return result;
}

//===----------------------------------------------------------------------===//
// Flow
//===----------------------------------------------------------------------===//

namespace {

/// Assigns the elements of classes to their holders, none of which gets more
/// than a given load, by augmenting paths.
class Assignment {
public:
  Assignment(ArrayRef<DemandClass> classes, int64_t numRanks, int64_t load)
      : classes(classes), load(load), loads(numRanks, 0),
        shares(classes.size(), SmallVector<int64_t>(numRanks, 0)) {}

  /// Returns whether all elements are assigned.
  bool run() {
    for (size_t index = 0; index < classes.size(); ++index)
      for (int64_t left = classes[index].elements; left > 0;) {
        visited.assign(classes.size(), false);
        int64_t pushed = push(index, left);
        if (pushed == 0)
          return false;
        left -= pushed;
      }
    return true;
  }
  ArrayRef<SmallVector<int64_t>> getShares() const { return shares; }

private:
  /// Assigns up to \p elements of a class, moving others' aside where needed;
  /// returns how many.
  int64_t push(size_t index, int64_t elements) {
    visited[index] = true;
    for (size_t rank = 0; rank < loads.size(); ++rank) {
      if (!(classes[index].holders >> rank & 1) || loads[rank] >= load)
        continue;
      int64_t pushed = std::min(elements, load - loads[rank]);
      loads[rank] += pushed;
      shares[index][rank] += pushed;
      return pushed;
    }
    for (size_t rank = 0; rank < loads.size(); ++rank) {
      if (!(classes[index].holders >> rank & 1))
        continue;
      for (size_t other = 0; other < classes.size(); ++other) {
        if (visited[other] || shares[other][rank] == 0)
          continue;
        int64_t moved = push(other, std::min(elements, shares[other][rank]));
        if (moved == 0)
          continue;
        shares[other][rank] -= moved;
        shares[index][rank] += moved;
        return moved;
      }
    }
    return 0;
  }

  const ArrayRef<DemandClass> classes;
  const int64_t load;
  SmallVector<int64_t> loads;
  std::vector<SmallVector<int64_t>> shares;
  std::vector<bool> visited;
};

} // namespace

//===----------------------------------------------------------------------===//
// Transfers
//===----------------------------------------------------------------------===//

std::optional<Step> redistribute::makeListedExchange(
    const Mesh &mesh, ArrayRef<int64_t> shape, const Layout &from,
    const Layout &to, int64_t maxTransfers, const cost::Cluster *cluster) {
  if (mesh.getNumRanks() > maxRanks || llvm::is_contained(shape, kDynamic))
    return std::nullopt;
  SmallVector<int64_t> units(mesh.getNumRanks(), 0);
  if (cluster)
    for (auto [rank, unit] : llvm::enumerate(units))
      unit = cluster->getUnit(mesh.getDevice(rank));
  DemandCollector collector(mesh, shape, from, to, std::move(units));
  if (!collector.collect(maxTransfers))
    return std::nullopt;
  std::vector<DemandClass> classes = collector.takeClasses();
  if (classes.empty())
    return std::nullopt;

  // No rank need send less than what some rank has to receive.
  SmallVector<int64_t> lacking(mesh.getNumRanks(), 0);
  int64_t most = 0;
  for (const DemandClass &demandClass : classes) {
    most = addCounts(most, demandClass.elements);
    for (const Demand &demand : demandClass.demands)
      lacking[demand.target] += demand.box.getNumElements();
  }
  int64_t least = *llvm::max_element(lacking);
  while (least < most) {
    int64_t middle = least + (most - least) / 2;
    if (Assignment(classes, mesh.getNumRanks(), middle).run())
      most = middle;
    else
      least = middle + 1;
  }
  Assignment best(classes, mesh.getNumRanks(), least);
  best.run();

  Step step;
  step.kind = StepKind::Exchange;
  step.from = from;
  step.to = to;
  for (auto [demandClass, loads] : llvm::zip_equal(classes, best.getShares())) {
    SmallVector<Share> shares;
    for (auto [rank, load] : llvm::enumerate(loads))
      shares.push_back({static_cast<int64_t>(rank), load});
    listTransfers(demandClass.demands, shares, step.transfers);
  }
  if (static_cast<int64_t>(step.transfers.size()) > maxTransfers)
    return std::nullopt;
  AxisList axes = getExchangeAxes(shape, from, to);
  axes.append(mesh.getComplement(from.getUsedAxes()));
  step.axes = getAxisSet(axes);
  return step;
}
