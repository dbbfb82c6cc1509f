// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// How good plans are: against the least that any direct transfer needs and
/// against the best sequence of collectives, both found here without the
/// library's planner. The tests and the table of docs/redistribution.md use it.

#ifndef PCTL_TEST_UNIT_REDISTRIBUTE_MEASURE_H
#define PCTL_TEST_UNIT_REDISTRIBUTE_MEASURE_H

#include "TestSupport.h"

#include "pctl/Redistribute/PlanCost.h"

#include <map>

namespace pctl::redistribute::test {

/// What any way to send each lacking element once, from a rank that holds it
/// before, needs.
struct DirectOptimum {
  /// The most elements that a rank lacks.
  int64_t maxReceived = 0;
  /// The least possible most elements that a rank sends, by any choice of
  /// sources.
  int64_t maxSent = 0;

  int64_t getMost() const { return std::max(maxReceived, maxSent); }
};

/// Returns the optimum over all choices of sources, for at most 20 ranks.
///
/// Choosing a source for each of the demands is an assignment of loads to
/// ranks, whose least greatest load is, by Hall's theorem in the form for loads
/// (and integral, as flows are),
///
///   max over sets S of ranks of ceil(demands that only S can serve / |S|).
///
/// All sets are tried, with the demands summed over subsets.
DirectOptimum getDirectOptimum(const layout::Mesh &mesh,
                               llvm::ArrayRef<int64_t> shape,
                               const layout::Layout &from,
                               const layout::Layout &to);

/// The least times of sequences of slices, all-gathers, all-to-alls, permutes,
/// reduce-scatters and all-reduces between the layouts of a list, over all of
/// them as states in between.
class BestCollectives {
public:
  BestCollectives(const layout::Mesh &mesh, llvm::ArrayRef<int64_t> shape,
                  llvm::ArrayRef<layout::Layout> layouts,
                  const cost::Cluster &cluster, int64_t elementBytes);

  /// Returns infinity where no sequence leads there.
  double getTimeSec(size_t from, size_t to) const {
    return times[from * numLayouts + to];
  }

private:
  size_t numLayouts;
  std::vector<double> times;
};

/// What was found over a set of pairs.
struct Measures {
  int64_t pairs = 0, right = 0, underCap = 0;
  /// Pairs without partial axes and with a bound above 0.
  int64_t bounded = 0, atBound = 0;
  double sumOfLogs = 0, worstRatio = 1;
  /// Pairs compared with the best collectives.
  int64_t compared = 0, slower = 0;
  /// The first pair that is not right, over the cap, or slower than the best
  /// collectives, and the one that has the worst ratio.
  std::string firstWrong, firstOverCap, firstSlower, worstPair;

  double getGeomean() const;
  void add(const Measures &other);
};

/// Plans one pair, evaluates and prices it, and adds what it finds.
/// \p bestTimeSec is that of the best collectives, if it is known.
void measurePair(const layout::Mesh &mesh, llvm::ArrayRef<int64_t> shape,
                 const layout::Layout &from, const layout::Layout &to,
                 const cost::Cluster &cluster,
                 std::optional<double> bestTimeSec, Measures &measures);

/// Measures every ordered pair of layouts of one mesh and shape, or \p maxPairs
/// of them drawn with a fixed seed where there are more. \p partial adds
/// layouts that are partial along one axis on the left. With
/// \p compareCollectives the best sequences of collectives are found, where
/// time is that of \p cluster.
Measures measureAllPairs(llvm::StringRef mesh, llvm::ArrayRef<int64_t> shape,
                         bool partial, size_t maxPairs, bool compareCollectives,
                         llvm::StringRef cluster = "bytes");

/// Measures pairs drawn with \p seed on random meshes of up to \p maxRanks
/// ranks, of even and uneven shapes, rightness and cap alone where there are
/// more than 16 ranks.
Measures measureRandomPairs(size_t numPairs, int64_t maxRanks, uint64_t seed);

} // namespace pctl::redistribute::test

#endif // PCTL_TEST_UNIT_REDISTRIBUTE_MEASURE_H
