// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Runs executable programs inside this process: compiles a module once, then
/// has any number of threads, one a rank, call its entries. It knows nothing of
/// how ranks come about or which library moves their data: it hands the
/// communicators that it is given to the program. docs/lowering.md has the
/// calling convention of entries.

#ifndef PCTL_EXECUTION_ENGINE_H
#define PCTL_EXECUTION_ENGINE_H

#include "pctl/Execution/Value.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Error.h"

#include <memory>
#include <string>
#include <vector>

namespace mlir {
class ExecutionEngine;
} // namespace mlir

namespace pctl::execution {

struct CompileOptions {
  /// Level of LLVM's optimizer and code generator, 0 to 3.
  unsigned optLevel = 2;
  /// Paths of shared libraries in which to look for symbols, beside those that
  /// the process has already: the runtime (libpctl_runtime.so) and a library of
  /// the NCCL interface (libpctl_nccl_host.so).
  std::vector<std::string> libraries;
};

/// What every call of an entry hands down beside its data.
struct CallContext {
  /// The communicator of all ranks (an ncclComm_t); null for a program without
  /// collectives.
  void *world = nullptr;
  /// What Entry::makeComms gave on this rank.
  llvm::ArrayRef<void *> comms;
  /// The stream (a cudaStream_t), which the host libraries ignore.
  void *stream = nullptr;
};

/// A public function of a compiled program. All of it may be used from many
/// threads at once.
class Entry {
public:
  llvm::StringRef getName() const { return name; }
  /// The types of the data arguments, memrefs or scalars.
  llvm::ArrayRef<mlir::Type> getArgumentTypes() const { return argumentTypes; }
  llvm::ArrayRef<mlir::Type> getResultTypes() const { return resultTypes; }
  /// The number of communicators beside the world's that a call needs.
  unsigned getNumComms() const { return numComms; }

  /// Makes this rank's communicators, in the order that calls want them, by
  /// splitting \p world. Every rank of the world must call it; all must see the
  /// calls for several entries in one order. The caller destroys them. A
  /// failure inside NCCL ends the rank as docs/lowering.md says.
  std::vector<void *> makeComms(void *world) const;

  /// Runs the entry on the calling thread. The results own their memory; the
  /// arguments are only read. A failure inside NCCL ends the rank as
  /// docs/lowering.md says. Errors: another number of arguments than the entry
  /// has, a buffer for a scalar or a scalar for a buffer, a buffer of another
  /// number of dims or of another size where the type has a static one, another
  /// number of communicators.
  llvm::Expected<std::vector<Value>>
  call(const CallContext &context, llvm::ArrayRef<Value> arguments) const;

private:
  friend class Program;

  llvm::Error checkArguments(const CallContext &context,
                             llvm::ArrayRef<Value> arguments) const;

  std::string name;
  /// What the code calls it.
  std::string symbol;
  llvm::SmallVector<mlir::Type> argumentTypes;
  llvm::SmallVector<mlir::Type> resultTypes;
  unsigned numComms = 0;
  /// Take one pointer for each argument and for the result, if there is one.
  void (*function)(void **) = nullptr;
  void (*commsFunction)(void **) = nullptr;
};

/// A compiled module. The MLIRContext of the module must outlive it.
///
/// Worked example, on each rank's thread:
///
///     auto program = compile(module, options);          // once, on any thread
///     const Entry *entry = cantFail((*program)->getEntry("main"));
///     std::vector<void *> comms = entry->makeComms(world);
///     auto results = entry->call({world, comms, nullptr}, arguments);
class Program {
public:
  ~Program();

  llvm::ArrayRef<Entry> getEntries() const { return entries; }
  /// Returns the entry called \p name. Errors: there is none; the message lists
  /// those there are.
  llvm::Expected<const Entry *> getEntry(llvm::StringRef name) const;

private:
  friend llvm::Expected<std::unique_ptr<Program>>
  compile(mlir::ModuleOp executable, const CompileOptions &options);

  Program();
  /// Reads what the entries of \p executable take and return.
  llvm::Error addEntries(mlir::ModuleOp executable);
  llvm::Error compileModule(mlir::ModuleOp executable,
                            const CompileOptions &options);
  /// Finds the code of each entry.
  llvm::Error lookUpEntries();

  std::unique_ptr<mlir::ExecutionEngine> engine;
  std::vector<Entry> entries;
};

/// Compiles \p executable, which is what pctl-to-llvm-pipeline leaves with the
/// host as target. Errors: an optimization level above 3; a library that cannot
/// be loaded; a module that is not in the LLVM dialect alone; an entry with a
/// type that programs cannot be called with; a function without a body that
/// neither the libraries define nor, where isRuntimeName has its name, the
/// process.
llvm::Expected<std::unique_ptr<Program>>
compile(mlir::ModuleOp executable, const CompileOptions &options = {});

} // namespace pctl::execution

#endif // PCTL_EXECUTION_ENGINE_H
