// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Handlers of signals. In them only async-signal-safe functions may be called,
/// so messages are put together by hand.

#include "Signals.h"

#include <atomic>
#include <cstring>
#include <unistd.h>

using namespace pctl;
using namespace pctl::run;

namespace {
struct Fault {
  int signal;
  const char *message;
};
} // namespace

static constexpr Fault kFaults[] = {
    {SIGFPE, "integer division by zero, or of the least integer by -1"},
    {SIGSEGV, "access to memory that the program does not have"},
    {SIGBUS, "access to memory that the program does not have"},
    {SIGILL, "the code has come to a place that it cannot reach"},
    {SIGTRAP, "the code has come to a place that it cannot reach"},
    {SIGABRT, "the program gave up"},
};

static thread_local int64_t threadRank = -1;

/// A rank that has run out of stack needs another one for its handler.
alignas(16) static thread_local char handlerStack[64 * 1024];

static void writeText(const char *text) {
  // Nobody is there to be told that it failed.
  (void)!write(STDERR_FILENO, text, std::strlen(text));
}

static void writeNumber(int64_t number) {
  char digits[24];
  char *at = digits + sizeof(digits);
  *--at = '\0';
  do
    *--at = static_cast<char>('0' + number % 10);
  while (number /= 10);
  writeText(at);
}

static void endRank(int signal) {
  if (threadRank < 0) {
    // Not the program's: the fault happens again, or the signal comes again.
    std::signal(signal, SIG_DFL);
    raise(signal);
    return;
  }
  // Ranks may fail alike; one message is enough.
  static std::atomic_flag isEnding = ATOMIC_FLAG_INIT;
  if (isEnding.test_and_set())
    for (;;)
      pause();
  for (const Fault &fault : kFaults) {
    if (fault.signal != signal)
      continue;
    writeText("pctl-run: error: rank ");
    writeNumber(threadRank);
    writeText(": ");
    writeText(fault.message);
    writeText("\n");
  }
  _exit(1);
}

RankSignals::RankSignals() {
  for (const Fault &fault : kFaults) {
    struct sigaction action = {};
    action.sa_handler = endRank;
    action.sa_flags = SA_ONSTACK;
    sigemptyset(&action.sa_mask);
    previous.emplace_back();
    sigaction(fault.signal, &action, &previous.back());
  }
}

RankSignals::~RankSignals() {
  for (const Fault &fault : kFaults) {
    sigaction(fault.signal, &previous.front(), nullptr);
    previous.erase(previous.begin());
  }
}

RankThread::RankThread(int64_t rank) {
  threadRank = rank;
  stack_t stack = {};
  stack.ss_sp = handlerStack;
  stack.ss_size = sizeof(handlerStack);
  sigaltstack(&stack, &previousStack);
}

RankThread::~RankThread() {
  sigaltstack(&previousStack, nullptr);
  threadRank = -1;
}
