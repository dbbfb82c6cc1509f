// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

// The collectives of the local view. Included by PctlOps.td.

#ifndef PCTL_COLLECTIVES_TD
#define PCTL_COLLECTIVES_TD

include "pctl/PctlInterfaces.td"
include "mlir/Interfaces/DestinationStyleOpInterface.td"

def Pctl_TensorOrBuffer
    : AnyTypeOf<[AnyRankedTensor, AnyMemRef], "ranked tensor or memref">;

// What all collectives share: form, effects, constraints C1 to C3.
class Pctl_CollectiveOp<string mnemonic, dag extraArguments, string extraFormat,
                        list<string> interfaceMethods = [],
                        list<Trait> traits = []>
    : Pctl_Op<mnemonic, [
        AllElementTypesMatch<["input", "output"]>,
        DeclareOpInterfaceMethods<Pctl_CollectiveOpInterface, interfaceMethods>,
        DestinationStyleOpInterface, Pctl_UsesSymbols,
        DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
        DeclareOpInterfaceMethods<ConditionallySpeculatable>] # traits> {
  // What the op means on each rank.
  string meaning = ?;
  // Its constraints from C4 on.
  string constraints = ?;
  string example = ?;
  let description = meaning # [{

    Made by planning, from `pctl.redistribute` and by partitioning; lowered to
    the nccl dialect once on buffers.

    On tensors the op has no effect, and is not speculated, as all ranks of a
    group must come to it; the result is the output's new value. On buffers it
    has no result, reads its input and writes its output.

    Constraints:
    - (C1) input and output are both tensors, or both memrefs; on tensors there
      is one result, of the output's type.
    - (C2) input and output have the same element type.
    - (C3) the mesh is declared and has the axes, which do not overlap.}] #
    constraints # [{

    Example:
    ```mlir}] # example # [{
    ```
  }];
  let arguments = !con((ins Pctl_TensorOrBuffer:$input,
                            Pctl_TensorOrBuffer:$output),
                       extraArguments,
                       (ins Pctl_AxisRefArray:$axes, FlatSymbolRefAttr:$mesh));
  let results = (outs Optional<AnyRankedTensor>:$result);
  let assemblyFormat = [{
    `ins` `(` $input `:` type($input) `)`
    `outs` `(` $output `:` type($output) `)`
  }] # extraFormat # [{
    `axes` `=` custom<AxisList>($axes) `on` $mesh attr-dict
    (`->` type($result)^)?
  }];
  code moreClassDeclaration = "";
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() {
      return getOutputMutable();
    }
  }] # moreClassDeclaration;
  let extraClassDefinition = [{
    ::llvm::LogicalResult $cppClass::verifySymbolUses(
        ::mlir::SymbolTableCollection &symbolTable) {
      return ::pctl::detail::verifyCollective(*this, symbolTable);
    }
    void $cppClass::getEffects(
        ::llvm::SmallVectorImpl<::mlir::SideEffects::EffectInstance<
            ::mlir::MemoryEffects::Effect>> &effects) {
      ::pctl::detail::getCollectiveEffects(*this, effects);
    }
    ::mlir::Speculation::Speculatability $cppClass::getSpeculatability() {
      return ::mlir::Speculation::NotSpeculatable;
    }
  }];
}

def Pctl_AllGatherOp : Pctl_CollectiveOp<"all_gather",
    (ins I64Attr:$dim), "`dim` `=` $dim", ["verifyOnMesh"]> {
  let summary = "Joins the blocks of a group along a dim, on each of its ranks";
  let meaning = [{
    The output is the inputs of the ranks of the group, in order of position,
    one behind the other along `dim`.}];
  let constraints = [{
    - (C4) `dim` is a dim of the input, and the output has as many.
    - (C5) in `dim` the output has the group's size times the input's elements,
      where both are static; the inputs may differ there where it is dynamic.
    - (C6) all other dims are equal where both are static.}];
  let example = [{
    %r = pctl.all_gather ins(%x : tensor<4x2xf32>) outs(%o : tensor<4x8xf32>)
        dim = 1 axes = ["data"] on @m -> tensor<4x8xf32>}];
}

