// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// What ranks or devices lack, shared out between those that have it.

#ifndef PCTL_LIB_REDISTRIBUTE_DEMANDS_H
#define PCTL_LIB_REDISTRIBUTE_DEMANDS_H

#include "pctl/Redistribute/Plan.h"

namespace pctl::redistribute {

/// Elements that one rank lacks.
struct Demand {
  int64_t target;
  layout::Box box;
};

/// How many elements a source sends.
struct Share {
  int64_t source;
  int64_t elements;
};

/// Adds transfers to \p transfers by which each source sends its share of
/// \p demands, in the order of both; the shares add up to the demands. A demand
/// goes whole where it can, else in rows of its first dim of more than one
/// element, and rows of those.
void listTransfers(llvm::ArrayRef<Demand> demands, llvm::ArrayRef<Share> shares,
                   std::vector<Transfer> &transfers);

} // namespace pctl::redistribute

#endif // PCTL_LIB_REDISTRIBUTE_DEMANDS_H
