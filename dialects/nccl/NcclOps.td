// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

// The nccl dialect: one op a call of the NCCL API. Rationale.md beside this
// file says why.

#ifndef NCCL_OPS_TD
#define NCCL_OPS_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinTypeInterfaces.td"
include "mlir/IR/CommonAttrConstraints.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

//===----------------------------------------------------------------------===//
// Dialect, types, enums
//===----------------------------------------------------------------------===//

def Nccl_Dialect : Dialect {
  let name = "nccl";
  let cppNamespace = "::pctl::nccl";
  let summary = "Calls of the NCCL API";
  let description = [{
    Each op is one call of the function of its name in `nccl.h` (2.28), on this
    rank, with a check of the returned status. Nothing is added and nothing is
    hidden: buffers are contiguous, counts come from their shapes, the order of
    calls is the order of ops. Made from the pctl collectives once programs are
    on buffers; lowered to calls of the C API, which NVIDIA's library and pctl's
    host libraries offer alike.

    A call on a stream means *enqueued*, not done: until the stream has come to
    it, and inside a group until the group has ended, the send buffer must not
    be written and the receive buffer must not be read.

    All ops of a communicator must come in the same order on all its ranks. So
    every op here has a write effect on one resource, the state of the library:
    none is removed, duplicated, or moved across another.
  }];
  let useDefaultTypePrinterParser = 1;
  let extraClassDeclaration = [{
    void registerTypes();
  }];
}

class Nccl_Type<string name, string typeMnemonic>
    : TypeDef<Nccl_Dialect, name> {
  let mnemonic = typeMnemonic;
}

def Nccl_CommType : Nccl_Type<"Comm", "comm"> {
  let summary = "A communicator, `ncclComm_t`";
}

def Nccl_StreamType : Nccl_Type<"Stream", "stream"> {
  let summary = "A stream, `cudaStream_t`";
}

def Nccl_RedOp : I32EnumAttr<"RedOp", "reduction, `ncclRedOp_t`", [
    I32EnumAttrCase<"Sum", 0, "sum">, I32EnumAttrCase<"Prod", 1, "prod">,
    I32EnumAttrCase<"Max", 2, "max">, I32EnumAttrCase<"Min", 3, "min">,
    I32EnumAttrCase<"Avg", 4, "avg">]> {
  let cppNamespace = "::pctl::nccl";
}

//===----------------------------------------------------------------------===//
// Constraints and effects
//===----------------------------------------------------------------------===//

def Nccl_Element : AnyTypeOf<[I8, I32, I64, F16, BF16, F32, F64, F8E4M3FN,
                              F8E5M2],
                             "element type of NCCL">;

def Nccl_Buffer : ConfinedType<MemRefOf<[Nccl_Element]>,
    [CPred<[{
      ::llvm::cast<::mlir::MemRefType>($_self).areTrailingDimsContiguous(
          ::llvm::cast<::mlir::MemRefType>($_self).getRank())
    }]>],
    "contiguous memref of i8, i32, i64, f16, bf16, f32, f64, f8E4M3FN or "
    "f8E5M2",
    "::mlir::MemRefType">;

def Nccl_UniqueId : ConfinedType<MemRefOf<[I8]>,
    [CPred<[{
      ::llvm::cast<::mlir::MemRefType>($_self).getLayout().isIdentity() &&
      ::llvm::cast<::mlir::MemRefType>($_self).getShape() ==
          ::llvm::ArrayRef<int64_t>{128}
    }]>], "memref<128xi8>", "::mlir::MemRefType">;

def Nccl_Root : ConfinedAttr<I32Attr, [IntNonNegative]>;

// What a process and its communicators are in the middle of. Written by every
// op, so that their order and number stay.
def Nccl_State : Resource<"::pctl::nccl::StateResource">;

class Nccl_Op<string mnemonic, list<Trait> traits = []>
    : Op<Nccl_Dialect, mnemonic,
         [MemoryEffects<[MemWrite<Nccl_State>]>] # traits>;

