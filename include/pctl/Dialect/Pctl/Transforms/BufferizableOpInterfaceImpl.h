// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// How the collectives go from tensors to buffers under upstream's one-shot
/// bufferization: each becomes the same op on the buffers of its operands.

#ifndef PCTL_DIALECT_PCTL_TRANSFORMS_BUFFERIZABLEOPINTERFACEIMPL_H
#define PCTL_DIALECT_PCTL_TRANSFORMS_BUFFERIZABLEOPINTERFACEIMPL_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace pctl {

/// Attaches BufferizableOpInterface to the collectives of the pctl dialect once
/// it is loaded.
void registerBufferizableOpInterfaceExternalModels(
    mlir::DialectRegistry &registry);

} // namespace pctl

#endif // PCTL_DIALECT_PCTL_TRANSFORMS_BUFFERIZABLEOPINTERFACEIMPL_H
