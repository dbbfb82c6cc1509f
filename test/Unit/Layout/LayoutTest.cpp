// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// The meaning of layouts by brute force: every layout of small tensors on
/// every small mesh, each rank's elements counted one by one.

#include "Enumerate.h"

#include "llvm/ADT/STLExtras.h"

#include <map>

using namespace pctl::layout;
using namespace pctl::layout::test;

namespace {

using Shape = std::vector<int64_t>;

constexpr int64_t dimSizes[] = {0, 1, 2, 3, 5, 6, 7, 8, 12};

/// Returns every shape of \p tensorRank dims with sizes of dimSizes.
std::vector<Shape> allShapes(unsigned tensorRank) {
  std::vector<Shape> shapes = {{}};
  for (unsigned dim = 0; dim < tensorRank; ++dim) {
    std::vector<Shape> longer;
    for (const Shape &head : shapes)
      for (int64_t size : dimSizes) {
        longer.push_back(head);
        longer.back().push_back(size);
      }
    shapes = std::move(longer);
  }
  return shapes;
}

/// Returns the elements of each position, by dealing them out one at a time:
/// element e goes to position e / b, for the least b with k b >= n.
std::vector<std::vector<int64_t>> dealOut(int64_t size, int64_t positions) {
  int64_t block = 0;
  while (block * positions < size)
    ++block;
  std::vector<std::vector<int64_t>> dealt(positions);
  for (int64_t element = 0; element < size; ++element)
    dealt[element / block].push_back(element);
  return dealt;
}

std::vector<int64_t> elementsOf(Range range) {
  std::vector<int64_t> elements;
  for (int64_t element = range.offset; element < range.getEnd(); ++element)
    elements.push_back(element);
  return elements;
}

/// Calls \p visit with every index in \p box.
void forEachIndex(const Box &box, llvm::function_ref<void(const Shape &)> visit,
                  Shape &index) {
  if (index.size() == box.getTensorRank())
    return visit(index);
  for (int64_t i : elementsOf(box[index.size()])) {
    index.push_back(i);
    forEachIndex(box, visit, index);
    index.pop_back();
  }
}

/// Compares everything that the library says of a layout with what the boxes
/// of all ranks show.
class Checker {
public:
  /// \p positions: for each dim, the position of each rank along its axes.
  Checker(const Mesh &mesh, const Layout &layout, const Shape &shape,
          const std::vector<Table> &positions)
      : mesh(mesh), layout(layout), shape(shape), positions(positions) {
    for (int64_t rank = 0; rank < mesh.getNumRanks(); ++rank)
      boxes.push_back(getBox(mesh, layout, shape, rank));
  }

  void check() {
    ASSERT_EQ(messageOf(verifyLayout(mesh, layout, shape)), "");
    for (unsigned dim = 0; dim < shape.size(); ++dim)
      checkDim(dim);
    checkReplicasTileTheTensor();
    checkSizes();
  }

private:
  void checkDim(unsigned dim) {
    int64_t numPositions = countAll(layout.dims[dim].axes);
    auto dealt = dealOut(shape[dim], numPositions);
    if (!layout.dims[dim].blockSizes.empty())
      dealt = dealExplicitly(layout.dims[dim].blockSizes);
    for (size_t rank = 0; rank < boxes.size(); ++rank)
      ASSERT_EQ(elementsOf(boxes[rank][dim]), dealt[positions[dim][rank]]);

    bool even = llvm::all_of(dealt, [&](const auto &elements) {
      return elements.size() == dealt[0].size();
    });
    std::optional<int64_t> blockSize =
        getEvenBlockSize(layout.dims[dim], shape[dim]);
    ASSERT_EQ(blockSize.has_value(), even);
    if (even) {
      ASSERT_EQ(*blockSize, static_cast<int64_t>(dealt[0].size()));
    }
  }

  static std::vector<std::vector<int64_t>>
  dealExplicitly(llvm::ArrayRef<int64_t> blockSizes) {
    std::vector<std::vector<int64_t>> dealt;
    int64_t next = 0;
    for (int64_t size : blockSizes) {
      dealt.emplace_back();
      while (size-- > 0)
        dealt.back().push_back(next++);
    }
    return dealt;
  }