def Nccl_SendBuffer
    : Arg<Nccl_Buffer, "what this rank sends", [MemRead]>;
def Nccl_RecvBuffer
    : Arg<Nccl_Buffer, "what this rank receives", [MemWrite]>;

//===----------------------------------------------------------------------===//
// Communicators
//===----------------------------------------------------------------------===//

def Nccl_GetUniqueIdOp : Nccl_Op<"get_unique_id"> {
  let summary = "`ncclGetUniqueId`";
  let description = [{
    Writes a new id for a communicator. One rank calls it and gives the bytes to
    all others, by other means.

    Constraints:
    - (C1) the id is a contiguous `memref<128xi8>`.

    Example:
    ```mlir
    nccl.get_unique_id %id : memref<128xi8>
    ```
  }];
  let arguments = (ins Arg<Nccl_UniqueId, "the id", [MemWrite]>:$id);
  let assemblyFormat = "$id attr-dict `:` type($id)";
}

def Nccl_CommInitRankOp : Nccl_Op<"comm_init_rank"> {
  let summary = "`ncclCommInitRank`";
  let description = [{
    Makes this rank's end of a communicator of `size` ranks, in which it is
    number `rank`. Waits for all of them.

    Constraints:
    - (C1) the id is a contiguous `memref<128xi8>`.

    Example:
    ```mlir
    %comm = nccl.comm_init_rank %id rank = %rank of %size : memref<128xi8>
    ```
  }];
  let arguments = (ins Arg<Nccl_UniqueId, "the id", [MemRead]>:$id, I32:$rank,
                       I32:$size);
  let results = (outs Nccl_CommType:$comm);
  let assemblyFormat = [{
    $id `rank` `=` $rank `of` $size attr-dict `:` type($id)
  }];
}

def Nccl_CommSplitOp : Nccl_Op<"comm_split"> {
  let summary = "`ncclCommSplit`";
  let description = [{
    Parts a communicator: ranks of one colour form a new one, ordered by key,
    then by old rank. A rank of colour -1 (`NCCL_SPLIT_NOCOLOR`) gets a null
    communicator. All ranks of the old one must call it, in the same order; so
    it stays where and how often it is, even if nothing uses its result.

    Example:
    ```mlir
    %row = nccl.comm_split %comm color = %color key = %key
    ```
  }];
  let arguments = (ins Nccl_CommType:$comm, I32:$color, I32:$key);
  let results = (outs Nccl_CommType:$new_comm);
  let assemblyFormat = [{
    $comm `color` `=` $color `key` `=` $key attr-dict
  }];
}

class Nccl_CommOp<string mnemonic, string function, string meaning>
    : Nccl_Op<mnemonic> {
  let summary = "`" # function # "`";
  let description = meaning # [{

    Example:
    ```mlir
    nccl.}] # mnemonic # [{ %comm
    ```
  }];
  let arguments = (ins Nccl_CommType:$comm);
  let assemblyFormat = "$comm attr-dict";
}

def Nccl_CommFinalizeOp : Nccl_CommOp<"comm_finalize", "ncclCommFinalize", [{
    Flushes all that was enqueued on the communicator. Only destroy may
    follow.}]>;
def Nccl_CommDestroyOp : Nccl_CommOp<"comm_destroy", "ncclCommDestroy", [{
    Ends the communicator.}]>;
def Nccl_CommAbortOp : Nccl_CommOp<"comm_abort", "ncclCommAbort", [{
    Ends the communicator without waiting for what was enqueued.}]>;

class Nccl_CommQueryOp<string mnemonic, string function, string meaning>
    : Nccl_Op<mnemonic> {
  let summary = "`" # function # "`";
  let description = meaning # [{

    Example:
    ```mlir
    %n = nccl.}] # mnemonic # [{ %comm : i32
    ```
  }];
  let arguments = (ins Nccl_CommType:$comm);
  let results = (outs I32:$result);
  let assemblyFormat = "$comm attr-dict `:` type($result)";
}

