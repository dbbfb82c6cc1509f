// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// A group is a setting of the other axes, so its number is the coordinate
/// along them. They are in mesh order, and ranks are row-major, so that number
/// grows with the lowest rank of the group.

#include "pctl/Layout/ReplicaGroups.h"

using namespace pctl;
using namespace pctl::layout;
using llvm::ArrayRef;
using llvm::SmallVector;

ReplicaGroups::ReplicaGroups(const Mesh &mesh, ArrayRef<AxisRef> axes)
    : mesh(&mesh), axes(axes), otherAxes(mesh.getComplement(axes)),
      groupSize(getNumPositions(axes)) {}

int64_t ReplicaGroups::getGroup(int64_t rank) const {
  return mesh->getCoordinate(rank, otherAxes);
}

int64_t ReplicaGroups::getPosition(int64_t rank) const {
  return mesh->getCoordinate(rank, axes);
}

int64_t ReplicaGroups::getMember(int64_t rank, int64_t position) const {
  return mesh->withCoordinate(rank, axes, position);
}

SmallVector<int64_t> ReplicaGroups::getMembers(int64_t rank) const {
  SmallVector<int64_t> members;
  members.reserve(groupSize);
  for (int64_t position = 0; position < groupSize; ++position)
    members.push_back(getMember(rank, position));
  return members;
}

SmallVector<SmallVector<int64_t>> ReplicaGroups::getAllGroups() const {
  SmallVector<SmallVector<int64_t>> groups;
  groups.reserve(getNumGroups());
  for (int64_t group = 0; group < getNumGroups(); ++group)
    groups.push_back(getMembers(mesh->withCoordinate(0, otherAxes, group)));
  return groups;
}