  /// Ranks of equal positions hold equal boxes, and one of each holds every
  /// element of the tensor once.
  void checkReplicasTileTheTensor() {
    std::map<Shape, Box> boxOf;
    for (size_t rank = 0; rank < boxes.size(); ++rank) {
      Shape key;
      for (const Table &table : positions)
        key.push_back(table[rank]);
      auto [first, isNew] = boxOf.try_emplace(key, boxes[rank]);
      ASSERT_TRUE(first->second == boxes[rank]) << "replicas differ";
    }
    std::map<Shape, int64_t> holders;
    int64_t held = 0, elements = 1;
    for (const auto &[key, box] : boxOf) {
      Shape index;
      forEachIndex(
          box,
          [&](const Shape &element) {
            ++holders[element];
            ++held;
          },
          index);
    }
    for (int64_t size : shape)
      elements *= size;
    // As many elements as the tensor has, none of them twice, none outside.
    ASSERT_EQ(held, elements);
    ASSERT_EQ(static_cast<int64_t>(holders.size()), elements);
    for (const auto &[key, box] : boxOf)
      ASSERT_TRUE(Box::ofShape(shape).contains(box));
  }

  void checkSizes() {
    llvm::SmallVector<int64_t> local = getLocalShape(layout, shape);
    ASSERT_EQ(local.size(), shape.size());
    bool even = true;
    for (unsigned dim = 0; dim < shape.size(); ++dim) {
      bool sameEverywhere = llvm::all_of(boxes, [&](const Box &box) {
        return box[dim].size == boxes[0][dim].size;
      });
      ASSERT_EQ(local[dim], sameEverywhere ? boxes[0][dim].size : kDynamic);
      even &= sameEverywhere;
    }
    ASSERT_EQ(isEven(layout, shape), even);
    int64_t largest = 0;
    for (const Box &box : boxes)
      largest = std::max(largest, box.getNumElements());
    ASSERT_EQ(getMaxLocalElements(layout, shape), largest);
  }

