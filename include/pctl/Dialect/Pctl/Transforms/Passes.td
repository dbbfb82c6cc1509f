// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

// Passes over the pctl dialect, in the order in which a program meets them.

#ifndef PCTL_DIALECT_PCTL_TRANSFORMS_PASSES_TD
#define PCTL_DIALECT_PCTL_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

//===----------------------------------------------------------------------===//
// To the annotated form
//===----------------------------------------------------------------------===//

def ApplyStrategyPass : Pass<"pctl-apply-strategy", "mlir::ModuleOp"> {
  let summary = "Declare a mesh and annotate arguments and results by number";
  let description = [{
    Puts a strategy that is given as text on a program that has none: declares
    the mesh and writes `pctl.layout` on arguments and results of functions.

    Before: a program, with or without annotations. After: the mesh is declared
    (as `@mesh`, unless the program has an equal one), and the arguments and
    results that are named carry the layouts that are given.

    `layouts` is a list separated by `;`. An entry is `N=layout` for argument N
    or `resultN=layout` for result N of the function `entry`, or without it of
    the only one that is public and has a body, or else of `main`;
    `name:N=layout` is about another function. Layouts are written as docs/layout.md says.

    Example: `--pctl-apply-strategy='mesh="data=2,model=4"
    layouts="0=[{data},{} ];result0=[{?},{} ]"'` makes

    ```mlir
    func.func @main(%arg0: tensor<8x6xf32>) -> tensor<8x6xf32> {
    ```
    into
    ```mlir
    pctl.mesh @mesh <["data"=2, "model"=4]>
    func.func @main(
        %arg0: tensor<8x6xf32> {pctl.layout = #pctl.layout<@mesh, [{"data"}, {} ]>})
        -> (tensor<8x6xf32> {pctl.layout = #pctl.layout<@mesh, [{?}, {} ]>}) {
    ```

    Never changes an annotation that is there: one that differs is an error, as
    is a mesh that differs from the one that the program declares.
  }];
  let options = [
    Option<"entry", "entry", "std::string", /*default=*/"",
           "Function that is meant where none is named">,
    Option<"mesh", "mesh", "std::string", /*default=*/"",
           "Axes and sizes, e.g. `data=2,model=4`; the program's own mesh when "
           "empty">,
    Option<"layouts", "layouts", "std::string", /*default=*/"",
           "Layouts of arguments and results, separated by `;`">,
  ];
  let dependentDialects = ["::pctl::PctlDialect"];
}

def ApplyDatasetStrategyPass
    : Pass<"pctl-apply-dataset-strategy", "mlir::ModuleOp"> {
  let summary = "Annotate the data inputs by the strategy of the data set";
  let description = [{
    Before: the program declares its mesh. Its data inputs are the arguments
    numbered in `data-args`, or those with `pctl.data`, of the function `entry`
    (without it the only one that is public and has a body, or else `main`).
    After: they carry `pctl.layout`.

    The strategy is the option, or else the module's `pctl.dataset_strategy` and
    `pctl.full_batch` attributes, or else `data_parallel`:
    - `data_parallel`: dim 0 of each data input is cut by the whole mesh;
    - `full_batch`: each rank has all data;
    - cuts, `((4,1),(4,1))`: a tuple for each data input, the ways each dim is
      cut. Their product divides the number of ranks; what is left of the ranks
      repeats the data and is the major part of the rank number;
    - layouts, `[{data},{} ];[{data} ]`: one for each data input.
    Scalars are replicated.

    Example: with `strategy="((2,2))"` on the mesh `["a"=2, "b"=4]`, of 8 ranks
    each of 4 groups of the last 4 rank numbers reads one quarter:

    ```mlir
    func.func @main(%x: tensor<8x6xf32> {pctl.data})
    ```
    becomes
    ```mlir
    func.func @main(%x: tensor<8x6xf32> {pctl.data,
        pctl.layout = #pctl.layout<@mesh, [{"b":(1)2}, {"b":(2)2} ]>})
    ```

    Never touches an argument that is no data, nor replaces a layout: one that
    differs is an error. Errors as well: kinds that are mixed, an axis called
    `interleaved_parallel`, a tuple or layout of another tensor rank than its
    input, another number of them than of inputs, full batch together with
    another strategy, no data input.
  }];
  let options = [
    Option<"entry", "entry", "std::string", /*default=*/"",
           "Function that is meant where none is named">,
    Option<"strategy", "strategy", "std::string", /*default=*/"",
           "`data_parallel`, `full_batch`, tuples of cuts, or layouts">,
    ListOption<"dataArgs", "data-args", "unsigned",
               "Numbers of the arguments that are data">,
    Option<"ifAsked", "if-asked", "bool", /*default=*/"false",
           "Do nothing where neither the options nor the program ask for a "
           "dataset strategy">,
  ];
  let dependentDialects = ["::pctl::PctlDialect"];
}

