// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// What the conversions leave on a function so that a caller who has only the
/// executable form knows how to call it. docs/lowering.md has the calling
/// convention itself.

#ifndef PCTL_CONVERSION_ENTRYPOINT_H
#define PCTL_CONVERSION_ENTRYPOINT_H

#include "llvm/ADT/Twine.h"

#include <string>

namespace pctl {

/// On each entry, a type: the function type of its data alone, memrefs and
/// scalars, without communicators and stream.
inline constexpr char kSignatureAttrName[] = "nccl.signature";

/// On each entry, an array: for each communicator beside the world's, in order,
/// the axes along which its ranks differ.
inline constexpr char kCommsAttrName[] = "nccl.comms";

/// On an entry the name of which pctl-rename-functions has changed, the one that
/// callers know.
inline constexpr char kEntryAttrName[] = "nccl.entry";

/// On each argument that is a communicator beside the world's, and on each
/// result of the function that makes them, those axes.
inline constexpr char kCommArgAttrName[] = "nccl.axes";

/// Returns the name of the function that makes the communicators of \p entry.
inline std::string getCommsFunctionName(const llvm::Twine &entry) {
  return (entry + "_comms").str();
}

} // namespace pctl

#endif // PCTL_CONVERSION_ENTRYPOINT_H
