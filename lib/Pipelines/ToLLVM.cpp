// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

#include "pctl/Pipelines/ToLLVM.h"

#include "pctl/Conversion/Passes.h"
#include "pctl/Dialect/Pctl/Transforms/BufferizableOpInterfaceImpl.h"
#include "pctl/Dialect/Pctl/Transforms/Passes.h"

#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Arith/Transforms/BufferDeallocationOpInterfaceImpl.h"
#include "mlir/Dialect/Arith/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Bufferization/Pipelines/Passes.h"
#include "mlir/Dialect/Bufferization/Transforms/FuncBufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/ControlFlow/Transforms/BufferDeallocationOpInterfaceImpl.h"
#include "mlir/Dialect/ControlFlow/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/Linalg/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/AllocationOpInterfaceImpl.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Dialect/SCF/Transforms/BufferDeallocationOpInterfaceImpl.h"
#include "mlir/Dialect/SCF/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/SCF/Transforms/Passes.h"
#include "mlir/Dialect/Tensor/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Vector/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace pctl {

/// Ops on whole tensors that have no loops of their own become linalg ops.
static void addToLinalg(OpPassManager &passes) {
  passes.addPass(createPrepareBufferizationPass());
  passes.addPass(createNormalizeSlicesPass());
  passes.addNestedPass<func::FuncOp>(createConvertTosaPass());
  passes.addPass(createDecomposeOpsPass());
  passes.addPass(createNormalizeSlicesPass());
  passes.addPass(createConvertTensorToLinalgPass());
  passes.addNestedPass<func::FuncOp>(createConvertElementwiseToLinalgPass());
  passes.addPass(createCanonicalizerPass());
  passes.addPass(createCSEPass());
}

/// Tensors become buffers, which are freed where nobody holds them any more.
/// Whoever calls a function owns the buffers that it returns.
static void addBufferization(OpPassManager &passes) {
  passes.addPass(bufferization::createEmptyTensorEliminationPass());
  bufferization::OneShotBufferizePassOptions options;
  options.bufferizeFunctionBoundaries = true;
  options.functionBoundaryTypeConversion =
      bufferization::LayoutMapOption::IdentityLayoutMap;
  options.allowReturnAllocsFromLoops = true;
  passes.addPass(bufferization::createOneShotBufferizePass(options));
  passes.addPass(bufferization::createDropEquivalentBufferResultsPass());
  passes.addPass(createCanonicalizerPass());
  passes.addPass(createCSEPass());
  passes.addPass(createSeparateResultsPass());
  bufferization::buildBufferDeallocationPipeline(passes);
  passes.addPass(createConvertBufferizationToMemRefPass());
  passes.addPass(memref::createExpandReallocPass());
}

/// Structured ops and control flow become branches.
static void addLoops(OpPassManager &passes) {
  passes.addPass(createExpandCopiesPass());
  passes.addPass(createOrderLoopsPass());
  passes.addNestedPass<func::FuncOp>(createConvertLinalgToLoopsPass());
  passes.addNestedPass<func::FuncOp>(createForallToForLoopPass());
  passes.addPass(memref::createExpandStridedMetadataPass());
  passes.addPass(createLowerAffinePass());
  passes.addPass(createCanonicalizerPass());
  passes.addPass(createCSEPass());
  passes.addPass(createLoopInvariantCodeMotionPass());
  passes.addPass(createSCFToControlFlowPass());
}

/// Arithmetic that the code generator lacks, or has only over calls of
/// libraries that may not be there, becomes arithmetic that it has.
static void addArithmetic(OpPassManager &passes) {
  passes.addPass(createConvertComplexToLibm());
  passes.addPass(createConvertComplexToStandardPass());
  passes.addPass(math::createMathExtendToSupportedTypes());
  arith::ArithEmulateUnsupportedFloatsOptions emulation;
  emulation.sourceTypeStrs = {"bf16"};
  emulation.targetTypeStr = "f32";
  passes.addPass(arith::createArithEmulateUnsupportedFloats(emulation));
  passes.addPass(createExpandArithPass());
  // Of integer powers, loops; those of floats have instructions.
  ConvertMathToFuncsOptions functions;
  functions.minWidthOfFPowIExponent = 33;
  passes.addPass(createConvertMathToFuncs(functions));
}

