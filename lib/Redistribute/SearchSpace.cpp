// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Atoms, states and what leads from one state to others.

#include "SearchSpace.h"

#include "Algebra.h"
#include "Pricer.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/bit.h"

using namespace pctl;
using namespace pctl::layout;
using namespace pctl::redistribute;
using llvm::ArrayRef;
using llvm::SmallVector;
using llvm::SmallVectorImpl;

/// With no more prime factors than this the atoms are primes. Else they are
/// what the two layouts and the units of the cluster need.
static constexpr unsigned maxPrimeAtoms = 5;

/// At most so many layouts that refine the target are tried.
static constexpr unsigned maxRefined = 12;

/// At most so many cuts are looked at for them: orders of atoms are many.
static constexpr unsigned maxRefineVisits = 2048;

AtomList redistribute::toList(AtomSet set) {
  AtomList list;
  for (; set != 0; set &= set - 1)
    list.push_back(llvm::countr_zero(set));
  return list;
}

AtomSet redistribute::toSet(ArrayRef<Atom> list) {
  AtomSet set = 0;
  for (Atom atom : list)
    set |= AtomSet(1) << atom;
  return set;
}

std::string State::getKey() const {
  std::string key;
  for (const AtomList &dim : dims) {
    for (Atom atom : dim)
      key.push_back(static_cast<char>(atom));
    key.push_back(static_cast<char>(0xff));
  }
  auto append = [&](uint32_t bits) {
    key.append(reinterpret_cast<const char *>(&bits), sizeof(bits));
  };
  for (AtomSet entry : partial)
    append(entry);
  append(explicitFrom);
  append(explicitTo);
  return key;
}

//===----------------------------------------------------------------------===//
// Atoms
//===----------------------------------------------------------------------===//

/// Adds a split in front of each prime factor between neighbouring \p splits.
static void splitIntoPrimes(SmallVectorImpl<int64_t> &splits) {
  SmallVector<int64_t> all;
  for (size_t i = 0; i + 1 < splits.size(); ++i) {
    int64_t left = splits[i + 1] / splits[i], at = splits[i];
    for (int64_t prime = 2; prime <= left / prime; ++prime)
      for (; left > prime && left % prime == 0; left /= prime, at *= prime)
        all.push_back(at);
    all.push_back(at); // What is left is a prime.
  }
  all.push_back(splits.back());
  splits.assign(all.begin(), all.end());
}

/// Returns the number of prime factors of \p size, or one more than may be
/// atoms where there are more.
static unsigned countPrimes(int64_t size) {
  unsigned count = 0;
  for (int64_t prime = 2; size > 1 && count <= maxPrimeAtoms; ++prime) {
    if (prime * prime > size)
      return count + 1;
    for (; size % prime == 0; size /= prime)
      ++count;
  }
  return count;
}

bool SearchSpace::split() {
  SmallVector<AxisRef> refs = from.getUsedAxes();
  llvm::append_range(refs, to.getUsedAxes());
  bool primes = countPrimes(mesh.getNumRanks()) <= maxPrimeAtoms;
  for (unsigned axis = 0; axis < mesh.getNumAxes(); ++axis) {
    int64_t size = mesh.getAxes()[axis].size;
    SmallVector<int64_t> splits = {1, size};
    for (AxisRef ref : refs)
      if (ref.axis == axis)
        splits.append({ref.preSize, ref.preSize * ref.size});
    // Where units of the cluster begin inside of the axis.
    int64_t stride = mesh.getStride(mesh.getWholeAxis(axis));
    for (const cost::Level &level : cluster.levels)
      if (level.numDevices > stride && level.numDevices < stride * size &&
          level.numDevices % stride == 0 &&
          size % (level.numDevices / stride) == 0)
        splits.push_back(size / (level.numDevices / stride));
    llvm::sort(splits);
    splits.erase(llvm::unique(splits), splits.end());
    for (size_t i = 0; i + 1 < splits.size(); ++i)
      if (splits[i + 1] % splits[i] != 0)
        return false;
    if (primes)
      splitIntoPrimes(splits);
    for (size_t i = 0; i + 1 < splits.size(); ++i)
      atoms.push_back({axis, splits[i], splits[i + 1] / splits[i]});
  }
  return atoms.size() <= 32 && shape.size() <= 32;
}

