// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Transfers between devices of different meshes: who has what, who sends it,
/// and what that costs.

#ifndef PCTL_LIB_REDISTRIBUTE_CROSSING_H
#define PCTL_LIB_REDISTRIBUTE_CROSSING_H

#include "BoundCount.h"

#include "pctl/Redistribute/Move.h"

#include <unordered_map>

namespace pctl::redistribute {

/// What there is of each device. No DenseMap, as that reserves numbers which a
/// device may have.
template <typename T> using DeviceMap = std::unordered_map<int64_t, T>;

/// Checks what planMove says of questions.
llvm::Error verifyQuestion(const MoveQuestion &question);

/// Returns \p layout, of \p mesh, over \p other, which has as many ranks: the
/// same slices on the same ranks. Nothing if some axis is no product of factors
/// of the axes of \p other.
std::optional<layout::Layout> rewriteLayout(const layout::Mesh &mesh,
                                            const layout::Layout &layout,
                                            const layout::Mesh &other);

/// Returns whether the meshes have the same devices in the same order.
bool haveSameDevices(const layout::Mesh &a, const layout::Mesh &b);

/// Checks that the ranks of two meshes are few enough to be listed: 2^16.
llvm::Error verifyListable(const layout::Mesh &source,
                           const layout::Mesh &target);

/// A question over one mesh.
struct CommonQuestion {
  layout::Mesh mesh;
  layout::Layout from, to;
};

/// Returns \p question over one mesh, if it is about one tensor and the meshes
/// have common factors.
std::optional<CommonQuestion> getCommonQuestion(const MoveQuestion &question);

/// Returns what each device has of \p source and wants of \p target, a device
/// of both meshes once, in coordinates of the source; elements that the source
/// does not have are not wanted. Contributions are positions along the
/// source's partial axes.
std::vector<Holding> listHoldings(const Placement &source,
                                  const Placement &target,
                                  llvm::ArrayRef<int64_t> offset);

/// Lists transfers by which each device gets what it wants and lacks, such that
/// devices with the same block share the sending of it evenly, those in the
/// innermost common unit with the target alone. Errors: the limits of planMove.
llvm::Expected<std::vector<Transfer>>
balanceTransfers(llvm::ArrayRef<Holding> holdings, const cost::Cluster &cluster,
                 int64_t maxTransfers);

/// Returns what a crossing between \p holdings costs, as an exchange does.
StepCost getCrossingCost(const Crossing &crossing,
                         llvm::ArrayRef<Holding> holdings,
                         const cost::Cluster &cluster, int64_t elementBytes);

} // namespace pctl::redistribute

#endif // PCTL_LIB_REDISTRIBUTE_CROSSING_H
