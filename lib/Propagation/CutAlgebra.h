// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// What Rule.cpp and Propagate.cpp share about cutting factors.

#ifndef PCTL_LIB_PROPAGATION_CUTALGEBRA_H
#define PCTL_LIB_PROPAGATION_CUTALGEBRA_H

#include "pctl/Propagation/Rule.h"

namespace pctl::propagation {

/// Returns for each factor whether it makes up a dim together with others: its
/// blocks must then be even, as a block of the dim is a product of theirs.
llvm::SmallVector<bool> getMergedFactors(const Rule &rule);

/// Returns whether any axis may cut \p factor.
bool mayBeCut(const Factor &factor);

/// Returns whether \p cut leaves one iteration of \p factor to each position.
bool isCutFully(const Factor &factor, const layout::DimLayout &cut);

/// Returns whether \p longer cuts as \p shorter does and maybe further.
bool extends(const layout::DimLayout &longer, const layout::DimLayout &shorter);

} // namespace pctl::propagation

#endif // PCTL_LIB_PROPAGATION_CUTALGEBRA_H