SearchSpace::SearchSpace(const Mesh &mesh, ArrayRef<int64_t> globalShape,
                         const Layout &from, const Layout &to,
                         const cost::Cluster &cluster)
    : mesh(mesh), globalShape(globalShape), shape(getCountedShape(globalShape)),
      from(from), to(to), cluster(cluster) {
  if (!split() || !toState(from, source) || !toState(to, target))
    return;
  for (unsigned dim = 0; dim < shape.size(); ++dim) {
    bool explicitTo = !to.dims[dim].blockSizes.empty();
    target.explicitTo |= uint32_t(explicitTo) << dim;
    if (from.dims[dim].blockSizes.empty())
      continue;
    uint32_t &mask = from.dims[dim] == to.dims[dim] ? source.explicitTo
                                                    : source.explicitFrom;
    mask |= uint32_t(1) << dim;
  }
  // The entries that the target has are the last ones of the source's.
  while (target.partial.size() < source.partial.size())
    target.partial.insert(target.partial.begin(), 0);
  usable = true;
}

/// Adds the atoms that make up \p refs. Returns whether they are whole ones.
bool SearchSpace::appendAtoms(ArrayRef<AxisRef> refs, AtomList &list) const {
  for (AxisRef ref : refs) {
    int64_t at = ref.preSize, end = ref.preSize * ref.size;
    for (auto [number, atom] : llvm::enumerate(atoms))
      if (atom.axis == ref.axis && atom.preSize == at && at < end) {
        list.push_back(number);
        at *= atom.size;
      }
    if (at != end)
      return false;
  }
  return true;
}

bool SearchSpace::toState(const Layout &layout, State &state) const {
  for (const DimLayout &dim : layout.dims) {
    state.dims.emplace_back();
    if (!appendAtoms(dim.axes, state.dims.back()))
      return false;
  }
  for (const PartialAxes &entry : layout.partial) {
    AtomList list;
    if (!appendAtoms(entry.axes, list))
      return false;
    state.partial.push_back(toSet(list));
  }
  return true;
}

SmallVector<AxisRef> SearchSpace::getAxes(ArrayRef<Atom> list) const {
  SmallVector<AxisRef> axes;
  for (Atom atom : list)
    axes.push_back(atoms[atom]);
  return normalizeAxes(axes);
}

int64_t SearchSpace::getSize(ArrayRef<Atom> list) const {
  int64_t size = 1;
  for (Atom atom : list)
    size *= atoms[atom].size;
  return size;
}

bool SearchSpace::cutsEvenly(unsigned dim, ArrayRef<Atom> list) const {
  return globalShape[dim] != kDynamic && shape[dim] % getSize(list) == 0;
}

AtomSet SearchSpace::getFree(const State &state) const {
  AtomSet used = 0;
  for (AtomSet entry : state.partial)
    used |= entry;
  for (const AtomList &dim : state.dims)
    used |= toSet(dim);
  AtomSet all =
      atoms.size() == 32 ? ~AtomSet(0) : (AtomSet(1) << atoms.size()) - 1;
  return all & ~used;
}

//===----------------------------------------------------------------------===//
// Layouts and steps
//===----------------------------------------------------------------------===//

