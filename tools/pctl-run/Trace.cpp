// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Collects the host runtime's events and writes them.

#include "Trace.h"

#include "pctl/Support/Error.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace pctl;
using namespace pctl::run;

static thread_local int64_t currentRank = 0;

Trace::Trace() { pctlNcclSetTraceHook(&Trace::record, this); }

Trace::~Trace() { pctlNcclSetTraceHook(nullptr, nullptr); }

void Trace::enterRank(int64_t rank) { currentRank = rank; }

void Trace::record(const pctlNcclTraceEvent *event, void *trace) {
  auto *self = static_cast<Trace *>(trace);
  std::lock_guard<std::mutex> lock(self->mutex);
  self->events.push_back({currentRank, event->op, event->commName,
                          event->rankCount, event->sendBytes, event->recvBytes,
                          event->startNs, event->endNs});
}

llvm::Error Trace::write(llvm::StringRef path) const {
  std::error_code code;
  llvm::raw_fd_ostream file(path, code, llvm::sys::fs::OF_Text);
  if (code)
    return makeError("{0}: {1}", path, code.message());

  int64_t firstNs = events.empty() ? 0 : events.front().startNs;
  for (const Event &event : events)
    firstNs = std::min(firstNs, event.startNs);
  constexpr double nsPerUs = 1000;
  llvm::json::OStream json(file);
  json.object([&] {
    json.attribute("displayTimeUnit", "ms");
    json.attributeArray("traceEvents", [&] {
      for (const Event &event : events)
        json.object([&] {
          json.attribute("name", event.op);
          json.attribute("ph", "X");
          json.attribute("pid", 0);
          json.attribute("tid", event.rank);
          json.attribute("ts", (event.startNs - firstNs) / nsPerUs);
          json.attribute("dur", (event.endNs - event.startNs) / nsPerUs);
          json.attributeObject("args", [&] {
            json.attribute("communicator", event.comm);
            json.attribute("ranks", event.rankCount);
            json.attribute("sent_bytes", static_cast<int64_t>(event.sendBytes));
            json.attribute("received_bytes",
                           static_cast<int64_t>(event.recvBytes));
          });
        });
    });
  });
  file.close();
  code = file.error();
  file.clear_error();
  if (code)
    return makeError("{0}: {1}", path, code.message());
  return llvm::Error::success();
}
