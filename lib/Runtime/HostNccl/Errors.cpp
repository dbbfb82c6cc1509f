// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// The names of result codes, and the last error of a thread.

#include "Errors.h"
#include "Engine.h"
#include <cstdarg>
#include <cstdio>
#include <mutex>

using namespace pctl::hostnccl;

static std::string &lastErrorOfThread() {
  static thread_local std::string text;
  return text;
}

static std::string formatArguments(const char *pattern, va_list arguments) {
  va_list again;
  va_copy(again, arguments);
  int size = std::vsnprintf(nullptr, 0, pattern, again);
  va_end(again);
  std::string text(size > 0 ? size : 0, '\0');
  std::vsnprintf(text.data(), text.size() + 1, pattern, arguments);
  return text;
}

std::string pctl::hostnccl::format(const char *pattern, ...) {
  va_list arguments;
  va_start(arguments, pattern);
  std::string text = formatArguments(pattern, arguments);
  va_end(arguments);
  return text;
}

ncclResult_t pctl::hostnccl::reportText(ncclResult_t code, std::string text) {
  lastErrorOfThread() = std::move(text);
  return code;
}

ncclResult_t pctl::hostnccl::report(ncclResult_t code, const char *pattern,
                                    ...) {
  va_list arguments;
  va_start(arguments, pattern);
  std::string text = formatArguments(pattern, arguments);
  va_end(arguments);
  return reportText(code, std::move(text));
}

const char *ncclGetErrorString(ncclResult_t result) {
  switch (result) {
  case ncclSuccess:
    return "no error";
  case ncclUnhandledCudaError:
    return "unhandled CUDA error";
  case ncclSystemError:
    return "system error";
  case ncclInternalError:
    return "internal error";
  case ncclInvalidArgument:
    return "invalid argument";
  case ncclInvalidUsage:
    return "invalid usage";
  case ncclRemoteError:
    return "error of another rank";
  case ncclInProgress:
    return "in progress";
  case ncclNumResults:
    break;
  }
  return "unknown result code";
}

const char *ncclGetLastError(ncclComm_t comm) {
  if (!comm)
    return lastErrorOfThread().c_str();
  // A copy of this thread's own: the text of the communicator may change.
  static thread_local std::string text;
  Engine &engine = Engine::get();
  std::lock_guard<std::mutex> lock(engine.mutex);
  if (ncclComm *handle = engine.find(comm))
    text = handle->lastError;
  else
    text = "ncclGetLastError: comm is no communicator of this library";
  return text.c_str();
}