def Pctl_AllSliceOp : Pctl_CollectiveOp<"all_slice",
    (ins I64Attr:$dim), "`dim` `=` $dim", ["verifyOnMesh"]> {
  let summary = "Keeps this rank's block of a dim";
  let meaning = [{
    The output is the block of the input that falls to this rank's position in
    the group, along `dim`, in blocks of b = ceil(n / k) of its n elements. The
    inputs of a group are equal; nothing is sent. It undoes an all_gather.}];
  let constraints = [{
    - (C4) `dim` is a dim of the input, static there, and the output has as many
      dims.
    - (C5) in `dim` the output has n / k elements where k divides n, and is
      dynamic where it doesn't.
    - (C6) all other dims are equal where both are static.}];
  let example = [{
    %r = pctl.all_slice ins(%x : tensor<4x8xf32>) outs(%o : tensor<4x2xf32>)
        dim = 1 axes = ["data"] on @m -> tensor<4x2xf32>}];
}

def Pctl_AllReduceOp : Pctl_CollectiveOp<"all_reduce",
    (ins Pctl_ReductionKindAttr:$kind), "`kind` `=` custom<Kind>($kind)",
    ["verifyOnMesh", "allowsInPlace"]> {
  let summary = "Combines the contributions of a group, on each of its ranks";
  let meaning = [{
    Each element of the output is the combination, by `kind`, of that element of
    the inputs of all ranks of the group. The order is not specified, but is the
    same on all ranks. Input and output may be the same buffer.}];
  let constraints = [{
    - (C4) input and output have the same shape, where static.
    - (C5) the kind is one for the element type: `sum` and `product` for
      integers, floats and complex numbers, `maximumf`, `maxnumf`, `minimumf`
      and `minnumf` for floats, all others for integers.}];
  let example = [{
    %r = pctl.all_reduce ins(%x : tensor<4xf32>) outs(%o : tensor<4xf32>)
        kind = sum axes = ["data"] on @m -> tensor<4xf32>}];
}

def Pctl_ReduceScatterOp : Pctl_CollectiveOp<"reduce_scatter",
    (ins Pctl_ReductionKindAttr:$kind, I64Attr:$dim),
    "`kind` `=` custom<Kind>($kind) `dim` `=` $dim", ["verifyOnMesh"]> {
  let summary = "Combines the contributions of a group, each rank its block";
  let meaning = [{
    As all_reduce, then all_slice along `dim`: the output is this rank's block
    of the combined inputs.}];
  let constraints = [{
    - (C4) `dim` is a dim of the input, and the output has as many.
    - (C5) in `dim` the input has the group's size times the output's elements,
      where both are static.
    - (C6) all other dims are equal where both are static.
    - (C7) the kind is one for the element type, as C5 of all_reduce says.}];
  let example = [{
    %r = pctl.reduce_scatter ins(%x : tensor<8x2xf32>)
        outs(%o : tensor<2x2xf32>) kind = sum dim = 0 axes = ["data"] on @m
        -> tensor<2x2xf32>}];
}

def Pctl_AllToAllOp : Pctl_CollectiveOp<"all_to_all",
    (ins I64Attr:$split_dim, I64Attr:$concat_dim),
    "`split_dim` `=` $split_dim `concat_dim` `=` $concat_dim",
    ["verifyOnMesh"]> {
  let summary = "Moves the cut of a group from one dim to another";
  let meaning = [{
    The input is k equal blocks along `split_dim`, one for each rank of the
    group. The output is the blocks that this rank got, in order of position of
    their senders, one behind the other along `concat_dim`. The two may be the
    same dim.}];
  let constraints = [{
    - (C4) `split_dim` and `concat_dim` are dims of the input, and the output
      has as many.
    - (C5) the group's size divides the input's `split_dim`, where static.
    - (C6) each dim of the output is that of the input, divided by the group's
      size if it is `split_dim` and multiplied by it if it is `concat_dim`,
      where both are static.}];
  let example = [{
    %r = pctl.all_to_all ins(%x : tensor<8x2xf32>) outs(%o : tensor<2x8xf32>)
        split_dim = 0 concat_dim = 1 axes = ["data"] on @m -> tensor<2x8xf32>}];
}

