// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Sizes and names of NCCL's element types, and of host memory asked for
/// through NCCL.

#include "DataTypes.h"
#include "Errors.h"
#include <cstdlib>

using namespace pctl::hostnccl;

namespace {
struct TypeInfo {
  const char *name;
  int64_t size;
};
} // namespace

/// In the order of ncclDataType_t.
static constexpr TypeInfo typeInfos[ncclNumTypes] = {
    {"int8", 1},    {"uint8", 1},    {"int32", 4},      {"uint32", 4},
    {"int64", 8},   {"uint64", 8},   {"float16", 2},    {"float32", 4},
    {"float64", 8}, {"bfloat16", 2}, {"float8e4m3", 1}, {"float8e5m2", 1}};

int64_t pctl::hostnccl::sizeOfType(ncclDataType_t type) {
  return typeInfos[type].size;
}

const char *pctl::hostnccl::nameOfType(ncclDataType_t type) {
  return typeInfos[type].name;
}

ncclResult_t ncclGetVersion(int *version) {
  if (!version)
    return report(ncclInvalidArgument, "ncclGetVersion: version is null");
  *version = NCCL_VERSION_CODE;
  return ncclSuccess;
}

ncclResult_t ncclMemAlloc(void **ptr, size_t size) {
  if (!ptr)
    return report(ncclInvalidArgument, "ncclMemAlloc: ptr is null");
  // A whole number of pages, and never none: as device memory comes.
  constexpr size_t page = 4096;
  size_t pages = size / page + 1;
  *ptr = pages < SIZE_MAX / page ? std::aligned_alloc(page, pages * page)
                                 : nullptr;
  if (!*ptr)
    return report(ncclSystemError, "ncclMemAlloc: no memory for %zu bytes",
                  size);
  return ncclSuccess;
}

ncclResult_t ncclMemFree(void *ptr) {
  std::free(ptr);
  return ncclSuccess;
}
