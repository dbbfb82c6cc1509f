// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// The form in which MindSpore writes layouts, in and out. docs/layout.md has
/// the correspondence, with an example.

#ifndef PCTL_LAYOUT_MINDSPORE_H
#define PCTL_LAYOUT_MINDSPORE_H

#include "pctl/Layout/Layout.h"

#include <utility>

namespace pctl::layout {

/// A layout as MindSpore writes it: a device matrix, and for each dim of the
/// tensor the axes that cut it, counted from the right end of the matrix.
struct MindSporeLayout {
  /// Sizes, major first. Empty for one device.
  llvm::SmallVector<int64_t> deviceMatrix;
  /// For each dim the values k of its axes, major first: k names axis
  /// `deviceMatrix.size() - 1 - k`. The one value -1, or none, is an uncut dim.
  llvm::SmallVector<llvm::SmallVector<int64_t>> tensorMap;
  /// A name for each axis; empty when they have none.
  llvm::SmallVector<std::string> aliasName;
  /// The devices in rank order; empty for 0..n-1.
  llvm::SmallVector<int64_t> rankList;
  /// Whether the last axis, which must be called `interleaved_parallel`, splits
  /// what one device holds instead of numbering devices.
  bool interleavedParallel = false;
};

/// Returns the mesh and layout that \p form means. Axes without alias are
/// called `d0`, `d1`, ... from the left. Errors: a size below 1; an alias that
/// is empty, `None`, repeated, or of another count than the matrix; a map value
/// outside [-1, n), used twice, or -1 among others; a rank list of another
/// length than the device count, or with a device twice; interleaving, for
/// which there is no layout here.
llvm::Expected<std::pair<Mesh, Layout>>
fromMindSpore(const MindSporeLayout &form);

/// Returns the MindSpore form of \p layout over \p mesh. Sub-axes become axes
/// of the matrix of their own, named as `x_1_2` for `x:(1)2`, with a `_` more
/// where that name is taken. Errors: partial axes, open dims and explicit block
/// sizes, which that form cannot say; an axis called `None` or
/// `interleaved_parallel`, which mean something else there.
llvm::Expected<MindSporeLayout> toMindSpore(const Mesh &mesh,
                                            const Layout &layout);

/// Returns \p form as files hold it: axes of size 1 and aliases removed, the
/// maps renumbered, dims mapped to removed axes uncut. \p form must be one that
/// fromMindSpore accepts.
MindSporeLayout getMindSporeFileForm(const MindSporeLayout &form);

} // namespace pctl::layout

#endif // PCTL_LAYOUT_MINDSPORE_H
