// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Sizes of tensors in bytes, for what passes report and weigh. How elements
/// lie in the memory of a host is pctl/Conversion/HostTypes.h's matter.

#ifndef PCTL_LIB_DIALECT_PCTL_TRANSFORMS_ELEMENTBYTES_H
#define PCTL_LIB_DIALECT_PCTL_TRANSFORMS_ELEMENTBYTES_H

#include "pctl/Support/CheckedArith.h"

#include "mlir/IR/BuiltinTypes.h"

namespace pctl {

/// Returns the bytes of an element of \p type, an index taken as 64 bits; or
/// nothing for a type whose size is not known.
inline std::optional<int64_t> getElementBytes(mlir::Type type) {
  if (type.isIntOrFloat())
    return ceilDiv(type.getIntOrFloatBitWidth(), 8);
  if (type.isIndex())
    return 8;
  if (auto complexType = llvm::dyn_cast<mlir::ComplexType>(type))
    if (std::optional<int64_t> part =
            getElementBytes(complexType.getElementType()))
      return 2 * *part;
  return std::nullopt;
}

/// Returns the bytes of \p count elements of \p type; nothing where the size of
/// the type is not known or the bytes are beyond 64 bits.
inline std::optional<int64_t> getSizeBytes(int64_t count, mlir::Type type) {
  std::optional<int64_t> bytes = getElementBytes(type);
  return bytes ? checkedMul(count, *bytes) : std::nullopt;
}

} // namespace pctl

#endif // PCTL_LIB_DIALECT_PCTL_TRANSFORMS_ELEMENTBYTES_H
