// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

// The pctl dialect itself. Rationale.md beside this file says why it is as it
// is; docs/layout.md in the source tree says what layouts mean.

#ifndef PCTL_BASE_TD
#define PCTL_BASE_TD

include "mlir/IR/DialectBase.td"

def Pctl_Dialect : Dialect {
  let name = "pctl";
  let cppNamespace = "::pctl";
  let summary = "Meshes, layouts, and tensor programs over many ranks";
  let description = [{
    A program in this dialect runs on every rank of a mesh. It has two views.

    In the **global view** a value is one tensor, as on a single device, and a
    layout says which part of it each rank holds: `pctl.shard` states a wish,
    `pctl.redistribute` a change that must happen, `pctl.manual` holds local
    code inside a global program.

    In the **local view** a value is what this rank holds. Ranks differ by
    `pctl.axis_index` and `pctl.block_range`, and talk through collectives,
    which name their groups by mesh axes: the ranks that differ only along the
    axes form a group, and a rank's position in it is its coordinate along the
    axes taken as one, the first being major.

    Attributes of other ops that this dialect defines and verifies:

    | attribute | on | holds |
    |---|---|---|
    | `pctl.layout` | function arguments and results | a layout, or the symbol of a `pctl.layout` |
    | `pctl.data` | function arguments | unit: the argument is data, not a parameter |
    | `pctl.global_type` | function arguments and results in local form | the tensor type before partitioning |
    | `pctl.layouts` | any op | a layout for each result, unit for a result that is no tensor |
    | `pctl.operand_layouts` | any op | what propagation found that the op asks of its operands; goes when redistributes are inserted |
    | `pctl.operand_reasons` | any op | with `pctl.operand_layouts`: for each entry a text, why that operand has to move, or nothing |
    | `pctl.rule` | any op | `#pctl.rule`, how the op's dims correspond |
    | `pctl.form` | modules | how far compilation got: annotated, laid-out, local, planned, buffers, executable |
    | `pctl.dataset_strategy` | modules | "data_parallel", "full_batch", cuts of each data argument, or their layouts |
    | `pctl.full_batch` | modules | bool: each rank reads whole data |
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
  let useDefaultAttributePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
  let extraClassDeclaration = [{
    void registerAttributes();
  }];
}

#endif // PCTL_BASE_TD
