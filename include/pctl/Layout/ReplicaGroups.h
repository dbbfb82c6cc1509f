// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Replica groups: which ranks take part in a collective together, in which
/// order. A collective over axes has a group for each setting of the other
/// axes; inside a group ranks are ordered by their position along the axes.

#ifndef PCTL_LAYOUT_REPLICAGROUPS_H
#define PCTL_LAYOUT_REPLICAGROUPS_H

#include "pctl/Layout/Mesh.h"

namespace pctl::layout {

/// The replica groups of a collective over some axes of a mesh, kept as the
/// axes, not as lists of ranks.
///
/// Worked example: on `data=4, model=2` the groups of {model} are
/// {0,1},{2,3},{4,5},{6,7}, those of {data} are {0,2,4,6},{1,3,5,7}; those of
/// {model, data}, the first axis being major, are {0,2,4,6,1,3,5,7}.
class ReplicaGroups {
public:
  /// The groups over \p axes, which must not overlap, of \p mesh, which must
  /// outlive this.
  ReplicaGroups(const Mesh &mesh, llvm::ArrayRef<AxisRef> axes);

  int64_t getGroupSize() const { return groupSize; }
  int64_t getNumGroups() const { return mesh->getNumRanks() / groupSize; }

  /// Returns the group of \p rank, in [0, getNumGroups()): groups are numbered
  /// by their lowest rank. This is the colour of a communicator split.
  int64_t getGroup(int64_t rank) const;
  /// Returns the position of \p rank in its group: the key of the split.
  int64_t getPosition(int64_t rank) const;
  /// Returns the rank at \p position of the group of \p rank.
  int64_t getMember(int64_t rank, int64_t position) const;

  /// Lists the ranks of the group of \p rank in order.
  llvm::SmallVector<int64_t> getMembers(int64_t rank) const;
  /// Lists all groups in order of their numbers. For tests and printing: this
  /// is the one function here that enumerates the mesh.
  llvm::SmallVector<llvm::SmallVector<int64_t>> getAllGroups() const;

private:
  const Mesh *mesh;
  llvm::SmallVector<AxisRef> axes;
  llvm::SmallVector<AxisRef> otherAxes;
  int64_t groupSize;
};

} // namespace pctl::layout

#endif // PCTL_LAYOUT_REPLICAGROUPS_H
