// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// `#pctl.rule`: its text, and constraints C1 to C5 of its description. What
/// the op that carries it must be like (C6 to C8) is checked with the op's
/// other attributes, in PctlDiscardableAttrs.cpp.

#include "pctl/Dialect/Pctl/IR/Pctl.h"

#include "mlir/IR/Builders.h"

#include <map>

using namespace mlir;
using namespace pctl;

std::optional<layout::ReductionKind>
RuleAttr::getReductionKind(int64_t factor) const {
  for (RuleReductionAttr reduction : getReductions())
    if (reduction.getFactor() == factor)
      return reduction.getKind();
  return std::nullopt;
}

bool RuleAttr::isReplicated(int64_t factor) const {
  return llvm::is_contained(getReplicated(), factor);
}

//===----------------------------------------------------------------------===//
// Parsing
//===----------------------------------------------------------------------===//

namespace {
/// Reads a rule, numbering factors as they first appear.
class RuleParser {
public:
  explicit RuleParser(AsmParser &parser)
      : parser(parser), context(parser.getContext()) {}

  Attribute parse();

private:
  FailureOr<int64_t> parseFactor(bool mayDeclare);
  FailureOr<RuleDimAttr> parseDim();
  ParseResult parseTensor(SmallVector<RuleTensorAttr> &tensors);
  ParseResult parseTensors(SmallVector<RuleTensorAttr> &tensors);
  ParseResult parseReduction();
  ParseResult parseSize();
  ParseResult parseReplicated();
  ParseResult parseClause();

  AsmParser &parser;
  MLIRContext *context;
  std::map<std::string, int64_t, std::less<>> numbers;
  SmallVector<RuleTensorAttr> operands, results;
  SmallVector<StringAttr> names;
  SmallVector<int64_t> sizes;
  SmallVector<RuleReductionAttr> reductions;
  SmallVector<int64_t> replicated;
};
} // namespace

FailureOr<int64_t> RuleParser::parseFactor(bool mayDeclare) {
  SMLoc loc = parser.getCurrentLocation();
  StringRef name;
  if (failed(parser.parseOptionalKeyword(&name)))
    return parser.emitError(loc) << "expected the name of a factor";
  if (auto it = numbers.find(name); it != numbers.end())
    return it->second;
  if (!mayDeclare)
    return parser.emitError(loc)
           << "factor '" << name << "' is in no operand or result of the rule";
  int64_t number = names.size();
  numbers.emplace(name.str(), number);
  names.push_back(StringAttr::get(context, name));
  sizes.push_back(0);
  return number;
}

FailureOr<RuleDimAttr> RuleParser::parseDim() {
  SmallVector<int64_t> factors;
  if (failed(parser.parseOptionalLParen())) {
    FailureOr<int64_t> factor = parseFactor(/*mayDeclare=*/true);
    if (failed(factor))
      return failure();
    return RuleDimAttr::get(context, *factor);
  }
  while (failed(parser.parseOptionalRParen())) {
    FailureOr<int64_t> factor = parseFactor(/*mayDeclare=*/true);
    if (failed(factor))
      return failure();
    factors.push_back(*factor);
  }
  return RuleDimAttr::get(context, factors);
}

ParseResult RuleParser::parseTensor(SmallVector<RuleTensorAttr> &tensors) {
  SmallVector<RuleDimAttr> dims;
  auto parseEntry = [&]() -> ParseResult {
    FailureOr<RuleDimAttr> dim = parseDim();
    if (succeeded(dim))
      dims.push_back(*dim);
    return failure(failed(dim));
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseEntry))
    return failure();
  tensors.push_back(RuleTensorAttr::get(context, dims));
  return success();
}

ParseResult RuleParser::parseTensors(SmallVector<RuleTensorAttr> &tensors) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren,
                                        [&] { return parseTensor(tensors); });
}

ParseResult RuleParser::parseReduction() {
  FailureOr<int64_t> factor = parseFactor(/*mayDeclare=*/false);
  if (failed(factor) || parser.parseColon())
    return failure();
  FailureOr<layout::ReductionKind> kind = parseReductionKind(parser);
  if (failed(kind))
    return failure();
  reductions.push_back(RuleReductionAttr::get(context, *factor, *kind));
  return success();
}

