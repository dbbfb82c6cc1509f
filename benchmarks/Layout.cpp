// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// What questions about layouts cost, on meshes of 8 and of 1,048,576 ranks:
/// the same, as all of them are arithmetic on axes. Compare the two rows of
/// each benchmark; they differ by noise only.

#include "pctl/Layout/Layout.h"
#include "pctl/Layout/LayoutText.h"
#include "pctl/Layout/ReplicaGroups.h"

#include "benchmark/benchmark.h"

using namespace pctl::layout;

namespace {

/// Returns a mesh of three axes with \p numRanks ranks, a cube.
Mesh makeCube(int64_t numRanks) {
  int64_t side = 1;
  while (side * side * side < numRanks)
    side *= 2;
  return llvm::cantFail(Mesh::create(
      {{"x", numRanks / (side * side)}, {"y", side}, {"z", side}}));
}

/// A tensor whose first dim is cut by two axes and that is partial along one.
struct Subject {
  explicit Subject(int64_t numRanks)
      : mesh(makeCube(numRanks)),
        layout(
            llvm::cantFail(parseLayout("[{z,x},{}] partial=[sum(y)]", mesh))) {}

  Mesh mesh;
  Layout layout;
  llvm::SmallVector<int64_t> shape = {(INT64_C(1) << 30) + 7, 1024};
};

/// Calls \p ask with a rank after the other, far apart.
template <typename Ask>
void askEachRank(benchmark::State &state, const Mesh &mesh, Ask ask) {
  int64_t rank = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(ask(rank));
    rank = (rank + 7919) % mesh.getNumRanks();
  }
}

void getBoxOfRank(benchmark::State &state) {
  Subject subject(state.range(0));
  askEachRank(state, subject.mesh, [&](int64_t rank) {
    return getBox(subject.mesh, subject.layout, subject.shape, rank);
  });
}

void getGroupOfRank(benchmark::State &state) {
  Subject subject(state.range(0));
  ReplicaGroups groups(subject.mesh, subject.layout.getPartialAxes());
  askEachRank(state, subject.mesh,
              [&](int64_t rank) { return groups.getGroup(rank); });
}

void makeReplicaGroups(benchmark::State &state) {
  Subject subject(state.range(0));
  for (auto _ : state)
    benchmark::DoNotOptimize(
        ReplicaGroups(subject.mesh, subject.layout.getPartialAxes()));
}

void verifyLayoutOfTensor(benchmark::State &state) {
  Subject subject(state.range(0));
  for (auto _ : state)
    llvm::cantFail(verifyLayout(subject.mesh, subject.layout, subject.shape));
}

void makeMesh(benchmark::State &state) {
  for (auto _ : state)
    benchmark::DoNotOptimize(makeCube(state.range(0)));
}

} // namespace

BENCHMARK(getBoxOfRank)->Arg(8)->Arg(1 << 20);
BENCHMARK(getGroupOfRank)->Arg(8)->Arg(1 << 20);
BENCHMARK(makeReplicaGroups)->Arg(8)->Arg(1 << 20);
BENCHMARK(verifyLayoutOfTensor)->Arg(8)->Arg(1 << 20);
BENCHMARK(makeMesh)->Arg(8)->Arg(1 << 20);
