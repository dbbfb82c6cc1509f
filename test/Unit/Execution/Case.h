// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// One collective as a test: its program, its run, its comparison.

#ifndef PCTL_TEST_UNIT_EXECUTION_CASE_H
#define PCTL_TEST_UNIT_EXECUTION_CASE_H

#include "Reference.h"

#include "gtest/gtest.h"

namespace pctl::test {

inline const ElementType kF32 = {"f32", 4, 32};

/// Every kind of element type that moves, NCCL's own and others.
inline const ElementType kAllTypes[] = {{"i1", 1, 1},
                                        {"i4", 1, 4},
                                        {"i8", 1, 8},
                                        {"i16", 2, 16},
                                        {"i32", 4, 32},
                                        {"i64", 8, 64},
                                        {"i128", 16, 128},
                                        {"index", 8, 64},
                                        {"f16", 2, 16},
                                        {"bf16", 2, 16},
                                        {"f32", 4, 32},
                                        {"f64", 8, 64},
                                        {"f8E4M3FN", 1, 8},
                                        {"f8E5M2", 1, 8},
                                        {"f8E4M3B11FNUZ", 1, 8},
                                        {"complex<f32>", 8, 64},
                                        {"complex<f64>", 16, 128}};

/// One collective over \ref axes of \ref mesh.
struct Case {
  layout::Mesh mesh;
  llvm::SmallVector<layout::AxisRef> axes;

  Case(const std::string &meshText, const std::string &axesText)
      : mesh(parseMesh(meshText)) {
    // A layout of one dim is a list of axes with a text form.
    axes = parseLayout("[{" + axesText + "}]", mesh).dims[0].axes;
  }
  int getNumRanks() const { return mesh.getNumRanks(); }

  /// Prints a program of the one op. \p sizes are those of the output's dynamic
  /// dims, as values that \p setup defines.
  std::string print(const std::string &op, const std::string &in,
                    const std::string &out, const std::string &attributes,
                    const std::string &setup = "",
                    const std::string &sizes = "") const {
    return meshText(mesh) + "func.func @main(%x: " + in + ") -> " + out +
           " {\n" + setup + "%e = tensor.empty(" + sizes + ") : " + out +
           "\n%r = pctl." + op + " ins(%x : " + in + ") outs(%e : " + out +
           ") " + attributes + " axes = " + axesText(mesh, axes) +
           " on @m -> " + out + "\nreturn %r : " + out + "\n}\n";
  }

  /// Runs \p text with \p inputs and compares with \p expected, by rank.
  void check(const std::string &text, const std::vector<Array> &inputs,
             const std::vector<Array> &expected) const {
    SCOPED_TRACE(text);
    std::vector<std::vector<Array>> wrapped;
    for (const Array &input : inputs)
      wrapped.push_back({input});
    auto results = run(text, getNumRanks(), wrapped);
    for (int rank = 0; rank < getNumRanks(); ++rank) {
      ASSERT_EQ(results[rank].size(), 1u);
      EXPECT_EQ(results[rank][0], expected[rank]) << "rank " << rank;
    }
  }

  std::vector<Array> fillAll(llvm::ArrayRef<int64_t> shape,
                             const ElementType &type) const {
    std::vector<Array> arrays;
    for (int rank = 0; rank < getNumRanks(); ++rank)
      arrays.push_back(fill(shape, type, rank + 1));
    return arrays;
  }
  std::vector<Array> gatherGroup(const std::vector<Array> &all,
                                 int64_t rank) const {
    std::vector<Array> members;
    for (int64_t member : layout::ReplicaGroups(mesh, axes).getMembers(rank))
      members.push_back(all[member]);
    return members;
  }
};

} // namespace pctl::test

#endif // PCTL_TEST_UNIT_EXECUTION_CASE_H