ParseResult RuleParser::parseSize() {
  SMLoc loc = parser.getCurrentLocation();
  FailureOr<int64_t> factor = parseFactor(/*mayDeclare=*/false);
  int64_t size;
  if (failed(factor) || parser.parseColon() || parser.parseInteger(size))
    return failure();
  if (size < 1)
    return parser.emitError(loc)
           << "factor '" << names[*factor].getValue() << "' has size " << size
           << ", expected at least 1";
  if (sizes[*factor] != 0)
    return parser.emitError(loc) << "factor '" << names[*factor].getValue()
                                 << "' has two sizes in rule";
  sizes[*factor] = size;
  return success();
}

ParseResult RuleParser::parseReplicated() {
  FailureOr<int64_t> factor = parseFactor(/*mayDeclare=*/false);
  if (failed(factor))
    return failure();
  replicated.push_back(*factor);
  return success();
}

ParseResult RuleParser::parseClause() {
  SMLoc loc = parser.getCurrentLocation();
  StringRef clause;
  if (parser.parseKeyword(&clause) || parser.parseEqual())
    return failure();
  auto parseList = [&](ParseResult (RuleParser::*parseEntry)()) {
    return parser.parseCommaSeparatedList(
        AsmParser::Delimiter::Square, [&] { return (this->*parseEntry)(); });
  };
  if (clause == "reduce")
    return parseList(&RuleParser::parseReduction);
  if (clause == "sizes")
    return parseList(&RuleParser::parseSize);
  if (clause == "replicate")
    return parseList(&RuleParser::parseReplicated);
  return parser.emitError(loc) << "unknown clause '" << clause
                               << "', expected reduce, sizes or replicate";
}

Attribute RuleParser::parse() {
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLess() || parseTensors(operands) || parser.parseArrow() ||
      parseTensors(results))
    return {};
  while (succeeded(parser.parseOptionalComma()))
    if (parseClause())
      return {};
  if (parser.parseGreater())
    return {};
  auto emitError = [&] { return parser.emitError(loc); };
  return RuleAttr::getChecked(function_ref<InFlightDiagnostic()>(emitError),
                              context, ArrayRef(operands), ArrayRef(results),
                              ArrayRef(names), ArrayRef(sizes),
                              ArrayRef(reductions), ArrayRef(replicated));
}

Attribute RuleAttr::parse(AsmParser &parser, Type) {
  return RuleParser(parser).parse();
}

//===----------------------------------------------------------------------===//
// Printing
//===----------------------------------------------------------------------===//

static void printTensors(AsmPrinter &printer, ArrayRef<RuleTensorAttr> tensors,
                         ArrayRef<StringAttr> names) {
  auto printDim = [&](RuleDimAttr dim) {
    bool isProduct = dim.getFactors().size() != 1;
    printer << (isProduct ? "(" : "");
    llvm::interleave(
        dim.getFactors(), printer,
        [&](int64_t factor) { printer << names[factor].getValue(); }, " ");
    printer << (isProduct ? ")" : "");
  };
  printer << '(';
  llvm::interleaveComma(tensors, printer, [&](RuleTensorAttr tensor) {
    printer << '[';
    llvm::interleaveComma(tensor.getDims(), printer, printDim);
    printer << ']';
  });
  printer << ')';
}

void RuleAttr::print(AsmPrinter &printer) const {
  ArrayRef<StringAttr> names = getFactorNames();
  printer << '<';
  printTensors(printer, getOperands(), names);
  printer << " -> ";
  printTensors(printer, getResults(), names);
  if (!getReductions().empty()) {
    printer << ", reduce = [";
    llvm::interleaveComma(
        getReductions(), printer, [&](RuleReductionAttr reduction) {
          printer << names[reduction.getFactor()].getValue() << ": "
                  << layout::stringifyReductionKind(reduction.getKind());
        });
    printer << ']';
  }
  if (llvm::any_of(getFactorSizes(), [](int64_t size) { return size != 0; })) {
    printer << ", sizes = [";
    bool isFirst = true;
    for (auto [name, size] : llvm::zip(names, getFactorSizes())) {
      if (size == 0)
        continue;
      printer << (isFirst ? "" : ", ") << name.getValue() << ": " << size;
      isFirst = false;
    }
    printer << ']';
  }
  if (!getReplicated().empty()) {
    printer << ", replicate = [";
    llvm::interleaveComma(getReplicated(), printer, [&](int64_t factor) {
      printer << names[factor].getValue();
    });
    printer << ']';
  }
  printer << '>';
}

