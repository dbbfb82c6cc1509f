// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Clusters from and to JSON. Every error names the key path of what is wrong,
/// such as `levels[1].latency_sec`.

#include "pctl/Cost/Cluster.h"
#include "pctl/Support/Json.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"

#include <cmath>
#include <limits>
#include <set>

using namespace pctl;
using namespace pctl::cost;
using llvm::ArrayRef;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;
namespace json = llvm::json;

static constexpr double infinity = std::numeric_limits<double>::infinity();

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

static std::string getPath(StringRef list, size_t index) {
  return llvm::formatv("{0}[{1}]", list, index).str();
}

/// Prints \p number as briefly as tells it from others nearby.
static std::string print(double number) {
  return llvm::formatv("{0}", llvm::format("%g", number)).str();
}

static Error verifyTime(StringRef path, double sec) {
  if (std::isfinite(sec) && sec >= 0)
    return Error::success();
  return makeError("{0} is {1}, a time is finite and not negative", path,
                   print(sec));
}

static Error verifyBandwidth(StringRef path, double bytesPerSec) {
  // As a NaN is not above 0 either, this asks for what is right.
  if (bytesPerSec > 0)
    return Error::success();
  return makeError("{0} is {1}, a bandwidth is above 0", path,
                   print(bytesPerSec));
}

static Error verifyLink(StringRef path, const Link &link) {
  if (Error error = verifyTime((path + ".latency_sec").str(), link.latencySec))
    return error;
  return verifyBandwidth((path + ".bandwidth_bytes_per_sec").str(),
                         link.bandwidthBytesPerSec);
}

static Error verifyLevelSizes(ArrayRef<Level> levels) {
  int64_t inside = 1;
  for (auto [index, level] : llvm::enumerate(levels)) {
    std::string path = getPath("levels", index) + ".devices";
    if (index + 1 == levels.size()) {
      if (level.numDevices == 0)
        return Error::success();
      return makeError("{0} is {1}, the outermost level has all devices and "
                       "states no number",
                       path, level.numDevices);
    }
    if (level.numDevices <= inside || level.numDevices % inside != 0)
      return makeError("{0} is {1}, it must be a multiple of the {2} of the "
                       "level inside and more",
                       path, level.numDevices, inside);
    inside = level.numDevices;
  }
  return makeError("levels is empty, a cluster has at least one level");
}

