// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// What changes of layout cost, as the planner of redistributions would do
/// them: what propagation weighs choices by. docs/propagation.md, "Conflicts".

#ifndef PCTL_LIB_PROPAGATION_MOVECOSTS_H
#define PCTL_LIB_PROPAGATION_MOVECOSTS_H

#include "pctl/Propagation/Propagate.h"

#include <map>

namespace pctl::propagation {

/// Costs of changes of layout over one mesh, each planned once.
class MoveCosts {
public:
  explicit MoveCosts(const layout::Mesh &mesh) : mesh(mesh) {}

  /// Returns the bytes that the busiest rank receives when \p value goes from
  /// \p from to \p to: 0 where nothing moves, the size of the value where no
  /// plan is known. Dims of unknown size count as 1.
  int64_t getReceivedBytes(const Value &value, const layout::Layout &from,
                           const layout::Layout &to);

private:
  const layout::Mesh &mesh;
  std::map<std::string, int64_t> known;
};

} // namespace pctl::propagation

#endif // PCTL_LIB_PROPAGATION_MOVECOSTS_H
