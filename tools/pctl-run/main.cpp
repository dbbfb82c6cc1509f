// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// pctl-run: takes a program in any form that still has tensors, compiles it
/// for the ranks of its mesh, runs them as threads of this process, and on
/// request compares every result on every rank with the uncut program's.
/// docs/pctl-run.md is its manual.

#include "Compile.h"
#include "Report.h"
#include "Runner.h"
#include "Trace.h"

#include "pctl/InitAll.h"
#include "pctl/Support/Error.h"
#include "pctl/Tensor/Npy.h"

#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Support/FileUtilities.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/raw_ostream.h"

namespace cl = llvm::cl;
using namespace pctl;
using namespace pctl::run;
using tensor::HostTensor;

namespace {

/// Exit statuses of every tool of the project.
enum ExitStatus { Success = 0, BadInput = 1, BadUsage = 2 };

/// The options of the command line.
struct Options {
  cl::OptionCategory category{"pctl-run options"};
  cl::opt<std::string> file{cl::Positional, cl::Required,
                            cl::desc("<program.mlir>"), cl::cat(category)};
  cl::opt<std::string> entry{
      "entry", cl::desc("Function to run (default: main, or the only one)"),
      cl::value_desc("name"), cl::cat(category)};
  cl::opt<int64_t> ranks{
      "ranks", cl::desc("Number of ranks; must be the mesh's (its default)"),
      cl::value_desc("n"), cl::cat(category)};
  cl::opt<std::string> backend{
      "backend", cl::desc("What the ranks are: threads"), cl::init("threads"),
      cl::value_desc("name"), cl::cat(category)};
  cl::opt<std::string> mesh{
      "mesh",
      cl::desc("Mesh of a program that declares none: 'data=2,model=4'"),
      cl::value_desc("axes"), cl::cat(category)};
  cl::list<std::string> layouts{
      "layout",
      cl::desc("Layout of an argument or result: '3=[{},{model}]', "
               "'result0=[{data},{}]'; may be repeated"),
      cl::value_desc("port=layout"), cl::cat(category)};
  cl::opt<std::string> datasetStrategy{
      "dataset-strategy",
      cl::desc(
          "Layout of the data inputs: data_parallel, full_batch, cut tuples "
          "'((4,1))', or layouts"),
      cl::value_desc("strategy"), cl::cat(category)};
  cl::list<unsigned> dataArgs{
      "data-args", cl::CommaSeparated,
      cl::desc("Numbers of the arguments that are data inputs"),
      cl::value_desc("n,..."), cl::cat(category)};
  cl::opt<std::string> cluster{
      "cluster",
      cl::desc("Links of the machine, by which plans are chosen: bytes, a100, "
               "h100, b200, or a file (default: bytes)"),
      cl::init("bytes"), cl::value_desc("name|file"), cl::cat(category)};
  cl::opt<int64_t> capBytes{
      "cap-bytes",
      cl::desc("Bytes that a rank may hold in a step of a plan (default: any)"),
      cl::init(0), cl::value_desc("n"), cl::cat(category)};
  cl::opt<int64_t> chunkBytes{
      "chunk-bytes",
      cl::desc("Bytes that a rank should have in flight (default: 4194304)"),
      cl::init(4 << 20), cl::value_desc("n"), cl::cat(category)};
  cl::opt<std::string> inputs{
      "inputs",
      cl::desc("random:SEED, or a directory with arg0.npy, arg1.npy, ..."),
      cl::init("random:0"), cl::value_desc("source"), cl::cat(category)};
  cl::opt<std::string> outputs{
      "outputs", cl::desc("Directory to write result0.npy, ... to"),
      cl::value_desc("dir"), cl::cat(category)};
  cl::opt<bool> verify{
      "verify", cl::desc("Run the uncut program too and compare every result"),
      cl::cat(category)};
  cl::opt<std::string> trace{
      "trace", cl::desc("Write the calls of all ranks as Chrome trace events"),
      cl::value_desc("file.json"), cl::cat(category)};
  cl::opt<std::string> report{
      "report",
      cl::desc("Write what each change of layout costs, and why it is there, "
               "as JSON"),
      cl::value_desc("file.json"), cl::cat(category)};
  cl::opt<bool> json{"json", cl::desc("Print the report as JSON"),
                     cl::cat(category)};
};

} // namespace

