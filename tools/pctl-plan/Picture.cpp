// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Places the columns, bands and arrows of a picture.

#include "Picture.h"

#include "Svg.h"

#include "pctl/Layout/LayoutText.h"
#include "pctl/Support/Error.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"

#include <map>
#include <set>
#include <tuple>

using namespace pctl;
using namespace pctl::plan;
using namespace pctl::redistribute;
using llvm::Error;
using llvm::Expected;
using llvm::formatv;
using llvm::StringRef;

//===----------------------------------------------------------------------===//
// Measures and words
//===----------------------------------------------------------------------===//

static constexpr int64_t margin = 16;
/// Left of the columns: the senders of a table.
static constexpr int64_t gutter = 72;
static constexpr int64_t columnWidth = 64;
static constexpr int64_t laneHeight = 20;
static constexpr int64_t rowHeight = 16;
/// Beyond so many lanes of arrows a band is a table.
static constexpr int64_t maxLanes = 40;

static constexpr StringRef nearColor = "#0969da";
static constexpr StringRef farColor = "#cf222e";
static constexpr StringRef faintColor = "#d0d7de";
static const Font titleFont{14, "#1f2328", true};
static const Font plainFont{12};
static const Font bandFont{12, "#1f2328", true};
static const Font smallFont{10, "#57606a"};
static const Font labelFont{10};

/// Prints \p bytes in at most 10 characters: `1792 B`, `16 KiB`, `1.5 MiB`.
static std::string printShortBytes(int64_t bytes) {
  static constexpr StringRef units[] = {"B",   "KiB", "MiB", "GiB",
                                        "TiB", "PiB", "EiB"};
  if (bytes < 10000)
    return formatv("{0} B", bytes);
  double value = bytes;
  size_t unit = 0;
  for (; value >= 1024; ++unit)
    value /= 1024;
  std::string text;
  llvm::raw_string_ostream os(text);
  os << llvm::format("%.4g", value) << " " << units[unit];
  return text;
}

static std::string printMicroseconds(double seconds) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << llvm::format("%.6g", seconds * 1e6) << " us";
  return text;
}

//===----------------------------------------------------------------------===//
// What is drawn
//===----------------------------------------------------------------------===//

namespace {

/// All that one device sends to another in one step.
struct Message {
  /// Columns.
  size_t from = 0, to = 0;
  bool reduces = false;
  int64_t bytes = 0;

  size_t getLeft() const { return std::min(from, to); }
  size_t getRight() const { return std::max(from, to); }
};

/// One step, or a phase of one.
struct Band {
  std::string title;
  std::string cost;
  std::vector<Message> messages;
  /// Messages by lane, where they are arrows; those of one lane share no
  /// column.
  std::vector<std::vector<Message>> lanes;

  bool isTable() const { return lanes.size() > maxLanes; }
  int64_t getBodyHeight() const;
};

/// Places everything from the top down.
class Painter {
public:
  Painter(const Answer &answer, std::vector<int64_t> devices)
      : answer(answer), devices(std::move(devices)) {}

  void paint(llvm::raw_ostream &os, llvm::ArrayRef<ExpandedStep> expandedSteps);

private:
  void makeBands(llvm::ArrayRef<ExpandedStep> expandedSteps);
  std::vector<std::string> getHead() const;
  /// Returns the width that columns and lines of text need.
  int64_t getWidth() const;
  void paintHead();
  void paintUnits();
  void paintBand(const Band &band, bool shaded);
  void paintColumns(int64_t height);
  void paintArrows(const Band &band);
  void paintTable(const Band &band);
  void paintLegend();

  size_t getColumn(int64_t device) const {
    return llvm::lower_bound(devices, device) - devices.begin();
  }
  int64_t getMiddle(size_t column) const {
    return gutter + column * columnWidth + columnWidth / 2;
  }
  int64_t getColumnsEnd() const {
    return gutter + devices.size() * columnWidth;
  }
  /// Returns which unit of the innermost level the device of \p column is in;
  /// one for all where there is only one level.
  int64_t getUnit(size_t column) const {
    llvm::ArrayRef<cost::Level> levels = answer.options.cluster.levels;
    return levels.size() < 2 ? 0 : devices[column] / levels[0].numDevices;
  }
  bool hasUnits() const { return answer.options.cluster.levels.size() > 1; }
  bool isFar(const Message &message) const {
    return getUnit(message.from) != getUnit(message.to);
  }
  std::string getMessageTitle(const Message &message) const {
    return formatv("{0} -> {1}: {2} bytes{3}", devices[message.from],
                   devices[message.to], message.bytes,
                   message.reduces ? ", added" : "");
  }

