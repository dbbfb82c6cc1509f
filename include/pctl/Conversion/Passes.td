// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

// Passes that take a planned program to code. docs/lowering.md tells the way as
// a whole.

#ifndef PCTL_CONVERSION_PASSES_TD
#define PCTL_CONVERSION_PASSES_TD

include "mlir/Pass/PassBase.td"

def ConvertTosaPass : Pass<"pctl-convert-tosa", "::mlir::func::FuncOp"> {
  let summary = "Make linalg ops of TOSA's";
  let description = [{
    Before: any program on tensors. After: functions have no TOSA ops that
    upstream converts, but linalg, tensor, arith and scf ops in their place.
    Layouts of arguments, results and `pctl.shard` stay. So a TOSA program is
    laid out and cut by the rules of those ops.

    A function in which a TOSA op has a `pctl.rule`, or one of which somebody
    attached the interface of rules to, stays as it is: the rule says how that
    op is to be cut.

    ```mlir
    %1 = tosa.matmul %a, %b, %z, %z : ... -> tensor<2x4x6xf32>
    // becomes
    %1 = linalg.batch_matmul ins(%a, %b : ...) outs(%zeros : ...) -> tensor<2x4x6xf32>
    ```

    It never changes what a function computes.
  }];
}

def PrepareBufferizationPass
    : Pass<"pctl-prepare-bufferization", "::mlir::ModuleOp"> {
  let summary = "Make a planned program ready for upstream's bufferization";
  let description = [{
    Before: a planned program, or one without pctl ops, on tensors; whether it
    says that it is planned or not, it keeps the rules of that form.
    After: the same, where
    - arguments of public functions with a body are read-only
      (`bufferization.writable = false`), unless they say themselves: a caller
      finds its inputs unchanged;
    - `pctl.layout`, `pctl.layouts`, `pctl.global_type` and `pctl.data` are gone
      from functions and ops, as they speak of tensors;
    - composite linalg ops (`linalg.softmax`) are in the parts they define;
    - `tensor.concat` and `tensor.pad` take no operand that is known to have no
      elements, and give no such result: upstream would slice it.

    Fails where the module says that it is in another form, or breaks a rule of
    the planned form, as layouts that are still to be kept must not be dropped,
    and where a composite op is on buffers.

    ```mlir
    func.func @f(%x: tensor<4xf32> {pctl.layout = #l,
                                    pctl.global_type = tensor<8xf32>})
    // becomes
    func.func @f(%x: tensor<4xf32> {bufferization.writable = false})
    ```

    It never changes what a function computes.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::linalg::LinalgDialect",
                           "::mlir::math::MathDialect",
                           "::mlir::tensor::TensorDialect"];
}

def SeparateResultsPass : Pass<"pctl-separate-results"> {
  let summary = "Make every buffer that a function returns one of its own";
  let description = [{
    Before: a bufferized program in which nothing is freed yet. After: no two
    buffers of one `func.return` may share memory, so that a caller can free
    each. One that may be another's memory, or a view of it, is a copy. What
    calls return is taken to be memory that nobody else has: upstream's
    deallocation, which follows, does not return what the function does not own.

    ```mlir
    return %0, %0 : memref<4xf32>, memref<4xf32>
    // becomes
    %1 = bufferization.clone %0 : memref<4xf32> to memref<4xf32>
    return %0, %1 : memref<4xf32>, memref<4xf32>
    ```

    It never copies what is returned once and seen by no other result.
  }];
  let dependentDialects = ["::mlir::bufferization::BufferizationDialect"];
}

def ConvertToNcclPass : Pass<"pctl-convert-to-nccl", "::mlir::ModuleOp"> {
  let summary = "Lower the local view of pctl, on buffers, to the nccl dialect";
  let description = [{
    Before: a bufferized program that was planned, if it says a form; the
    collectives of pctl are in their buffer form, and buffers are freed where
    they should be.
    After: no op of pctl is left, nor a mesh. Collectives are nccl ops, with
    packing and unpacking around them where NCCL wants other places for elements
    than the op has. Positions are arithmetic on the number of this rank. Every
    public function `@f` with a body is an entry:
    - its arguments are the communicator of all ranks, one communicator for each
      list of axes along which it or its callees communicate, the stream, then
      what it had;
    - `@f_comms` takes the communicator of all ranks and returns the others, if
      there are any;
    - it has `llvm.emit_c_interface`, `nccl.signature` and `nccl.comms`.
    Private functions take what they need of those from their callers.

    ```mlir
    func.func @f(%x: memref<4xf32>, %o: memref<8xf32>) {
      pctl.all_gather ins(%x : memref<4xf32>) outs(%o : memref<8xf32>) dim = 0
          axes = ["x"] on @m
      return
    }
    // becomes
    func.func @f(%world: !nccl.comm, %c: !nccl.comm, %stream: !nccl.stream,
                 %x: memref<4xf32>, %o: memref<8xf32>) {
      nccl.all_gather %x, %o on %c, %stream : memref<4xf32>, memref<8xf32>
      return
    }
    ```

    Collectives that pack or unpack do so in parts, as far as rows before the
    dims that they cut or join allow, so that staging memory stays below
    `chunk-bytes`. What is in flight of an exchange is bounded by its `rounds`.

    Size of the code does not depend on the size of the mesh. It never changes
    the order of collectives, and emits nothing that only some ranks do, but for
    sends and receives of pieces that are empty on both sides.

    Fails where the module says another form than planned, where tensors or ops
    of the global view are left, where an element type has no bytes to move,
    where a reduction of such a type is neither NCCL's nor one of arith, where
    meshes of one entry differ in their number of ranks, where a name it makes
    is taken, and where a function that takes communicators is used other than
    by `func.call` in a function.
  }];
  let options = [
    Option<"chunkBytes", "chunk-bytes", "int64_t", /*default=*/"4194304",
           "Staging memory of a collective that can be done in parts">,
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::complex::ComplexDialect",
                           "::mlir::func::FuncDialect",
                           "::mlir::linalg::LinalgDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect",
                           "::pctl::nccl::NcclDialect"];
}

def NcclToLLVMPass : Pass<"nccl-to-llvm", "::mlir::ModuleOp"> {
  let summary = "Lower the nccl dialect to calls of the NCCL C API";
  let description = [{
    Before: nccl ops on memrefs; memrefs and functions not yet in the LLVM
    dialect.
    After: each nccl op is an `llvm.call` of the C function of its name, the
    status of which goes to `@pctlCheck` of the runtime with the communicator
    and the name of the call. Communicators and streams are `!llvm.ptr`, in
    signatures and wherever they flow through func, scf and cf ops. Counts are
    numbers of elements, computed from the sizes of the memrefs.

    ```mlir
    nccl.all_gather %x, %o on %c, %s : memref<4xf32>, memref<8xf32>
    // becomes
    %status = llvm.call @ncclAllGather(%px, %po, %count, %type, %c, %s)
        : (!llvm.ptr, !llvm.ptr, i64, i32, !llvm.ptr, !llvm.ptr) -> i32
    llvm.call @pctlCheck(%status, %c, %name) : (i32, !llvm.ptr, !llvm.ptr) -> ()
    ```

    It never drops or reorders a call. Fails where the module has another symbol
    of a function that it declares.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::memref::MemRefDialect"];
}

def RenameFunctionsPass : Pass<"pctl-rename-functions", "::mlir::ModuleOp"> {
  let summary = "Keep functions of a program apart from those it is linked with";
  let description = [{
    Before: buffers; what calls libraries by name is not lowered yet.
    After: no function of the program has a name that lowering, LLVM or a linker
    takes for one of a library. Private functions with a body are called
    `program.` and their name; so are public ones and other symbols, but only
    where the name is one of the runtime or of the C library. An entry keeps its
    name for callers in `nccl.entry`. Declarations that nobody uses are gone.

    ```mlir
    func.func private @tanhf(%x: f32) -> f32 { return %x : f32 }
    // becomes
    func.func private @program.tanhf(%x: f32) -> f32 { return %x : f32 }
    ```

    Fails where a function without a body has a name of the runtime or of the C
    library. It never changes what a function does.
  }];
}

def AssertToLLVMPass : Pass<"pctl-convert-assert-to-llvm", "::mlir::ModuleOp"> {
  let summary = "Let assertions that fail end their rank with a message";
  let description = [{
    Before: functions of blocks. After: a `cf.assert` in one is a branch around a
    call of `@pctlFail` of the runtime, which names the rank and does not return.
    Upstream's lowering prints the message alone, on the standard output, and
    aborts.

    ```mlir
    cf.assert %fits, "no such row"
    // becomes
      cf.cond_br %fits, ^rest, ^failed
    ^failed:
      %text = llvm.mlir.addressof @pctl_assert : !llvm.ptr
      llvm.call @pctlFail(%text) : (!llvm.ptr) -> ()
      llvm.unreachable
    ^rest:
    ```

    It never drops an assertion.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect",
                           "::mlir::cf::ControlFlowDialect"];
}

def ExpandArithPass : Pass<"pctl-expand-arith"> {
  let summary = "Expand the arithmetic that code for the host lacks, exactly";
  let description = [{
    Before: ops of arith. After: `ceildivsi`, `ceildivui` and `floordivsi` are
    divisions and comparisons; extensions and truncations between bf16 and f32
    are bit operations, as there may be no library with their functions.

    ```mlir
    %1 = arith.extf %0 : bf16 to f32
    // becomes
    %b = arith.bitcast %0 : bf16 to i16
    %w = arith.extui %b : i16 to i32
    %s = arith.shli %w, %c16 : i32
    %1 = arith.bitcast %s : i32 to f32
    ```

    Upstream's `arith-expand` does that as well, but also turns `maximumf` and
    its kin into comparisons, for which -0 and +0 are equal. This pass never
    touches them: code has instructions that order zeros as they should.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def ExpandCopiesPass : Pass<"pctl-expand-copies"> {
  let summary = "Make copies between buffers with gaps loops";
  let description = [{
    Before: buffers. After: a `memref.copy` whose sides are not both of identity
    layout is a `linalg.copy`. The others stay, and become calls of memcpy.
    Upstream lowers the former to a function of a library of its own, which need
    not be there.

    ```mlir
    memref.copy %a, %b : memref<4xf32, strided<[2]>> to memref<4xf32>
    // becomes
    linalg.copy ins(%a : memref<4xf32, strided<[2]>>) outs(%b : memref<4xf32>)
    ```

    It never changes what is copied.
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect"];
}

def OrderLoopsPass : Pass<"pctl-order-loops"> {
  let summary = "Let the innermost loop walk along memory";
  let description = [{
    Before: linalg ops on buffers. After: an op whose innermost loop is a
    reduction that jumps through an input, like that of a matrix product, has
    innermost the parallel loop that walks along the last dim of its outputs and
    of an input, if there is one.

    ```mlir
    // m, n, k; B is read along its columns.
    linalg.matmul ins(%a, %b : memref<4x8xf32>, memref<8x6xf32>)
        outs(%c : memref<4x6xf32>)
    // becomes a linalg.generic of loops m, k, n
    ```

    It never changes the order in which an element's terms are added up, so
    results stay bit for bit.
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect"];
}

#endif // PCTL_CONVERSION_PASSES_TD
