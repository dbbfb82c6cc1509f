// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

#include "pctl/Execution/Engine.h"

#include "pctl/Conversion/EntryPoint.h"
#include "pctl/Conversion/RuntimeNames.h"
#include "pctl/Support/Error.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/ExecutionEngine/ExecutionEngine.h"
#include "mlir/ExecutionEngine/OptUtils.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h"
#include "llvm/Support/DynamicLibrary.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"

#include <cstring>
#include <mutex>

using namespace mlir;

namespace pctl::execution {

/// What `llvm.emit_c_interface` puts before a function's name for the wrapper
/// that takes descriptors by address.
static constexpr char kWrapperPrefix[] = "_mlir_ciface_";

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

/// The alignment of \p type inside the struct of several results.
static int64_t getAlignment(Type type) {
  if (isa<MemRefType>(type))
    return 8;
  if (auto complex = dyn_cast<ComplexType>(type))
    return getAlignment(complex.getElementType());
  return *getHostElementBytes(type);
}

/// Generated code hands results that are a struct to their caller through a
/// pointer that comes before all arguments: buffers, complex numbers, and
/// several results in one.
static bool isReturnedThroughPointer(ArrayRef<Type> results) {
  return results.size() > 1 ||
         (results.size() == 1 && isa<MemRefType, ComplexType>(results[0]));
}

/// Memory for that struct, aligned for every type that may be in it.
struct alignas(16) AlignedChunk {
  char bytes[16];
};

/// Copies the members of the struct at \p storage to \p results.
static void unpackResults(ArrayRef<Type> types, const char *storage,
                          MutableArrayRef<Value> results) {
  int64_t offset = 0;
  for (auto [type, result] : llvm::zip(types, results)) {
    offset = llvm::alignTo(offset, getAlignment(type));
    std::memcpy(result.getStorage(), storage + offset,
                result.getStorageBytes());
    offset += result.getStorageBytes();
  }
}

std::vector<void *> Entry::makeComms(void *world) const {
  std::vector<void *> comms(numComms);
  if (numComms == 0)
    return comms;
  void *result = comms.data();
  // One communicator is the result itself, several are a struct.
  SmallVector<void *, 2> slots;
  if (numComms == 1)
    slots = {&world, result};
  else
    slots = {&result, &world};
  commsFunction(slots.data());
  return comms;
}

llvm::Error Entry::checkArguments(const CallContext &context,
                                  ArrayRef<Value> arguments) const {
  if (context.comms.size() != numComms)
    return makeError("'{0}' needs {1} communicators, but got {2}", name,
                     numComms, context.comms.size());
  if (arguments.size() != argumentTypes.size())
    return makeError("'{0}' takes {1} arguments, but got {2}", name,
                     argumentTypes.size(), arguments.size());
  for (unsigned i = 0, e = arguments.size(); i != e; ++i) {
    auto memref = dyn_cast<MemRefType>(argumentTypes[i]);
    if (bool(memref) != arguments[i].isBuffer())
      return makeError("argument {0} of '{1}' is a {2}, but got a {3}", i, name,
                       memref ? "buffer" : "scalar",
                       memref ? "scalar" : "buffer");
    if (!memref)
      continue;
    ArrayRef<int64_t> shape = arguments[i].getShape();
    if (int64_t(shape.size()) != memref.getRank())
      return makeError("argument {0} of '{1}' has {2} dims, but got {3}", i,
                       name, memref.getRank(), shape.size());
    for (auto [dim, size] : llvm::enumerate(memref.getShape()))
      if (ShapedType::isStatic(size) && size != shape[dim])
        return makeError("dim {0} of argument {1} of '{2}' has size {3}, but "
                         "got {4}",
                         dim, i, name, size, shape[dim]);
  }
  return llvm::Error::success();
}

llvm::Expected<std::vector<Value>>
Entry::call(const CallContext &context, ArrayRef<Value> arguments) const {
  if (llvm::Error error = checkArguments(context, arguments))
    return std::move(error);

  std::vector<Value> results;
  int64_t structBytes = 0;
  for (Type type : resultTypes) {
    results.push_back(Value::forResult(type));
    structBytes = llvm::alignTo(structBytes, getAlignment(type)) +
                  results.back().getStorageBytes();
  }
  SmallVector<AlignedChunk> resultStruct(
      llvm::divideCeil(structBytes, sizeof(AlignedChunk)));

  // A slot points to what the function takes: scalars and pointers themselves,
  // descriptors by address.
  SmallVector<void *> pointers;
  pointers.push_back(context.world);
  pointers.append(context.comms.begin(), context.comms.end());
  pointers.push_back(context.stream);
  for (const Value &argument : arguments)
    pointers.push_back(const_cast<void *>(argument.getStorage()));
  void *resultPointer = resultStruct.data();
  bool throughPointer = isReturnedThroughPointer(resultTypes);
  SmallVector<void *> slots;
  if (throughPointer)
    slots.push_back(&resultPointer);
  for (unsigned i = 0, e = pointers.size(), data = numComms + 2; i != e; ++i) {
    bool isScalar = i >= data && !arguments[i - data].isBuffer();
    slots.push_back(isScalar ? pointers[i] : &pointers[i]);
  }
  if (!throughPointer && !results.empty())
    slots.push_back(resultPointer);

  function(slots.data());
  unpackResults(resultTypes, static_cast<const char *>(resultPointer), results);
  return std::move(results);
}

//===----------------------------------------------------------------------===//
// Compilation
//===----------------------------------------------------------------------===//

Program::Program() = default;
Program::~Program() = default;

llvm::Expected<const Entry *> Program::getEntry(StringRef name) const {
  for (const Entry &entry : entries)
    if (entry.getName() == name)
      return &entry;
  SmallVector<StringRef> names;
  for (const Entry &entry : entries)
    names.push_back(entry.getName());
  return makeError("program has no entry '{0}'; it has [{1}]", name,
                   llvm::join(names, ", "));
}

/// Loads \p path for good, so that its symbols are found.
static llvm::Error loadLibrary(const std::string &path) {
  std::string message;
  llvm::sys::DynamicLibrary::getPermanentLibrary(path.c_str(), &message);
  if (message.empty())
    return llvm::Error::success();
  return makeError("cannot load library '{0}': {1}", path, message);
}

static llvm::Expected<std::unique_ptr<llvm::TargetMachine>>
createTargetMachine(unsigned optLevel) {
  static std::once_flag once;
  std::call_once(once, [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
  });
  auto builder = llvm::orc::JITTargetMachineBuilder::detectHost();
  if (!builder)
    return builder.takeError();
  builder->setCodeGenOptLevel(*llvm::CodeGenOpt::getLevel(optLevel));
  return builder->createTargetMachine();
}

/// Fails where a symbol is not in the LLVM dialect.
static llvm::Error checkForm(ModuleOp module) {
  for (Operation &op : *module.getBody())
    if (!isa_and_nonnull<LLVM::LLVMDialect>(op.getDialect()))
      return makeError("op '{0}' is not in executable form; run "
                       "pctl-to-llvm-pipeline first",
                       op.getName().getStringRef());
  return llvm::Error::success();
}

/// Returns whether one of \p libraries, which are loaded, defines \p name.
static bool isInLibrary(const std::string &name,
                        ArrayRef<std::string> libraries) {
  return llvm::any_of(libraries, [&](const std::string &path) {
    return llvm::sys::DynamicLibrary::getPermanentLibrary(path.c_str())
        .getAddressOfSymbol(name.c_str());
  });
}

/// Fails where \p module calls a function that nobody defines: the linker of
/// the engine would tell stderr, not its caller. Of the process itself a
/// program gets what lowering makes it call, and nothing else that happens to
/// be there.
static llvm::Error checkSymbols(ModuleOp module,
                                ArrayRef<std::string> libraries) {
  // Makes the symbols of the process itself searchable.
  llvm::sys::DynamicLibrary::LoadLibraryPermanently(nullptr);
  for (auto function : module.getOps<LLVM::LLVMFuncOp>()) {
    StringRef name = function.getName();
    if (!function.isExternal() || name.starts_with("llvm.") ||
        SymbolTable::symbolKnownUseEmpty(function, module))
      continue;
    bool isFound =
        isInLibrary(name.str(), libraries) ||
        (isRuntimeName(name) &&
         llvm::sys::DynamicLibrary::SearchForAddressOfSymbol(name.str()));
    if (!isFound)
      return makeError("function '{0}' is defined neither by the program nor "
                       "by a library that is loaded",
                       name);
  }
  return llvm::Error::success();
}

static llvm::Error checkTypes(StringRef name, const char *what,
                              ArrayRef<Type> types) {
  for (auto [i, type] : llvm::enumerate(types)) {
    auto memref = dyn_cast<MemRefType>(type);
    if (getHostElementBytes(memref ? memref.getElementType() : type))
      continue;
    std::string text;
    llvm::raw_string_ostream(text) << type;
    return makeError("{0} {1} of '{2}' has type '{3}', which a program cannot "
                     "be called with",
                     what, i, name, text);
  }
  return llvm::Error::success();
}

llvm::Error Program::addEntries(ModuleOp executable) {
  for (auto function : executable.getOps<LLVM::LLVMFuncOp>()) {
    auto signature = function->getAttrOfType<TypeAttr>(kSignatureAttrName);
    auto type =
        signature ? dyn_cast<FunctionType>(signature.getValue()) : nullptr;
    // The wrapper for C callers has a copy of all attributes.
    if (!type || function.getName().starts_with(kWrapperPrefix))
      continue;
    Entry entry;
    entry.symbol = function.getName().str();
    auto known = function->getAttrOfType<StringAttr>(kEntryAttrName);
    entry.name = known ? known.str() : entry.symbol;
    llvm::append_range(entry.argumentTypes, type.getInputs());
    llvm::append_range(entry.resultTypes, type.getResults());
    if (auto comms = function->getAttrOfType<ArrayAttr>(kCommsAttrName))
      entry.numComms = comms.size();
    if (llvm::Error error =
            checkTypes(entry.name, "argument", entry.argumentTypes))
      return error;
    if (llvm::Error error = checkTypes(entry.name, "result", entry.resultTypes))
      return error;
    entries.push_back(std::move(entry));
  }
  return llvm::Error::success();
}

llvm::Error Program::compileModule(ModuleOp executable,
                                   const CompileOptions &options) {
  for (const std::string &library : options.libraries)
    if (llvm::Error error = loadLibrary(library))
      return error;
  if (llvm::Error error = checkSymbols(executable, options.libraries))
    return error;
  auto machine = createTargetMachine(options.optLevel);
  if (!machine)
    return machine.takeError();
  auto optimize = makeOptimizingTransformer(options.optLevel, /*sizeLevel=*/0,
                                            machine->get());
  registerBuiltinDialectTranslation(*executable.getContext());
  registerLLVMDialectTranslation(*executable.getContext());
  SmallVector<StringRef> paths(options.libraries.begin(),
                               options.libraries.end());
  ExecutionEngineOptions engineOptions;
  engineOptions.transformer = optimize;
  engineOptions.sharedLibPaths = paths;
  engineOptions.enableGDBNotificationListener = false;
  engineOptions.enablePerfNotificationListener = false;
  auto created =
      ExecutionEngine::create(executable, engineOptions, std::move(*machine));
  if (!created)
    return created.takeError();
  engine = std::move(*created);
  engine->initialize();
  return llvm::Error::success();
}

llvm::Error Program::lookUpEntries() {
  for (Entry &entry : entries) {
    auto function = engine->lookupPacked(kWrapperPrefix + entry.symbol);
    if (!function)
      return function.takeError();
    entry.function = *function;
    if (entry.numComms == 0)
      continue;
    auto comms =
        engine->lookupPacked(kWrapperPrefix + getCommsFunctionName(entry.name));
    if (!comms)
      return comms.takeError();
    entry.commsFunction = *comms;
  }
  return llvm::Error::success();
}

llvm::Expected<std::unique_ptr<Program>>
compile(ModuleOp executable, const CompileOptions &options) {
  if (options.optLevel > 3)
    return makeError("optimization level {0} is not one of 0 to 3",
                     options.optLevel);
  if (llvm::Error error = checkForm(executable))
    return std::move(error);
  std::unique_ptr<Program> program(new Program());
  if (llvm::Error error = program->addEntries(executable))
    return std::move(error);
  if (llvm::Error error = program->compileModule(executable, options))
    return std::move(error);
  if (llvm::Error error = program->lookUpEntries())
    return std::move(error);
  return std::move(program);
}

} // namespace pctl::execution
