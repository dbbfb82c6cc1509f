// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

// Symbols, the ops of the global view, and the positions of a rank. The
// collectives of the local view are in PctlCollectives.td.

#ifndef PCTL_OPS_TD
#define PCTL_OPS_TD

include "pctl/PctlAttrs.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/IR/RegionKindInterface.td"

class Pctl_Op<string mnemonic, list<Trait> traits = []>
    : Op<Pctl_Dialect, mnemonic, traits>;

defvar Pctl_UsesSymbols = DeclareOpInterfaceMethods<SymbolUserOpInterface>;

//===----------------------------------------------------------------------===//
// Symbols
//===----------------------------------------------------------------------===//

def Pctl_MeshOp : Pctl_Op<"mesh", [Symbol]> {
  let summary = "Names a mesh of ranks";
  let description = [{
    A list of named axes with sizes, major first; their product is the number of
    ranks, which are numbered row-major. Rank i is device i, or the i-th of
    `device_ids`. Lives as long as anything refers to it, up to the nccl
    dialect, where its axes have become communicators.

    Constraints:
    - (C1) axes have names that are not empty, each once, and sizes of at least
      1; the number of ranks fits 64 bits.
    - (C2) `device_ids` has a device for each rank, none negative, none twice.

    Example:
    ```mlir
    pctl.mesh @m <["data"=4, "model"=2]>
    pctl.mesh @second_stage <["x"=2]> device_ids = [2, 3]
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, Pctl_MeshAxesAttr:$axes,
                       OptionalAttr<DenseI64ArrayAttr>:$device_ids);
  let assemblyFormat = [{
    $sym_name $axes (`device_ids` `=` $device_ids^)? attr-dict
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Returns the mesh as a value; the op must have been verified.
    ::pctl::layout::Mesh getMesh();
    /// Returns the mesh as a value. Errors: C1 and C2.
    ::llvm::Expected<::pctl::layout::Mesh> buildMesh();
  }];
}

def Pctl_LayoutOp : Pctl_Op<"layout", [Symbol, Pctl_UsesSymbols]> {
  let summary = "Names a layout";
  let description = [{
    Where an op or attribute takes a layout, `@name` stands for it. Lives in the
    annotated form; propagation replaces names by what they stand for.

    Constraints:
    - (C1) the layout's mesh is declared and has its axes, none of which is used
      twice.

    Example:
    ```mlir
    pctl.layout @row <@m, [{"data"}, {} ]>
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, Pctl_LayoutAttr:$layout);
  let assemblyFormat = "$sym_name $layout attr-dict";
}

//===----------------------------------------------------------------------===//
// Global view
//===----------------------------------------------------------------------===//

def Pctl_ShardOp : Pctl_Op<"shard",
    [Pure, SameOperandsAndResultType, Pctl_UsesSymbols]> {
  let summary = "Asks for a value to be laid out so, here";
  let description = [{
    The result is the operand. Its layout, from here on, is the given one: each
    rank holds that part of it. Closed dims and partial axes are as given; open
    dims may get more axes.

    Lives in the annotated form, where the user or a strategy put it;
    propagation turns it into layouts and `pctl.redistribute`.

    Constraints:
    - (C1) the layout can lay out the tensor (C1 to C6 of `#pctl.layout`).

    Example:
    ```mlir
    %1 = pctl.shard %0 to <@m, [{"data"}, {?} ]> : tensor<8x6xf32>
    %2 = pctl.shard %1 to @row : tensor<8x6xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$input, Pctl_LayoutOrSymbol:$layout);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $input `to` custom<LayoutBeforeType>($layout) attr-dict `:` type($result)
  }];
}

def Pctl_RedistributeOp : Pctl_Op<"redistribute",
    [Pure, AllElementTypesMatch<["input", "result"]>, Pctl_UsesSymbols]> {
  let summary = "Changes the layout of a value";
  let description = [{
    The value stays, who holds what of it changes: each rank gives up its part
    under `from` and gets its part under `to`; partial axes of `from` that `to`
    lacks are reduced.

    Made by propagation wherever a value is used in another layout than it has
    (laid-out form: one type, that of the whole tensor). Partitioning makes the
    operand and the result what each rank holds, and keeps the type of the whole
    tensor after `of` (local form). Planning replaces it by collectives.

    Constraints:
    - (C1) both layouts can lay out the global tensor (C1 to C6 of
      `#pctl.layout`).
    - (C2) operand and result have the same element type.
    - (C3) without `of`, operand and result have the same type.
    - (C4) with `of`, the operand has the local type of the global one under
      `from`, the result that under `to`.

    Example:
    ```mlir
    %1 = pctl.redistribute %0 from #a to #b : tensor<8x8xf32>
    %3 = pctl.redistribute %2 from #a to #b of tensor<8x8xf32>
        : tensor<2x8xf32> -> tensor<8x2xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$input, Pctl_LayoutOrSymbol:$from,
                       Pctl_LayoutOrSymbol:$to,
                       OptionalAttr<Pctl_GlobalTypeAttr>:$global_type);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $input `from` custom<LayoutOrSymbol>($from)
    `to` custom<LayoutBeforeType>($to) (`of` $global_type^)? attr-dict
    `:` custom<SameOrTwoTypes>(type($input), type($result))
  }];
  let hasFolder = 1;
  let hasCanonicalizeMethod = 1;
  let extraClassDeclaration = [{
    /// Returns the type of the whole tensor.
    ::mlir::RankedTensorType getWholeType() {
      if (::mlir::TypeAttr type = getGlobalTypeAttr())
        return ::mlir::cast<::mlir::RankedTensorType>(type.getValue());
      return ::mlir::cast<::mlir::RankedTensorType>(getResult().getType());
    }
    /// Returns whether operand and result are what each rank holds.
    bool isLocal() { return getGlobalTypeAttr() != nullptr; }
  }];
}

def Pctl_ManualOp : Pctl_Op<"manual",
    [IsolatedFromAbove, SingleBlock, RecursiveMemoryEffects,
     Pctl_UsesSymbols]> {
  let summary = "Local code inside a global program";
  let description = [{
    The region runs on every rank. Its arguments are what this rank holds of
    the operands under `in`; the results are the tensors of which each rank
    returned its part under `out`.

    Lives from the annotated form to partitioning, which inlines the region.
    Propagation does not look inside.

    Constraints:
    - (C1) `in` has a layout for each operand, `out` for each result, and they
      can lay them out (C1 to C6 of `#pctl.layout`).
    - (C2) no dim of them is open.
    - (C3) the region has an argument for each operand, of its local type.
    - (C4) `pctl.return` has a value for each result, of its local type.

    Example:
    ```mlir
    %1 = pctl.manual (%0) in [<@m, [{"data"}, {} ]>]
        out [<@m, [{"data"}, {} ]>] {
    ^bb0(%local: tensor<2x6xf32>):
      %2 = math.exp %local : tensor<2x6xf32>
      pctl.return %2 : tensor<2x6xf32>
    } : (tensor<8x6xf32>) -> tensor<8x6xf32>
    ```
  }];
  let arguments = (ins Variadic<AnyRankedTensor>:$inputs,
                       Pctl_LayoutOrSymbolArray:$in_layouts,
                       Pctl_LayoutOrSymbolArray:$out_layouts);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    `(` $inputs `)` `in` custom<LayoutList>($in_layouts)
    `out` custom<LayoutList>($out_layouts) attr-dict-with-keyword
    $body `:` functional-type($inputs, $results)
  }];
  let extraClassDeclaration = [{
    /// Returns the values that the region yields.
    ::mlir::OperandRange getYielded();
  }];
}

