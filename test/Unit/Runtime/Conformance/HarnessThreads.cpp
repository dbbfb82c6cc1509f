// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// The conformance suite's surroundings where ranks are threads of one process
/// and device memory is host memory.

#include "Harness.h"
#include "gtest/gtest.h"
#include <thread>

using namespace conformance;

int conformance::maxRanks() { return 64; }

void conformance::onRanks(int count,
                          const std::function<void(const Rank &)> &body) {
  ncclUniqueId id;
  EXPECT_NCCL(ncclGetUniqueId(&id));
  std::vector<std::thread> threads;
  for (int index = 0; index < count; ++index)
    threads.emplace_back([&, index] {
      Rank rank{index, count, nullptr, nullptr};
      EXPECT_NCCL(ncclCommInitRank(&rank.world, count, id, index));
      if (!rank.world)
        return;
      body(rank);
      EXPECT_NCCL(ncclCommDestroy(rank.world));
    });
  for (std::thread &thread : threads)
    thread.join();
}

Buffer::Buffer(size_t sizeBytes) : sizeBytes(sizeBytes) {
  // What no collective writes stays recognizable.
  memory = new char[sizeBytes ? sizeBytes : 1];
  std::memset(memory, 0x5a, sizeBytes ? sizeBytes : 1);
}

Buffer::~Buffer() { delete[] memory; }

void Buffer::upload(const void *from, size_t size, size_t offset) {
  if (size)
    std::memcpy(memory + offset, from, size);
}

void Buffer::download(void *to, size_t size, size_t offset) const {
  if (size)
    std::memcpy(to, memory + offset, size);
}

void conformance::synchronize(cudaStream_t stream) {}