/// Prints \p error as every tool does and returns the exit status.
static int fail(llvm::Error error) {
  llvm::errs() << "pctl-run: error: " << llvm::toString(std::move(error))
               << "\n";
  return BadInput;
}

static int failUsage(const llvm::Twine &message) {
  llvm::errs() << "pctl-run: error: " << message << "\n";
  return BadUsage;
}

/// Returns \p error with \p option, which it is about, before its message;
/// success stays success.
static llvm::Error nameOption(llvm::StringRef option, llvm::Error error) {
  if (!error)
    return error;
  return makeError("{0}: {1}", option, llvm::toString(std::move(error)));
}

/// Checks the options that are numbers.
static llvm::Error checkNumbers(const Options &options) {
  if (options.capBytes < 0)
    return makeError("--cap-bytes: {0} given; a number of bytes is right, or 0 "
                     "for any",
                     options.capBytes.getValue());
  if (options.chunkBytes < 1)
    return makeError("--chunk-bytes: {0} given; a number of bytes from 1 is "
                     "right",
                     options.chunkBytes.getValue());
  return llvm::Error::success();
}

/// Makes or reads the global inputs.
static llvm::Expected<std::vector<HostTensor>>
makeInputs(const Signature &signature, llvm::StringRef source) {
  uint64_t seed = 0;
  bool isRandom = source.consume_front("random:");
  if (isRandom && source.getAsInteger(10, seed))
    return makeError("--inputs: the seed is '{0}'; a whole number is right",
                     source);

  std::vector<HostTensor> inputs;
  for (auto [number, port] : llvm::enumerate(signature.arguments)) {
    if (isRandom) {
      llvm::Expected<HostTensor> input =
          HostTensor::create(port.kind, port.globalShape);
      if (!input)
        return input.takeError();
      // Arguments of one shape differ: each has a stream of its own.
      tensor::fillRandom(*input, seed * 1000003 + number);
      inputs.push_back(std::move(*input));
      continue;
    }
    llvm::SmallString<128> path(source);
    llvm::sys::path::append(path, llvm::formatv("arg{0}.npy", number).str());
    llvm::Expected<HostTensor> input = tensor::readNpy(path);
    if (!input)
      return nameOption("--inputs", input.takeError());
    std::string found = Port{
        input->getKind(),
        llvm::SmallVector<int64_t>(input->getShape()),
        {}}.getTypeText();
    if (found != port.getTypeText())
      return makeError("--inputs: {0}: the tensor is {1}, argument {2} is {3}",
                       path, found, number, port.getTypeText());
    inputs.push_back(std::move(*input));
  }
  return inputs;
}

static llvm::Error writeOutputs(const Signature &signature,
                                llvm::ArrayRef<RankResults> results,
                                llvm::StringRef directory) {
  if (std::error_code code = llvm::sys::fs::create_directories(directory))
    return makeError("{0}: {1}", directory, code.message());
  for (unsigned number : llvm::seq<unsigned>(signature.results.size())) {
    llvm::Expected<HostTensor> result = joinResult(signature, number, results);
    if (!result)
      return result.takeError();
    llvm::SmallString<128> path(directory);
    llvm::sys::path::append(path, llvm::formatv("result{0}.npy", number).str());
    if (llvm::Error error = tensor::writeNpy(path, *result))
      return error;
  }
  return llvm::Error::success();
}

/// Compares what every rank gave with its slice of the uncut program's results.
static std::vector<Verdict> compareResults(const Signature &signature,
                                           llvm::ArrayRef<RankResults> results,
                                           const RankResults &reference,
                                           int64_t sumLength) {
  std::vector<Verdict> verdicts(signature.results.size());
  for (auto [rank, slices] : llvm::enumerate(results))
    for (auto [number, slice] : llvm::enumerate(slices)) {
      const Port &port = signature.results[number];
      layout::Box box =
          getBox(signature.mesh, port.layout, port.globalShape, rank);
      verdicts[number].add(
          rank, box, compare(slice, reference[number].extract(box), sumLength));
    }
  return verdicts;
}