def Pctl_ReturnOp : Pctl_Op<"return",
    [Pure, Terminator, ReturnLike, HasParent<"ManualOp">]> {
  let summary = "Ends a pctl.manual";
  let description = [{
    Its values are what this rank holds of the results of the `pctl.manual`
    around it, and it goes with that op.

    Example:
    ```mlir
    pctl.return %0, %1 : tensor<2xf32>, tensor<f32>
    ```
  }];
  let arguments = (ins Variadic<AnyRankedTensor>:$values);
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
}

//===----------------------------------------------------------------------===//
// Positions
//===----------------------------------------------------------------------===//

def Pctl_AxisIndexOp : Pctl_Op<"axis_index", [Pure, Pctl_UsesSymbols]> {
  let summary = "Position of this rank along mesh axes";
  let description = [{
    The coordinate of this rank along the axes taken as one, the first being
    major: a number from 0 to the product of their sizes. Made by partitioning
    and planning; lowered with the collectives. Pure, as a rank does not change
    its place.

    Constraints:
    - (C1) the mesh is declared and has the axes, which do not overlap.

    Example:
    ```mlir
    %0 = pctl.axis_index ["data", "model":(1)2] on @m : index
    ```
  }];
  let arguments = (ins Pctl_AxisRefArray:$axes, FlatSymbolRefAttr:$mesh);
  let results = (outs Index:$result);
  let assemblyFormat = [{
    custom<AxisList>($axes) `on` $mesh attr-dict `:` type($result)
  }];
  let hasFolder = 1;
}

def Pctl_BlockRangeOp : Pctl_Op<"block_range", [Pure, Pctl_UsesSymbols]> {
  let summary = "The block of this rank of a dim";
  let description = [{
    Where this rank's block of a dim of `global_size` elements that is cut by
    the axes starts, and how many elements it has. With k positions the blocks
    are of b = ceil(n / k) elements, trailing ones short or empty; `sizes` gives
    other sizes, one a position. Made by partitioning; lowered to arithmetic on
    `pctl.axis_index`. Pure.

    Constraints:
    - (C1) the mesh is declared and has the axes, which do not overlap.
    - (C2) `global_size` is not negative.
    - (C3) `sizes` are not negative, one a position, and add up to
      `global_size`.

    Example:
    ```mlir
    // Over 4 ranks: 0 and 2, 2 and 2, 4 and 2, 6 and 0.
    %offset, %size = pctl.block_range 6 by ["data"] on @m : index, index
    ```
  }];
  let arguments = (ins I64Attr:$global_size, Pctl_AxisRefArray:$axes,
                       OptionalAttr<DenseI64ArrayAttr>:$block_sizes,
                       FlatSymbolRefAttr:$mesh);
  let results = (outs Index:$offset, Index:$size);
  let assemblyFormat = [{
    $global_size `by` custom<AxisList>($axes) (`sizes` `=` $block_sizes^)?
    `on` $mesh attr-dict `:` type($offset) `,` type($size)
  }];
  let hasFolder = 1;
  let hasCanonicalizeMethod = 1;
}

include "pctl/PctlCollectives.td"

#endif // PCTL_OPS_TD
