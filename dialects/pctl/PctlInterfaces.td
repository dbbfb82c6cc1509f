// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

#ifndef PCTL_INTERFACES_TD
#define PCTL_INTERFACES_TD

include "mlir/IR/OpBase.td"

def Pctl_CollectiveOpInterface : OpInterface<"CollectiveOpInterface"> {
  let cppNamespace = "::pctl";
  let description = [{
    An op by which the ranks of a group exchange elements: one input, one
    output, in destination-passing style, on tensors or on buffers. The group of
    a rank is all ranks that differ from it only along the axes.
  }];
  let methods = [
    InterfaceMethod<"Returns what this rank contributes.",
      "::mlir::Value", "getInput">,
    InterfaceMethod<"Returns where the outcome goes.",
      "::mlir::Value", "getOutput">,
    InterfaceMethod<"Returns the symbol of the mesh.",
      "::mlir::FlatSymbolRefAttr", "getMeshAttr">,
    InterfaceMethod<"Returns the axes of the groups, an array of AxisRefAttr.",
      "::mlir::ArrayAttr", "getAxes">,
    InterfaceMethod<[{
      Returns whether the op writes every element of its output. What it does
      not write keeps the output's value.
    }], "bool", "overwritesOutput", (ins), "", "return true;">,
    InterfaceMethod<[{
      Returns whether input and output may be the same buffer: element by
      element, the outcome depends on inputs at the same place only.
    }], "bool", "allowsInPlace", (ins), "", "return false;">,
    InterfaceMethod<[{
      Checks the constraints that need the mesh. The default has none beyond
      those of all collectives.
    }], "::llvm::LogicalResult", "verifyOnMesh",
      (ins "const ::pctl::layout::Mesh &":$mesh,
           "::llvm::ArrayRef<::pctl::layout::AxisRef>":$axes),
      "", "return ::mlir::success();">,
  ];
  let extraClassDeclaration = [{
    /// Returns whether the op is in its buffer form.
    bool hasBuffers();
    /// Returns the mesh; the op must have been verified.
    ::pctl::layout::Mesh getMeshValue();
    /// Returns the axes on the mesh; the op must have been verified.
    ::llvm::SmallVector<::pctl::layout::AxisRef> getMeshAxes();
    /// Returns the number of ranks in a group; the op must have been verified.
    int64_t getGroupSize();
  }];
}

#endif // PCTL_INTERFACES_TD
