// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// All that the conformance suite needs besides nccl.h: ranks, memory, a
/// stream. HarnessThreads.cpp gives it to the host library; to run the suite on
/// another library, write another such source and link it with the suite and
/// that library (docs/runtime.md).

#ifndef PCTL_TEST_UNIT_RUNTIME_CONFORMANCE_HARNESS_H
#define PCTL_TEST_UNIT_RUNTIME_CONFORMANCE_HARNESS_H

#include "pctl/Runtime/nccl.h"
#include <cstring>
#include <functional>
#include <string>
#include <vector>

namespace conformance {

/// The largest number of ranks that there can be.
int maxRanks();

/// What a rank's code is given.
struct Rank {
  int index;
  int count;
  ncclComm_t world; ///< Of all ranks, `index` among them.
  cudaStream_t stream;
};

/// Runs `body` once on each of `count` ranks, all at once, in a new
/// communicator of them, and returns when all have returned. A test that needs
/// more ranks than maxRanks() has to skip itself first.
void onRanks(int count, const std::function<void(const Rank &)> &body);

/// Memory that collectives can reach.
class Buffer {
public:
  explicit Buffer(size_t sizeBytes);
  ~Buffer();
  Buffer(const Buffer &) = delete;
  Buffer &operator=(const Buffer &) = delete;

  char *data() const { return memory; }
  size_t size() const { return sizeBytes; }
  void upload(const void *from, size_t sizeBytes, size_t offset = 0);
  void download(void *to, size_t sizeBytes, size_t offset = 0) const;

private:
  char *memory = nullptr;
  size_t sizeBytes = 0;
};

/// Waits for what was issued on a stream.
void synchronize(cudaStream_t stream);

template <typename T> std::vector<T> downloadAll(const Buffer &buffer) {
  std::vector<T> values(buffer.size() / sizeof(T));
  buffer.download(values.data(), values.size() * sizeof(T));
  return values;
}

template <typename T>
void uploadAll(Buffer &buffer, const std::vector<T> &values) {
  buffer.upload(values.data(), values.size() * sizeof(T));
}

/// Expects ncclSuccess, and says what the library says otherwise.
#define EXPECT_NCCL(call)                                                      \
  do {                                                                         \
    ncclResult_t ncclResult = (call);                                          \
    EXPECT_EQ(ncclResult, ncclSuccess) << ncclGetLastError(nullptr);           \
  } while (false)

} // namespace conformance

#endif // PCTL_TEST_UNIT_RUNTIME_CONFORMANCE_HARNESS_H