//===----------------------------------------------------------------------===//
// Verification
//===----------------------------------------------------------------------===//

namespace {
/// Checks C1 to C5, one tensor and one clause at a time.
struct RuleVerifier {
  function_ref<InFlightDiagnostic()> emitError;
  ArrayRef<StringAttr> names;
  ArrayRef<int64_t> sizes;

  bool isKnown(int64_t factor) const {
    return factor >= 0 && factor < int64_t(names.size());
  }
  InFlightDiagnostic emitOn(int64_t factor) const {
    return emitError() << "factor '" << names[factor].getValue() << "' ";
  }
  LogicalResult verifyTensor(RuleTensorAttr tensor, SmallVector<bool> &used);
  /// Records \p factor of clause \p clause; it must be known and new to it.
  LogicalResult verifyListed(int64_t factor, SmallVector<bool> &listed,
                             StringRef clause);
};
} // namespace

LogicalResult RuleVerifier::verifyTensor(RuleTensorAttr tensor,
                                         SmallVector<bool> &used) {
  SmallVector<bool> usedHere(names.size());
  for (RuleDimAttr dim : tensor.getDims()) {
    for (int64_t factor : dim.getFactors()) {
      if (!isKnown(factor))
        return emitError() << "rule has no factor number " << factor;
      // rule_c1
      if (usedHere[factor])
        return emitOn(factor) << "is used twice in one operand or result";
      // rule_c2
      if (dim.getFactors().size() > 1 && sizes[factor] == 0)
        return emitOn(factor) << "is part of a product but has no size in rule";
      usedHere[factor] = used[factor] = true;
    }
  }
  return success();
}

LogicalResult RuleVerifier::verifyListed(int64_t factor,
                                         SmallVector<bool> &listed,
                                         StringRef clause) {
  // rule_c5
  if (!isKnown(factor))
    return emitError() << "rule has no factor number " << factor;
  if (listed[factor])
    return emitOn(factor) << "is listed twice in '" << clause << "'";
  listed[factor] = true;
  return success();
}

LogicalResult RuleAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                               ArrayRef<RuleTensorAttr> operands,
                               ArrayRef<RuleTensorAttr> results,
                               ArrayRef<StringAttr> names,
                               ArrayRef<int64_t> sizes,
                               ArrayRef<RuleReductionAttr> reductions,
                               ArrayRef<int64_t> replicated) {
  if (names.size() != sizes.size())
    return emitError() << "rule has " << names.size() << " factors but "
                       << sizes.size() << " sizes";
  RuleVerifier verifier{emitError, names, sizes};
  SmallVector<bool> inOperands(names.size()), inResults(names.size()),
      isReduced(names.size()), isReplicated(names.size());
  for (RuleTensorAttr tensor : operands)
    if (failed(verifier.verifyTensor(tensor, inOperands)))
      return failure();
  for (RuleTensorAttr tensor : results)
    if (failed(verifier.verifyTensor(tensor, inResults)))
      return failure();

  for (RuleReductionAttr reduction : reductions)
    if (failed(
            verifier.verifyListed(reduction.getFactor(), isReduced, "reduce")))
      return failure();
  for (int64_t factor : replicated)
    if (failed(verifier.verifyListed(factor, isReplicated, "replicate")))
      return failure();

  for (size_t factor = 0; factor < names.size(); ++factor) {
    // rule_c5
    if (isReduced[factor] && isReplicated[factor])
      return verifier.emitOn(factor) << "is both reduced and replicated";
    // rule_c3
    if (isReduced[factor] && (inResults[factor] || !inOperands[factor]))
      return verifier.emitOn(factor)
             << "is reduced, so it must be in an operand and in no result";
    // rule_c4
    if (inOperands[factor] && !inResults[factor] && !isReduced[factor] &&
        !isReplicated[factor])
      return verifier.emitOn(factor)
             << "is in no result and is neither reduced nor replicated";
  }
  return success();
}
