// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// usage: PctlMeasureRedistribution [MAX_PAIRS_A_ROW [RANDOM_PAIRS]]
/// Prints the table of measured results of docs/redistribution.md: for each
/// mesh and tensor rank, over even and over uneven sizes, with and without a
/// partial axis.

#include "Measure.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace pctl::redistribute::test;
using llvm::SmallVector;

namespace {

using Shape = SmallVector<int64_t, 4>;

/// Returns the uneven shapes of a tensor rank: each of 5, 6, 7, 12 in each dim
/// at least once.
std::vector<Shape> getUnevenShapes(unsigned tensorRank) {
  static constexpr int64_t sizes[] = {5, 6, 7, 12};
  std::vector<Shape> shapes;
  for (unsigned first = 0; first < 4; ++first) {
    Shape &shape = shapes.emplace_back();
    for (unsigned dim = 0; dim < tensorRank; ++dim)
      shape.push_back(sizes[(first + dim) % 4]);
  }
  return shapes;
}

void printRow(llvm::StringRef mesh, unsigned tensorRank, llvm::StringRef sizes,
              const Measures &m) {
  auto getPercent = [&](int64_t part, int64_t whole) {
    return whole == 0 ? 100.0 : 100.0 * part / whole;
  };
  llvm::outs() << "| " << mesh << " | " << tensorRank << " | " << sizes << " | "
               << m.pairs << " | "
               << llvm::format("%.4g%% | %.4g%% | ",
                               getPercent(m.right, m.pairs),
                               getPercent(m.underCap, m.pairs));
  if (m.bounded != 0)
    llvm::outs() << llvm::format("%.3f / %.3f | %.4g%% | ", m.getGeomean(),
                                 m.worstRatio,
                                 getPercent(m.atBound, m.bounded));
  else
    llvm::outs() << "- | - | ";
  if (m.compared != 0)
    llvm::outs() << llvm::format("%.4g%% |", getPercent(m.slower, m.compared));
  else
    llvm::outs() << "- |";
  llvm::outs() << "\n";
  llvm::outs().flush();
  if (!m.firstWrong.empty())
    llvm::errs() << "wrong: " << m.firstWrong << "\n";
  if (!m.firstOverCap.empty())
    llvm::errs() << "over the cap: " << m.firstOverCap;
  if (!m.firstSlower.empty())
    llvm::errs() << "slower: " << m.firstSlower << "\n";
  if (!m.worstPair.empty())
    llvm::errs() << "worst: " << m.worstPair;
}

} // namespace

int main(int argc, char **argv) {
  size_t maxPairs = argc > 1 ? std::stoul(argv[1]) : SIZE_MAX;
  size_t randomPairs = argc > 2 ? std::stoul(argv[2]) : 100000;
  llvm::outs()
      << "| mesh | tensor rank | sizes | pairs | right | under the cap | "
         "max(sent, received) over the optimum, geomean / worst | at the "
         "optimum | slower than the best collectives |\n"
         "|---|---|---|---|---|---|---|---|---|\n";
  struct Entry {
    const char *mesh;
    int64_t even;
  };
  for (Entry entry :
       {Entry{"x=2,y=2", 8}, Entry{"x=2,y=4", 16}, Entry{"x=2,y=2,z=2", 16},
        Entry{"x=2,y=3", 36}, Entry{"x=4,y=2,z=2", 16}})
    for (unsigned tensorRank : {1, 2, 3}) {
      // All layouts of the largest mesh are too many to search over.
      bool compare = entry.mesh != llvm::StringRef("x=4,y=2,z=2");
      Shape even(tensorRank, entry.even);
      for (const char *cluster : {"bytes", "h100"})
        for (bool partial : {false, true}) {
          std::string sizes = partial ? "even, partial" : "even";
          if (cluster == llvm::StringRef("h100"))
            sizes += ", on h100";
          printRow(entry.mesh, tensorRank, sizes,
                   measureAllPairs(entry.mesh, even, partial, maxPairs,
                                   compare && !(partial && tensorRank == 3),
                                   cluster));
        }
      for (bool partial : {false, true}) {
        Measures sum;
        for (const Shape &shape : getUnevenShapes(tensorRank))
          sum.add(measureAllPairs(entry.mesh, shape, partial, maxPairs,
                                  /*compareCollectives=*/false));
        printRow(entry.mesh, tensorRank, partial ? "uneven, partial" : "uneven",
                 sum);
      }
    }
  printRow("random, up to 64 ranks", 3, "any",
           measureRandomPairs(randomPairs, 64, 1));
  return 0;
}
