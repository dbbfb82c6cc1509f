// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Elements of every data type as numbers, independently of the library under
/// test: small whole and half numbers that all floating point types hold
/// exactly, and whose reductions stay exact in any order.

#ifndef PCTL_TEST_UNIT_RUNTIME_CONFORMANCE_ELEMENTS_H
#define PCTL_TEST_UNIT_RUNTIME_CONFORMANCE_ELEMENTS_H

#include "pctl/Runtime/nccl.h"
#include <cstdint>
#include <string>
#include <vector>

namespace conformance {

extern const std::vector<ncclDataType_t> allTypes;
extern const std::vector<ncclRedOp_t> allReductions;

size_t sizeOf(ncclDataType_t type);
const char *nameOf(ncclDataType_t type);
const char *nameOf(ncclRedOp_t op);
bool isFloating(ncclDataType_t type);
bool isSigned(ncclDataType_t type);

/// Bytes of the elements with these values; integers wrap, floats must hold the
/// value exactly (checked by reading back).
std::vector<char> encode(ncclDataType_t type,
                         const std::vector<double> &values);
std::vector<double> decode(ncclDataType_t type, const std::vector<char> &bytes);

/// The value of an element of a rank in tests of a reduction: few bits, so that
/// sums, products and averages over up to eight ranks are exact in every type.
double inputOf(ncclDataType_t type, ncclRedOp_t op, int rank, size_t index);

/// The reduction of one value of each rank.
double reduceValues(ncclDataType_t type, ncclRedOp_t op,
                    const std::vector<double> &values);

} // namespace conformance

#endif // PCTL_TEST_UNIT_RUNTIME_CONFORMANCE_ELEMENTS_H
