/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Part of pctl, a compiler library for distributed tensor programs. */

/** \file
 * What the host library (libpctl_nccl_host.so) offers beyond the NCCL
 * interface: how long a call may wait, and a hook that sees every call end.
 * pctl-run is built on both. The host library is described in docs/runtime.md.
 */

#ifndef PCTL_RUNTIME_HOSTNCCL_H
#define PCTL_RUNTIME_HOSTNCCL_H

#include "pctl/Runtime/nccl.h"
#include <stdint.h>

#ifdef __GNUC__
#pragma GCC visibility push(default)
#endif
#ifdef __cplusplus
extern "C" {
#endif

/** Sets how long a call may wait for its peers before every rank of its
 * communicator fails, in milliseconds; it counts for waits that begin later.
 *
 * The default is 30000, or the environment variable PCTL_NCCL_TIMEOUT_MS as it
 * was at the first call into the library.
 * Errors: ncclInvalidArgument where timeoutMs is not positive. */
ncclResult_t pctlNcclSetTimeoutMs(int64_t timeoutMs);

/** Gives the time in force, in milliseconds. Errors: ncclInvalidArgument where
 * timeoutMs is null. */
ncclResult_t pctlNcclGetTimeoutMs(int64_t *timeoutMs);

/** One call that has ended well, as one rank saw it.
 *
 * Example: ncclAllGather of 10 float32 on rank 1 of 4 has count 10, bytes 40,
 * sendBytes 40, recvBytes 160, peer -1. */
typedef struct {
  uint64_t commId; /**< Unlike for any other communicator of the process. */
  const char *commName;  /**< ncclConfig_t.commName, or a made up name. */
  int rank;              /**< In the communicator. */
  int rankCount;         /**< Of the communicator. */
  uint64_t call;         /**< Counts this rank's collectives here, from 1; of a
                              send or receive, the messages of its pair. */
  const char *op;        /**< "ncclAllReduce". */
  const char *reduction; /**< "sum"; null where nothing is reduced. */
  ncclDataType_t datatype; /**< ncclNumTypes for ncclCommInitRank and split. */
  size_t count;            /**< As passed to the call. */
  uint64_t bytes;          /**< count times the size of an element. */
  uint64_t sendBytes;      /**< What the call read of this rank's memory. */
  uint64_t recvBytes;      /**< What it wrote of this rank's memory. */
  int peer;                /**< Peer, or root, or -1. */
  int groupSize;           /**< Calls in the group it was issued with, or 1. */
  int64_t startNs;         /**< Steady clock, when the call was issued. */
  int64_t endNs;           /**< Steady clock, when its data had arrived. */
} pctlNcclTraceEvent;

typedef void (*pctlNcclTraceHook)(const pctlNcclTraceEvent *event, void *user);

/** Has `hook` called for each call that ends well, on the thread that made it
 * and before the call (or its ncclGroupEnd) returns; null stops it.
 *
 * Many threads call the hook at once. The strings of an event live as long as
 * the call to the hook. The hook must not call into the library. Set it while
 * no other thread is in a call. Never fails. */
ncclResult_t pctlNcclSetTraceHook(pctlNcclTraceHook hook, void *user);

#ifdef __cplusplus
} /* extern "C" */
#endif
#ifdef __GNUC__
#pragma GCC visibility pop
#endif

#endif /* PCTL_RUNTIME_HOSTNCCL_H */