def UnfoldReshapesPass : Pass<"pctl-unfold-reshapes", "mlir::ModuleOp"> {
  let summary = "Make merged dims loops of their own";
  let description = [{
    A layout can't cut the minor one of two dims that are merged into one: heads
    that are merged with a batch, tokens that are merged with a batch. This pass
    folds `tensor.expand_shape` and `tensor.collapse_shape` into the structured
    ops next to them, whose loops then are the dims before merging; named ops
    become `linalg.generic` where that takes it.

    Before: any program. After: it computes the same, element for element and in
    the same order, and reshapes have moved to where no structured op is their
    neighbour, or have met their inverse and vanished.

    Example:
    ```mlir
    %1 = tensor.collapse_shape %0 [[0, 1], [2]]
        : tensor<8x4x6xf32> into tensor<32x6xf32>
    %2 = linalg.generic {...} ins(%1 : tensor<32x6xf32>) outs(%i : tensor<32x6xf32>)
    %3 = tensor.expand_shape %2 [[0, 1], [2]] output_shape [8, 4, 6]
        : tensor<32x6xf32> into tensor<8x4x6xf32>
    ```
    becomes
    ```mlir
    %3 = linalg.generic {...} ins(%0 : tensor<8x4x6xf32>) outs(%j : tensor<8x4x6xf32>)
    ```

    Never folds an op that carries attributes of pctl, nor a reshape of an op
    that is not structured.
  }];
  let dependentDialects = ["::mlir::affine::AffineDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect"];
}

def StripLayoutsPass : Pass<"pctl-strip-layouts", "mlir::ModuleOp"> {
  let summary = "Take a program back to the one for one device";
  let description = [{
    Before: a program in a global view, annotated or laid out. After: the same
    program without meshes, layouts, `pctl.shard` and `pctl.redistribute`, and
    without pctl's attributes: what one device computes. It is the reference
    that pctl-run compares ranks with.

    Example:
    ```mlir
    pctl.mesh @mesh <["x"=2]>
    func.func @main(%x: tensor<4xf32> {pctl.layout = #pctl.layout<@mesh, [{"x"} ]>}) -> tensor<4xf32> {
      %0 = pctl.shard %x to <@mesh, [{} ]> : tensor<4xf32>
      return %0 : tensor<4xf32>
    }
    ```
    becomes
    ```mlir
    func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
      return %x : tensor<4xf32>
    }
    ```

    Never accepts local code (`pctl.manual`, a collective, a redistribute of
    local types): that has no meaning on one device, and is an error.
  }];
}

