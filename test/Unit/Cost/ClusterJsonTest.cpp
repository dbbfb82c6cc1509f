// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

#include "pctl/Cost/Cluster.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include "gtest/gtest.h"

#include <cmath>

using namespace pctl::cost;
using llvm::StringRef;

namespace {

std::string print(const Cluster &cluster) {
  std::string text;
  llvm::raw_string_ostream(text) << toJson(cluster);
  return text;
}

std::string getError(StringRef json) {
  llvm::Expected<Cluster> cluster = parseCluster(json);
  return cluster ? "success" : llvm::toString(cluster.takeError());
}

/// Returns the error of a cluster whose one level has the members \p members.
std::string getLevelError(StringRef members) {
  return getError(("{\"levels\": [{" + members + "}]}").str());
}

TEST(ClusterJson, parses_every_key) {
  Cluster cluster = llvm::cantFail(parseCluster(R"({
    "name": "mine", "base_sec": 8e-6, "memory_bandwidth_bytes_per_sec": 2e12,
    "levels": [{"name": "node", "devices": 4, "latency_sec": 1e-6,
                "bandwidth_bytes_per_sec": 3e11},
               {"name": "network", "latency_sec": 5e-6,
                "bandwidth_bytes_per_sec": "infinity"}],
    "axes": [{"axis": "tp", "latency_sec": 2e-6,
              "bandwidth_bytes_per_sec": 4e11}]})"));
  EXPECT_EQ(cluster.name, "mine");
  EXPECT_EQ(cluster.baseSec, 8e-6);
  EXPECT_EQ(cluster.memoryBandwidthBytesPerSec, 2e12);
  ASSERT_EQ(cluster.levels.size(), 2u);
  EXPECT_EQ(cluster.levels[0], (Level{"node", 4, {1e-6, 3e11}}));
  EXPECT_EQ(cluster.levels[1], (Level{"network", 0, {5e-6, INFINITY}}));
  ASSERT_EQ(cluster.axes.size(), 1u);
  EXPECT_EQ(cluster.axes[0], (AxisLink{"tp", {2e-6, 4e11}}));
  EXPECT_EQ(llvm::cantFail(parseCluster(print(cluster))), cluster);
}

TEST(ClusterJson, what_is_left_out_takes_no_time) {
  Cluster cluster = llvm::cantFail(
      parseCluster(R"({"levels": [{"bandwidth_bytes_per_sec": 1}]})"));
  EXPECT_EQ(cluster.baseSec, 0);
  EXPECT_TRUE(std::isinf(cluster.memoryBandwidthBytesPerSec));
  EXPECT_EQ(cluster.levels[0], (Level{"", 0, {0, 1}}));
}

TEST(ClusterJson, named_clusters_come_back) {
  for (StringRef name : listClusterNames()) {
    Cluster cluster = *getNamedCluster(name);
    EXPECT_EQ(llvm::cantFail(parseCluster(print(cluster))), cluster);
  }
}

TEST(ClusterJson, the_example_of_the_page_parses) {
  auto file = llvm::MemoryBuffer::getFile(PCTL_DOCS_DIR "/cost.md");
  ASSERT_TRUE(static_cast<bool>(file)) << file.getError().message();
  StringRef text = (*file)->getBuffer();
  StringRef example = text.split("```json\n").second.split("```").first;
  Cluster cluster = llvm::cantFail(parseCluster(example));
  EXPECT_EQ(cluster.levels.size(), 2u);
  EXPECT_EQ(cluster.axes.size(), 1u);
}

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

TEST(ClusterJsonErrors, of_syntax_have_a_place) {
  EXPECT_EQ(getError("{\n  \"levels\": }"),
            "no JSON: [2:13, byte=15]: Invalid JSON value");
}

TEST(ClusterJsonErrors, deep_nesting) {
  EXPECT_EQ(getError(std::string(1000000, '[')),
            "values nest more than 64 deep, those of a cluster nest 3 deep");
  // Brackets in strings do not nest, also behind an escaped quote.
  EXPECT_EQ(getError("{\"name\": \"\\\"" + std::string(100, '[') +
                     "\", \"levels\": [{\"bandwidth_bytes_per_sec\": 1}]}"),
            "success");
}

TEST(ClusterJsonErrors, keys) {
  EXPECT_EQ(getError("{}"), "levels is missing");
  EXPECT_EQ(getError(R"({"level": []})"),
            "level is no key, the keys are name, base_sec, "
            "memory_bandwidth_bytes_per_sec, levels, axes");
  EXPECT_EQ(getLevelError(R"("latency": 1)"),
            "levels[0].latency is no key, the keys are name, devices, "
            "latency_sec, bandwidth_bytes_per_sec");
  EXPECT_EQ(getLevelError(""), "levels[0].bandwidth_bytes_per_sec is missing");
  EXPECT_EQ(getError(R"({"levels": [{"bandwidth_bytes_per_sec": 1}],
                         "axes": [{"bandwidth_bytes_per_sec": 1}]})"),
            "axes[0].axis is missing");
}

