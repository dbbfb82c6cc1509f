// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Runs the project's pipelines over a program, from whatever form it is in.

#include "Compile.h"

#include "pctl/Conversion/Passes.h"
#include "pctl/Dialect/Pctl/IR/LayoutBridge.h"
#include "pctl/Dialect/Pctl/IR/Pctl.h"
#include "pctl/Dialect/Pctl/Transforms/CollectiveSummary.h"
#include "pctl/Dialect/Pctl/Transforms/Form.h"
#include "pctl/Dialect/Pctl/Transforms/Passes.h"
#include "pctl/Layout/LayoutText.h"
#include "pctl/Pipelines/Spmd.h"
#include "pctl/Pipelines/ToLLVM.h"
#include "pctl/Support/Error.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/Support/FormatVariadic.h"

using namespace pctl;
using namespace pctl::run;

/// Runs \p passes; what went wrong they have reported at its place.
static llvm::Error runPasses(mlir::PassManager &passes, mlir::ModuleOp module) {
  if (mlir::succeeded(passes.run(module)))
    return llvm::Error::success();
  return makeError("the program was not compiled");
}

//===----------------------------------------------------------------------===//
// The strategy of the command line
//===----------------------------------------------------------------------===//

/// Annotates \p module by \p pass as \p option of the command line says. What
/// is wrong is an error of that name, at its place in the program where it has
/// one.
static llvm::Error applyOption(mlir::ModuleOp module, llvm::StringRef option,
                               std::unique_ptr<mlir::Pass> pass) {
  std::vector<mlir::Diagnostic> found;
  mlir::PassManager passes(module.getContext());
  passes.addPass(std::move(pass));
  {
    mlir::ScopedDiagnosticHandler handler(
        module.getContext(), [&](mlir::Diagnostic &diagnostic) {
          found.push_back(std::move(diagnostic));
        });
    if (mlir::succeeded(passes.run(module)))
      return llvm::Error::success();
  }
  for (mlir::Diagnostic &diagnostic : found) {
    std::string message =
        llvm::formatv("{0}: {1}", option, diagnostic.str()).str();
    if (found.size() == 1 && diagnostic.getLocation() == module.getLoc() &&
        diagnostic.getNotes().empty())
      return makeError("{0}", message);
    mlir::InFlightDiagnostic error = mlir::emitError(diagnostic.getLocation())
                                     << message;
    for (mlir::Diagnostic &note : diagnostic.getNotes())
      error.attachNote(note.getLocation()) << note.str();
  }
  return makeError("the program was not compiled");
}

static llvm::Error applyMesh(mlir::ModuleOp module, llvm::StringRef text) {
  if (llvm::Error error = layout::parseMesh(text).takeError())
    return makeError("--mesh: {0}", llvm::toString(std::move(error)));
  ApplyStrategyPassOptions strategy;
  strategy.mesh = text.str();
  return applyOption(module, "--mesh", createApplyStrategyPass(strategy));
}

static llvm::Error applyLayout(mlir::ModuleOp module, llvm::StringRef text,
                               llvm::StringRef entry) {
  ApplyStrategyPassOptions strategy;
  strategy.entry = entry.str();
  strategy.layouts = text.str();
  return applyOption(module, llvm::formatv("--layout '{0}'", text).str(),
                     createApplyStrategyPass(strategy));
}

static llvm::Error applyDataset(mlir::ModuleOp module,
                                const CompileOptions &options) {
  ApplyDatasetStrategyPassOptions dataset;
  dataset.entry = options.entry;
  dataset.strategy = options.datasetStrategy;
  dataset.dataArgs.assign(options.dataArgs.begin(), options.dataArgs.end());
  return applyOption(module,
                     options.datasetStrategy.empty() ? "--data-args"
                                                     : "--dataset-strategy",
                     createApplyDatasetStrategyPass(dataset));
}

