// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

// Meshes, layouts and rules as attributes. They hold what the user wrote; what
// it means is computed by lib/Layout, reached over LayoutBridge.h.

#ifndef PCTL_ATTRS_TD
#define PCTL_ATTRS_TD

include "pctl/PctlBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/CommonAttrConstraints.td"

class Pctl_Attr<string name, string attrMnemonic, list<Trait> traits = []>
    : AttrDef<Pctl_Dialect, name, traits> {
  let mnemonic = attrMnemonic;
}

//===----------------------------------------------------------------------===//
// Meshes and layouts
//===----------------------------------------------------------------------===//

def Pctl_MeshAxisAttr : Pctl_Attr<"MeshAxis", "mesh_axis"> {
  let summary = "A named axis of a mesh and its size";
  let description = [{
    Written `"data"=4` inside a mesh.
  }];
  let parameters = (ins StringRefParameter<"name of the axis">:$name,
                        "int64_t":$size);
  let assemblyFormat = "`<` custom<MeshAxis>($name, $size) `>`";
}

def Pctl_MeshAxesAttr : Pctl_Attr<"MeshAxes", "mesh_axes"> {
  let summary = "The axes of a mesh, major first";
  let description = [{
    ```mlir
    #pctl.mesh_axes<["data"=4, "model"=2]>
    ```
    `pctl.mesh` verifies them.
  }];
  let parameters = (ins OptionalArrayRefParameter<"MeshAxisAttr">:$axes);
  let assemblyFormat = "`<` custom<MeshAxes>($axes) `>`";
}

def Pctl_AxisRefAttr : Pctl_Attr<"AxisRef", "axis"> {
  let summary = "An axis of a mesh, or a factor of one";
  let description = [{
    `"x"` is the whole axis. `"x":(2)4` is the factor of size 4 that has 2
    before it: of a coordinate c on an axis of size 16 it is `(c / 2) % 4`. The sizes
    of a whole axis are 0 here, as the mesh knows them.
  }];
  let parameters = (ins StringRefParameter<"name of the axis">:$name,
                        "int64_t":$preSize, "int64_t":$size);
  let assemblyFormat = "`<` custom<AxisRef>($name, $preSize, $size) `>`";
  let builders = [
    AttrBuilder<(ins "::llvm::StringRef":$name), [{
      return $_get($_ctxt, name, 0, 0);
    }]>
  ];
  let extraClassDeclaration = [{
    /// Returns whether this is the whole of its axis.
    bool isWhole() const { return getSize() == 0; }
  }];
}

def Pctl_DimLayoutAttr : Pctl_Attr<"DimLayout", "dim"> {
  let summary = "How one dim of a tensor is cut";
  let description = [{
    The axes that cut the dim, major first; `?` last where propagation may add
    more; then the sizes of the blocks where they are not the equal ones.

    ```mlir
    {"data", "x":(1)2}   // cut by data, and inside each block by half of x
    {?}                  // not cut, may become so
    {"x"}:[2, 3, 1]      // three blocks of these sizes
    ```
  }];
  let parameters = (ins OptionalArrayRefParameter<"AxisRefAttr">:$axes,
                        "bool":$isOpen,
                        OptionalArrayRefParameter<"int64_t">:$blockSizes);
  let assemblyFormat = "`<` custom<DimLayout>($axes, $isOpen, $blockSizes) `>`";
}

// The kinds are those of lib/Layout; their keywords are declared there alone.
def Pctl_ReductionKindParameter
    : AttrParameter<"::pctl::layout::ReductionKind", "kind of reduction"> {
  let parser = "::pctl::parseReductionKind($_parser)";
  let printer = "$_printer << ::pctl::layout::stringifyReductionKind($_self)";
}

def Pctl_ReductionKindAttr : Pctl_Attr<"ReductionKind", "kind"> {
  let summary = "How contributions combine";
  let description = [{
    One of `sum`, `product`, `maxsi`, `maxui`, `maximumf`, `maxnumf`, `minsi`,
    `minui`, `minimumf`, `minnumf`, `and`, `or`, `xor`.
  }];
  let parameters = (ins Pctl_ReductionKindParameter:$value);
  let assemblyFormat = "`<` $value `>`";
  // Accessors and builders of ops use the plain enum.
  let returnType = "::pctl::layout::ReductionKind";
  let convertFromStorage = "$_self.getValue()";
  let constBuilderCall =
      "::pctl::ReductionKindAttr::get($_builder.getContext(), $0)";
}

def Pctl_PartialAttr : Pctl_Attr<"Partial", "partial"> {
  let summary = "A reduction that is still to be done over some axes";
  let description = [{
    With `sum("x", "y")` in its layout, a value is the sum of what the ranks
    along x and y hold.
  }];
  let parameters = (ins Pctl_ReductionKindParameter:$kind,
                        ArrayRefParameter<"AxisRefAttr">:$axes);
  let assemblyFormat = "`<` custom<Partial>($kind, $axes) `>`";
}