Error cost::verifyCluster(const Cluster &cluster) {
  if (Error error = verifyTime("base_sec", cluster.baseSec))
    return error;
  if (Error error = verifyBandwidth("memory_bandwidth_bytes_per_sec",
                                    cluster.memoryBandwidthBytesPerSec))
    return error;
  if (Error error = verifyLevelSizes(cluster.levels))
    return error;
  for (auto [index, level] : llvm::enumerate(cluster.levels))
    if (Error error = verifyLink(getPath("levels", index), level.link))
      return error;
  std::set<StringRef> names;
  for (auto [index, axis] : llvm::enumerate(cluster.axes)) {
    std::string path = getPath("axes", index);
    if (axis.axis.empty())
      return makeError("{0}.axis is empty, it must name a mesh axis", path);
    if (!names.insert(axis.axis).second)
      return makeError("{0}.axis is '{1}', which an entry before it names",
                       path, axis.axis);
    if (Error error = verifyLink(path, axis.link))
      return error;
  }
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

namespace {

/// Reads the members of one object. The first error is kept, and reading goes
/// on with values that nobody looks at then.
class ObjectReader {
public:
  /// Reads \p value, which is at \p path (empty for the whole), and may have
  /// the members \p keys.
  ObjectReader(const json::Value &value, std::string path,
               ArrayRef<StringRef> keys)
      : path(std::move(path)), object(value.getAsObject()) {
    if (!object) {
      StringRef what = this->path.empty() ? StringRef("cluster") : this->path;
      fail("{0} is {1}, it must be an object", what, quoteJson(value));
      return;
    }
    for (const auto &member : *object)
      if (!llvm::is_contained(keys, StringRef(member.first)))
        fail("{0} is no key, the keys are {1}", getPath(member.first),
             llvm::join(keys, ", "));
  }

  std::string getPath(StringRef key) const {
    return path.empty() ? key.str() : path + "." + key.str();
  }

  std::string readString(StringRef key) {
    const json::Value *value = get(key);
    if (!value)
      return "";
    if (std::optional<StringRef> text = value->getAsString())
      return text->str();
    fail("{0} is {1}, it must be a string", getPath(key), quoteJson(*value));
    return "";
  }

  int64_t readInteger(StringRef key) {
    const json::Value *value = get(key);
    if (!value)
      return 0;
    // A number that is given is never taken for one that is left out.
    std::optional<int64_t> number = value->getAsInteger();
    if (number && *number != 0)
      return *number;
    fail("{0} is {1}, it must be an integer above 0", getPath(key),
         quoteJson(*value));
    return 0;
  }

  /// Reads a number, \p missing where there is none.
  double readNumber(StringRef key, double missing) {
    const json::Value *value = get(key);
    if (!value)
      return missing;
    if (std::optional<double> number = value->getAsNumber())
      return *number;
    if (value->getAsString() == StringRef("infinity"))
      return infinity;
    fail("{0} is {1}, it must be a number, or \"infinity\"", getPath(key),
         quoteJson(*value));
    return missing;
  }

  Link readLink() {
    require("bandwidth_bytes_per_sec");
    return {readNumber("latency_sec", 0),
            readNumber("bandwidth_bytes_per_sec", infinity)};
  }

  /// Calls \p read with each entry of an array and its path.
  void
  readArray(StringRef key,
            llvm::function_ref<Error(const json::Value &, std::string)> read) {
    const json::Value *value = get(key);
    if (!value)
      return;
    const json::Array *array = value->getAsArray();
    if (!array)
      return fail("{0} is {1}, it must be an array", getPath(key),
                  quoteJson(*value));
    for (auto [index, entry] : llvm::enumerate(*array)) {
      Error error = read(entry, ::getPath(getPath(key), index));
      if (error && message.empty())
        message = llvm::toString(std::move(error));
      else
        llvm::consumeError(std::move(error));
    }
  }

  void require(StringRef key) {
    if (object && !object->get(key))
      fail("{0} is missing", getPath(key));
  }

  Error takeError() {
    return message.empty() ? Error::success() : makeError("{0}", message);
  }

private:
  const json::Value *get(StringRef key) const {
    return object ? object->get(key) : nullptr;
  }

  template <typename... Ts> void fail(const char *format, Ts &&...values) {
    if (message.empty())
      message = llvm::formatv(format, std::forward<Ts>(values)...).str();
  }

  const std::string path;
  const json::Object *object;
  std::string message;
};

} // namespace

static Error readLevel(const json::Value &value, std::string path,
                       Cluster &cluster) {
  ObjectReader reader(
      value, std::move(path),
      {"name", "devices", "latency_sec", "bandwidth_bytes_per_sec"});
  Level level;
  level.name = reader.readString("name");
  level.numDevices = reader.readInteger("devices");
  level.link = reader.readLink();
  cluster.levels.push_back(std::move(level));
  return reader.takeError();
}

static Error readAxis(const json::Value &value, std::string path,
                      Cluster &cluster) {
  ObjectReader reader(value, std::move(path),
                      {"axis", "latency_sec", "bandwidth_bytes_per_sec"});
  reader.require("axis");
  AxisLink axis;
  axis.axis = reader.readString("axis");
  axis.link = reader.readLink();
  cluster.axes.push_back(std::move(axis));
  return reader.takeError();
}

static Error readCluster(const json::Value &value, Cluster &cluster) {
  ObjectReader reader(
      value, "",
      {"name", "base_sec", "memory_bandwidth_bytes_per_sec", "levels", "axes"});
  cluster.name = reader.readString("name");
  cluster.baseSec = reader.readNumber("base_sec", 0);
  cluster.memoryBandwidthBytesPerSec =
      reader.readNumber("memory_bandwidth_bytes_per_sec", infinity);
  reader.require("levels");
  reader.readArray("levels", [&](const json::Value &entry, std::string path) {
    return readLevel(entry, std::move(path), cluster);
  });
  reader.readArray("axes", [&](const json::Value &entry, std::string path) {
    return readAxis(entry, std::move(path), cluster);
  });
  return reader.takeError();
}

Expected<Cluster> cost::parseCluster(StringRef text) {
  if (nestsDeeperThan(text, 64))
    return makeError("values nest more than 64 deep, those of a cluster nest 3 "
                     "deep");
  Expected<json::Value> value = parseJson(text);
  if (!value)
    return value.takeError();
  Cluster cluster;
  if (Error error = readCluster(*value, cluster))
    return std::move(error);
  if (Error error = verifyCluster(cluster))
    return std::move(error);
  return cluster;
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

static json::Value toJson(double number) {
  return std::isinf(number) ? json::Value("infinity") : json::Value(number);
}

static void addLink(json::Object &object, const Link &link) {
  object["latency_sec"] = toJson(link.latencySec);
  object["bandwidth_bytes_per_sec"] = toJson(link.bandwidthBytesPerSec);
}

json::Value cost::toJson(const Cluster &cluster) {
  json::Array levels, axes;
  for (const Level &level : cluster.levels) {
    json::Object object{{"name", level.name}};
    if (level.numDevices != 0)
      object["devices"] = level.numDevices;
    addLink(object, level.link);
    levels.push_back(std::move(object));
  }
  for (const AxisLink &axis : cluster.axes) {
    json::Object object{{"axis", axis.axis}};
    addLink(object, axis.link);
    axes.push_back(std::move(object));
  }
  json::Object object{
      {"name", cluster.name},
      {"base_sec", ::toJson(cluster.baseSec)},
      {"memory_bandwidth_bytes_per_sec",
       ::toJson(cluster.memoryBandwidthBytesPerSec)},
      {"levels", std::move(levels)},
  };
  if (!axes.empty())
    object["axes"] = std::move(axes);
  return object;
}
