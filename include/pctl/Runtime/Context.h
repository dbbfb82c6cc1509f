/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Part of pctl, a compiler library for distributed tensor programs. */

/** \file
 * What compiled programs call beside NCCL: the check of each call's status,
 * the end of a rank, and the memory of buffers.
 * It is the library libpctl_runtime.so, which knows NCCL only by its symbols:
 * whichever library of the NCCL interface the process has loaded is asked for
 * the text of an error. docs/lowering.md says where calls are added.
 */

#ifndef PCTL_RUNTIME_CONTEXT_H
#define PCTL_RUNTIME_CONTEXT_H

#include "pctl/Runtime/nccl.h"

#include <stddef.h>

#ifdef __GNUC__
#pragma GCC visibility push(default)
#endif
#ifdef __cplusplus
extern "C" {
#endif

/** Is told why a rank ends: its number, the whole message without a newline,
 * and what was given with the handler. It runs on the failing rank's thread and
 * should not return; if it does, the process ends as without a handler. */
typedef void (*pctlErrorHandler)(int rank, const char *message, void *user);

/** Has `handler` called when a rank fails; null stands for the default, which
 * prints the message on stderr, flushes all streams and ends the process with
 * status 1. Set it while no rank runs. */
void pctlSetErrorHandler(pctlErrorHandler handler, void *user);

/** Sets what messages of the calling thread call its rank; until then, and with
 * a negative number, it is the rank in the communicator of the call. */
void pctlSetRank(int worldRank);

/** Returns where `result` is ncclSuccess; else ends the rank with
 *
 *     pctl: error: rank 3: ncclAllReduce: invalid argument: counts differ
 *
 * that is, the rank, the call, the text of the status and, where there is one,
 * that of the communicator's last error. `comm` may be null. */
void pctlCheck(int result, ncclComm_t comm, const char *call);

/** Ends the rank, an assertion of which did not hold, with
 *
 *     pctl: error: rank 3: no such row
 */
void pctlFail(const char *text);

/** Returns memory for a buffer of `sizeBytes` bytes, to be given back with the
 * function after it or with free(); where there is none, ends the rank with
 *
 *     pctl: error: rank 3: no memory for a buffer of 17592186044416 bytes
 *
 * MLIR's conversion of buffers to LLVM chose the two names. */
void *_mlir_memref_to_llvm_alloc(size_t sizeBytes);
void _mlir_memref_to_llvm_free(void *buffer);

#ifdef __cplusplus
} /* extern "C" */
#endif
#ifdef __GNUC__
#pragma GCC visibility pop
#endif

#endif /* PCTL_RUNTIME_CONTEXT_H */