def DecomposeOpsPass : Pass<"pctl-decompose-ops"> {
  let summary = "Write ops without a rule by ops that have one";
  let description = [{
    Before: a program in any form on tensors. After: there is no `tensor.gather`
    of static shapes, and no `linalg.pack` or `linalg.unpack` that upstream can
    lower, unless it has a `pctl.rule`. A gather is a structured op over the dims
    of its result that looks up one element of the source; a pack is a pad, a
    reshape and a transpose, an unpack the reverse.

    ```mlir
    %0 = tensor.gather %table[%ids] gather_dims([0])
        : (tensor<32x64xf32>, tensor<8x1xindex>) -> tensor<8x64xf32>
    // becomes
    %1 = tensor.extract_slice %ids[0, 0] [8, 1] [1, 1]
        : tensor<8x1xindex> to tensor<8xindex>
    %0 = linalg.generic {indexing_maps = [(i, j) -> (i), (i, j) -> (i, j)], ...}
        ins(%1 : tensor<8xindex>) outs(%empty : tensor<8x64xf32>) {
    ^bb0(%id: index, %out: f32):
      %j = linalg.index 1 : index
      %e = tensor.extract %table[%id, %j] : tensor<32x64xf32>
      linalg.yield %e : f32
    }
    ```

    It never changes what is computed.
  }];
  let dependentDialects = ["mlir::arith::ArithDialect",
                           "mlir::linalg::LinalgDialect",
                           "mlir::tensor::TensorDialect"];
}

def NormalizeSlicesPass : Pass<"pctl-normalize-slices"> {
  let summary = "Write slices of tensors in one way";
  let description = [{
    Before: a program in any form on tensors. After: in `tensor.extract_slice`,
    `tensor.insert_slice` and `tensor.parallel_insert_slice`
    - a dim of which one element is cut out has stride 1, as between one element
      and the next there is no way to go;
    - offsets and strides that are constants are numbers.

    Upstream's canonicalization and expansion of subviews go wrong on what is
    written otherwise and drops a dim.

    ```mlir
    %0 = tensor.extract_slice %a[7, %c0] [1, 4] [3, 1]
        : tensor<8x4xf32> to tensor<4xf32>
    // becomes
    %0 = tensor.extract_slice %a[7, 0] [1, 4] [1, 1]
        : tensor<8x4xf32> to tensor<4xf32>
    ```

    It never changes a type, nor which elements are meant.
  }];
  let dependentDialects = ["mlir::tensor::TensorDialect"];
}

//===----------------------------------------------------------------------===//
// To the laid-out form
//===----------------------------------------------------------------------===//

def PropagateLayoutsPass : Pass<"pctl-propagate-layouts", "mlir::ModuleOp"> {
  let summary = "Give every tensor a layout";
  let description = [{
    Before: the annotated form: some arguments, results and `pctl.shard` ops say
    layouts, all on one mesh. After: every function argument and result that is a
    tensor carries `pctl.layout`, closed; every op with tensors carries
    `pctl.layouts`, how it leaves its results, and `pctl.operand_layouts`, how it
    wants its operands. The two may differ; pctl-insert-redistribution makes
    that explicit.

    An op takes part by its rule (docs/propagation.md). The result of an op that
    reduces a cut dim is partial in `pctl.layouts`; no op wants a partial operand.
    Bodies of structured control flow are laid out op by op; what is carried from
    turn to turn has one layout. A function whose calls state layouts that
    contradict each other is cloned, one body for each set of layouts.
    Constants, `tensor.empty`, and what linalg fills from nothing are made once
    for each layout in which they are used.

    Example: of
    ```mlir
    func.func @main(%x: tensor<8x6xf32>,
        %w: tensor<6x4xf32> {pctl.layout = #pctl.layout<@m, [{"model"}, {} ]>})
        -> tensor<8x4xf32> {
      ...
      %0 = linalg.matmul ins(%x, %w : ...) outs(%init : ...) -> tensor<8x4xf32>
      return %0 : tensor<8x4xf32>
    ```
    the matmul becomes (`#row`, `#col`, `#all` being the layouts `[{}, {"model"} ]`,
    `[{"model"}, {} ]` and `[{}, {} ]`)
    ```mlir
    %0 = linalg.matmul {pctl.operand_layouts = [#row, #col, #all],
        pctl.layouts = [#pctl.layout<@m, [{}, {} ], partial = [sum("model")]>]} ...
    ```
    and `%x` is given the layout `#row`.

    Never changes what the program computes, nor a closed dim. Errors: no mesh,
    layouts on several meshes, a call cycle, a `pctl.shard` or a call of a
    function with cut arguments inside an op that is done whole, a tensor that a
    block other than the first of a function takes.
  }];
  let options = [
    Option<"remarks", "remarks", "bool", /*default=*/"false",
           "Say at each op which operands must move, how many bytes, and why">,
    Option<"reasons", "reasons", "bool", /*default=*/"false",
           "Write on each op why operands must move, for reports">,
  ];
  let dependentDialects = ["::pctl::PctlDialect"];
}

