// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// A sweep over the ranges of all calls in order of address.

#include "Overlap.h"
#include "Engine.h"
#include "Errors.h"
#include <algorithm>

using namespace pctl::hostnccl;

namespace {
struct Range {
  uintptr_t begin;
  uintptr_t end;
  bool isWritten;
  const Call *call;
};
} // namespace

/// The ranges of a call, which do not overlap: in place they become one.
static void addRanges(const Call &call, std::vector<Range> &ranges) {
  Footprint foot = footprintOf(call.signature, call.rank, call.clique->size);
  uintptr_t send = reinterpret_cast<uintptr_t>(call.send);
  uintptr_t recv = reinterpret_cast<uintptr_t>(call.recv);
  Range read{send, send + foot.sendBytes, false, &call};
  Range written{recv, recv + foot.recvBytes, true, &call};
  if (foot.sendBytes && foot.recvBytes && read.begin < written.end &&
      written.begin < read.end) {
    // What is read beyond what is written counts as written, to be one range.
    written.begin = std::min(written.begin, read.begin);
    written.end = std::max(written.end, read.end);
    foot.sendBytes = 0;
  }
  if (foot.sendBytes)
    ranges.push_back(read);
  if (foot.recvBytes)
    ranges.push_back(written);
}

std::optional<Conflict>
pctl::hostnccl::findConflict(const std::vector<const Call *> &calls) {
  std::vector<Range> ranges;
  for (const Call *call : calls)
    addRanges(*call, ranges);
  std::sort(ranges.begin(), ranges.end(),
            [](const Range &a, const Range &b) { return a.begin < b.begin; });
  // Of the ranges so far, those that reach furthest.
  const Range *read = nullptr;
  const Range *written = nullptr;
  for (const Range &range : ranges) {
    const Range *other = nullptr;
    if (written && written->end > range.begin)
      other = written;
    else if (range.isWritten && read && read->end > range.begin)
      other = read;
    if (other)
      return Conflict{other->call,     range.call,   other->isWritten,
                      range.isWritten, other->begin, other->end,
                      range.begin,     range.end};
    const Range *&furthest = range.isWritten ? written : read;
    if (!furthest || furthest->end < range.end)
      furthest = &range;
  }
  return std::nullopt;
}

std::string pctl::hostnccl::describe(const Conflict &conflict,
                                     const std::string &other) {
  return format("%s [0x%zx, 0x%zx), of which %s %s [0x%zx, 0x%zx)",
                conflict.firstWrites ? "writes" : "reads",
                static_cast<size_t>(conflict.firstBegin),
                static_cast<size_t>(conflict.firstEnd), other.c_str(),
                conflict.secondWrites ? "writes" : "reads",
                static_cast<size_t>(conflict.secondBegin),
                static_cast<size_t>(conflict.secondEnd));
}