  const Answer &answer;
  std::vector<int64_t> devices;
  std::vector<Band> bands;
  Svg svg;
  int64_t y = 0;
};

} // namespace

/// Joins transfers between the same devices.
static std::vector<Message>
joinTransfers(llvm::ArrayRef<ExpandedTransfer> transfers, int64_t elementBytes,
              llvm::function_ref<size_t(int64_t)> getColumn) {
  std::map<std::tuple<size_t, size_t, bool>, int64_t> bytes;
  for (const ExpandedTransfer &transfer : transfers)
    bytes[{getColumn(transfer.from), getColumn(transfer.to),
           transfer.reduce.has_value()}] +=
        transfer.box.getNumElements() * elementBytes;
  std::vector<Message> messages;
  for (auto [key, sum] : bytes)
    messages.push_back(
        {std::get<0>(key), std::get<1>(key), std::get<2>(key), sum});
  return messages;
}

/// Puts each message into the first lane that is free at all of its columns; by
/// their left ends, this takes no more lanes than messages over one column.
static std::vector<std::vector<Message>>
assignLanes(std::vector<Message> messages) {
  llvm::sort(messages, [](const Message &a, const Message &b) {
    return std::tuple(a.getLeft(), a.getRight(), a.from) <
           std::tuple(b.getLeft(), b.getRight(), b.from);
  });
  std::vector<std::vector<Message>> lanes;
  for (const Message &message : messages) {
    auto isFree = [&](const std::vector<Message> &lane) {
      return llvm::all_of(lane, [&](const Message &other) {
        return other.getRight() < message.getLeft() ||
               message.getRight() < other.getLeft();
      });
    };
    auto lane = llvm::find_if(lanes, isFree);
    if (lane == lanes.end())
      lane = lanes.emplace(lanes.end());
    lane->push_back(message);
  }
  return lanes;
}

int64_t Band::getBodyHeight() const {
  if (!isTable())
    return lanes.size() * laneHeight;
  std::set<size_t> senders;
  for (const Message &message : messages)
    senders.insert(message.from);
  return senders.size() * rowHeight;
}

void Painter::makeBands(llvm::ArrayRef<ExpandedStep> expandedSteps) {
  size_t number = 0;
  for (const ExpandedStep &step : expandedSteps) {
    number += !step.continues;
    Band &band = bands.emplace_back();
    band.title = formatv("{0} {1}", number, step.op);
    if (!step.axes.empty())
      band.title += " over {" + llvm::join(step.axes, ",") + "}";
    if (!step.phase.empty())
      band.title += ", " + step.phase;
    const StepCost &cost = answer.cost.steps[number - 1];
    if (step.continues)
      band.cost = "its cost is that of all phases, above";
    else
      band.cost = formatv(
          "received {0}, sent {1}, held {2}, {3}",
          printShortBytes(cost.receivedBytes), printShortBytes(cost.sentBytes),
          printShortBytes(cost.liveBytes), printMicroseconds(cost.timeSec));
    band.messages =
        joinTransfers(step.transfers, answer.options.elementBytes,
                      [&](int64_t device) { return getColumn(device); });
    band.lanes = assignLanes(band.messages);
  }
}

//===----------------------------------------------------------------------===//
// Painting
//===----------------------------------------------------------------------===//