def InsertRedistributionPass
    : Pass<"pctl-insert-redistribution", "mlir::ModuleOp"> {
  let summary = "Make every change of layout an op";
  let description = [{
    Before: the outcome of pctl-propagate-layouts. After: the laid-out form: each
    operand is laid out as its op wants it; where it was not, it is the result of
    a `pctl.redistribute`, one for each value and layout, which all users share.
    `pctl.shard` ops are gone, and the module says `pctl.form = "laid-out"`.

    A value that is partial is reduced right after it is made. Where it is wanted
    in several layouts it is reduced once, and the others are made from that.

    Example: the matmul of pctl-propagate-layouts is followed by
    ```mlir
    %1 = pctl.redistribute %0 from #pctl.layout<@m, [{}, {} ], partial = [sum("model")]>
        to #pctl.layout<@m, [{}, {} ]> : tensor<8x4xf32>
    return %1 : tensor<8x4xf32>
    ```

    Never changes a layout. Errors: an op that was not propagated.
  }];
  let dependentDialects = ["::pctl::PctlDialect"];
}

//===----------------------------------------------------------------------===//
// To the local form
//===----------------------------------------------------------------------===//

def PartitionPass : Pass<"pctl-partition", "mlir::ModuleOp"> {
  let summary = "Cut the program into what each rank runs";
  let description = [{
    Before: the laid-out form. After: the local form: types are what a rank
    holds, `pctl.redistribute` is in its local spelling, function arguments and
    results keep `pctl.layout` and have the type before in `pctl.global_type`.
    docs/partition.md says, op by op, what each rank computes; it computes the
    same.

    Example, on `pctl.mesh @m <["x"=2]>`:

    ```mlir
    func.func @f(%a: tensor<5x4xf32> {pctl.layout = #pctl.layout<@m, [{"x"}, {} ]>}) ... {
      %0 = math.exp %a {pctl.layouts = [#pctl.layout<@m, [{"x"}, {} ]>]} : tensor<5x4xf32>
    ```
    becomes
    ```mlir
    func.func @f(%a: tensor<?x4xf32> {pctl.global_type = tensor<5x4xf32>,
        pctl.layout = #pctl.layout<@m, [{"x"}, {} ]>}) ... {
      %0 = math.exp %a : tensor<?x4xf32>
    ```

    Never pads, never communicates, never changes a layout. Errors, each at its
    op: a tensor without a layout; layouts that do not fit together; an op that
    can't be cut as they ask; layouts over several meshes in one function. The
    program is then as it was.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::complex::ComplexDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::scf::SCFDialect",
    "::mlir::tensor::TensorDialect", "::pctl::PctlDialect"
  ];
}

//===----------------------------------------------------------------------===//
// To the planned form
//===----------------------------------------------------------------------===//

def PlanRedistributionPass
    : Pass<"pctl-plan-redistribution", "mlir::ModuleOp"> {
  let summary = "Make collectives of changes of layout";
  let description = [{
    Before: the local form. After: the planned form: each `pctl.redistribute` is
    the steps of its plan (docs/redistribution.md), each one op, in
    destination-passing style with a `tensor.empty` to write to. A slice that no
    `pctl.all_slice` can do, as its blocks do not nest, is a
    `tensor.extract_slice`. Equal redistributions share one plan, also those of
    modules that the same pass saw before.

    Exchanges are done in rounds that stage about `chunk-bytes` on a rank. A plan
    of which a step holds more than `cap-bytes` on a rank is refused. Of several
    plans the fastest on `cluster` is taken: `bytes`, in which time is bytes,
    another that is built in (`a100`, `h100`, `b200`), or a file. `report` writes
    a file that has for each redistribute its plan, bytes, time, bound, and, if
    pctl-propagate-layouts was asked for `reasons`, who wants it and why.

    Example, on `pctl.mesh @m <["x"=2]>`, `#row` and `#col` cutting dim 0 and 1:

    ```mlir
    %1 = pctl.redistribute %0 from #row to #col of tensor<4x4xf32>
        : tensor<2x4xf32> -> tensor<4x2xf32>
    ```
    becomes
    ```mlir
    %out = tensor.empty() : tensor<4x2xf32>
    %1 = pctl.all_to_all ins(%0 : tensor<2x4xf32>) outs(%out : tensor<4x2xf32>)
        split_dim = 1 concat_dim = 0 axes = ["x"] on @m -> tensor<4x2xf32>
    ```

    Never moves an op. Errors: a redistribute that the planner refuses, as its
    layouts or the cap allow no plan, one of the laid-out form, one between two
    meshes; a cluster that there is none of, a size below 1, a file that can't be
    written.
  }];
  let options = [
    Option<"printPlans", "print-plans", "bool", /*default=*/"false",
           "Remark on each redistribute with its plan and bytes">,
    Option<"cluster", "cluster", "std::string", /*default=*/"\"bytes\"",
           "Links of the machine: bytes, a100, h100, b200, or a file">,
    Option<"capBytes", "cap-bytes", "int64_t", /*default=*/"0",
           "Bytes that a rank may hold in a step; 0 for any">,
    Option<"chunkBytes", "chunk-bytes", "int64_t", /*default=*/"4194304",
           "Bytes that a rank should have in flight">,
    Option<"report", "report", "std::string", /*default=*/"",
           "File for a report on each redistribute, as JSON">,
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::tensor::TensorDialect",
    "::pctl::PctlDialect"
  ];
}

def OptimizeCollectivesPass
    : Pass<"pctl-optimize-collectives", "mlir::ModuleOp"> {
  let summary = "Communicate less for the same";
  let description = [{
    Before: the planned form. After: the planned form, with fewer or smaller
    collectives. docs/collectives.md states each rewrite and why the program
    computes the same; only sums of floats may be added in another order.

    | rewrite | what |
    |---|---|
    | common | a collective that was done before is not done again |
    | dead | one that nobody uses goes |
    | inverse | a gather of a slice, or a slice of a gather, goes |
    | reduce-scatter | an all-reduce of which a rank keeps its block |
    | slice-first | an all-reduce of which all keep one slice reduces that |
    | join-reductions | an all-reduce of an all-reduce along other axes |
    | defer-reduction | an all-reduce moves past ops that are linear in it |
    | sink-gather | an all-gather moves past ops that work block by block |
    | hoist-gather | an all-gather moves before an op that makes more of less |
    | merge | all-reduces of one group, kind and element type, none of which waits for another, become one over a packed tensor |

    Moves are done only if that saves bytes. `merge-bytes` bounds what one merged
    reduction combines. `remarks` says each rewrite where it was done, and
    `report` writes all of them to a file, as JSON.

    Example:

    ```mlir
    %1 = pctl.all_reduce ins(%0 : tensor<4x4xf32>) outs(%o : tensor<4x4xf32>)
        kind = sum axes = ["x"] on @m -> tensor<4x4xf32>
    %2 = pctl.all_slice ins(%1 : tensor<4x4xf32>) outs(%p : tensor<2x4xf32>)
        dim = 0 axes = ["x"] on @m -> tensor<2x4xf32>
    ```
    becomes
    ```mlir
    %2 = pctl.reduce_scatter ins(%0 : tensor<4x4xf32>) outs(%p : tensor<2x4xf32>)
        kind = sum dim = 0 axes = ["x"] on @m -> tensor<2x4xf32>
    ```

    Never adds bytes, mixes element types, or moves a collective into or out of
    a loop or a condition. Errors: a rewrite that there is none of, a negative
    size, a file that can't be written.
  }];
  let options = [
    ListOption<"only", "only", "std::string", "Rewrites to do; all if empty">,
    Option<"mergeBytes", "merge-bytes", "int64_t", /*default=*/"0",
           "Bytes that one merged reduction may combine; 0 for any">,
    Option<"remarks", "remarks", "bool", /*default=*/"false",
           "Say each rewrite where it was done, with bytes before and after">,
    Option<"report", "report", "std::string", /*default=*/"",
           "File for a report, as JSON">,
  ];
  let statistics = [
    Statistic<"numRewrites", "rewrites", "Rewrites done">,
    Statistic<"collectivesBefore", "collectives-before", "Collectives before">,
    Statistic<"collectivesAfter", "collectives-after", "Collectives after">,
    Statistic<"bytesBefore", "bytes-before",
              "Bytes that a rank receives before, as far as types tell">,
    Statistic<"bytesAfter", "bytes-after",
              "Bytes that a rank receives after, as far as types tell">,
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::tensor::TensorDialect", "::pctl::PctlDialect"
  ];
}

//===----------------------------------------------------------------------===//
// In every form
//===----------------------------------------------------------------------===//

def VerifyFormPass : Pass<"pctl-verify-form", "mlir::ModuleOp"> {
  let summary = "Check what must hold in a form";
  let description = [{
    Checks the rules of a form, which pctl/Dialect/Pctl/Transforms/Form.h lists:
    of the given one, else of the one that the module says it is in. Reports each
    op that breaks one, by the label of the rule.

    Example: `--pctl-verify-form=form=planned` on a program with a
    `pctl.redistribute` says

    ```
    error: 'pctl.redistribute' op breaks P1 of the planned form: planning makes
    collectives of it
    ```

    Never changes the program.
  }];
  let options = [
    Option<"form", "form", "std::string", /*default=*/"",
           "annotated, laid-out, local, planned, buffers or executable">,
  ];
}

def VerifySpmdPass : Pass<"pctl-verify-spmd", "mlir::ModuleOp"> {
  let summary = "Check that all ranks issue the same collectives";
  let description = [{
    Before: the local or the planned form. Fails unless it is certain that the
    ranks of each group issue the same collectives in the same order
    (docs/spmd.md):

    - a collective is under no condition, in no loop and in no function called
      there that the ranks of one of its groups may run another number of times:
      what decides is the same along its axes;
    - it is not inside an op that does not say when it runs what is inside, as
      `scf.forall` or `linalg.generic`, nor in a function of which the address
      is taken;
    - dims of dynamic size of what it takes and gives have one size along its
      axes, but for those in which its meaning allows several;
    - the meshes of a function and of those that it calls have one number of
      ranks and the same devices.

    Example: of
    ```mlir
    %i = pctl.axis_index ["x"] on @m : index
    %first = arith.cmpi eq, %i, %c0 : index
    %1 = scf.if %first -> (tensor<4xf32>) {
      %2 = pctl.all_reduce ins(%0 : tensor<4xf32>) outs(%o : tensor<4xf32>)
          kind = sum axes = ["x"] on @m -> tensor<4xf32>
    ```
    it says

    ```
    error: 'pctl.all_reduce' op communicates along x, but not all ranks along x
    need come to it: what decides in 'scf.if' around it differs along x
    note: %1 decides here
    note: it differs since here
    ```

    Never changes the program.
  }];
}

#endif // PCTL_DIALECT_PCTL_TRANSFORMS_PASSES_TD