def Pctl_PermuteOp : Pctl_CollectiveOp<"permute",
    (ins DenseI64ArrayAttr:$pairs), "`pairs` `=` custom<Pairs>($pairs)",
    ["verifyOnMesh", "overwritesOutput"]> {
  let summary = "Passes whole inputs between positions of a group";
  let meaning = [{
    For each pair [source, destination] of positions, the output at the
    destination is the input of the source. At a position that is no
    destination the output keeps its value.

    In C++, `pairs` is flat; use getPairList().}];
  let constraints = [{
    - (C4) input and output have the same shape, where static.
    - (C5) positions are in the group.
    - (C6) no position is a source twice, or a destination twice.}];
  let example = [{
    %r = pctl.permute ins(%x : tensor<4xf32>) outs(%o : tensor<4xf32>)
        pairs = [[0, 1], [1, 0]] axes = ["model"] on @m -> tensor<4xf32>}];
  let moreClassDeclaration = [{
    /// Returns the pairs of source and destination.
    ::llvm::SmallVector<std::pair<int64_t, int64_t>> getPairList();
  }];
}

def Pctl_BroadcastOp : Pctl_CollectiveOp<"broadcast",
    (ins I64Attr:$root), "`root` `=` $root",
    ["verifyOnMesh", "allowsInPlace"]> {
  let summary = "Gives the input of one position to its whole group";
  let meaning = [{
    The output is the input of the rank at position `root` of the group. The
    inputs of the others do not count, and may have other sizes where dynamic.
    Input and output may be the same buffer.}];
  let constraints = [{
    - (C4) input and output have the same shape, where static.
    - (C5) `root` is a position of the group.}];
  let example = [{
    %r = pctl.broadcast ins(%x : tensor<4xf32>) outs(%o : tensor<4xf32>)
        root = 0 axes = ["data"] on @m -> tensor<4xf32>}];
}