TEST(ClusterJsonErrors, types) {
  EXPECT_EQ(getError("[]"), "cluster is an array, it must be an object");
  EXPECT_EQ(getError(R"({"name": 3, "levels": []})"),
            "name is 3, it must be a string");
  EXPECT_EQ(getError(R"({"levels": {}})"),
            "levels is an object, it must be an array");
  EXPECT_EQ(getError(R"({"levels": [7]})"),
            "levels[0] is 7, it must be an object");
  EXPECT_EQ(getError(R"({"base_sec": "8us", "levels": []})"),
            "base_sec is \"8us\", it must be a number, or \"infinity\"");
  EXPECT_EQ(getLevelError(R"("devices": 1.5, "bandwidth_bytes_per_sec": 1)"),
            "levels[0].devices is 1.5, it must be an integer above 0");
  EXPECT_EQ(getLevelError(R"("devices": 0, "bandwidth_bytes_per_sec": 1)"),
            "levels[0].devices is 0, it must be an integer above 0");
  EXPECT_EQ(getError(R"({"levels": [{"bandwidth_bytes_per_sec": 1}],
                         "axes": [{"axis": null,
                                   "bandwidth_bytes_per_sec": 1}]})"),
            "axes[0].axis is null, it must be a string");
}

TEST(ClusterJsonErrors, figures) {
  EXPECT_EQ(getError(R"({"base_sec": -1, "levels": []})"),
            "base_sec is -1, a time is finite and not negative");
  EXPECT_EQ(getError(R"({"base_sec": "infinity", "levels": []})"),
            "base_sec is inf, a time is finite and not negative");
  EXPECT_EQ(getError(R"({"memory_bandwidth_bytes_per_sec": 0, "levels": []})"),
            "memory_bandwidth_bytes_per_sec is 0, a bandwidth is above 0");
  EXPECT_EQ(getLevelError(R"("bandwidth_bytes_per_sec": -2)"),
            "levels[0].bandwidth_bytes_per_sec is -2, a bandwidth is above "
            "0");
  EXPECT_EQ(getLevelError(R"("latency_sec": -3, "bandwidth_bytes_per_sec": 1)"),
            "levels[0].latency_sec is -3, a time is finite and not negative");
}

TEST(ClusterJsonErrors, levels) {
  EXPECT_EQ(getError(R"({"levels": []})"),
            "levels is empty, a cluster has at least one level");
  EXPECT_EQ(getLevelError(R"("devices": 8, "bandwidth_bytes_per_sec": 1)"),
            "levels[0].devices is 8, the outermost level has all devices and "
            "states no number");
  auto getSizesError = [](llvm::ArrayRef<int64_t> sizes) {
    Cluster cluster = *getNamedCluster("bytes");
    Level all = cluster.levels.pop_back_val();
    for (int64_t size : sizes)
      cluster.levels.push_back({"", size, {0, 1}});
    cluster.levels.push_back(all);
    return getError(print(cluster));
  };
  EXPECT_EQ(getSizesError({4, 8}), "success");
  EXPECT_EQ(getSizesError({1}), "levels[0].devices is 1, it must be a multiple "
                                "of the 1 of the level inside and more");
  EXPECT_EQ(getSizesError({4, 6}),
            "levels[1].devices is 6, it must be a multiple of the 4 of the "
            "level inside and more");
  EXPECT_EQ(getSizesError({4, 4}),
            "levels[1].devices is 4, it must be a multiple of the 4 of the "
            "level inside and more");
  EXPECT_EQ(getSizesError({-8}),
            "levels[0].devices is -8, it must be a multiple of the 1 of the "
            "level inside and more");
}

TEST(ClusterJsonErrors, axes) {
  auto getAxesError = [](llvm::ArrayRef<AxisLink> axes) {
    Cluster cluster = *getNamedCluster("bytes");
    cluster.axes.assign(axes.begin(), axes.end());
    return getError(print(cluster));
  };
  EXPECT_EQ(getAxesError({{"a", {0, 1}}, {"b", {0, 1}}}), "success");
  EXPECT_EQ(getAxesError({{"", {0, 1}}}),
            "axes[0].axis is empty, it must name a mesh axis");
  EXPECT_EQ(getAxesError({{"a", {0, 1}}, {"a", {0, 1}}}),
            "axes[1].axis is 'a', which an entry before it names");
  EXPECT_EQ(getAxesError({{"a", {0, 0}}}),
            "axes[0].bandwidth_bytes_per_sec is 0, a bandwidth is above 0");
}

TEST(LoadCluster, takes_names_and_files) {
  EXPECT_EQ(llvm::cantFail(loadCluster("h100")), *getNamedCluster("h100"));

  llvm::SmallString<64> path;
  ASSERT_FALSE(llvm::sys::fs::createTemporaryFile("cluster", "json", path));
  auto write = [&](StringRef text) {
    std::error_code error;
    llvm::raw_fd_ostream(path, error) << text;
    ASSERT_FALSE(error);
  };
  write(print(*getNamedCluster("a100")));
  EXPECT_EQ(llvm::cantFail(loadCluster(path)), *getNamedCluster("a100"));
  write("{}");
  EXPECT_EQ(llvm::toString(loadCluster(path).takeError()),
            (path + ": levels is missing").str());
  ASSERT_FALSE(llvm::sys::fs::remove(path));
  EXPECT_EQ(llvm::toString(loadCluster(path).takeError()),
            ("cluster '" + path +
             "' is none of bytes, a100, h100, b200, nor a "
             "file that can be read: No such file or "
             "directory")
                .str());
}

} // namespace
