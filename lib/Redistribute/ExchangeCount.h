// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Who sends how much to whom in an exchange, for one rank at a time and
/// without visiting its peers where axes allow that.

#ifndef PCTL_LIB_REDISTRIBUTE_EXCHANGECOUNT_H
#define PCTL_LIB_REDISTRIBUTE_EXCHANGECOUNT_H

#include "Algebra.h"

#include "pctl/Redistribute/PlanCost.h"

namespace pctl::redistribute {

/// Saturating arithmetic on counts that are not negative.
int64_t addCounts(int64_t a, int64_t b);
int64_t multiplyCounts(int64_t a, int64_t b);

/// Sets the times of \p cost: what \p links take, and packing its bytes.
void setTime(StepCost &cost, cost::Duration links,
             const cost::Cluster &cluster);

/// What counting a rank in an exchange costs at most, in visits of pairs of
/// ranks.
inline constexpr int64_t pairsPerRank = 16;

/// Returns a step, in numbers of \p count things, that spreads a sample of
/// them well: about a golden section, and without a factor of \p count, so that
/// no thing comes twice before all have come, and no digit stands still.
int64_t getSampleStride(int64_t count);

/// Returns into how many rounds messages are cut, so that of \p stagedBytes,
/// what is staged in one round, about a chunk is staged in each of them; no
/// more than \p longest, the most elements that a message has along a dim.
int64_t getRounds(int64_t stagedBytes, int64_t chunkBytes, int64_t longest);

/// Returns how many elements of \p box go in the first of \p rounds rounds.
int64_t getFirstPart(const layout::Box &box, int64_t rounds);

/// Returns where units of the levels of \p cluster begin inside axes of
/// \p mesh, whose rank i is device i: pairs of an axis and the product of its
/// factors before that. Nothing if some level's do not begin at a factor.
std::optional<llvm::SmallVector<std::pair<unsigned, int64_t>>>
getUnitSplits(const cost::Cluster &cluster, const layout::Mesh &mesh);

/// What goes one way over the links of one kind, between a rank and its peers.
struct Flow {
  int64_t elements = 0;
  /// Peers that there is a message for.
  int64_t peers = 0;
  /// Elements of the greatest round: the first one.
  int64_t roundElements = 0;

  Flow &operator+=(const Flow &other) {
    elements = addCounts(elements, other.elements);
    peers = addCounts(peers, other.peers);
    roundElements = addCounts(roundElements, other.roundElements);
    return *this;
  }
};

/// What one rank sends and receives in an exchange.
struct RankFlows {
  /// One entry for each link of ExchangeCounter::getLinks.
  llvm::SmallVector<Flow, 2> sent, received;
  /// Elements from devices in other units of the level inside the outermost.
  int64_t fromOtherUnits = 0;

  Flow getAllSent() const;
  Flow getAllReceived() const;
};

/// Counts the messages of one valid exchange, over a shape whose sizes are all
/// known.
///
/// What a rank sends to the ranks that differ from it along some axes is a sum
/// over their positions, and each axis cuts one dim of the target only. So the
/// sum of the products over dims is the product over dims of sums, and a sum
/// over neighbouring blocks is the overlap with one range. That is done where
/// all axes involved have a common split into factors, and units of levels too.
/// Elsewhere each member of the group is visited.
class ExchangeCounter {
public:
  /// \p maxPairs: how many pairs of ranks may be visited; beyond that all
  /// messages count as over the slowest link of the group.
  ExchangeCounter(const layout::Mesh &mesh, llvm::ArrayRef<int64_t> shape,
                  const Step &step, const cost::Cluster &cluster,
                  int64_t maxPairs);

  /// The kinds of links that messages may go over.
  llvm::ArrayRef<cost::Link> getLinks() const { return links; }
  /// Returns whether flows can be counted at all; if not there are none.
  bool canCount() const { return mode != Mode::None; }
  /// Returns whether each flow is attributed to its own link.
  bool isExact() const { return exact; }

  /// Returns the axes such that ranks which differ along others only have the
  /// same flows, over the same links.
  const AxisList &getVaryingAxes() const { return varying; }

  RankFlows count(int64_t rank) const;

private:
  enum class Mode { Factors, Pairs, Listed, None };

  /// A factor of the mesh that no cut, group or unit splits further.
  struct Digit {
    layout::AxisRef ref;
    int64_t stride;
    bool inGroup = false;
    /// Whether members that differ along it hold different blocks before.
    bool inFrom = false;
    /// The first link whose unit it is inside of.
    unsigned link = 0;
  };
  /// The cut of one dim as digits, major first.
  struct Cut {
    int64_t globalSize = 0;
    int64_t blockSize = 0;
    /// Where listed blocks start, and the end of the last one.
    std::vector<int64_t> starts;
    llvm::SmallVector<unsigned, 4> digits;

    int64_t getStart(int64_t position) const;
  };
  struct Cuts {
    llvm::SmallVector<Cut, 4> dims;
    /// Whether each digit is one of a dim.
    llvm::SmallVector<bool, 8> uses;
  };
  /// Sums over the blocks of one dim.
  struct DimSum {
    int64_t elements = 0;
    int64_t blocks = 0;
    /// Blocks of one element.
    int64_t ones = 0;
    /// First parts of blocks of more.
    int64_t parts = 0;
  };

  bool split(bool withUnits);
  bool makeDigits(const std::vector<llvm::SmallVector<int64_t>> &points);
  void makeCuts(const layout::Layout &layout, Cuts &cuts);
  void collectListed();

  RankFlows countByFactors(int64_t rank) const;
  RankFlows countByPairs(int64_t rank) const;
  /// Sums over the ranks that differ from \p rank along digits for which
  /// \p isFree holds what \p rank has in \p own and they in \p others.
  template <typename IsFree>
  Flow sumFactors(int64_t rank, const Cuts &own, const Cuts &others,
                  IsFree isFree) const;
  template <typename IsFree>
  DimSum sumDim(int64_t rank, layout::Range range, const Cut &cut,
                IsFree isFree) const;
  void addBlocks(const Cut &cut, int64_t first, int64_t count,
                 layout::Range range, DimSum &sum) const;
  int64_t getPosition(int64_t rank, const Cut &cut) const;
  int64_t getCoordinate(int64_t rank, const Digit &digit) const {
    return rank / digit.stride % digit.ref.size;
  }
  void addMessage(int64_t source, int64_t target, const layout::Box &box,
                  RankFlows *sender, RankFlows *receiver) const;
  unsigned getLinkIndex(int64_t source, int64_t target) const;
  RankFlows makeFlows() const;

  const layout::Mesh &mesh;
  const llvm::ArrayRef<int64_t> shape;
  const Step &step;
  const cost::Cluster &cluster;
  const layout::Layout &owners;
  llvm::SmallVector<cost::Link, 2> links;
  Mode mode = Mode::None;
  bool exact = true;
  AxisList varying;
  llvm::SmallVector<Digit, 8> digits;
  Cuts ownerCuts, targetCuts;
  std::vector<RankFlows> listed;
};

/// Returns on how many ranks of \p mesh a planner counts an exchange that it
/// may not choose: on all of them where they are few, else on a small sample,
/// so that a mesh of a million ranks costs no more than one of a thousand.
inline int64_t getPlanningRanks(const layout::Mesh &mesh) {
  constexpr int64_t few = 4096, sample = 16;
  return mesh.getNumRanks() <= few ? few : sample;
}

} // namespace pctl::redistribute

#endif // PCTL_LIB_REDISTRIBUTE_EXCHANGECOUNT_H
