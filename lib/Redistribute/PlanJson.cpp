// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Plans to and from JSON. PlanJson.h has the keys.

#include "pctl/Redistribute/PlanJson.h"

#include "pctl/Layout/LayoutParser.h"
#include "pctl/Layout/LayoutText.h"
#include "pctl/Support/CheckedArith.h"
#include "pctl/Support/Json.h"

#include "llvm/ADT/STLExtras.h"

#include <climits>

using namespace pctl;
using namespace pctl::layout;
using namespace pctl::redistribute;
using llvm::ArrayRef;
using llvm::Error;
using llvm::Expected;
using llvm::SmallVector;
using llvm::StringRef;
namespace json = llvm::json;

/// Returns whether steps of \p kind have a dim.
static bool usesDim(StepKind kind) {
  return kind == StepKind::AllGather || kind == StepKind::AllToAll ||
         kind == StepKind::ReduceScatter;
}

static bool usesReduction(StepKind kind) {
  return kind == StepKind::AllReduce || kind == StepKind::ReduceScatter;
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

json::Object redistribute::toJson(const Transfer &transfer) {
  json::Array offset, size;
  for (Range range : transfer.box.getRanges()) {
    offset.push_back(range.offset);
    size.push_back(range.size);
  }
  return json::Object{{"from", transfer.source},
                      {"to", transfer.target},
                      {"offset", std::move(offset)},
                      {"size", std::move(size)}};
}

/// Adds who sends what in an exchange, where that is not the default.
static void writeSources(json::Object &object, const Mesh &mesh,
                         const Step &step) {
  if (step.owners)
    object["owners"] = toString(mesh, *step.owners);
  if (step.rounds != 1)
    object["rounds"] = step.rounds;
  if (step.transfers.empty())
    return;
  json::Array listed;
  for (const Transfer &transfer : step.transfers)
    listed.push_back(toJson(transfer));
  object["listed"] = std::move(listed);
}

json::Object redistribute::toJson(const Mesh &mesh, const Step &step) {
  json::Array axes;
  for (AxisRef ref : step.axes)
    axes.push_back(toString(mesh, ref));
  json::Object object{{"op", stringifyStepKind(step.kind)},
                      {"axes", std::move(axes)},
                      {"from", toString(mesh, step.from)},
                      {"to", toString(mesh, step.to)}};
  if (usesDim(step.kind))
    object["dim"] = step.dim;
  if (step.kind == StepKind::AllToAll)
    object["concat_dim"] = step.concatDim;
  if (usesReduction(step.kind))
    object["reduction"] = stringifyReductionKind(step.reduction);
  if (step.kind == StepKind::Broadcast)
    object["root"] = step.root;
  if (step.kind == StepKind::Exchange)
    writeSources(object, mesh, step);
  if (step.kind == StepKind::Permute) {
    json::Array pairs;
    for (auto [source, target] : step.pairs)
      pairs.push_back(json::Array{source, target});
    object["pairs"] = std::move(pairs);
  }
  return object;
}

json::Value redistribute::toJson(const Plan &plan) {
  json::Array shape, steps;
  for (int64_t size : plan.globalShape)
    shape.push_back(size == kDynamic ? json::Value("?") : json::Value(size));
  for (const Step &step : plan.steps)
    steps.push_back(toJson(plan.mesh, step));
  return json::Object{{"mesh", toString(plan.mesh)},
                      {"shape", std::move(shape)},
                      {"from", toString(plan.mesh, plan.from)},
                      {"to", toString(plan.mesh, plan.to)},
                      {"steps", std::move(steps)}};
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

namespace {

/// A value and its path, empty for the whole.
class Reader {
public:
  Reader(const json::Value *value, std::string path)
      : value(value), path(std::move(path)) {}

  bool isMissing() const { return !value; }

  Expected<const json::Object *> getObject() const;
  /// Returns the member \p key of an object; see isMissing.
  Expected<Reader> get(StringRef key) const;
  Expected<StringRef> getString() const;
  Expected<int64_t> getInteger() const;
  Error readInteger(int64_t &result) const;
  /// Calls \p read with each entry of an array.
  Error readArray(llvm::function_ref<Error(const Reader &)> read) const;

  /// Returns \p error with the path in front.
  Error locate(Error error) const {
    return makeError("{0}: {1}", path, llvm::toString(std::move(error)));
  }
  Error makeTypeError(const char *right) const {
    if (!value)
      return makeError("{0} is missing", path);
    return makeError("{0} is {1}, it must be {2}",
                     path.empty() ? StringRef("plan") : StringRef(path),
                     quoteJson(*value), right);
  }

private:
  const json::Value *value;
  std::string path;
};

} // namespace

Expected<const json::Object *> Reader::getObject() const {
  if (const json::Object *object = value ? value->getAsObject() : nullptr)
    return object;
  return makeTypeError("an object");
}

Expected<Reader> Reader::get(StringRef key) const {
  Expected<const json::Object *> object = getObject();
  if (!object)
    return object.takeError();
  return Reader((*object)->get(key),
                path.empty() ? key.str() : path + "." + key.str());
}

Expected<StringRef> Reader::getString() const {
  if (value)
    if (std::optional<StringRef> text = value->getAsString())
      return *text;
  return makeTypeError("a string");
}

Expected<int64_t> Reader::getInteger() const {
  if (value)
    if (std::optional<int64_t> number = value->getAsInteger())
      return *number;
  return makeTypeError("an integer");
}

Error Reader::readInteger(int64_t &result) const {
  Expected<int64_t> number = getInteger();
  if (number)
    result = *number;
  return number.takeError();
}

Error Reader::readArray(llvm::function_ref<Error(const Reader &)> read) const {
  const json::Array *array = value ? value->getAsArray() : nullptr;
  if (!array)
    return makeTypeError("an array");
  for (auto [index, entry] : llvm::enumerate(*array))
    if (Error error =
            read(Reader(&entry, llvm::formatv("{0}[{1}]", path, index).str())))
      return error;
  return Error::success();
}

/// Calls \p read with the member \p key of \p reader, which must be there
/// unless it is \p optional.
static Error readMember(const Reader &reader, StringRef key,
                        llvm::function_ref<Error(const Reader &)> read,
                        bool optional = false) {
  Expected<Reader> member = reader.get(key);
  if (!member)
    return member.takeError();
  if (optional && member->isMissing())
    return Error::success();
  return read(*member);
}

static Error readLayout(const Reader &reader, const Mesh &mesh,
                        Layout &layout) {
  Expected<StringRef> text = reader.getString();
  if (!text)
    return text.takeError();
  Expected<Layout> parsed = parseLayout(*text, mesh);
  if (!parsed)
    return reader.locate(parsed.takeError());
  layout = std::move(*parsed);
  return Error::success();
}

static Error readAxis(const Reader &reader, const Mesh &mesh, Step &step) {
  Expected<StringRef> text = reader.getString();
  if (!text)
    return text.takeError();
  LayoutParser parser(*text);
  Expected<AxisRef> ref = parser.parseAxisRef(mesh);
  if (!ref)
    return reader.locate(ref.takeError());
  if (Error error = parser.expectEnd())
    return reader.locate(std::move(error));
  step.axes.push_back(*ref);
  return Error::success();
}

static Error readDim(const Reader &reader, unsigned &dim) {
  Expected<int64_t> number = reader.getInteger();
  if (!number)
    return number.takeError();
  if (*number < 0 || *number > UINT_MAX)
    return reader.makeTypeError("a dim of a tensor");
  dim = *number;
  return Error::success();
}

static Error readReduction(const Reader &reader, ReductionKind &kind) {
  Expected<StringRef> keyword = reader.getString();
  if (!keyword)
    return keyword.takeError();
  std::optional<ReductionKind> known = symbolizeReductionKind(*keyword);
  if (!known)
    return reader.makeTypeError("a reduction kind");
  kind = *known;
  return Error::success();
}

static Error readIntegers(const Reader &reader, SmallVector<int64_t> &numbers) {
  return reader.readArray([&](const Reader &entry) {
    return entry.readInteger(numbers.emplace_back());
  });
}

static Error readPair(const Reader &reader, Step &step) {
  SmallVector<int64_t> numbers;
  if (Error error = readIntegers(reader, numbers))
    return error;
  if (numbers.size() != 2)
    return reader.makeTypeError("an array of a source and a target");
  step.pairs.push_back({numbers[0], numbers[1]});
  return Error::success();
}

static Error readSizes(const Reader &reader, ArrayRef<int64_t> offsets,
                       SmallVector<Range, 4> &ranges) {
  SmallVector<int64_t> sizes;
  if (Error error = readIntegers(reader, sizes))
    return error;
  if (sizes.size() != offsets.size())
    return reader.locate(makeError("has {0} numbers, the offset has {1}",
                                   sizes.size(), offsets.size()));
  for (auto [offset, size] : llvm::zip_equal(offsets, sizes)) {
    if (offset < 0 || size < 0 || !checkedAdd(offset, size))
      return reader.locate(
          makeError("{0} elements from {1} on are no range", size, offset));
    ranges.push_back({offset, size});
  }
  return Error::success();
}

static Error readTransfer(const Reader &reader, Step &step) {
  Transfer &transfer = step.transfers.emplace_back();
  SmallVector<int64_t> offsets;
  SmallVector<Range, 4> ranges;
  if (Error error = readMember(reader, "from", [&](const Reader &member) {
        return member.readInteger(transfer.source);
      }))
    return error;
  if (Error error = readMember(reader, "to", [&](const Reader &member) {
        return member.readInteger(transfer.target);
      }))
    return error;
  if (Error error = readMember(reader, "offset", [&](const Reader &member) {
        return readIntegers(member, offsets);
      }))
    return error;
  if (Error error = readMember(reader, "size", [&](const Reader &member) {
        return readSizes(member, offsets, ranges);
      }))
    return error;
  transfer.box = Box(ranges);
  return Error::success();
}

/// Reads what writeSources writes.
static Error readSources(const Reader &reader, const Mesh &mesh, Step &step) {
  if (Error error = readMember(
          reader, "owners",
          [&](const Reader &member) {
            return readLayout(member, mesh, step.owners.emplace());
          },
          /*optional=*/true))
    return error;
  if (Error error = readMember(
          reader, "rounds",
          [&](const Reader &member) { return member.readInteger(step.rounds); },
          /*optional=*/true))
    return error;
  return readMember(
      reader, "listed",
      [&](const Reader &member) {
        return member.readArray(
            [&](const Reader &entry) { return readTransfer(entry, step); });
      },
      /*optional=*/true);
}

/// Reads the members that only some kinds have.
static Error readDetails(const Reader &reader, const Mesh &mesh, Step &step) {
  if (usesDim(step.kind))
    if (Error error = readMember(reader, "dim", [&](const Reader &member) {
          return readDim(member, step.dim);
        }))
      return error;
  if (usesReduction(step.kind))
    if (Error error =
            readMember(reader, "reduction", [&](const Reader &member) {
              return readReduction(member, step.reduction);
            }))
      return error;
  switch (step.kind) {
  case StepKind::AllToAll:
    return readMember(reader, "concat_dim", [&](const Reader &member) {
      return readDim(member, step.concatDim);
    });
  case StepKind::Permute:
    return readMember(reader, "pairs", [&](const Reader &member) {
      return member.readArray(
          [&](const Reader &entry) { return readPair(entry, step); });
    });
  case StepKind::Broadcast:
    return readMember(reader, "root", [&](const Reader &member) {
      return member.readInteger(step.root);
    });
  case StepKind::Exchange:
    return readSources(reader, mesh, step);
  default:
    return Error::success();
  }
}

static Error readKind(const Reader &reader, StepKind &kind) {
  Expected<StringRef> keyword = reader.getString();
  if (!keyword)
    return keyword.takeError();
  std::optional<StepKind> known = symbolizeStepKind(*keyword);
  if (!known)
    return reader.makeTypeError("all_slice, all_gather, all_to_all, "
                                "reduce_scatter, all_reduce, permute, exchange "
                                "or broadcast");
  kind = *known;
  return Error::success();
}

static Error readStep(const Reader &reader, const Mesh &mesh, Step &step) {
  if (Error error = readMember(reader, "op", [&](const Reader &member) {
        return readKind(member, step.kind);
      }))
    return error;
  if (Error error = readMember(reader, "axes", [&](const Reader &member) {
        return member.readArray(
            [&](const Reader &entry) { return readAxis(entry, mesh, step); });
      }))
    return error;
  for (auto [key, layout] : {std::pair<StringRef, Layout *>("from", &step.from),
                             std::pair<StringRef, Layout *>("to", &step.to)})
    if (Error error =
            readMember(reader, key, [&, layout = layout](const Reader &member) {
              return readLayout(member, mesh, *layout);
            }))
      return error;
  return readDetails(reader, mesh, step);
}

static Expected<Mesh> readMesh(const Reader &reader) {
  Expected<Reader> member = reader.get("mesh");
  if (!member)
    return member.takeError();
  Expected<StringRef> text = member->getString();
  if (!text)
    return text.takeError();
  Expected<Mesh> mesh = parseMesh(*text);
  if (!mesh)
    return member->locate(mesh.takeError());
  return mesh;
}

static Error readSize(const Reader &reader, SmallVector<int64_t, 4> &shape) {
  Expected<StringRef> text = reader.getString();
  if (text && *text == "?") {
    shape.push_back(kDynamic);
    return Error::success();
  }
  llvm::consumeError(text.takeError());
  Expected<int64_t> size = reader.getInteger();
  if (size && *size >= 0) {
    shape.push_back(*size);
    return Error::success();
  }
  llvm::consumeError(size.takeError());
  return reader.makeTypeError("a size, or \"?\"");
}

Expected<Plan> redistribute::planFromJson(const json::Value &value) {
  Reader reader(&value, "");
  Expected<Mesh> mesh = readMesh(reader);
  if (!mesh)
    return mesh.takeError();
  Plan plan{*mesh, {}, {}, {}, {}};
  if (Error error = readMember(reader, "shape", [&](const Reader &member) {
        return member.readArray([&](const Reader &entry) {
          return readSize(entry, plan.globalShape);
        });
      }))
    return std::move(error);
  if (Error error = readMember(reader, "from", [&](const Reader &member) {
        return readLayout(member, plan.mesh, plan.from);
      }))
    return std::move(error);
  if (Error error = readMember(reader, "to", [&](const Reader &member) {
        return readLayout(member, plan.mesh, plan.to);
      }))
    return std::move(error);
  if (Error error = readMember(reader, "steps", [&](const Reader &member) {
        return member.readArray([&](const Reader &entry) {
          return readStep(entry, plan.mesh, plan.steps.emplace_back());
        });
      }))
    return std::move(error);
  return plan;
}

Expected<Plan> redistribute::parsePlanJson(StringRef text) {
  Expected<json::Value> value = parseJson(text);
  if (!value)
    return value.takeError();
  return planFromJson(*value);
}
