// RUN: pctl-opt %s | pctl-opt | FileCheck %s
// RUN: pctl-opt %s --emit-bytecode | pctl-opt | FileCheck %s

// CHECK: func.func private @layouts
// CHECK-SAME: a = #pctl.layout<@m, []>
// CHECK-SAME: b = #pctl.layout<@m, [{}, {?}, {"x"}, {"x", "y":(1)2, ?}]>
// CHECK-SAME: c = #pctl.layout<@m, [{"x"}:[2, 3, 1], {}]>
// CHECK-SAME: d = #pctl.layout<@m, [], partial = [sum("x"), maximumf("y", "z":(2)4)]>
// CHECK-SAME: e = #pctl.layout<@"a mesh", [{"an axis"}]>
func.func private @layouts() attributes {
  a = #pctl.layout<@m, []>,
  b = #pctl.layout<@m, [{}, {?}, {"x"}, {"x", "y":(1)2, ?}]>,
  c = #pctl.layout<@m, [{"x"}:[2, 3, 1], {}]>,
  d = #pctl.layout<@m, [], partial = [sum("x"), maximumf("y", "z":(2)4)]>,
  e = #pctl.layout<@"a mesh", [{"an axis"}]>
}

// CHECK: func.func private @parts_of_layouts
// CHECK-SAME: a = #pctl.axis<"x">, b = #pctl.axis<"x":(2)4>
// CHECK-SAME: c = #pctl.dim<{"x", ?}>, d = #pctl.partial<sum("x")>
// CHECK-SAME: e = #pctl.mesh_axes<["x"=2, "y"=3]>, f = #pctl.mesh_axis<"x"=2>
func.func private @parts_of_layouts() attributes {
  a = #pctl.axis<"x">, b = #pctl.axis<"x":(2)4>,
  c = #pctl.dim<{"x", ?}>, d = #pctl.partial<sum("x")>,
  e = #pctl.mesh_axes<["x"=2, "y"=3]>, f = #pctl.mesh_axis<"x"=2>
}

// CHECK: func.func private @kinds
// CHECK-SAME: a = [#pctl.kind<sum>, #pctl.kind<product>, #pctl.kind<maxsi>, #pctl.kind<maxui>, #pctl.kind<maximumf>, #pctl.kind<maxnumf>, #pctl.kind<minsi>, #pctl.kind<minui>, #pctl.kind<minimumf>, #pctl.kind<minnumf>, #pctl.kind<and>, #pctl.kind<or>, #pctl.kind<xor>]
func.func private @kinds() attributes {
  a = [#pctl.kind<sum>, #pctl.kind<product>, #pctl.kind<maxsi>, #pctl.kind<maxui>, #pctl.kind<maximumf>, #pctl.kind<maxnumf>, #pctl.kind<minsi>, #pctl.kind<minui>, #pctl.kind<minimumf>, #pctl.kind<minnumf>, #pctl.kind<and>, #pctl.kind<or>, #pctl.kind<xor>]
}
