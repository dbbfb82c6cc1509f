// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// The symbols that stand for values where plans are evaluated: which element,
/// and how often each contribution is in it. docs/redistribution.md, "How plans
/// are checked".

#ifndef PCTL_LIB_REDISTRIBUTE_SYMBOLS_H
#define PCTL_LIB_REDISTRIBUTE_SYMBOLS_H

#include "pctl/Layout/Layout.h"

#include <map>
#include <string>
#include <vector>

namespace pctl::redistribute {

/// The most cells, and the most counts of contributions, that an evaluation
/// keeps at once, on all ranks together.
inline constexpr int64_t maxCells = int64_t(1) << 26;

/// How often the contribution of each position along the axes that are partial
/// at the start is in a value.
using Terms = std::vector<int64_t>;

/// Numbers the different Terms that come up, of which there are few.
class TermTable {
public:
  unsigned getId(const Terms &terms);
  const Terms &get(unsigned id) const { return all[id]; }

  /// Returns the number of what is both in \p a and in \p b. A count that an
  /// int64_t does not hold is INT64_MAX.
  unsigned getSum(unsigned a, unsigned b);

private:
  std::vector<Terms> all;
  std::map<Terms, unsigned> ids;
  std::map<std::pair<unsigned, unsigned>, unsigned> sums;
};

/// Returns what an element on \p rank is made of at the start: its own
/// contribution along \p partialAxes, which are partial then.
Terms getOwnTerms(const layout::Mesh &mesh,
                  llvm::ArrayRef<layout::AxisRef> partialAxes, int64_t rank);

/// Returns what an element on \p rank is made of in \p layout: the positions
/// that agree with it along the axes that are partial still.
Terms getRightTerms(const layout::Mesh &mesh,
                    llvm::ArrayRef<layout::AxisRef> partialAxes,
                    const layout::Layout &layout, int64_t rank);

/// Checks that an axis that is partial in \p layout is one of \p partialAxes.
llvm::Error verifyPartialAtStart(const layout::Mesh &mesh,
                                 llvm::ArrayRef<layout::AxisRef> partialAxes,
                                 const layout::Layout &layout);

/// Returns whether an evaluation takes on up to \p perRank of something on
/// every rank.
bool canKeep(const layout::Mesh &mesh, int64_t perRank);

/// Checks that up to \p perRank of \p what can be kept on every rank.
llvm::Error checkCount(const layout::Mesh &mesh, int64_t perRank,
                       const char *what);

/// Checks that \p layout can be evaluated.
llvm::Error checkLayout(const layout::Mesh &mesh,
                        llvm::ArrayRef<int64_t> globalShape,
                        const layout::Layout &layout);

/// Checks that a change between two layouts can be evaluated.
llvm::Error checkQuestion(const layout::Mesh &mesh,
                          llvm::ArrayRef<int64_t> globalShape,
                          const layout::Layout &from, const layout::Layout &to);

/// Returns the row-major number in an array of \p shape of each index of \p
/// box, in the row-major order of the box.
std::vector<int64_t> getNumbers(const layout::Box &box,
                                llvm::ArrayRef<int64_t> shape);

/// Prints `1,0`.
std::string printList(llvm::ArrayRef<int64_t> values, const char *separator);

/// Prints the index whose row-major number in \p shape is \p number, as
/// `[0, 4]`.
std::string printIndex(int64_t number, llvm::ArrayRef<int64_t> shape);

} // namespace pctl::redistribute

#endif // PCTL_LIB_REDISTRIBUTE_SYMBOLS_H