static void addToLLVMDialect(OpPassManager &passes) {
  passes.addPass(createConvertMathToLLVMPass());
  passes.addPass(createConvertMathToLibmPass());
  passes.addPass(createConvertComplexToLLVMPass());
  passes.addPass(createConvertVectorToLLVMPass());
  // The runtime's functions for memory: those of the C library go unchecked.
  FinalizeMemRefToLLVMConversionPassOptions memory;
  memory.useGenericFunctions = true;
  passes.addPass(createFinalizeMemRefToLLVMConversionPass(memory));
  passes.addPass(createAssertToLLVMPass());
  passes.addPass(createConvertIndexToLLVMPass());
  passes.addPass(createArithToLLVMConversionPass());
  passes.addPass(createConvertControlFlowToLLVMPass());
  passes.addPass(createConvertFuncToLLVMPass());
  passes.addPass(createUBToLLVMConversionPass());
  passes.addPass(createReconcileUnrealizedCastsPass());
  passes.addPass(createCanonicalizerPass());
  passes.addPass(createCSEPass());
}

void buildToBuffersPipeline(OpPassManager &passes,
                            const ToBuffersOptions &options) {
  addToLinalg(passes);
  addBufferization(passes);
  ConvertToNcclPassOptions conversion;
  conversion.chunkBytes = options.chunkBytes;
  passes.addPass(createConvertToNcclPass(conversion));
  passes.addPass(createCanonicalizerPass());
  passes.addPass(createCSEPass());
}

LogicalResult
buildToLLVMPipeline(OpPassManager &passes, const ToLLVMOptions &options,
                    function_ref<LogicalResult(const Twine &)> emitError) {
  if (options.target != "host")
    return emitError("target '" + options.target + "' is not one of [host]");
  ToBuffersOptions buffers;
  buffers.chunkBytes = options.chunkBytes;
  buildToBuffersPipeline(passes, buffers);
  passes.addPass(createRenameFunctionsPass());
  passes.addPass(createNcclToLLVMPass());
  addLoops(passes);
  addArithmetic(passes);
  addToLLVMDialect(passes);
  return success();
}

void registerToLLVMExtensions(DialectRegistry &registry) {
  arith::registerBufferDeallocationOpInterfaceExternalModels(registry);
  arith::registerBufferizableOpInterfaceExternalModels(registry);
  bufferization::func_ext::registerBufferizableOpInterfaceExternalModels(
      registry);
  cf::registerBufferDeallocationOpInterfaceExternalModels(registry);
  cf::registerBufferizableOpInterfaceExternalModels(registry);
  linalg::registerBufferizableOpInterfaceExternalModels(registry);
  memref::registerAllocationOpInterfaceExternalModels(registry);
  scf::registerBufferDeallocationOpInterfaceExternalModels(registry);
  scf::registerBufferizableOpInterfaceExternalModels(registry);
  tensor::registerBufferizableOpInterfaceExternalModels(registry);
  vector::registerBufferizableOpInterfaceExternalModels(registry);
  registerBufferizableOpInterfaceExternalModels(registry);
}

void registerToLLVMPipelines() {
  registerPassPipeline(
      "pctl-to-llvm-pipeline",
      "From planned to executable form: buffers, NCCL calls, code",
      [](OpPassManager &passes, StringRef text,
         function_ref<LogicalResult(const Twine &)> emitError) {
        auto options = ToLLVMOptions::createFromString(text);
        if (!options)
          return failure();
        return buildToLLVMPipeline(passes, *options, emitError);
      },
      [](function_ref<void(const detail::PassOptions &)> describe) {
        describe(ToLLVMOptions());
      });
  PassPipelineRegistration<ToBuffersOptions>(
      "pctl-to-buffers-pipeline", "From planned form to buffers and nccl ops",
      buildToBuffersPipeline);
}

} // namespace pctl
