// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// The parser of plans, for the texts that plans are parts of.

#ifndef PCTL_LIB_REDISTRIBUTE_PLANPARSER_H
#define PCTL_LIB_REDISTRIBUTE_PLANPARSER_H

#include "pctl/Layout/LayoutParser.h"
#include "pctl/Redistribute/PlanText.h"

#include "llvm/ADT/StringExtras.h"

namespace pctl::redistribute {

/// Reads the phrases of the grammar in PlanText.h, which those of MoveText.h
/// use.
class PlanParser {
public:
  explicit PlanParser(llvm::StringRef text)
      : parser(text, layout::LayoutParser::Locations::LinesAndColumns) {}

  llvm::Expected<Plan> parsePlan();
  llvm::Expected<Step> parseStep(const layout::Mesh &mesh);
  llvm::Error expectEnd() { return parser.expectEnd(); }

protected:
  llvm::Error parseShape(llvm::SmallVector<int64_t, 4> &shape);
  llvm::Error parseChange(const layout::Mesh &mesh, layout::Layout &from,
                          layout::Layout &to);
  llvm::Error parseBox(layout::Box &box);

  llvm::Error expectWord(llvm::StringRef word) {
    if (parser.consumeWord(word))
      return llvm::Error::success();
    return parser.expected("'" + word + "'");
  }
  llvm::Error readInt(int64_t &value) {
    llvm::Expected<int64_t> read = parser.parseInt();
    if (read)
      value = *read;
    return read.takeError();
  }

  layout::LayoutParser parser;

private:
  llvm::Error checkStepCount(llvm::StringRef place, int64_t said, size_t found);
  llvm::Error parseKind(StepKind &kind);
  llvm::Error parseDetails(Step &step);
  llvm::Error parseGroup(const layout::Mesh &mesh, Step &step);
  llvm::Error parsePairs(Step &step);
  llvm::Error parseSuffix(const layout::Mesh &mesh, Step &step);
  llvm::Error parseNumberSuffix(Step &step);
  llvm::Error parseOwners(const layout::Mesh &mesh, Step &step);
  llvm::Error parseTransfers(Step &step);
  llvm::Expected<layout::Range> parseRange();
  llvm::Error readDim(unsigned &dim);
  llvm::Error readReduction(layout::ReductionKind &kind);
  llvm::Error expectExchange(llvm::StringRef place, const Step &step,
                             const char *what);
  llvm::Error expectWords(llvm::ArrayRef<llvm::StringRef> words) {
    for (llvm::StringRef word : words)
      if (llvm::Error error = expectWord(word))
        return error;
    return llvm::Error::success();
  }
  bool nextIsNumber() {
    llvm::StringRef word = parser.peekWord();
    return !word.empty() && (word[0] == '-' || llvm::isDigit(word[0]));
  }
};

} // namespace pctl::redistribute

#endif // PCTL_LIB_REDISTRIBUTE_PLANPARSER_H