def Pctl_LayoutAttr : Pctl_Attr<"Layout", "layout"> {
  let summary = "Which elements of a tensor each rank of a mesh holds";
  let description = [{
    For each dim of the tensor the axes that cut it, and the partial axes. All
    other axes of the mesh are replicated: ranks that differ only along those
    hold the same.

    With k positions along the axes of a dim of n elements, position i holds
    `[min(i b, n), min((i + 1) b, n))` where `b = ceil(n / k)`.

    Example, on a mesh of `"data"=4, "model"=2`:

    ```mlir
    // 2x3 elements of an 8x6 tensor on each rank.
    #pctl.layout<@m, [{"data"}, {"model"} ]>
    // 8x6 on each rank, to be added up along model.
    #pctl.layout<@m, [{}, {?} ], partial = [sum("model")]>
    ```

    Constraints, checked wherever a layout meets a tensor:
    - (C1) the symbol names a `pctl.mesh`.
    - (C2) one entry for each dim of the tensor.
    - (C3) each axis is one of the mesh, or a factor of one.
    - (C4) no axis is used twice, in dims or as partial.
    - (C5) a cut dim has a static size.
    - (C6) block sizes are not negative, are one a position, and add up to the
      dim, which is not open.
  }];
  let parameters = (ins
    AttrParameter<"::mlir::FlatSymbolRefAttr", "the mesh">:$mesh,
    OptionalArrayRefParameter<"DimLayoutAttr">:$dims,
    OptionalArrayRefParameter<"PartialAttr">:$partial);
  let assemblyFormat = "`<` custom<Layout>($mesh, $dims, $partial) `>`";
  let extraClassDeclaration = [{
    /// Returns the number of dims of the tensors that this lays out.
    unsigned getTensorRank() const { return getDims().size(); }
  }];
}

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

// The parts of a rule are written inside a rule only.
def Pctl_RuleDimAttr : AttrDef<Pctl_Dialect, "RuleDim"> {
  let attrName = "pctl.rule_dim";
  let summary = "The factors that one dim of an operand or result consists of";
  let description = [{
    Numbers of factors, major first: `[0]` is a plain dim, `[0, 1]` a product.
    A dim without factors has size 1 and is broadcast.
  }];
  let parameters = (ins OptionalArrayRefParameter<"int64_t">:$factors);
}

def Pctl_RuleTensorAttr : AttrDef<Pctl_Dialect, "RuleTensor"> {
  let attrName = "pctl.rule_tensor";
  let summary = "The factors of each dim of one operand or result";
  let parameters = (ins OptionalArrayRefParameter<"RuleDimAttr">:$dims);
}

def Pctl_RuleReductionAttr : AttrDef<Pctl_Dialect, "RuleReduction"> {
  let attrName = "pctl.rule_reduction";
  let summary = "A factor that is reduced, and how";
  let parameters = (ins "int64_t":$factor, Pctl_ReductionKindParameter:$kind);
}

def Pctl_RuleAttr : Pctl_Attr<"Rule", "rule"> {
  let summary = "How the dims of an op's operands and results correspond";
  let description = [{
    An op of which each result element depends only on the operand elements of
    the same factors (loop indices), as in an einsum. Cutting a factor cuts all
    dims that have it, and the op runs on the blocks; cutting a reduced factor
    leaves partial results.

    ```mlir
    // A matrix product.
    #pctl.rule<([i, k], [k, j]) -> ([i, j]), reduce = [k: sum]>
    // Merges two dims; the factor of 4 is the major one.
    #pctl.rule<([i, j, k]) -> ([(i j), k]), sizes = [i: 4, j: 8]>
    // A softmax along h, which must stay whole.
    #pctl.rule<([b, h]) -> ([b, h]), replicate = [h]>
    // The first dim is of size 1 and broadcast.
    #pctl.rule<([(), j]) -> ([i, j])>
    ```

    Operands and results that are no tensors, and tensors without dims, are
    `[]`.

    Constraints of the rule itself:
    - (C1) a factor is at most once in an operand or result.
    - (C2) a factor of a product of several has its size in `sizes`; sizes are
      at least 1.
    - (C3) a reduced factor is in an operand and in no result.
    - (C4) a factor that is in operands but in no result is reduced or
      replicated.
    - (C5) `reduce`, `sizes` and `replicate` name factors of the rule, each
      once; no factor is both reduced and replicated.

    Constraints of the op that carries it:
    - (C6) it has as many operands and results as the rule.
    - (C7) each has as many dims as the rule says.
    - (C8) all dims of a factor agree on its size, and a product of factors has
      the size of the product.
  }];
  let parameters = (ins
    OptionalArrayRefParameter<"RuleTensorAttr">:$operands,
    OptionalArrayRefParameter<"RuleTensorAttr">:$results,
    OptionalArrayRefParameter<"::mlir::StringAttr", "one a factor">
      :$factorNames,
    OptionalArrayRefParameter<"int64_t", "one a factor; 0 where not given">
      :$factorSizes,
    OptionalArrayRefParameter<"RuleReductionAttr">:$reductions,
    OptionalArrayRefParameter<"int64_t", "factors that stay whole">
      :$replicated);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    unsigned getNumFactors() const { return getFactorNames().size(); }
    /// Returns the kind by which \p factor is reduced, if it is.
    std::optional<::pctl::layout::ReductionKind>
    getReductionKind(int64_t factor) const;
    /// Returns whether \p factor must not be cut.
    bool isReplicated(int64_t factor) const;
  }];
}

//===----------------------------------------------------------------------===//
// Constraints on attributes of ops
//===----------------------------------------------------------------------===//

// A layout in place, or the name of one.
def Pctl_LayoutOrSymbol
    : AnyAttrOf<[Pctl_LayoutAttr, FlatSymbolRefAttr],
                "layout or symbol of a pctl.layout">;
def Pctl_LayoutOrSymbolArray
    : TypedArrayAttrBase<Pctl_LayoutOrSymbol,
                         "array of layouts or symbols of pctl.layout">;
def Pctl_AxisRefArray
    : TypedArrayAttrBase<Pctl_AxisRefAttr, "array of mesh axes">;
def Pctl_GlobalTypeAttr
    : TypeAttrBase<"::mlir::RankedTensorType", "type of the global tensor">;

#endif // PCTL_ATTRS_TD