/// Compiles, runs and reports; the status to exit with.
static int runProgram(const Options &options) {
  if (llvm::Error error = checkNumbers(options))
    return fail(std::move(error));
  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  pctl::registerAllDialects(registry);
  mlir::MLIRContext context(registry);
  context.printOpOnDiagnostic(false);
  llvm::SourceMgr sourceManager;
  mlir::SourceMgrDiagnosticHandler diagnostics(sourceManager, &context);

  std::string message;
  auto file = mlir::openInputFile(options.file, &message);
  if (!file)
    return fail(makeError("{0}", message));
  sourceManager.AddNewSourceBuffer(std::move(file), llvm::SMLoc());
  mlir::OwningOpRef<mlir::ModuleOp> module =
      mlir::parseSourceFile<mlir::ModuleOp>(sourceManager, &context);
  if (!module)
    return BadInput;

  CompileOptions compileOptions;
  compileOptions.entry = options.entry;
  compileOptions.mesh = options.mesh;
  compileOptions.layouts.assign(options.layouts.begin(), options.layouts.end());
  compileOptions.datasetStrategy = options.datasetStrategy;
  compileOptions.dataArgs.assign(options.dataArgs.begin(),
                                 options.dataArgs.end());
  compileOptions.planning.cluster = options.cluster;
  compileOptions.planning.capBytes = options.capBytes;
  compileOptions.planning.chunkBytes = options.chunkBytes;
  compileOptions.planning.report = options.report;
  compileOptions.withReference = options.verify;
  llvm::Expected<Compiled> compiled =
      compileForRanks(std::move(module), compileOptions);
  if (!compiled)
    return fail(compiled.takeError());
  const Signature &signature = compiled->signature;
  if (options.ranks.getNumOccurrences() &&
      options.ranks != signature.mesh.getNumRanks())
    return fail(makeError("--ranks: {0} given, the mesh has {1} ranks",
                          options.ranks.getValue(),
                          signature.mesh.getNumRanks()));

  llvm::Expected<std::vector<HostTensor>> inputs =
      makeInputs(signature, options.inputs);
  if (!inputs)
    return fail(inputs.takeError());

  std::optional<Trace> trace;
  if (!options.trace.empty())
    trace.emplace();
  llvm::Expected<std::vector<RankResults>> results =
      runOnRanks(*compiled->program, compiled->entryName, signature, *inputs);
  if (!results)
    return fail(results.takeError());
  if (trace)
    if (llvm::Error error = trace->write(options.trace))
      return fail(nameOption("--trace", std::move(error)));
  trace.reset();
  if (llvm::Error error = checkReplicas(signature, *results))
    return fail(std::move(error));
  if (!options.outputs.empty())
    if (llvm::Error error = writeOutputs(signature, *results, options.outputs))
      return fail(nameOption("--outputs", std::move(error)));

  Report report{options.file, *compiled, {}};
  if (options.verify) {
    const Reference &uncut = *compiled->reference;
    llvm::Expected<std::vector<RankResults>> reference = runOnRanks(
        *uncut.program, compiled->entryName, uncut.signature, *inputs);
    if (!reference)
      return fail(reference.takeError());
    report.verdicts = compareResults(signature, *results, reference->front(),
                                     uncut.sumLength);
  }
  options.json ? report.printJson(llvm::outs()) : report.print(llvm::outs());
  return report.isRight() ? Success : BadInput;
}

int main(int argc, char **argv) {
  llvm::InitLLVM initLLVM(argc, argv);
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();

  Options options;
  cl::HideUnrelatedOptions(options.category);
  if (!cl::ParseCommandLineOptions(argc, argv,
                                   "Compiles a tensor program for the ranks of "
                                   "a mesh, runs them on this "
                                   "machine and checks the results.\n",
                                   &llvm::errs()))
    return BadUsage;
  if (options.backend != "threads")
    return failUsage("--backend: '" + options.backend +
                     "' is not one of: threads");
  return runProgram(options);
}
