// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Telling the trace hook of pctl/Runtime/HostNccl.h about ended calls.

#ifndef PCTL_LIB_RUNTIME_HOSTNCCL_TRACE_H
#define PCTL_LIB_RUNTIME_HOSTNCCL_TRACE_H

#include "Call.h"
#include "pctl/Runtime/HostNccl.h"

namespace pctl::hostnccl {

/// Calls the hook for a call that has ended well.
void trace(const Call &call, pctlNcclTraceHook hook, void *user);

} // namespace pctl::hostnccl

#endif // PCTL_LIB_RUNTIME_HOSTNCCL_TRACE_H
