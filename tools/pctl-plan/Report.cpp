// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// The report as text and as JSON.

#include "Report.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

#include <array>
#include <cmath>

using namespace pctl;
using namespace pctl::plan;
using namespace pctl::redistribute;
using llvm::StringRef;
namespace json = llvm::json;

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

/// Prints \p value with \p digits significant ones. Fourteen hide the rounding
/// of sums of times, so that under `bytes` microseconds are bytes.
static std::string printNumber(double value, int digits) {
  std::string text;
  llvm::raw_string_ostream os(text);
  // No format of raw_ostream takes the digits as an argument.
  if (digits <= 6)
    os << llvm::format("%.6g", value);
  else
    os << llvm::format("%.14g", value);
  return text;
}

static std::string printMicroseconds(double seconds) {
  return printNumber(seconds * 1e6, 6) + " us";
}

static std::string printBytes(int64_t bytes, bool exact = true) {
  return llvm::formatv("{0}{1} B", exact ? "" : "~", bytes).str();
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

/// A line of the table: its name, what is received, sent and held, and time.
using Row = std::array<std::string, 5>;

static void printTable(llvm::raw_ostream &os, llvm::ArrayRef<Row> rows) {
  std::array<size_t, 5> widths = {};
  for (const Row &row : rows)
    for (auto [width, cell] : llvm::zip_equal(widths, row))
      width = std::max(width, cell.size());
  for (const Row &row : rows) {
    std::string line;
    llvm::raw_string_ostream lineOs(line);
    lineOs << llvm::left_justify(row[0], widths[0]);
    for (auto [width, cell] : llvm::drop_begin(llvm::zip_equal(widths, row)))
      lineOs << llvm::right_justify(cell, width + 2);
    os << StringRef(line).rtrim() << "\n";
  }
}

static void printCosts(llvm::raw_ostream &os, const Answer &answer) {
  const PlanCost &cost = answer.cost;
  const Bound &bound = answer.bound;
  std::vector<Row> rows = {{"step", "received", "sent", "held", "time"}};
  for (auto [number, op, stepCost] :
       llvm::enumerate(answer.getOps(), cost.steps))
    rows.push_back({llvm::formatv("{0} {1}", number + 1, op),
                    printBytes(stepCost.receivedBytes, stepCost.exact),
                    printBytes(stepCost.sentBytes, stepCost.exact),
                    printBytes(stepCost.liveBytes, stepCost.exact),
                    printMicroseconds(stepCost.timeSec)});
  rows.push_back({"all", printBytes(cost.maxReceivedBytes, cost.exact),
                  printBytes(cost.maxSentBytes, cost.exact),
                  printBytes(cost.peakBytes, cost.exact),
                  printMicroseconds(cost.timeSec)});
  rows.push_back({"bound", printBytes(bound.maxReceivedBytes, bound.exact),
                  printBytes(bound.maxSentBytes, bound.exact), "",
                  printMicroseconds(bound.timeSec)});
  printTable(os, rows);
}

/// Prints the left column of a line.
static llvm::raw_ostream &line(llvm::raw_ostream &os, StringRef title) {
  return os << llvm::left_justify(title, 13);
}

static void printCheck(llvm::raw_ostream &os, const CheckResult &check) {
  line(os, "checked") << "every step keeps its constraints";
  if (check.received)
    os << "; done element by element, a device receives "
       << llvm::formatv("{0} and sends {1} elements at most", *check.received,
                        *check.sent);
  else
    os << "; not done element by element: " << check.whyNot;
  os << "\n";
  if (check.transfers)
    line(os, "transfers") << *check.transfers
                          << " are listed; they give every device its slice\n";
}

void plan::printText(llvm::raw_ostream &os, const Answer &answer,
                     const CheckResult *check) {
  os << answer.getText() << "\n";
  line(os, "element") << answer.element.name << "\n";
  const cost::Cluster &cluster = answer.options.cluster;
  line(os, "cluster") << cluster.name << "\n\n";
  printCosts(os, answer);
  os << "\n";
  if (const cost::Level *unit = cluster.getUnitLevel())
    line(os, "boundary") << printBytes(answer.cost.maxUnitReceivedBytes,
                                       answer.cost.exact)
                         << " into one " << unit->name << ", bound "
                         << printBytes(answer.bound.maxUnitReceivedBytes,
                                       answer.bound.exact)
                         << "\n";
  line(os, "certificate") << answer.certificate.reason << "\n";
  if (check)
    printCheck(os, *check);
}

//===----------------------------------------------------------------------===//
// JSON
//===----------------------------------------------------------------------===//

/// Returns \p value on one line; JSON has no infinity.
static std::string printJsonNumber(double value) {
  return std::isfinite(value) ? printNumber(value, 14) : "null";
}

static void writeNumber(json::OStream &os, StringRef key, double value) {
  os.attributeBegin(key);
  os.rawValue(printJsonNumber(value));
  os.attributeEnd();
}

/// Writes \p value on one line wherever it is.
static void writeCompact(json::OStream &os, StringRef key,
                         const json::Value &value) {
  os.attributeBegin(key);
  os.rawValue(llvm::formatv("{0}", value).str());
  os.attributeEnd();
}

static void writeStepCost(json::OStream &os, const StepCost &cost) {
  std::string text;
  llvm::raw_string_ostream textOs(text);
  json::OStream inner(textOs);
  inner.object([&] {
    inner.attribute("received_bytes", cost.receivedBytes);
    inner.attribute("sent_bytes", cost.sentBytes);
    inner.attribute("live_bytes", cost.liveBytes);
    inner.attribute("staging_bytes", cost.stagingBytes);
    inner.attribute("pack_bytes", cost.packBytes);
    writeNumber(inner, "time_us", cost.timeSec * 1e6);
    inner.attribute("exact", cost.exact);
  });
  os.attributeBegin("cost");
  os.rawValue(text);
  os.attributeEnd();
}

/// Returns `{"from":0,"to":1,"offset":[0,4],"size":[2,2]}`.
static std::string printTransfer(const ExpandedTransfer &transfer) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "{\"from\":" << transfer.from << ",\"to\":" << transfer.to
     << ",\"offset\":[";
  llvm::interleave(
      transfer.box.getRanges(), os,
      [&](layout::Range range) { os << range.offset; }, ",");
  os << "],\"size\":[";
  llvm::interleave(
      transfer.box.getRanges(), os,
      [&](layout::Range range) { os << range.size; }, ",");
  os << "]";
  if (transfer.reduce)
    os << ",\"reduce\":\"" << stringifyReductionKind(*transfer.reduce) << "\"";
  os << "}";
  return text;
}