Layout SearchSpace::getLayout(const State &state) const {
  Layout layout = Layout::replicated(shape.size());
  for (unsigned dim = 0; dim < shape.size(); ++dim) {
    if (state.explicitTo >> dim & 1)
      layout.dims[dim] = to.dims[dim];
    else if (state.explicitFrom >> dim & 1)
      layout.dims[dim] = from.dims[dim];
    else
      layout.dims[dim].axes = getAxes(state.dims[dim]);
  }
  for (auto [number, entry] : llvm::enumerate(state.partial))
    if (entry != 0) {
      PartialAxes axes;
      axes.kind = from.partial[number].kind;
      axes.axes = getAxes(toList(entry));
      layout.partial.push_back(std::move(axes));
    }
  return layout;
}

Step SearchSpace::getStep(const SearchMove &move, const Layout &before,
                          const Layout &after, bool withPairs) const {
  Step step;
  step.kind = move.kind;
  step.from = before;
  step.to = after;
  step.axes = getAxes(move.atoms);
  step.dim = move.dim;
  step.concatDim = move.concatDim;
  if (!before.partial.empty())
    step.reduction = before.partial.front().kind;
  if (move.kind == StepKind::AllReduce)
    step.axes = getAxisSet(step.axes);
  if (move.kind != StepKind::Permute)
    return step;
  if (!withPairs) {
    step.pairs.push_back({0, 1});
    return step;
  }
  // Axes that take the place of replicated ones: those replicate instead.
  auto [sent, received] = getChangedAxes(shape, before, after);
  AtomList sentAtoms, receivedAtoms;
  appendAtoms(sent, sentAtoms);
  appendAtoms(received, receivedAtoms);
  AtomSet sentSet = toSet(sentAtoms), receivedSet = toSet(receivedAtoms);
  llvm::append_range(sentAtoms, toList(receivedSet & ~sentSet));
  llvm::append_range(receivedAtoms, toList(sentSet & ~receivedSet));
  return makePermute(mesh, before, after, getAxes(sentAtoms),
                     getAxes(receivedAtoms));
}

//===----------------------------------------------------------------------===//
// Units
//===----------------------------------------------------------------------===//

/// Adds each way to cut dims of \p state further and evenly by all of \p left,
/// as far as \p visits, which it takes off, let it look.
void SearchSpace::refine(const State &state, AtomSet left, unsigned &visits,
                         SmallVectorImpl<State> &refined) const {
  if (visits == 0)
    return;
  --visits;
  if (left == 0)
    refined.push_back(state);
  for (Atom atom : toList(left))
    for (unsigned dim = 0; dim < shape.size(); ++dim) {
      AtomList cut = state.dims[dim];
      cut.push_back(atom);
      if (refined.size() >= maxRefined || state.isExplicit(dim) ||
          !cutsEvenly(dim, cut))
        continue;
      State next = state;
      next.dims[dim] = std::move(cut);
      refine(next, left & ~(AtomSet(1) << atom), visits, refined);
    }
}

SmallVector<State, 4> SearchSpace::listRefinedTargets() const {
  SmallVector<State, 4> refined;
  unsigned outermost = cluster.levels.size() - 1;
  if (cost::getGroupLevel(cluster, mesh, mesh.getComplement({})) < outermost ||
      outermost == 0)
    return refined;
  AtomSet inside = 0;
  for (Atom atom : toList(getFree(target)))
    if (cost::getGroupLevel(cluster, mesh, atoms[atom]) < outermost)
      inside |= AtomSet(1) << atom;
  if (inside == 0)
    return refined;
  unsigned visits = maxRefineVisits;
  refine(target, inside, visits, refined);
  // Where no dims take them all: as many as they take in mesh order.
  State state = target;
  for (Atom atom : toList(refined.empty() ? inside : 0))
    for (unsigned dim = 0; dim < shape.size(); ++dim) {
      AtomList cut = state.dims[dim];
      cut.push_back(atom);
      if (state.isExplicit(dim) || !cutsEvenly(dim, cut))
        continue;
      state.dims[dim] = std::move(cut);
      break;
    }
  if (state.getKey() != target.getKey())
    refined.push_back(std::move(state));
  return refined;
}