def Nccl_CommCountOp : Nccl_CommQueryOp<"comm_count", "ncclCommCount", [{
    Returns the number of ranks of the communicator.}]>;
def Nccl_CommUserRankOp
    : Nccl_CommQueryOp<"comm_user_rank", "ncclCommUserRank", [{
    Returns this rank's number in the communicator.}]>;

class Nccl_GroupOp<string mnemonic, string function, string meaning>
    : Nccl_Op<mnemonic> {
  let summary = "`" # function # "`";
  let description = meaning # [{

    Example:
    ```mlir
    nccl.}] # mnemonic # [{
    ```
  }];
  let assemblyFormat = "attr-dict";
}

def Nccl_GroupStartOp : Nccl_GroupOp<"group_start", "ncclGroupStart", [{
    Opens a group: the calls up to the matching end are issued as one. Sends and
    receives that wait for each other must be in one group. Groups nest.}]>;
def Nccl_GroupEndOp : Nccl_GroupOp<"group_end", "ncclGroupEnd", [{
    Closes the group and issues its calls, which are then enqueued, not
    done.}]>;

//===----------------------------------------------------------------------===//
// Collectives
//===----------------------------------------------------------------------===//

// A collective of a send and a receive buffer.
class Nccl_CollectiveOp<string mnemonic, string function, string meaning,
                        string constraints, string exampleArguments,
                        string exampleTypes, dag extraArguments = (ins),
                        string extraFormat = "">
    : Nccl_Op<mnemonic, [AllElementTypesMatch<["send", "recv"]>]> {
  let summary = "`" # function # "`";
  let description = meaning # [{

    Constraints:
    - (C1) buffers are contiguous and of an element type that NCCL has.
    - (C2) both have the same element type.
    - (C3) `unsigned` is for integers.}] # constraints # [{

    Example:
    ```mlir
    nccl.}] # mnemonic # " %send, %recv " # exampleArguments #
    "on %comm, %stream\n        : " # exampleTypes # [{
    ```
  }];
  let arguments = !con((ins Nccl_SendBuffer:$send, Nccl_RecvBuffer:$recv),
                       extraArguments,
                       (ins Nccl_CommType:$comm, Nccl_StreamType:$stream,
                            UnitAttr:$is_unsigned));
  let assemblyFormat = "$send `,` $recv " # extraFormat # [{
    (`unsigned` $is_unsigned^)? `on` $comm `,` $stream attr-dict
    `:` type($send) `,` type($recv)
  }];
  let hasVerifier = 1;
}

defvar sameSize = [{
    - (C4) both have the same number of elements, where static.}];

def Nccl_AllReduceOp : Nccl_CollectiveOp<"all_reduce", "ncclAllReduce", [{
    Each rank receives the element-wise reduction of what all send. Both buffers
    may be the same.}], sameSize, "kind = sum ", "memref<4xf32>, memref<4xf32>",
    (ins Nccl_RedOp:$kind), "`kind` `=` $kind">;

def Nccl_ReduceOp : Nccl_CollectiveOp<"reduce", "ncclReduce", [{
    The root receives the element-wise reduction of what all send; the receive
    buffers of the others are not used. Both buffers may be the same.}],
    sameSize # [{
    - (C5) the root is not negative.}],
    "kind = max root = 0 ", "memref<4xf32>, memref<4xf32>",
    (ins Nccl_RedOp:$kind, Nccl_Root:$root),
    "`kind` `=` $kind `root` `=` $root">;

def Nccl_BroadcastOp : Nccl_CollectiveOp<"broadcast", "ncclBroadcast", [{
    All receive what the root sends; the send buffers of the others are not
    used. Both buffers may be the same.}],
    sameSize # [{
    - (C5) the root is not negative.}],
    "root = 0 ", "memref<4xf32>, memref<4xf32>",
    (ins Nccl_Root:$root),
    "`root` `=` $root">;

