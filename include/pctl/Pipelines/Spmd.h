// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// The pipeline from a program for one device, with a strategy, to the planned
/// program that every rank runs. docs/forms.md shows a program in each form on
/// the way.

#ifndef PCTL_PIPELINES_SPMD_H
#define PCTL_PIPELINES_SPMD_H

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"

namespace pctl {

/// What the pipeline is asked for. Empty options ask for nothing: the program
/// then declares its mesh and layouts itself.
struct SpmdPipelineOptions : mlir::PassPipelineOptions<SpmdPipelineOptions> {
  Option<std::string> mesh{
      *this, "mesh",
      llvm::cl::desc("Axes and sizes of the mesh, e.g. data=2,model=4"),
      llvm::cl::init("")};
  Option<std::string> layouts{
      *this, "layouts",
      llvm::cl::desc("Layouts of arguments and results by number, separated by "
                     "';', e.g. 0=[{data},{}];result0=[{?},{}]"),
      llvm::cl::init("")};
  Option<std::string> entry{
      *this, "entry",
      llvm::cl::desc("Function that is meant where none is named (default: "
                     "the only public one, or main)"),
      llvm::cl::init("")};
  Option<std::string> datasetStrategy{
      *this, "dataset-strategy",
      llvm::cl::desc("How the data arguments are cut: data_parallel, "
                     "full_batch, tuples of cuts, or layouts"),
      llvm::cl::init("")};
  ListOption<unsigned> dataArgs{
      *this, "data-args", llvm::cl::desc("Numbers of the data arguments")};
  Option<bool> unfoldReshapes{
      *this, "unfold-reshapes",
      llvm::cl::desc("Make merged dims loops of their own first"),
      llvm::cl::init(true)};
  Option<bool> remarks{*this, "remarks",
                       llvm::cl::desc("Say which operands must move, and why"),
                       llvm::cl::init(false)};
  Option<bool> printPlans{
      *this, "print-plans",
      llvm::cl::desc("Remark on each change of layout with its plan and bytes"),
      llvm::cl::init(false)};
  Option<std::string> report{
      *this, "report",
      llvm::cl::desc("File for a report on each change of layout, as JSON: "
                     "plan, bytes, time, and why it is there"),
      llvm::cl::init("")};
  Option<std::string> rewriteReport{
      *this, "rewrite-report",
      llvm::cl::desc("File for a report on what made collectives fewer and "
                     "smaller, as JSON"),
      llvm::cl::init("")};
  Option<std::string> cluster{
      *this, "cluster",
      llvm::cl::desc("Links of the machine that plans are costed for: bytes, "
                     "a100, h100, b200, or a file"),
      llvm::cl::init("bytes")};
  Option<int64_t> capBytes{
      *this, "cap-bytes",
      llvm::cl::desc("Bytes that a rank may hold in a step of a plan; 0 for "
                     "any"),
      llvm::cl::init(0)};
  Option<bool> optimizeCollectives{
      *this, "optimize-collectives",
      llvm::cl::desc("Make collectives fewer and smaller"),
      llvm::cl::init(true)};
  Option<int64_t> mergeBytes{
      *this, "merge-bytes",
      llvm::cl::desc("Bytes that one merged reduction may combine; 0 for any"),
      llvm::cl::init(0)};
  Option<int64_t> chunkBytes{
      *this, "chunk-bytes",
      llvm::cl::desc("Bytes that a rank should have in flight"),
      llvm::cl::init(4 << 20)};
};

/// Adds the passes that take a module from the annotated to the planned form.
///
///   mlir::PassManager passes(&context);
///   pctl::SpmdPipelineOptions options;
///   options.mesh = "model=4";
///   options.layouts = "1=[{},{model}]";
///   pctl::buildSpmdPipeline(passes, options);
void buildSpmdPipeline(mlir::OpPassManager &passes,
                       const SpmdPipelineOptions &options);

/// Registers `pctl-spmd-pipeline`.
void registerSpmdPipeline();

} // namespace pctl

#endif // PCTL_PIPELINES_SPMD_H
