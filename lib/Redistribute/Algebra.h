// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// What the planner, the verifier and the traffic formulas ask about two cuts
/// of one dim and about sets of axes. Answered from axis lists and block sizes,
/// never from ranks. docs/redistribution.md, "Cuts that share a prefix".

#ifndef PCTL_LIB_REDISTRIBUTE_ALGEBRA_H
#define PCTL_LIB_REDISTRIBUTE_ALGEBRA_H

#include "pctl/Layout/Layout.h"

namespace pctl::redistribute {

using AxisList = llvm::SmallVector<layout::AxisRef>;

/// Returns the longest list of axes at the major end of both cuts, whole
/// entries from the back dropped, such that the positions along it hold the
/// same elements in both: for each of them the union of its blocks is the same
/// range. 6 elements cut by {x,y} and by {x}, x=2 and y=2, share nothing, as
/// x=0 holds 2+2 in one and 3 in the other; 8 elements share {x}.
AxisList getSharedPrefix(const layout::DimLayout &a, const layout::DimLayout &b,
                         int64_t globalSize);

/// Returns whether \p inner cuts each block of \p outer further and nothing
/// else: its axes start with those of \p outer, which hold the same elements.
bool nests(const layout::DimLayout &outer, const layout::DimLayout &inner,
           int64_t globalSize);

/// Returns whether both leave the same block on every rank.
bool cutsAlike(const layout::DimLayout &a, const layout::DimLayout &b,
               int64_t globalSize);

/// Returns \p refs without \p suffix at their minor end, in normal form, or
/// nothing if they do not end with it. {x} of size 4 without `x:(2)2` is
/// `x:(1)2`.
std::optional<AxisList> dropSuffix(llvm::ArrayRef<layout::AxisRef> refs,
                                   llvm::ArrayRef<layout::AxisRef> suffix);

/// Returns the longest leading part of \p refs that shares no factor with
/// \p used; the last of it may be a sub-axis of an entry of \p refs.
AxisList takeDisjoint(llvm::ArrayRef<layout::AxisRef> refs,
                      llvm::ArrayRef<layout::AxisRef> used);

/// Returns whether an entry of \p a shares a factor with one of \p b.
bool overlap(llvm::ArrayRef<layout::AxisRef> a,
             llvm::ArrayRef<layout::AxisRef> b);

/// Returns whether every factor of \p inner is one of \p outer.
bool containsAxes(const layout::Mesh &mesh,
                  llvm::ArrayRef<layout::AxisRef> outer,
                  llvm::ArrayRef<layout::AxisRef> inner);

/// Returns the factors of \p refs that are not in \p removed, which must be
/// contained in them, in mesh order.
AxisList subtractAxes(const layout::Mesh &mesh,
                      llvm::ArrayRef<layout::AxisRef> refs,
                      llvm::ArrayRef<layout::AxisRef> removed);

/// Returns \p a followed by \p b, in normal form.
AxisList concatAxes(llvm::ArrayRef<layout::AxisRef> a,
                    llvm::ArrayRef<layout::AxisRef> b);

/// Returns the axes that cut dims of \p layout, dim by dim.
AxisList getCutAxes(const layout::Layout &layout);

/// Returns \p refs, which must not overlap, as a set: in mesh order, merged.
AxisList getAxisSet(AxisList refs);

/// Returns the partial entries \p partial, in normal form, once the first of
/// them is reduced over \p axes, which it must contain.
llvm::SmallVector<layout::PartialAxes, 1>
reduceFirst(const layout::Mesh &mesh,
            llvm::ArrayRef<layout::PartialAxes> partial,
            llvm::ArrayRef<layout::AxisRef> axes);

/// Returns the axes by which \p from and \p to cut dims, each without what the
/// two share at the major end of the dim.
std::pair<AxisList, AxisList> getChangedAxes(llvm::ArrayRef<int64_t> shape,
                                             const layout::Layout &from,
                                             const layout::Layout &to);

/// Returns \p globalShape with 1 for each size that is not known. Such a dim is
/// not cut, so it is alike in all layouts of a plan.
llvm::SmallVector<int64_t> getCountedShape(llvm::ArrayRef<int64_t> globalShape);

} // namespace pctl::redistribute

#endif // PCTL_LIB_REDISTRIBUTE_ALGEBRA_H