/// Returns the lines above the columns, the first one being the question.
std::vector<std::string> Painter::getHead() const {
  std::string text = answer.getText();
  const PlanCost &cost = answer.cost;
  return {StringRef(text).split('\n').first.str(),
          formatv("a device receives up to {0} of {1}, bound {2}; sends {3}; "
                  "holds {4}",
                  printShortBytes(cost.maxReceivedBytes), answer.element.name,
                  printShortBytes(answer.bound.maxReceivedBytes),
                  printShortBytes(cost.maxSentBytes),
                  printShortBytes(cost.peakBytes)),
          formatv("takes {0} on {1}, bound {2}",
                  printMicroseconds(cost.timeSec), answer.options.cluster.name,
                  printMicroseconds(answer.bound.timeSec))};
}

int64_t Painter::getWidth() const {
  int64_t width = getColumnsEnd() + margin;
  auto fit = [&](StringRef text, const Font &font) {
    width = std::max(width, 2 * margin + getTextWidth(text, font.size));
  };
  std::vector<std::string> head = getHead();
  fit(head[0], titleFont);
  fit(head[1], plainFont);
  fit(head[2], plainFont);
  for (const Band &band : bands) {
    fit(band.title, bandFont);
    fit(band.cost, smallFont);
  }
  return width;
}

void Painter::paintHead() {
  std::vector<std::string> head = getHead();
  y = 28;
  svg.text(margin, y, head[0], titleFont);
  for (const std::string &line : llvm::drop_begin(head))
    svg.text(margin, y += 18, line, plainFont);
  y += 24;
  if (hasUnits())
    paintUnits();
}

/// Names each run of columns that are in one unit.
void Painter::paintUnits() {
  const cost::Level &level = answer.options.cluster.levels[0];
  for (size_t first = 0, end = 0; first < devices.size(); first = end) {
    while (end < devices.size() && getUnit(end) == getUnit(first))
      ++end;
    int64_t width = (end - first) * columnWidth;
    std::string name = formatv("{0} {1}", level.name, getUnit(first));
    if (getTextWidth(name, plainFont.size) > width - 4)
      name = llvm::itostr(getUnit(first));
    svg.text(gutter + first * columnWidth + width / 2, y, name, plainFont,
             Anchor::Middle);
  }
  y += 12;
}

/// Draws the line of each device and those between units, over the next
/// \p height pixels.
void Painter::paintColumns(int64_t height) {
  for (size_t column = 0; column < devices.size(); ++column) {
    int64_t middle = getMiddle(column);
    svg.line(middle, y, middle, y + height, faintColor);
    if (column > 0 && getUnit(column) != getUnit(column - 1)) {
      int64_t border = middle - columnWidth / 2;
      svg.line(border, y, border, y + height, "#8c959f", /*dashed=*/true);
    }
  }
}

void Painter::paintArrows(const Band &band) {
  paintColumns(band.getBodyHeight());
  for (const std::vector<Message> &lane : band.lanes) {
    y += laneHeight;
    for (const Message &message : lane) {
      svg.arrow(getMiddle(message.from), getMiddle(message.to), y - 5,
                isFar(message) ? farColor : nearColor, message.reduces,
                getMessageTitle(message));
      int64_t middle = (getMiddle(message.from) + getMiddle(message.to)) / 2;
      svg.text(middle, y - 8, printShortBytes(message.bytes), labelFont,
               Anchor::Middle);
    }
  }
}

void Painter::paintTable(const Band &band) {
  int64_t most = 1;
  for (const Message &message : band.messages)
    most = std::max(most, message.bytes);
  size_t numSenders = band.getBodyHeight() / rowHeight;
  paintColumns(numSenders * rowHeight);
  // Messages are in the order of their senders.
  const Message *last = nullptr;
  for (const Message &message : band.messages) {
    if (!last || last->from != message.from) {
      y += rowHeight;
      svg.text(gutter - 6, y - 4,
               formatv("from {0}", devices[message.from]).str(), smallFont,
               Anchor::End);
    }
    last = &message;
    int64_t left = gutter + message.to * columnWidth;
    // Even the smallest can be seen.
    int64_t shade = 15 + int64_t(45.0 * message.bytes / most);
    svg.rect(left + 1, y - rowHeight + 1, columnWidth - 2, rowHeight - 2,
             isFar(message) ? farColor : nearColor, shade,
             getMessageTitle(message));
    svg.text(left + columnWidth / 2, y - 4,
             printShortBytes(message.bytes) + (message.reduces ? "+" : ""),
             labelFont, Anchor::Middle);
  }
}