/// Annotates \p module, which is in \p form, as the options say.
static llvm::Error applyStrategy(mlir::ModuleOp module, Form form,
                                 const CompileOptions &options) {
  std::pair<llvm::StringRef, bool> given[] = {
      {"--mesh", !options.mesh.empty()},
      {"--layout", !options.layouts.empty()},
      {"--dataset-strategy", !options.datasetStrategy.empty()},
      {"--data-args", !options.dataArgs.empty()}};
  for (auto [option, isGiven] : given)
    if (isGiven && form != Form::Annotated)
      return makeError("{0}: the program is in form '{1}', in which it has its "
                       "layouts; only an 'annotated' one takes others",
                       option, stringifyForm(form));
  if (form != Form::Annotated)
    return llvm::Error::success();
  // What breaks the form is not the options' fault.
  if (mlir::failed(verifyForm(module, form)))
    return makeError("the program was not compiled");
  if (!options.mesh.empty())
    if (llvm::Error error = applyMesh(module, options.mesh))
      return error;
  for (const std::string &text : options.layouts)
    if (llvm::Error error = applyLayout(module, text, options.entry))
      return error;
  if (!options.datasetStrategy.empty() || !options.dataArgs.empty())
    return applyDataset(module, options);
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// Pipelines
//===----------------------------------------------------------------------===//

static llvm::Error convertTosa(mlir::ModuleOp module) {
  mlir::PassManager passes(module.getContext());
  passes.addNestedPass<mlir::func::FuncOp>(createConvertTosaPass());
  return runPasses(passes, module);
}

/// Takes \p module from \p form to planned form.
static llvm::Error planProgram(mlir::ModuleOp module, Form form,
                               const CompileOptions &options) {
  mlir::PassManager passes(module.getContext());
  switch (form) {
  case Form::Annotated: {
    SpmdPipelineOptions pipeline;
    // Again: without it the pipeline would apply what the program says.
    pipeline.entry = options.entry;
    pipeline.datasetStrategy = options.datasetStrategy;
    pipeline.dataArgs = options.dataArgs;
    pipeline.report = options.planning.report;
    pipeline.cluster = options.planning.cluster;
    pipeline.capBytes = options.planning.capBytes;
    pipeline.chunkBytes = options.planning.chunkBytes;
    buildSpmdPipeline(passes, pipeline);
    return runPasses(passes, module);
  }
  case Form::LaidOut:
    passes.addPass(createPartitionPass());
    [[fallthrough]];
  case Form::Local:
    passes.addPass(createPlanRedistributionPass(options.planning));
    return runPasses(passes, module);
  case Form::Planned:
    if (!options.planning.report.empty())
      return makeError("--report: the program is in form 'planned', in which "
                       "no change of layout is left to plan");
    return llvm::Error::success();
  case Form::Buffers:
  case Form::Executable:
    break;
  }
  return makeError("the program is in form '{0}', from which the tensors are "
                   "gone; a run starts from 'planned' or an earlier form",
                   stringifyForm(form));
}

/// Takes a planned or one-device program to code.
static llvm::Expected<std::unique_ptr<execution::Program>>
compileProgram(mlir::ModuleOp module) {
  mlir::PassManager passes(module.getContext());
  if (mlir::failed(buildToLLVMPipeline(
          passes, ToLLVMOptions(), [&](const llvm::Twine &message) {
            return mlir::LogicalResult(module.emitError(message));
          })))
    return makeError("the program was not compiled");
  if (llvm::Error error = runPasses(passes, module))
    return error;
  return execution::compile(module);
}

/// Returns the mesh of \p module. Errors: it declares none, or several that
/// differ.
static llvm::Expected<layout::Mesh> findMesh(mlir::ModuleOp module) {
  std::optional<layout::Mesh> mesh;
  for (auto meshOp : module.getOps<MeshOp>()) {
    if (mesh && !(*mesh == meshOp.getMesh()))
      return makeError("the program declares several meshes; a run takes one");
    mesh = meshOp.getMesh();
  }
  return *mesh;
}

static std::vector<PlannedCollective> listCollectives(mlir::ModuleOp module) {
  std::vector<PlannedCollective> collectives;
  for (const CollectiveUse &use : collectCollectives(module)) {
    PlannedCollective collective{use.kind.str(), use.axes, "",
                                 use.receivedBytes};
    auto type = llvm::cast<mlir::ShapedType>(use.op->getOperand(0).getType());
    llvm::raw_string_ostream os(collective.localType);
    for (int64_t size : type.getShape())
      (mlir::ShapedType::isDynamic(size) ? os << '?' : os << size) << 'x';
    os << type.getElementType();
    collectives.push_back(std::move(collective));
  }
  return collectives;
}

/// Compiles the program of one device that \p global means.
static llvm::Expected<Reference> compileReference(mlir::ModuleOp global,
                                                  llvm::StringRef entryName) {
  // Before the rules are gone, which tell what ops reduce over.
  llvm::Expected<mlir::func::FuncOp> entry = findEntry(global, entryName);
  if (!entry)
    return entry.takeError();
  int64_t sumLength = getSumLength(*entry);
  mlir::PassManager passes(global.getContext());
  passes.addPass(createStripLayoutsPass());
  if (mlir::failed(passes.run(global)))
    return makeError("the program has no uncut one that --verify could compare "
                     "with");
  llvm::Expected<Signature> signature =
      readSignature(*entry, llvm::cantFail(layout::Mesh::create({{"one", 1}})));
  if (!signature)
    return signature.takeError();
  llvm::Expected<std::unique_ptr<execution::Program>> program =
      compileProgram(global);
  if (!program)
    return program.takeError();
  return Reference{std::move(*signature), std::move(*program), sumLength};
}

/// Fails where \p module calls a function that it only declares: nothing is
/// linked with a program.
static llvm::Error checkDeclarations(mlir::ModuleOp module) {
  bool isFound = true;
  for (auto function : module.getOps<mlir::FunctionOpInterface>()) {
    if (!function.isExternal() ||
        mlir::SymbolTable::symbolKnownUseEmpty(function, module))
      continue;
    isFound = false;
    function.emitError("function '")
        << function.getName()
        << "' is called, but has no body; a run knows only the functions of "
           "the program";
  }
  if (isFound)
    return llvm::Error::success();
  return makeError("the program was not compiled");
}

llvm::Expected<Compiled>
run::compileForRanks(mlir::OwningOpRef<mlir::ModuleOp> module,
                     const CompileOptions &options) {
  // Before anything is compiled: a program without an entry is no input.
  llvm::Expected<mlir::func::FuncOp> entry = findEntry(*module, options.entry);
  if (!entry)
    return entry.takeError();
  std::string entryName = entry->getName().str();
  if (llvm::Error error = checkDeclarations(*module))
    return error;

  if (options.mesh.empty() && module->getOps<MeshOp>().empty())
    return makeError("the program declares no mesh; give one with --mesh");
  Form form = getForm(*module).value_or(Form::Annotated);
  if (llvm::Error error = applyStrategy(*module, form, options))
    return error;
  // The uncut program counts sums by the same ops as the cut one.
  if (form == Form::Annotated)
    if (llvm::Error error = convertTosa(*module))
      return error;
  std::optional<Reference> reference;
  if (options.withReference) {
    if (form != Form::Annotated && form != Form::LaidOut)
      return makeError("the program is in form '{0}', in which nothing tells "
                       "the uncut program; --verify needs 'annotated' or "
                       "'laid-out'",
                       stringifyForm(form));
    mlir::OwningOpRef<mlir::ModuleOp> global = module->clone();
    llvm::Expected<Reference> made = compileReference(*global, entryName);
    if (!made)
      return made.takeError();
    reference = std::move(*made);
  }

  if (llvm::Error error = planProgram(*module, form, options))
    return error;
  entry = findEntry(*module, entryName);
  if (!entry)
    return entry.takeError();
  llvm::Expected<layout::Mesh> mesh = findMesh(*module);
  if (!mesh)
    return mesh.takeError();
  llvm::Expected<Signature> signature = readSignature(*entry, *mesh);
  if (!signature)
    return signature.takeError();
  std::vector<PlannedCollective> collectives = listCollectives(*module);
  llvm::Expected<std::unique_ptr<execution::Program>> program =
      compileProgram(*module);
  if (!program)
    return program.takeError();
  return Compiled{std::move(entryName), std::move(*signature),
                  std::move(collectives), std::move(*program),
                  std::move(reference)};
}
