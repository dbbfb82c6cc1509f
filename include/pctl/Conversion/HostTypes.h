// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// How elements lie in the memory of the host: the one place that the code
/// which moves elements as bytes and the code which calls programs agree on.

#ifndef PCTL_CONVERSION_HOSTTYPES_H
#define PCTL_CONVERSION_HOSTTYPES_H

#include "mlir/IR/BuiltinTypes.h"

#include <optional>

namespace pctl {

/// Returns the number of bytes from one element of \p type to the next in a
/// memref of the host, or nothing for a type that memrefs of the host do not
/// hold. An i1 takes a byte that is 0 or 1, an index 8 bytes, an integer of
/// another width as many as the next power of two of its bytes, a complex
/// number two of its parts.
std::optional<int64_t> getHostElementBytes(mlir::Type type);

} // namespace pctl

#endif // PCTL_CONVERSION_HOSTTYPES_H
