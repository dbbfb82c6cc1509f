// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// The pipeline from planned programs to code. docs/lowering.md goes through it
/// step by step.

#ifndef PCTL_PIPELINES_TOLLVM_H
#define PCTL_PIPELINES_TOLLVM_H

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"

namespace pctl {

struct ToBuffersOptions : mlir::PassPipelineOptions<ToBuffersOptions> {
  Option<int64_t> chunkBytes{
      *this, "chunk-bytes",
      llvm::cl::desc(
          "Staging memory of a collective that can be done in parts"),
      llvm::cl::init(4 << 20)};
};

struct ToLLVMOptions : mlir::PassPipelineOptions<ToLLVMOptions> {
  Option<std::string> target{
      *this, "target",
      llvm::cl::desc("What the code runs on: host (threads or processes)"),
      llvm::cl::init("host")};
  Option<int64_t> chunkBytes{
      *this, "chunk-bytes",
      llvm::cl::desc(
          "Staging memory of a collective that can be done in parts"),
      llvm::cl::init(4 << 20)};
};

/// Adds the passes that take a planned program, or a program for one device
/// without pctl ops, to executable form. Errors, over \p emitError: a target
/// that there is none of; the message lists those there are.
mlir::LogicalResult buildToLLVMPipeline(
    mlir::OpPassManager &passes, const ToLLVMOptions &options,
    llvm::function_ref<mlir::LogicalResult(const llvm::Twine &)> emitError);

/// Adds the first part of it alone: from planned to buffers, with nccl ops.
void buildToBuffersPipeline(mlir::OpPassManager &passes,
                            const ToBuffersOptions &options);

/// Registers `pctl-to-llvm-pipeline` and `pctl-to-buffers-pipeline`.
void registerToLLVMPipelines();

/// Adds to \p registry what the pipeline needs to know of upstream's dialects
/// and of pctl's: how their ops bufferize and how their buffers are freed.
void registerToLLVMExtensions(mlir::DialectRegistry &registry);

} // namespace pctl

#endif // PCTL_PIPELINES_TOLLVM_H
