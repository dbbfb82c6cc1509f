// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Arithmetic on rank numbers. Every axis and sub-axis is a digit of the rank
/// number in some mixed radix, so a reference is a stride and a size, and all
/// questions are answered by a division each. docs/layout.md, "Mesh".

#include "pctl/Layout/Mesh.h"

#include "pctl/Support/CheckedArith.h"
#include "pctl/Support/Error.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <numeric>
#include <unordered_map>

using namespace pctl;
using namespace pctl::layout;
using llvm::ArrayRef;
using llvm::Error;
using llvm::Expected;
using llvm::SmallVector;
using llvm::StringRef;

//===----------------------------------------------------------------------===//
// Making a mesh
//===----------------------------------------------------------------------===//

static Error checkDevices(ArrayRef<int64_t> devices, int64_t numRanks) {
  if (static_cast<int64_t>(devices.size()) != numRanks)
    return makeError("device list has {0} entries, mesh has {1} ranks",
                     devices.size(), numRanks);
  // No DenseMap: it reserves two of the numbers that a user may write.
  std::unordered_map<int64_t, int64_t> positionOf;
  for (auto [position, device] : llvm::enumerate(devices)) {
    if (device < 0)
      return makeError("device list holds {0} at position {1}, devices are "
                       "numbered from 0",
                       device, position);
    auto [seen, isNew] = positionOf.try_emplace(device, position);
    if (!isNew)
      return makeError("device {0} is listed twice, at positions {1} and {2}",
                       device, seen->second, position);
  }
  return Error::success();
}

static bool isIota(ArrayRef<int64_t> values) {
  for (auto [index, value] : llvm::enumerate(values))
    if (value != static_cast<int64_t>(index))
      return false;
  return true;
}

Expected<Mesh> Mesh::create(ArrayRef<MeshAxis> axes,
                            ArrayRef<int64_t> deviceIds) {
  Mesh mesh;
  for (const MeshAxis &axis : axes) {
    if (axis.name.empty())
      return makeError("axis {0} of the mesh has an empty name",
                       mesh.getNumAxes());
    if (mesh.findAxis(axis.name))
      return makeError("mesh has two axes named '{0}'", axis.name);
    if (axis.size < 1)
      return makeError("axis '{0}' has size {1}, it must be at least 1",
                       axis.name, axis.size);
    std::optional<int64_t> numRanks = checkedMul(mesh.numRanks, axis.size);
    if (!numRanks)
      return makeError("axis '{0}' (size {1}) takes the mesh beyond 2^63 - 1 "
                       "ranks",
                       axis.name, axis.size);
    mesh.numRanks = *numRanks;
    mesh.axes.push_back(axis);
  }
  int64_t stride = mesh.numRanks;
  for (const MeshAxis &axis : axes)
    mesh.strides.push_back(stride /= axis.size);

  if (deviceIds.empty())
    return mesh;
  if (Error error = checkDevices(deviceIds, mesh.numRanks))
    return std::move(error);
  if (!isIota(deviceIds))
    mesh.deviceIds.assign(deviceIds.begin(), deviceIds.end());
  return mesh;
}

//===----------------------------------------------------------------------===//
// References to axes
//===----------------------------------------------------------------------===//

std::optional<unsigned> Mesh::findAxis(StringRef name) const {
  for (auto [index, axis] : llvm::enumerate(axes))
    if (axis.name == name)
      return index;
  return std::nullopt;
}

AxisRef Mesh::getWholeAxis(unsigned axis) const {
  return {axis, 1, axes[axis].size};
}

static std::string listAxes(ArrayRef<MeshAxis> axes) {
  if (axes.empty())
    return "it has no axes";
  std::string text = "its axes are ";
  llvm::interleave(
      axes,
      [&](const MeshAxis &axis) {
        text += llvm::formatv("'{0}' (size {1})", axis.name, axis.size).str();
      },
      [&] { text += ", "; });
  return text;
}

Expected<AxisRef> Mesh::getSubAxis(StringRef name, int64_t preSize,
                                   int64_t size) const {
  std::optional<unsigned> axis = findAxis(name);
  if (!axis)
    return makeError("mesh has no axis '{0}'; {1}", name, listAxes(axes));
  if (preSize < 1 || size < 1)
    return makeError("sub-axis '{0}:({1}){2}' has a size below 1", name,
                     preSize, size);
  std::optional<int64_t> end = checkedMul(preSize, size);
  if (!end || axes[*axis].size % *end != 0)
    return makeError("sub-axis '{0}:({1}){2}' does not divide axis '{0}' "
                     "(size {3})",
                     name, preSize, size, axes[*axis].size);
  return AxisRef{*axis, preSize, size};
}

int64_t Mesh::getStride(AxisRef ref) const {
  return strides[ref.axis] * (axes[ref.axis].size / (ref.preSize * ref.size));
}

int64_t Mesh::getCoordinate(int64_t rank, AxisRef ref) const {
  return rank / getStride(ref) % ref.size;
}