/// Writes the phase and the transfers of an entry.
static void writeTransfers(json::OStream &os, const ExpandedStep &step) {
  if (!step.phase.empty())
    os.attribute("phase", step.phase);
  os.attributeArray("transfers", [&] {
    for (const ExpandedTransfer &transfer : step.transfers)
      os.rawValue(printTransfer(transfer));
  });
}

/// Writes the members of \p object that \p first names, then all others by
/// name.
static void writeMembers(json::OStream &os, json::Object object,
                         llvm::ArrayRef<StringRef> first) {
  for (StringRef key : first)
    if (const json::Value *value = object.get(key)) {
      writeCompact(os, key, *value);
      object.erase(key);
    }
  std::vector<std::pair<StringRef, const json::Value *>> others;
  for (const auto &member : object)
    others.emplace_back(member.first, &member.second);
  llvm::sort(others, llvm::less_first());
  for (auto [key, value] : others)
    writeCompact(os, key, *value);
}

static void writeSteps(json::OStream &os, const Answer &answer,
                       const json::Array &steps) {
  size_t entry = 0;
  for (auto [step, cost] : llvm::zip_equal(steps, answer.cost.steps)) {
    const ExpandedStep *expanded =
        answer.expanded ? &(*answer.expanded)[entry++] : nullptr;
    os.object([&, &step = step, &cost = cost] {
      writeMembers(os, *step.getAsObject(), {"op", "axes"});
      writeStepCost(os, cost);
      if (expanded)
        writeTransfers(os, *expanded);
    });
    // Later phases of a step are entries of their own.
    for (; expanded && entry < answer.expanded->size() &&
           (*answer.expanded)[entry].continues;
         ++entry) {
      const ExpandedStep &later = (*answer.expanded)[entry];
      os.object([&] {
        os.attribute("op", later.op);
        writeCompact(os, "axes", json::Array(later.axes));
        writeTransfers(os, later);
      });
    }
  }
}

