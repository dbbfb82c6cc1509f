// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// What pctl-run says at the end: the plan, its collectives, its bytes, and how
/// each result compares. As text for people and as JSON for programs.

#ifndef PCTL_TOOLS_PCTLRUN_REPORT_H
#define PCTL_TOOLS_PCTLRUN_REPORT_H

#include "Compile.h"

namespace pctl::run {

/// How one result compares, over all ranks.
struct Verdict {
  int64_t numWrong = 0;
  double maxError = 0;
  double bound = 0;
  /// The first wrong element: on which rank, and where in the global tensor.
  int64_t wrongRank = 0;
  llvm::SmallVector<int64_t> wrongIndex;
  /// What it is, and what the uncut program has there.
  double wrongValue = 0;
  double wrongReference = 0;
  /// max |reference|.
  double magnitude = 0;

  /// Whether there are differences, and the bound that they keep would also let
  /// a zero pass for any element: such a comparison says nothing.
  bool saysNothing() const {
    return numWrong == 0 && maxError > 0 && bound >= magnitude;
  }

  /// Counts in what \p rank, which holds \p box, gave.
  void add(int64_t rank, const layout::Box &box,
           const tensor::Comparison &comparison);
};

struct Report {
  std::string file;
  const Compiled &compiled;
  /// One for each result; empty where nothing was compared.
  std::vector<Verdict> verdicts;

  /// Whether no result that was compared is wrong, or may be.
  bool isRight() const;
  /// The bytes that a rank receives in all collectives; nothing where blocks are
  /// uneven in one, so that ranks differ.
  std::optional<int64_t> getReceivedBytes() const;
  void print(llvm::raw_ostream &os) const;
  /// Prints one object:
  /// `{"file", "entry", "mesh", "ranks", "arguments": [{"type", "layout"}],
  ///   "collectives": [{"op", "axes", "local_type", "received_bytes"}],
  ///   "received_bytes", "results": [{"type", "layout", "max_error", "bound",
  ///   "wrong", "bound_says_nothing"}], "verified"}`; the last four of a result
  /// and `verified` only where results were compared.
  void printJson(llvm::raw_ostream &os) const;
};

} // namespace pctl::run

#endif // PCTL_TOOLS_PCTLRUN_REPORT_H
