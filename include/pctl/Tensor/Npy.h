// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// NumPy's .npy files, in and out. The format is NumPy's NEP 1
/// (numpy.lib.format): a magic string, a version, a Python dictionary literal
/// with `descr`, `fortran_order` and `shape`, then the elements.

#ifndef PCTL_TENSOR_NPY_H
#define PCTL_TENSOR_NPY_H

#include "pctl/Tensor/HostTensor.h"

#include "llvm/ADT/StringRef.h"

namespace pctl::tensor {

/// Parses the bytes of a .npy file of versions 1 to 3. Errors: not such a file;
/// a malformed or truncated header; an element type that is not a HostTensor's,
/// or big-endian; Fortran order; a size that does not match the data; a bool
/// that is neither 0 nor 1. Unsigned integers are taken as integers of their
/// width; bf16 is stored as `<V2`, as NumPy has no such type.
llvm::Expected<HostTensor> parseNpy(llvm::StringRef bytes);

/// Reads \p path. Errors: those of parseNpy and of opening, each with the path.
llvm::Expected<HostTensor> readNpy(llvm::StringRef path);

/// Returns \p tensor as the bytes of a .npy file of version 1.
std::string printNpy(const HostTensor &tensor);

/// Writes \p tensor to \p path. Errors: those of writing, with the path.
llvm::Error writeNpy(llvm::StringRef path, const HostTensor &tensor);

} // namespace pctl::tensor

#endif // PCTL_TENSOR_NPY_H