def Pctl_ExchangeOp : Pctl_CollectiveOp<"exchange",
    (ins Pctl_LayoutOrSymbol:$from, Pctl_LayoutOrSymbol:$to,
         OptionalAttr<Pctl_LayoutOrSymbol>:$owners,
         Pctl_GlobalTypeAttr:$global_type,
         OptionalAttr<DenseI64ArrayAttr>:$transfers,
         DefaultValuedOptionalAttr<I64Attr, "1">:$rounds),
    "`from` custom<LayoutOrSymbol>($from) `to` custom<LayoutOrSymbol>($to) "
    "(`owners` custom<LayoutOrSymbol>($owners)^)? `of` $global_type "
    "(`transfers` `=` custom<Transfers>($transfers)^)? "
    "(`rounds` `=` $rounds^)?", ["verifyOnMesh"]> {
  let summary = "Sends each rank of a group the boxes that it lacks";
  let meaning = [{
    The input is this rank's box of the global tensor under `from`, the output
    its box under `to`, assembled from what the ranks of its group hold, its own
    part first. Uneven and empty boxes are as good as any. Who sends what, where
    several hold an element:

    - Without `owners` and `transfers`, each rank sends each member of its group
      the intersection of its own `from` box with the member's `to` box. The
      group is that of those of `axes` that cut dims of `from`: ranks that
      differ along others alone hold the same, and each rank asks those that
      share its place along them.
    - `owners` cuts what replicas hold further: each rank sends each member the
      intersection of its own `owners` box with the member's `to` box, unless
      the two have the same `from` box and the member has it already. The group
      is that of those of `axes` that cut dims of `owners`.
    - `transfers` lists all that is sent: from rank number i of the mesh to rank
      number j the box of these offsets and sizes in the global tensor.

    With `rounds`, each message is cut into that many parts, along the first dim
    in which it has more than one element, in blocks of ceil(n / rounds), and a
    round is done before the next one starts. So no rank has more in flight than
    the parts of one round.

    In C++, `transfers` is flat; use getStep() of PlanBridge.h.}];
  let constraints = [{
    - (C4) all layouts are on the mesh of the op and can lay out the global
      tensor (C1 to C6 of `#pctl.layout`), which is of static shape where there
      are `transfers`.
    - (C5) input and output have the local types of the global one under `from`
      and `to`.
    - (C6) the partial axes of `from` and `to` are equal, and none is in `axes`:
      nothing is reduced.
    - (C7) without `transfers`, `axes` reach all that a rank can lack: they
      contain the axes by which `owners`, or else `from`, cuts dims, without
      those that it and `to` share at the major end of a dim, as far as they cut
      it at the same places; and `axes` split axes no other way than the layout.
    - (C8) `owners` cuts each dim inside the blocks of `from`, by axes along
      which `from` has replicas, and has the same partial axes. There are not
      both `owners` and `transfers`.
    - (C9) `transfers` lists at least one. Each goes from one rank of the mesh to another that differs
      from it along `axes` alone; its box has as many dims as the tensor and is
      not empty, the source holds it under `from`, the target will hold it under
      `to` and holds none of it under `from`.
    - (C10) the transfers bring each element that a rank lacks, once.
    - (C11) `rounds` is at least 1.}];
  let example = [{
    %r = pctl.exchange ins(%x : tensor<2x8xf32>) outs(%o : tensor<8x2xf32>)
        from <@m, [{"data"}, {} ]>
        to <@m, [{}, {"data"} ]> of tensor<8x8xf32>
        axes = ["data"] on @m -> tensor<8x2xf32>

    // Ranks along "model" hold the same, and share the sending.
    %s = pctl.exchange ins(%x : tensor<2x8xf32>) outs(%o : tensor<8x2xf32>)
        from <@m, [{"data"}, {} ]> to <@m, [{}, {"data"} ]>
        owners <@m, [{"data", "model"}, {} ]> of tensor<8x8xf32> rounds = 2
        axes = ["data", "model"] on @m -> tensor<8x2xf32>

    // On a mesh of ["x"=2].
    %t = pctl.exchange ins(%y : tensor<2xf32>) outs(%p : tensor<4xf32>)
        from <@n, [{"x"} ]> to <@n, [{} ]> of tensor<4xf32>
        transfers = [0 -> 1 [0] [2], 1 -> 0 [2] [2]]
        axes = ["x"] on @n -> tensor<4xf32>}];
}

def Pctl_HaloExchangeOp : Pctl_CollectiveOp<"halo_exchange",
    (ins I64Attr:$dim, I64Attr:$before, I64Attr:$after),
    "`dim` `=` $dim `before` `=` $before `after` `=` $after",
    ["verifyOnMesh", "overwritesOutput"]> {
  let summary = "Adds to a block the edges of its neighbours";
  let meaning = [{
    The inputs of a group, in order of position, are a tensor cut along `dim`.
    The output is the input with the `before` elements of `dim` that come before
    it there, and the `after` elements behind it, from however many ranks hold
    them. Where the tensor ends, the output keeps its value. Corners come by
    exchanging one dim after the other.}];
  let constraints = [{
    - (C4) `dim` is a dim of the input, and the output has as many.
    - (C5) `before` and `after` are not negative.
    - (C6) in `dim` the output has as many elements as the input, `before` and
      `after` together, where both are static.
    - (C7) all other dims are equal where both are static.}];
  let example = [{
    // On rank 1 of 4: rows 1 to 4 of the 8, of which it holds 2 and 3.
    %r = pctl.halo_exchange ins(%x : tensor<2x6xf32>) outs(%o : tensor<4x6xf32>)
        dim = 0 before = 1 after = 1 axes = ["data"] on @m -> tensor<4x6xf32>}];
}

#endif // PCTL_COLLECTIVES_TD