def Nccl_AllGatherOp : Nccl_CollectiveOp<"all_gather", "ncclAllGather", [{
    All receive what all send, in order of rank. The count is that of the send
    buffer.}], [{
    - (C4) the elements received are a multiple of those sent, where static.}],
    "", "memref<4xf32>, memref<4x4xf32>">;

def Nccl_ReduceScatterOp
    : Nccl_CollectiveOp<"reduce_scatter", "ncclReduceScatter", [{
    Rank i receives block i of the element-wise reduction of what all send. The
    count is that of the receive buffer.}], [{
    - (C4) the elements sent are a multiple of those received, where static.}],
    "kind = sum ", "memref<4x4xf32>, memref<4xf32>",
    (ins Nccl_RedOp:$kind), "`kind` `=` $kind">;

def Nccl_AllToAllOp : Nccl_CollectiveOp<"all_to_all", "ncclAlltoAll", [{
    Block j of rank i's send buffer becomes block i of rank j's receive buffer.
    The count is the elements of a buffer over the size of the communicator.}],
    sameSize, "", "memref<4x4xf32>, memref<4x4xf32>">;

def Nccl_GatherOp : Nccl_CollectiveOp<"gather", "ncclGather", [{
    The root receives what all send, in order of rank; the receive buffers of
    the others are not used. The count is that of the send buffer.}], [{
    - (C4) the elements received are a multiple of those sent, where static.
    - (C5) the root is not negative.}],
    "root = 0 ", "memref<4xf32>, memref<4x4xf32>",
    (ins Nccl_Root:$root),
    "`root` `=` $root">;

def Nccl_ScatterOp : Nccl_CollectiveOp<"scatter", "ncclScatter", [{
    Rank i receives block i of what the root sends; the send buffers of the
    others are not used. The count is that of the receive buffer.}], [{
    - (C4) the elements sent are a multiple of those received, where static.
    - (C5) the root is not negative.}],
    "root = 0 ", "memref<4x4xf32>, memref<4xf32>",
    (ins Nccl_Root:$root),
    "`root` `=` $root">;

//===----------------------------------------------------------------------===//
// Point to point
//===----------------------------------------------------------------------===//

class Nccl_PointToPointOp<string mnemonic, string function, string preposition,
                          dag buffer, string meaning> : Nccl_Op<mnemonic> {
  let summary = "`" # function # "`";
  let description = meaning # [{

    Constraints:
    - (C1) the buffer is contiguous and of an element type that NCCL has.
    - (C2) `unsigned` is for integers.

    Example:
    ```mlir
    nccl.}] # mnemonic # " %buffer " # preposition #
    " %peer on %comm, %stream : memref<4xf32>" # [{
    ```
  }];
  let arguments = !con(buffer, (ins I32:$peer, Nccl_CommType:$comm,
                                    Nccl_StreamType:$stream,
                                    UnitAttr:$is_unsigned));
  let assemblyFormat = "$buffer `" # preposition # [{` $peer
    (`unsigned` $is_unsigned^)? `on` $comm `,` $stream attr-dict
    `:` type($buffer)
  }];
  let hasVerifier = 1;
}

def Nccl_SendOp : Nccl_PointToPointOp<"send", "ncclSend", "to",
                                      (ins Nccl_SendBuffer:$buffer), [{
    Sends the buffer to rank `peer`, which must receive as many elements of the
    same type from this one.}]>;

def Nccl_RecvOp : Nccl_PointToPointOp<"recv", "ncclRecv", "from",
                                      (ins Nccl_RecvBuffer:$buffer), [{
    Receives the buffer from rank `peer`, which must send as many elements of
    the same type to this one.}]>;

#endif // NCCL_OPS_TD
