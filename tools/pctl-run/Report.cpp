// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// The report as text and as JSON.

#include "Report.h"

#include "pctl/Layout/LayoutText.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <map>

using namespace pctl;
using namespace pctl::run;

void Verdict::add(int64_t rank, const layout::Box &box,
                  const tensor::Comparison &comparison) {
  maxError = std::max(maxError, comparison.maxError);
  bound = std::max(bound, comparison.bound);
  magnitude = std::max(magnitude, comparison.magnitude);
  if (comparison.numWrong > 0 && numWrong == 0) {
    wrongRank = rank;
    wrongValue = comparison.wrongValue;
    wrongReference = comparison.wrongReference;
    wrongIndex.resize(box.getTensorRank());
    int64_t rest = comparison.firstWrong;
    for (unsigned dim = box.getTensorRank(); dim-- > 0;) {
      wrongIndex[dim] = box[dim].offset + rest % box[dim].size;
      rest /= box[dim].size;
    }
  }
  numWrong += comparison.numWrong;
}

bool Report::isRight() const {
  return llvm::all_of(verdicts, [](const Verdict &verdict) {
    return verdict.numWrong == 0 && !verdict.saysNothing();
  });
}

std::optional<int64_t> Report::getReceivedBytes() const {
  int64_t bytes = 0;
  for (const PlannedCollective &collective : compiled.collectives) {
    if (!collective.receivedBytes)
      return std::nullopt;
    bytes += *collective.receivedBytes;
  }
  return bytes;
}

/// Prints the left column of a line.
static llvm::raw_ostream &line(llvm::raw_ostream &os, llvm::StringRef title) {
  return os << llvm::left_justify(title, 13);
}

static void printPort(llvm::raw_ostream &os, const layout::Mesh &mesh,
                      const Port &port) {
  os << port.getTypeText() << " " << toString(mesh, port.layout);
}

static void printVerdict(llvm::raw_ostream &os, const Verdict &verdict) {
  os << ": max error " << llvm::format("%.2g", verdict.maxError) << ", bound "
     << llvm::format("%.2g", verdict.bound);
  if (verdict.saysNothing())
    os << ", which says NOTHING: no element is greater than "
       << llvm::format("%.2g", verdict.magnitude);
  if (verdict.numWrong == 0)
    return;
  os << ", " << verdict.numWrong << " WRONG, the first at [";
  llvm::interleaveComma(verdict.wrongIndex, os);
  os << "] on rank " << verdict.wrongRank << ": "
     << llvm::format("%.9g", verdict.wrongValue) << ", not "
     << llvm::format("%.9g", verdict.wrongReference);
}

void Report::print(llvm::raw_ostream &os) const {
  const layout::Mesh &mesh = compiled.signature.mesh;
  line(os, "program") << file << ", function '" << compiled.entryName << "'\n";
  line(os, "mesh") << toString(mesh) << " (" << mesh.getNumRanks()
                   << " ranks)\n";
  for (auto [number, port] : llvm::enumerate(compiled.signature.arguments)) {
    if (port.layout == layout::Layout::replicated(port.layout.getTensorRank()))
      continue;
    line(os, llvm::formatv("argument {0}", number).str());
    printPort(os, mesh, port);
    os << "\n";
  }

  std::map<std::string, int64_t> counts;
  for (const PlannedCollective &collective : compiled.collectives) {
    line(os, "plan") << collective.op << " over " << collective.axes << " of "
                     << collective.localType << "\n";
    ++counts[collective.op];
  }
  line(os, "collectives") << compiled.collectives.size();
  for (auto [op, count] : counts)
    os << ", " << count << " " << op;
  os << "\n";
  if (std::optional<int64_t> bytes = getReceivedBytes())
    line(os, "bytes") << *bytes << " received by a rank\n";
  else
    line(os, "bytes") << "differ between ranks, as blocks do; --trace tells\n";

  for (auto [number, port] : llvm::enumerate(compiled.signature.results)) {
    line(os, llvm::formatv("result {0}", number).str());
    printPort(os, mesh, port);
    if (number < verdicts.size())
      printVerdict(os, verdicts[number]);
    os << "\n";
  }
  if (!verdicts.empty())
    os << (isRight() ? "verified\n" : "NOT verified\n");
}

void Report::printJson(llvm::raw_ostream &os) const {
  const layout::Mesh &mesh = compiled.signature.mesh;
  llvm::json::OStream json(os, /*IndentSize=*/2);
  auto writePort = [&](const Port &port) {
    json.attribute("type", port.getTypeText());
    json.attribute("layout", toString(mesh, port.layout));
  };
  json.object([&] {
    json.attribute("file", file);
    json.attribute("entry", compiled.entryName);
    json.attribute("mesh", toString(mesh));
    json.attribute("ranks", mesh.getNumRanks());
    json.attributeArray("arguments", [&] {
      for (const Port &port : compiled.signature.arguments)
        json.object([&] { writePort(port); });
    });
    json.attributeArray("collectives", [&] {
      for (const PlannedCollective &collective : compiled.collectives)
        json.object([&] {
          json.attribute("op", collective.op);
          json.attribute("axes", collective.axes);
          json.attribute("local_type", collective.localType);
          json.attribute("received_bytes", collective.receivedBytes);
        });
    });
    json.attribute("received_bytes", getReceivedBytes());
    json.attributeArray("results", [&] {
      for (auto [number, port] : llvm::enumerate(compiled.signature.results))
        json.object([&, number = number, &port = port] {
          writePort(port);
          if (number >= verdicts.size())
            return;
          json.attribute("max_error", verdicts[number].maxError);
          json.attribute("bound", verdicts[number].bound);
          json.attribute("wrong", verdicts[number].numWrong);
          json.attribute("bound_says_nothing", verdicts[number].saysNothing());
        });
    });
    if (!verdicts.empty())
      json.attribute("verified", isRight());
  });
  os << "\n";
}