int64_t Mesh::getCoordinate(int64_t rank, ArrayRef<AxisRef> refs) const {
  int64_t coordinate = 0;
  for (AxisRef ref : refs)
    coordinate = coordinate * ref.size + getCoordinate(rank, ref);
  return coordinate;
}

int64_t Mesh::withCoordinate(int64_t rank, ArrayRef<AxisRef> refs,
                             int64_t coordinate) const {
  for (AxisRef ref : llvm::reverse(refs)) {
    int64_t digit = coordinate % ref.size;
    rank += (digit - getCoordinate(rank, ref)) * getStride(ref);
    coordinate /= ref.size;
  }
  return rank;
}

SmallVector<AxisRef> Mesh::getComplement(ArrayRef<AxisRef> used) const {
  SmallVector<AxisRef> sorted;
  llvm::copy_if(used, std::back_inserter(sorted),
                [](AxisRef ref) { return ref.size > 1; });
  llvm::sort(sorted);

  SmallVector<AxisRef> free;
  const AxisRef *next = sorted.begin();
  for (unsigned axis = 0; axis < getNumAxes(); ++axis) {
    int64_t end = 1;
    for (; next != sorted.end() && next->axis == axis; ++next) {
      if (next->preSize > end)
        free.push_back({axis, end, next->preSize / end});
      end = next->preSize * next->size;
    }
    if (axes[axis].size > end)
      free.push_back({axis, end, axes[axis].size / end});
  }
  return free;
}

Expected<SmallVector<AxisRef>> Mesh::getFlatFactor(int64_t preSize,
                                                   int64_t size) const {
  if (preSize < 1 || size < 1)
    return makeError("factor ({0}){1} of the mesh has a size below 1", preSize,
                     size);
  std::optional<int64_t> end = checkedMul(preSize, size);
  if (!end || numRanks % *end != 0)
    return makeError("factor ({0}){1} does not divide the mesh ({2} ranks)",
                     preSize, size, numRanks);

  // Axis `axis` is the factor (axisPre)axisSize of the rank number; what of
  // the wanted factor lies inside it must be a sub-axis.
  SmallVector<AxisRef> refs;
  int64_t axisPre = 1;
  for (unsigned axis = 0; axis < getNumAxes(); ++axis) {
    int64_t axisEnd = axisPre * axes[axis].size;
    int64_t partPre = std::max(axisPre, preSize);
    int64_t partEnd = std::min(axisEnd, *end);
    if (partPre < partEnd) {
      if (partPre % axisPre != 0 || partEnd % partPre != 0 ||
          axisEnd % partEnd != 0)
        return makeError("factor ({0}){1} of the mesh does not divide axis "
                         "'{2}' (size {3}), which has {4} ranks before it",
                         preSize, size, axes[axis].name, axes[axis].size,
                         axisPre);
      refs.push_back({axis, partPre / axisPre, partEnd / partPre});
    }
    axisPre = axisEnd;
  }
  return refs;
}

//===----------------------------------------------------------------------===//
// Lists of references
//===----------------------------------------------------------------------===//

int64_t layout::getNumPositions(ArrayRef<AxisRef> refs) {
  int64_t positions = 1;
  for (AxisRef ref : refs)
    positions *= ref.size;
  return positions;
}

SmallVector<AxisRef> layout::normalizeAxes(ArrayRef<AxisRef> refs) {
  SmallVector<AxisRef> normal;
  for (AxisRef ref : refs) {
    if (ref.size == 1)
      continue;
    if (!normal.empty() && normal.back().axis == ref.axis &&
        normal.back().preSize * normal.back().size == ref.preSize)
      normal.back().size *= ref.size;
    else
      normal.push_back(ref);
  }
  return normal;
}

SmallVector<AxisRef> layout::getCommonPrefix(ArrayRef<AxisRef> a,
                                             ArrayRef<AxisRef> b) {
  SmallVector<AxisRef> prefix;
  SmallVector<AxisRef> normalA = normalizeAxes(a), normalB = normalizeAxes(b);
  for (auto [refA, refB] : llvm::zip(normalA, normalB)) {
    if (refA == refB) {
      prefix.push_back(refA);
      continue;
    }
    if (refA.axis != refB.axis || refA.preSize != refB.preSize)
      break;
    // 4 and 6 positions from one place on begin with the same 2: what is
    // common to two factors of an axis is their greatest common divisor.
    int64_t common = std::gcd(refA.size, refB.size);
    if (common > 1)
      prefix.push_back({refA.axis, refA.preSize, common});
    break;
  }
  return prefix;
}

SmallVector<AxisRef> layout::dropPrefix(ArrayRef<AxisRef> refs,
                                        ArrayRef<AxisRef> prefix) {
  SmallVector<AxisRef> rest = normalizeAxes(refs);
  SmallVector<AxisRef> normalPrefix = normalizeAxes(prefix);
  if (normalPrefix.empty())
    return rest;
  rest.erase(rest.begin(), rest.begin() + (normalPrefix.size() - 1));
  // Only the last of a prefix may be a part of the axis that it meets.
  int64_t covered = normalPrefix.back().size;
  rest.front().preSize *= covered;
  rest.front().size /= covered;
  return normalizeAxes(rest);
}
