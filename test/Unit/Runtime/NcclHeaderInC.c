/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Part of pctl, a compiler library for distributed tensor programs. */

/** \file
 * The public headers of the runtime are C: this has to compile as C11. */

#include "pctl/Runtime/HostNccl.h"
#include "pctl/Runtime/nccl.h"

int configSizeInC(void);

int configSizeInC(void) {
  ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
  return (int)config.size;
}
