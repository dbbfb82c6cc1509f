/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Part of pctl, a compiler library for distributed tensor programs. */

/* For RTLD_DEFAULT. */
#define _GNU_SOURCE

#include "pctl/Runtime/Context.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Functions of whichever NCCL library is loaded when a call fails. They are
 * looked up then, so that this library links and loads without any. */
typedef const char *(*ErrorStringFn)(ncclResult_t);
typedef const char *(*LastErrorFn)(ncclComm_t);
typedef ncclResult_t (*UserRankFn)(ncclComm_t, int *);

static pctlErrorHandler errorHandler;
static void *errorHandlerUser;
static __thread int threadRank = -1;

void pctlSetErrorHandler(pctlErrorHandler handler, void *user) {
  errorHandler = handler;
  errorHandlerUser = user;
}

void pctlSetRank(int worldRank) { threadRank = worldRank; }

/* The rank to name in a message, -1 where it cannot be told. */
static int getRank(ncclComm_t comm) {
  int rank = -1;
  UserRankFn userRank;
  if (threadRank >= 0)
    return threadRank;
  userRank = (UserRankFn)dlsym(RTLD_DEFAULT, "ncclCommUserRank");
  if (!comm || !userRank || userRank(comm, &rank) != ncclSuccess)
    return -1;
  return rank;
}

/* Reports the message of a rank that failed and does not return. Ranks of one
 * process may fail alike, and the first of them ends all: without a handler
 * one message is enough. */
static void endRank(int rank, const char *message) {
  static atomic_flag isEnding = ATOMIC_FLAG_INIT;
  if (errorHandler) {
    errorHandler(rank, message, errorHandlerUser);
  } else {
    while (atomic_flag_test_and_set(&isEnding))
      pause();
    fprintf(stderr, "%s\n", message);
  }
  fflush(NULL);
  _exit(1);
}

/* Writes how messages call a rank. */
static void printRank(char *name, size_t size, int rank) {
  if (rank >= 0)
    snprintf(name, size, "%d", rank);
  else
    snprintf(name, size, "?");
}

void pctlCheck(int result, ncclComm_t comm, const char *call) {
  char message[2048];
  char name[32];
  const char *text = "unknown error", *last = NULL;
  ErrorStringFn errorString;
  LastErrorFn lastError;
  int rank;
  if (result == ncclSuccess)
    return;
  errorString = (ErrorStringFn)dlsym(RTLD_DEFAULT, "ncclGetErrorString");
  if (errorString)
    text = errorString((ncclResult_t)result);
  lastError = (LastErrorFn)dlsym(RTLD_DEFAULT, "ncclGetLastError");
  if (lastError)
    last = lastError(comm);
  rank = getRank(comm);
  printRank(name, sizeof(name), rank);
  snprintf(message, sizeof(message), "pctl: error: rank %s: %s: %s%s%s", name,
           call, text, last && *last ? ": " : "", last ? last : "");
  endRank(rank, message);
}

void pctlFail(const char *text) {
  char message[2048], name[32];
  int rank = getRank(NULL);
  printRank(name, sizeof(name), rank);
  snprintf(message, sizeof(message), "pctl: error: rank %s: %s", name, text);
  endRank(rank, message);
}

void *_mlir_memref_to_llvm_alloc(size_t sizeBytes) {
  char message[128], name[32];
  int rank;
  void *buffer = malloc(sizeBytes);
  /* Of no bytes there may be none. */
  if (buffer || sizeBytes == 0)
    return buffer;
  rank = getRank(NULL);
  printRank(name, sizeof(name), rank);
  snprintf(message, sizeof(message),
           "pctl: error: rank %s: no memory for a buffer of %zu bytes", name,
           sizeBytes);
  endRank(rank, message);
  return NULL;
}

void _mlir_memref_to_llvm_free(void *buffer) { free(buffer); }