void Painter::paintBand(const Band &band, bool shaded) {
  int64_t height = 18 + 16 + 18 + band.getBodyHeight() + 14;
  if (shaded)
    svg.rect(0, y, getWidth(), height, "#f6f8fa");
  int64_t end = y + height;
  svg.text(margin, y += 18, band.title, bandFont);
  svg.text(margin, y += 16,
           band.messages.empty() ? "nothing is sent" : band.cost, smallFont);
  y += 18;
  for (size_t column = 0; column < devices.size(); ++column)
    svg.text(getMiddle(column), y - 2, llvm::itostr(devices[column]), plainFont,
             Anchor::Middle);
  if (band.isTable())
    paintTable(band);
  else
    paintArrows(band);
  y = end;
}

void Painter::paintLegend() {
  std::string text = "columns are devices; dashed arrows, or +, are added to "
                     "what is there";
  svg.text(margin, y += 18, text, smallFont);
  if (hasUnits())
    svg.text(margin, y += 14,
             formatv("red goes from one {0} to another",
                     answer.options.cluster.levels[0].name)
                 .str(),
             smallFont);
  y += 12;
}

void Painter::paint(llvm::raw_ostream &os,
                    llvm::ArrayRef<ExpandedStep> expandedSteps) {
  makeBands(expandedSteps);
  paintHead();
  for (auto [number, band] : llvm::enumerate(bands))
    paintBand(band, number % 2 == 0);
  if (bands.empty())
    svg.text(margin, y += 18, "every device has what it wants", plainFont);
  paintLegend();
  svg.print(os, getWidth(), y);
}

//===----------------------------------------------------------------------===//
// Entry
//===----------------------------------------------------------------------===//

/// Adds the devices of \p mesh. Errors: too many.
static Error addDevices(const layout::Mesh &mesh, std::set<int64_t> &devices) {
  if (mesh.getNumRanks() > maxDrawnDevices)
    return makeError("{0} devices are too many to draw, {1} can be",
                     mesh.getNumRanks(), maxDrawnDevices);
  for (int64_t rank = 0; rank < mesh.getNumRanks(); ++rank)
    devices.insert(mesh.getDevice(rank));
  if (int64_t(devices.size()) > maxDrawnDevices)
    return makeError("{0} devices are too many to draw, {1} can be",
                     devices.size(), maxDrawnDevices);
  return Error::success();
}

static Expected<std::vector<int64_t>> listDevices(const Answer &answer) {
  std::set<int64_t> devices;
  auto add = [&](const layout::Mesh &mesh) {
    return addDevices(mesh, devices);
  };
  if (const Plan *plan = std::get_if<Plan>(&answer.what)) {
    if (Error error = add(plan->mesh))
      return std::move(error);
  } else {
    const MoveQuestion &question = std::get<Move>(answer.what).question;
    if (Error error = add(question.from.mesh))
      return std::move(error);
    if (Error error = add(question.to.mesh))
      return std::move(error);
  }
  return std::vector<int64_t>(devices.begin(), devices.end());
}

Error plan::draw(llvm::raw_ostream &os, const Answer &answer) {
  Expected<std::vector<int64_t>> devices = listDevices(answer);
  if (!devices)
    return devices.takeError();
  Expected<std::vector<ExpandedStep>> steps = answer.listTransfers();
  if (!steps)
    return steps.takeError();
  Painter(answer, std::move(*devices)).paint(os, *steps);
  return Error::success();
}

Error plan::drawToFile(const Answer &answer, StringRef path) {
  std::string picture;
  llvm::raw_string_ostream pictureOs(picture);
  if (Error error = draw(pictureOs, answer))
    return makeError("--svg: {0}", llvm::toString(std::move(error)));
  std::error_code code;
  llvm::raw_fd_ostream os(path, code);
  if (!code) {
    os << picture;
    os.close();
    code = os.error();
    os.clear_error();
  }
  if (code)
    return makeError("--svg: {0}: {1}", path, code.message());
  return Error::success();
}