  const Mesh &mesh;
  const Layout &layout;
  const Shape &shape;
  const std::vector<Table> &positions;
  std::vector<Box> boxes;
};

std::vector<Table> positionsOf(const Mesh &mesh, const Layout &layout) {
  std::vector<Table> positions;
  for (const DimLayout &dim : layout.dims)
    positions.push_back(countPositions(mesh, dim.axes));
  return positions;
}

/// Checks each layout of \p tensorRank dims on each mesh with every
/// \p stride-th shape, another first one for each layout.
void checkEveryLayout(unsigned tensorRank, size_t stride) {
  std::vector<Shape> shapes = allShapes(tensorRank);
  size_t offset = 0;
  for (const Mesh &mesh : smallMeshes())
    forEachLayout(mesh, tensorRank, [&](const Layout &layout) {
      std::vector<Table> positions = positionsOf(mesh, layout);
      // 7 shares no factor with the 9 sizes of a dim.
      offset = (offset + 7) % stride;
      for (size_t i = offset; i < shapes.size(); i += stride) {
        SCOPED_TRACE(toString(mesh) + ": " + toString(mesh, layout) + " of " +
                     toString(Box::ofShape(shapes[i])));
        Checker(mesh, layout, shapes[i], positions).check();
        if (testing::Test::HasFatalFailure())
          return;
      }
    });
}

TEST(Layout, TilesEveryScalar) { checkEveryLayout(0, 1); }
TEST(Layout, TilesEveryVector) { checkEveryLayout(1, 1); }
TEST(Layout, TilesEveryMatrix) { checkEveryLayout(2, 40); }
TEST(Layout, TilesEveryTensorOfThreeDims) { checkEveryLayout(3, 600); }

/// Calls \p visit with each list of \p length sizes that sum to \p sum.
void forEachSplit(int64_t sum, size_t length, Shape &head,
                  llvm::function_ref<void(const Shape &)> visit) {
  if (length == 1) {
    head.push_back(sum);
    visit(head);
    head.pop_back();
    return;
  }
  for (int64_t first = 0; first <= sum; ++first) {
    head.push_back(first);
    forEachSplit(sum - first, length - 1, head, visit);
    head.pop_back();
  }
}

TEST(Layout, TilesWithEveryListOfExplicitBlockSizes) {
  for (llvm::StringRef text : {"x=4", "x=2, y=2", "x=3, y=2", "x=1"}) {
    Mesh m = mesh(text);
    for (int64_t size : {0, 1, 3, 5}) {
      Shape shape = {size, 2};
      for (const Refs &list : allAxisLists(m)) {
        Layout layout = Layout::replicated(2);
        layout.dims[0].axes.assign(list.begin(), list.end());
        std::vector<Table> positions = positionsOf(m, layout);
        Shape head;
        forEachSplit(size, countAll(list), head, [&](const Shape &blocks) {
          layout.dims[0].blockSizes.assign(blocks.begin(), blocks.end());
          SCOPED_TRACE(toString(m) + ": " + toString(m, layout));
          Checker(m, layout, shape, positions).check();
        });
        if (HasFatalFailure())
          return;
      }
    }
  }
}

TEST(Layout, ShapesOfTheWorkedExample) {
  Mesh m = mesh("data=4, model=2");
  auto local = [&](llvm::StringRef text) {
    return getLocalShape(layout(text, m), {8, 6});
  };
  using Sizes = llvm::SmallVector<int64_t>;
  EXPECT_EQ(local("[{data},{model}]"), (Sizes{2, 3}));
  EXPECT_EQ(local("[{},{model}]"), (Sizes{8, 3}));
  EXPECT_EQ(local("[{data},{}] partial=[sum(model)]"), (Sizes{2, 6}));
  EXPECT_EQ(toString(getBox(m, layout("[{data},{model}]", m), {8, 6}, 5)),
            "[4:6, 3:6]");
}

TEST(Layout, UnknownSizesStayUnknownWhereUncut) {
  Mesh m = mesh("x=4, one=1");
  Layout l = layout("[{one},{x},{}]", m);
  EXPECT_EQ(messageOf(verifyLayout(m, l, {kDynamic, 8, kDynamic})), "");
  EXPECT_EQ(getLocalShape(l, {kDynamic, 8, kDynamic}),
            (llvm::SmallVector<int64_t>{kDynamic, 2, kDynamic}));
  EXPECT_EQ(getEvenBlockSize(l.dims[1], kDynamic), std::nullopt);
}

TEST(Layout, ListsTheAxesThatItUses) {
  Mesh m = mesh("a=2, b=2, c=2, d=2");
  Layout l = layout("[{c},{},{a}] partial=[sum(d),maxsi(b)]", m);
  EXPECT_EQ(toString(m, l.getUsedAxes()), "c,a,d,b");
  EXPECT_EQ(toString(m, l.getPartialAxes()), "d,b");
  EXPECT_TRUE(l.isPartial());
  EXPECT_EQ(toString(m, l.withoutPartial()), "[{c},{},{a}]");
  EXPECT_FALSE(l.withoutPartial().isPartial());
  EXPECT_EQ(toString(m, Layout::replicated(2)), "[{},{}]");
  EXPECT_EQ(toString(m, Layout::replicated(2, /*open=*/true)), "[{?},{?}]");
}

TEST(ReductionKind, KeywordsAreDistinctAndNameTheirKind) {
  std::map<std::string, ReductionKind> seen;
  for (int i = 0; i <= static_cast<int>(ReductionKind::Xor); ++i) {
    auto kind = static_cast<ReductionKind>(i);
    llvm::StringRef keyword = stringifyReductionKind(kind);
    EXPECT_FALSE(keyword.empty());
    EXPECT_TRUE(seen.try_emplace(keyword.str(), kind).second) << keyword.str();
    EXPECT_EQ(symbolizeReductionKind(keyword), kind);
  }
  EXPECT_EQ(seen.size(), 13u);
  EXPECT_EQ(stringifyReductionKind(ReductionKind::Maximum), "maximumf");
  EXPECT_EQ(stringifyReductionKind(ReductionKind::MinUnsigned), "minui");
  EXPECT_EQ(symbolizeReductionKind("mean"), std::nullopt);
  EXPECT_EQ(symbolizeReductionKind(""), std::nullopt);
}

} // namespace
