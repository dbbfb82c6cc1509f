// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Exhaustive enumeration of small meshes, axis lists and layouts.

#include "Enumerate.h"

#include "llvm/ADT/STLExtras.h"

using namespace pctl::layout;
using namespace pctl::layout::test;
using llvm::ArrayRef;
using llvm::StringRef;

Mesh test::makeMesh(ArrayRef<int64_t> sizes) {
  std::vector<MeshAxis> axes;
  for (int64_t size : sizes)
    axes.push_back({std::string(1, 'a' + axes.size()), size});
  return llvm::cantFail(Mesh::create(axes));
}

Mesh test::mesh(StringRef text) { return llvm::cantFail(parseMesh(text)); }

Layout test::layout(StringRef text, const Mesh &mesh) {
  return llvm::cantFail(parseLayout(text, mesh));
}

Refs test::refs(StringRef text, const Mesh &mesh) {
  Layout parsed = layout("[{" + text.str() + "}]", mesh);
  return Refs(parsed.dims[0].axes);
}

const std::vector<Mesh> &test::smallMeshes() {
  static const std::vector<Mesh> meshes = [] {
    std::vector<Mesh> result;
    for (std::vector<int64_t> sizes : std::vector<std::vector<int64_t>>{
             {},     {1},    {2},    {3},    {4},       {6},       {8},
             {12},   {16},   {1, 3}, {2, 2}, {2, 1, 2}, {2, 3},    {3, 2},
             {2, 4}, {4, 2}, {2, 6}, {4, 4}, {2, 2, 2}, {2, 3, 2}, {4, 2, 2}})
      result.push_back(makeMesh(sizes));
    return result;
  }();
  return meshes;
}

Refs test::allRefs(const Mesh &mesh, bool withUnits) {
  Refs all;
  for (unsigned axis = 0; axis < mesh.getNumAxes(); ++axis) {
    int64_t axisSize = mesh.getAxes()[axis].size;
    for (int64_t preSize = 1; preSize <= axisSize; ++preSize)
      for (int64_t size = withUnits ? 1 : 2; size <= axisSize; ++size)
        if (axisSize % (preSize * size) == 0)
          all.push_back({axis, preSize, size});
  }
  return all;
}

std::vector<Refs> test::allAxisLists(const Mesh &mesh, unsigned maxLength,
                                     bool withUnits) {
  Refs candidates = allRefs(mesh, withUnits);
  // free[i][j]: whether candidates i and j can be used side by side.
  std::vector<std::vector<bool>> free(candidates.size());
  for (auto [i, a] : llvm::enumerate(candidates))
    for (AxisRef b : candidates)
      free[i].push_back(a != b && findsCommonSplit(mesh, a, b));

  std::vector<Refs> lists = {{}};
  std::vector<std::vector<unsigned>> chosen = {{}};
  for (size_t next = 0; next < lists.size(); ++next) {
    if (chosen[next].size() == maxLength)
      continue;
    for (unsigned i = 0; i < candidates.size(); ++i) {
      if (!llvm::all_of(chosen[next], [&](unsigned j) { return free[i][j]; }))
        continue;
      Refs longer = lists[next];
      longer.push_back(candidates[i]);
      std::vector<unsigned> longerChosen = chosen[next];
      longerChosen.push_back(i);
      lists.push_back(std::move(longer));
      chosen.push_back(std::move(longerChosen));
    }
  }
  return lists;
}

/// Calls \p visit with each way to cut \p list into one part for each dim of
/// \p layout from \p dim on and a rest, which is partial.
static void forEachCut(ArrayRef<AxisRef> list, Layout &layout, unsigned dim,
                       llvm::function_ref<void(const Layout &)> visit) {
  if (dim == layout.dims.size()) {
    layout.partial.clear();
    if (!list.empty())
      layout.partial.push_back({ReductionKind::Sum, {}});
    if (!list.empty())
      layout.partial[0].axes.assign(list.begin(), list.end());
    visit(layout);
    return;
  }
  for (size_t length = 0; length <= list.size(); ++length) {
    layout.dims[dim].axes.assign(list.begin(), list.begin() + length);
    forEachCut(list.drop_front(length), layout, dim + 1, visit);
  }
}

void test::forEachLayout(const Mesh &mesh, unsigned tensorRank,
                         llvm::function_ref<void(const Layout &)> visit) {
  for (const Refs &list : allAxisLists(mesh)) {
    Layout layout = Layout::replicated(tensorRank);
    forEachCut(list, layout, 0, visit);
  }
}

Table test::countCoordinates(const Mesh &mesh, AxisRef ref) {
  int64_t before = ref.preSize, after = 1;
  for (auto [index, axis] : llvm::enumerate(mesh.getAxes())) {
    if (index < ref.axis)
      before *= axis.size;
    else if (index == ref.axis)
      after *= axis.size / (ref.preSize * ref.size);
    else
      after *= axis.size;
  }
  Table table;
  for (int64_t i = 0; i < before; ++i)
    for (int64_t coordinate = 0; coordinate < ref.size; ++coordinate)
      table.insert(table.end(), after, coordinate);
  return table;
}

Table test::countPositions(const Mesh &mesh, ArrayRef<AxisRef> refs) {
  Table table(mesh.getNumRanks(), 0);
  for (AxisRef ref : refs) {
    Table coordinates = countCoordinates(mesh, ref);
    for (size_t rank = 0; rank < table.size(); ++rank)
      table[rank] = table[rank] * ref.size + coordinates[rank];
  }
  return table;
}

int64_t test::countAll(ArrayRef<AxisRef> refs) {
  int64_t count = 1;
  for (AxisRef ref : refs)
    count *= ref.size;
  return count;
}

/// Calls \p visit with each list of factors of \p size above 1, in order.
static void forEachSplit(int64_t size, std::vector<int64_t> &head,
                         llvm::function_ref<void(ArrayRef<int64_t>)> visit) {
  if (size == 1)
    return visit(head);
  for (int64_t factor = 2; factor <= size; ++factor) {
    if (size % factor != 0)
      continue;
    head.push_back(factor);
    forEachSplit(size / factor, head, visit);
    head.pop_back();
  }
}

/// Returns which of the factors \p split make up \p ref, as a first and a last
/// one past it; nothing where no run of them does.
static std::optional<std::pair<size_t, size_t>> findRun(ArrayRef<int64_t> split,
                                                        AxisRef ref) {
  int64_t preSize = 1;
  for (size_t begin = 0; begin <= split.size(); ++begin) {
    int64_t size = 1;
    for (size_t end = begin; preSize == ref.preSize; ++end) {
      if (size == ref.size)
        return std::make_pair(begin, end);
      if (end == split.size())
        break;
      size *= split[end];
    }
    if (begin < split.size())
      preSize *= split[begin];
  }
  return std::nullopt;
}

bool test::findsCommonSplit(const Mesh &mesh, AxisRef a, AxisRef b) {
  if (a.axis != b.axis || a.size == 1 || b.size == 1)
    return true;
  bool found = false;
  std::vector<int64_t> head;
  forEachSplit(mesh.getAxes()[a.axis].size, head, [&](ArrayRef<int64_t> split) {
    auto runA = findRun(split, a), runB = findRun(split, b);
    found |= runA && runB &&
             (runA->second <= runB->first || runB->second <= runA->first);
  });
  return found;
}
