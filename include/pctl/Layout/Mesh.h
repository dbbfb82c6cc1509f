// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Meshes and references to their axes. A mesh is an ordered list of named axes
/// with sizes; its ranks are numbered row-major, the last axis fastest. An axis
/// may be split into sub-axes, so that a factor of it can cut a dim.
///
/// Nothing here enumerates ranks: every function costs time in the number of
/// axes only, so a mesh of a million devices costs what one of eight costs.

#ifndef PCTL_LAYOUT_MESH_H
#define PCTL_LAYOUT_MESH_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>

namespace pctl::layout {

/// A named axis of a mesh and the number of ranks along it.
struct MeshAxis {
  std::string name;
  int64_t size;

  friend bool operator==(const MeshAxis &a, const MeshAxis &b) {
    return a.name == b.name && a.size == b.size;
  }
};

/// A whole axis of a mesh, or a factor of one.
///
/// The sub-axis written `x:(2)4` is the part of size 4 of axis x that has 2
/// before it (major to it): of a coordinate c on x of size 16 it is
/// `(c / 2) % 4`, where 2 = 16 / (2 * 4) is what comes after it. The whole axis
/// has nothing before it and its full size.
struct AxisRef {
  /// Position of the axis in its mesh.
  unsigned axis = 0;
  /// Product of the sizes of the sub-axes major to this one.
  int64_t preSize = 1;
  /// Number of ranks along this reference.
  int64_t size = 1;

  friend bool operator==(AxisRef a, AxisRef b) {
    return a.axis == b.axis && a.preSize == b.preSize && a.size == b.size;
  }
  friend bool operator!=(AxisRef a, AxisRef b) { return !(a == b); }
  /// Orders by axis, then major to minor inside it.
  friend bool operator<(AxisRef a, AxisRef b) {
    return std::tie(a.axis, a.preSize, a.size) <
           std::tie(b.axis, b.preSize, b.size);
  }

  /// Returns whether no split of one axis has both as factors of it: one must
  /// begin at a multiple of where the other ends. `x:(1)4` and `x:(2)4` share a
  /// factor; on x of size 6, `x:(1)2` and `x:(3)2` share none, and yet the one
  /// is not free of the other, as 3 is not a multiple of 2.
  bool overlaps(AxisRef other) const {
    return axis == other.axis && size > 1 && other.size > 1 &&
           other.preSize % (preSize * size) != 0 &&
           preSize % (other.preSize * other.size) != 0;
  }
};

/// An ordered list of named axes, whose product is the number of ranks.
///
/// Worked example: the mesh `data=4, model=2` has 8 ranks; rank 5 has the
/// coordinates data=2 and model=1. With the device list 8..15, rank 5 is device
/// 13: layouts only speak of ranks, launchers and cross-mesh moves of devices.
class Mesh {
public:
  /// Makes a mesh of \p axes whose rank i is device \p deviceIds[i], or device
  /// i where the list is empty. Errors: an empty axis name, a name used twice,
  /// a size below 1, more ranks than an int64_t counts, a device list of
  /// another length than the mesh, a negative or repeated device.
  static llvm::Expected<Mesh> create(llvm::ArrayRef<MeshAxis> axes,
                                     llvm::ArrayRef<int64_t> deviceIds = {});

  llvm::ArrayRef<MeshAxis> getAxes() const { return axes; }
  unsigned getNumAxes() const { return axes.size(); }
  int64_t getNumRanks() const { return numRanks; }

  /// The devices of the ranks in order; empty when rank i is device i.
  llvm::ArrayRef<int64_t> getDeviceIds() const { return deviceIds; }

  /// Returns the device of \p rank.
  int64_t getDevice(int64_t rank) const {
    return deviceIds.empty() ? rank : deviceIds[rank];
  }

  /// Returns the position of the axis called \p name, if there is one.
  std::optional<unsigned> findAxis(llvm::StringRef name) const;

  /// Returns the reference to the whole of axis number \p axis.
  AxisRef getWholeAxis(unsigned axis) const;

  /// Returns the sub-axis `name:(preSize)size`. Errors: no such axis (the
  /// message lists those there are), sizes below 1, a product that does not
  /// divide the axis.
  llvm::Expected<AxisRef> getSubAxis(llvm::StringRef name, int64_t preSize,
                                     int64_t size) const;

  /// Returns the number of ranks between neighbours along \p ref.
  int64_t getStride(AxisRef ref) const;

  /// Returns the position of \p rank along \p ref, in [0, ref.size).
  int64_t getCoordinate(int64_t rank, AxisRef ref) const;

  /// Returns the position of \p rank along \p refs taken as one axis, the first
  /// being the major one: 0 for no refs.
  int64_t getCoordinate(int64_t rank, llvm::ArrayRef<AxisRef> refs) const;

  /// Returns the rank that differs from \p rank only along \p refs, where its
  /// position is \p coordinate: the inverse of getCoordinate.
  int64_t withCoordinate(int64_t rank, llvm::ArrayRef<AxisRef> refs,
                         int64_t coordinate) const;

  /// Returns the factors of the mesh that \p used leaves free, in mesh order,
  /// merged where they touch. \p used may be in any order but must not overlap.
  llvm::SmallVector<AxisRef> getComplement(llvm::ArrayRef<AxisRef> used) const;

  /// Returns the axes that make up the factor of the row-major rank number of
  /// size \p size with \p preSize before it, major first. On `a=2, b=4` the
  /// factor (2)2 is `b:(1)2`, and (1)4 is `a, b:(1)2`. Errors: sizes that do
  /// not divide the mesh or the axes they fall on.
  llvm::Expected<llvm::SmallVector<AxisRef>> getFlatFactor(int64_t preSize,
                                                           int64_t size) const;

  friend bool operator==(const Mesh &a, const Mesh &b) {
    return a.axes == b.axes && a.deviceIds == b.deviceIds;
  }

private:
  Mesh() = default;

  llvm::SmallVector<MeshAxis> axes;
  llvm::SmallVector<int64_t> deviceIds;
  /// Ranks between neighbours along each axis.
  llvm::SmallVector<int64_t> strides;
  int64_t numRanks = 1;
};

/// Returns the number of positions along \p refs taken as one axis.
int64_t getNumPositions(llvm::ArrayRef<AxisRef> refs);

/// Returns \p refs without those of size 1 and with neighbours that continue
/// each other (`x:(1)2, x:(2)4`) merged: two lists cut a dim alike exactly when
/// their normal forms are equal.
llvm::SmallVector<AxisRef> normalizeAxes(llvm::ArrayRef<AxisRef> refs);

/// Returns the longest list, in normal form, that both lists start with. Where
/// they differ inside an axis it ends with the sub-axis that they share:
/// `x` and `x:(1)2, y` on x of size 4 share `x:(1)2`.
llvm::SmallVector<AxisRef> getCommonPrefix(llvm::ArrayRef<AxisRef> a,
                                           llvm::ArrayRef<AxisRef> b);

/// Returns \p refs without the leading positions that \p prefix covers, in
/// normal form. \p prefix must be a prefix as of getCommonPrefix.
llvm::SmallVector<AxisRef> dropPrefix(llvm::ArrayRef<AxisRef> refs,
                                      llvm::ArrayRef<AxisRef> prefix);

} // namespace pctl::layout

#endif // PCTL_LAYOUT_MESH_H
