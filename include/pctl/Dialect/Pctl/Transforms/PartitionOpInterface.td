// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// How an op is cut: the interface behind `pctl-partition`. docs/partition.md
/// states what each rank must compute.

#ifndef PCTL_DIALECT_PCTL_TRANSFORMS_PARTITIONOPINTERFACE_TD
#define PCTL_DIALECT_PCTL_TRANSFORMS_PARTITIONOPINTERFACE_TD

include "mlir/IR/OpBase.td"

def PartitionOpInterface : OpInterface<"PartitionOpInterface"> {
  let cppNamespace = "::pctl";
  let description = [{
    An op that knows what each rank has to do for it. Asked only where an
    operand or result is cut or partial, or where the op has regions: what is
    whole is cloned without asking.
  }];
  let methods = [
    InterfaceMethod<[{
        Adds to the local program what one rank does for this op of the
        laid-out program, and sets the local value of each result, which must
        have the type `context.getLocalType(result)`.

        The op is still in the laid-out program and must not be changed. Layouts
        of all its tensor operands and results are known, and agree with the
        op's sharding rule where it has one. Reports an error at the op, and
        returns failure, where the layouts ask for what the op can't do.
      }],
      "::llvm::LogicalResult", "partition",
      (ins "::pctl::PartitionContext &":$context)>,
    InterfaceMethod<[{
        Returns whether `partition` partitions the ops in the op's regions. If
        not, the regions are kept, and what they capture must be whole.
      }],
      "bool", "partitionsRegions", (ins), "", "return false;">,
    InterfaceMethod<[{
        Returns whether `partition` takes care of tensors that the op's regions
        capture and that are cut. If not, they must be whole.
      }],
      "bool", "partitionsCaptures", (ins), "", "return false;">
  ];
}

#endif // PCTL_DIALECT_PCTL_TRANSFORMS_PARTITIONOPINTERFACE_TD
