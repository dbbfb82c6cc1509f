// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Random programs of several communicators, groups, collectives and messages:
/// right where all ranks run the same one, and ended with one error where one
/// rank leaves a call out.

#include "HostNcclRanks.h"
#include <algorithm>
#include <chrono>
#include <memory>
#include <random>

namespace {
/// One call of a program, the same for all ranks.
struct Step {
  int comm; // Which communicator: 0 the world, 1 and 2 halves of it.
  int kind; // 0 all-reduce, 1 all-gather, 2 ring of messages, 3 broadcast.
  int count;
  int value; // What the ranks' elements begin with.
  bool opensGroup;
  bool closesGroup;
};

/// A rank in one communicator.
struct End {
  ncclComm_t comm;
  int rank;
  int size;
};

/// A step's buffers on one rank.
struct Work {
  std::vector<int32_t> send;
  std::vector<int32_t> recv;
};
} // namespace

static std::vector<Step> makeProgram(unsigned seed, int length) {
  std::mt19937 random(seed);
  auto below = [&](int limit) { return static_cast<int>(random() % limit); };
  std::vector<Step> steps;
  bool isOpen = false;
  for (int i = 0; i < length; ++i) {
    Step step{below(3),    below(4), below(10) ? below(50) : below(20000),
              below(1000), false,    false};
    if (!isOpen && (below(3) == 0 || step.kind == 2))
      isOpen = step.opensGroup = true;
    if (isOpen && (below(2) == 0 || i + 1 == length)) {
      step.closesGroup = true;
      isOpen = false;
    }
    steps.push_back(step);
  }
  return steps;
}

static int32_t element(const Step &step, int rank, int index) {
  return step.value + 1000 * rank + index;
}

static ncclResult_t issue(const Step &step, const End &end, Work &work) {
  size_t count = step.count;
  for (int i = 0; i < step.count; ++i)
    work.send.push_back(element(step, end.rank, i));
  work.recv.assign(count * (step.kind == 1 ? end.size : 1), -1);
  int32_t *send = work.send.data();
  int32_t *recv = work.recv.data();
  if (step.kind == 0)
    return ncclAllReduce(send, recv, count, ncclInt32, ncclSum, end.comm,
                         nullptr);
  if (step.kind == 1)
    return ncclAllGather(send, recv, count, ncclInt32, end.comm, nullptr);
  if (step.kind == 3)
    return ncclBroadcast(send, recv, count, ncclInt32, step.value % end.size,
                         end.comm, nullptr);
  ncclResult_t code = ncclSend(send, count, ncclInt32,
                               (end.rank + 1) % end.size, end.comm, nullptr);
  if (code != ncclSuccess)
    return code;
  return ncclRecv(recv, count, ncclInt32, (end.rank + end.size - 1) % end.size,
                  end.comm, nullptr);
}

static void check(const Step &step, const End &end, const Work &work) {
  std::vector<int32_t> expected;
  int before = (end.rank + end.size - 1) % end.size;
  if (step.kind == 1)
    for (int rank = 0; rank < end.size; ++rank)
      for (int i = 0; i < step.count; ++i)
        expected.push_back(element(step, rank, i));
  for (int i = 0; step.kind != 1 && i < step.count; ++i) {
    int32_t sum = 0;
    for (int rank = 0; rank < end.size; ++rank)
      sum += element(step, rank, i);
    expected.push_back(step.kind == 0 ? sum
                       : step.kind == 2
                           ? element(step, before, i)
                           : element(step, step.value % end.size, i));
  }
  EXPECT_EQ(work.recv, expected);
}

/// Runs a program on one rank, but for step `leftOut`; the first error.
static ncclResult_t run(const std::vector<Step> &steps, int leftOut,
                        const std::vector<End> &ends) {
  std::vector<std::pair<const Step *, std::unique_ptr<Work>>> open;
  for (size_t i = 0; i < steps.size(); ++i) {
    const Step &step = steps[i];
    if (step.opensGroup)
      ncclGroupStart();
    ncclResult_t code = ncclSuccess;
    if (static_cast<int>(i) != leftOut) {
      open.emplace_back(&step, std::make_unique<Work>());
      code = issue(step, ends[step.comm], *open.back().second);
    }
    bool isOpen = false;
    for (size_t j = 0; j <= i; ++j)
      isOpen = (isOpen || steps[j].opensGroup) && !steps[j].closesGroup;
    if (step.closesGroup)
      code = ncclGroupEnd();
    if (code != ncclSuccess && !isOpen)
      return code;
    if (isOpen)
      continue;
    for (const auto &done : open)
      check(*done.first, ends[done.first->comm], *done.second);
    open.clear();
  }
  return ncclSuccess;
}

/// Runs a program on `count` ranks; rank `faulty` leaves a step out.
static std::vector<Outcome>
runOnRanks(int count, const std::vector<Step> &steps, int faulty, int leftOut) {
  return onRanks(count, [&](int rank, ncclComm_t world) {
    std::vector<End> ends = {{world, rank, count}};
    for (int modulus : {2, 3}) {
      End end = {nullptr, 0, 0};
      EXPECT_EQ(ncclCommSplit(world, rank % modulus, 0, &end.comm, nullptr),
                ncclSuccess);
      ncclCommUserRank(end.comm, &end.rank);
      ncclCommCount(end.comm, &end.size);
      ends.push_back(end);
    }
    ncclResult_t code = run(steps, rank == faulty ? leftOut : -1, ends);
    std::string text = code == ncclSuccess ? "" : ncclGetLastError(nullptr);
    // A rank that fails aborts, as programs do, so that the others hear of it.
    for (size_t i = 1; i < ends.size(); ++i)
      EXPECT_EQ(code == ncclSuccess ? ncclCommDestroy(ends[i].comm)
                                    : ncclCommAbort(ends[i].comm),
                ncclSuccess);
    return code;
  });
}

TEST(HostNcclRandom, programs_are_right) {
  for (unsigned seed = 0; seed < 30; ++seed) {
    SCOPED_TRACE(seed);
    int count = 2 + static_cast<int>(seed % 6);
    expectAll(runOnRanks(count, makeProgram(seed, 40), -1, -1), ncclSuccess,
              "");
  }
}

using HostNcclRandomFault = ShortTimeout;

TEST_F(HostNcclRandomFault, always_ends_in_an_error) {
  for (unsigned seed = 100; seed < 112; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    int count = 2 + static_cast<int>(random() % 4);
    std::vector<Step> steps = makeProgram(seed, 20);
    // In the world, so that every rank depends on it.
    steps[10].comm = 0;
    steps[10].kind = 0;
    auto begin = std::chrono::steady_clock::now();
    std::vector<Outcome> outcomes =
        runOnRanks(count, steps, static_cast<int>(random() % count), 10);
    EXPECT_LT(std::chrono::steady_clock::now() - begin,
              std::chrono::seconds(20));
    EXPECT_TRUE(std::any_of(
        outcomes.begin(), outcomes.end(),
        [](const Outcome &outcome) { return outcome.code != ncclSuccess; }));
  }
}