static void writeBound(json::OStream &os, const Bound &bound) {
  os.attribute("max_received_bytes", bound.maxReceivedBytes);
  os.attribute("max_sent_bytes", bound.maxSentBytes);
  if (bound.directSentBytes)
    os.attribute("direct_sent_bytes", *bound.directSentBytes);
  os.attribute("total_received_bytes", bound.totalReceivedBytes);
  os.attribute("max_unit_received_bytes", bound.maxUnitReceivedBytes);
  writeNumber(os, "time_us", bound.timeSec * 1e6);
  os.attribute("exact", bound.exact);
}

static void writeCost(json::OStream &os, const PlanCost &cost) {
  os.attribute("max_received_bytes", cost.maxReceivedBytes);
  os.attribute("max_sent_bytes", cost.maxSentBytes);
  os.attribute("total_received_bytes", cost.totalReceivedBytes);
  os.attribute("max_unit_received_bytes", cost.maxUnitReceivedBytes);
  os.attribute("peak_bytes", cost.peakBytes);
  writeNumber(os, "time_us", cost.timeSec * 1e6);
  os.attribute("exact", cost.exact);
}

static void writeCertificate(json::OStream &os,
                             const Certificate &certificate) {
  os.attribute("meets_received", certificate.meetsReceived);
  os.attribute("meets_sent", certificate.meetsSent);
  os.attribute("meets_unit", certificate.meetsUnit);
  os.attribute("meets_time", certificate.meetsTime);
  writeNumber(os, "ratio", certificate.ratio);
  writeNumber(os, "extra_latency_us", certificate.extraLatencySec * 1e6);
  writeNumber(os, "extra_transfer_us", certificate.extraTransferSec * 1e6);
  writeNumber(os, "pack_us", certificate.packSec * 1e6);
  os.attribute("reason", certificate.reason);
}

static void writeCheck(json::OStream &os, const CheckResult &check) {
  os.attribute("valid", true);
  os.attribute("evaluated", check.received.has_value());
  if (check.received) {
    os.attribute("max_received_elements", *check.received);
    os.attribute("max_sent_elements", *check.sent);
  } else {
    os.attribute("reason", check.whyNot);
  }
  if (check.transfers)
    os.attribute("transfers", *check.transfers);
}

void plan::printJson(llvm::raw_ostream &stream, const Answer &answer,
                     bool onOneLine, const CheckResult *check) {
  json::Value what = answer.getJson();
  json::Object members = std::move(*what.getAsObject());
  json::Array steps = std::move(*members.getArray("steps"));
  members.erase("steps");
  json::OStream os(stream, onOneLine ? 0 : 2);
  os.object([&] {
    os.attribute("element", answer.element.name);
    os.attribute("cluster", answer.options.cluster.name);
    writeMembers(os, std::move(members), {"mesh", "shape", "from", "to"});
    os.attributeArray("steps", [&] { writeSteps(os, answer, steps); });
    os.attributeObject("bound", [&] { writeBound(os, answer.bound); });
    os.attributeObject("cost", [&] { writeCost(os, answer.cost); });
    os.attributeObject("certificate",
                       [&] { writeCertificate(os, answer.certificate); });
    if (check)
      os.attributeObject("check", [&] { writeCheck(os, *check); });
  });
}

void plan::printJsonError(llvm::raw_ostream &os, StringRef message) {
  os << llvm::formatv(
      "{0}", json::Value(json::Object{{"error", json::fixUTF8(message)}}));
}
