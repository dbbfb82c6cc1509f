// Every message is whole; each run is about the one program below.

// DEFINE: %{mesh} = data=2,model=4
// DEFINE: %{layouts} =
// DEFINE: %{name} =
// DEFINE: %{run} = not pctl-opt %s --pctl-apply-strategy='mesh="%{mesh}" \
// DEFINE:   layouts="%{layouts}"' 2>&1 | FileCheck %s --check-prefix=%{name}

// REDEFINE: %{name} = FUNCTION
// REDEFINE: %{layouts} = nobody:0=[{data},{}]
// RUN: %{run}
// FUNCTION: error: layouts are given for 'nobody', but the module has no function of that name{{$}}

// REDEFINE: %{name} = RANGE
// REDEFINE: %{layouts} = 2=[{data},{}]
// RUN: %{run}
// RANGE: :[[#@LINE+58]]:1: error: 'func.func' op has 2 arguments, so there is no argument #2{{$}}

// REDEFINE: %{name} = RESULT
// REDEFINE: %{layouts} = result1=[{data},{}]
// RUN: %{run}
// RESULT: error: 'func.func' op has 1 results, so there is no result #1{{$}}

// REDEFINE: %{name} = RANK
// REDEFINE: %{layouts} = 0=[{data}]
// RUN: %{run}
// RANK: error: 'func.func' op argument #0 can't be laid out so: layout has 1 dims, tensor has rank 2{{$}}

// REDEFINE: %{name} = TYPE
// REDEFINE: %{layouts} = 1=[]
// RUN: %{run}
// TYPE: error: 'func.func' op argument #1 is of type 'i32', and only ranked tensors have layouts{{$}}

// REDEFINE: %{name} = KEY
// REDEFINE: %{layouts} = first=[{data},{}]
// RUN: %{run}
// KEY: error: layout of 'first', which is neither an argument such as '0' or 'main:0' nor a result such as 'result0'{{$}}

// REDEFINE: %{name} = EQUALS
// REDEFINE: %{layouts} = [{data},{}]
// RUN: %{run}
// EQUALS: error: layout '[{data},{}]' has no '=' between what it is about and how that is laid out{{$}}

// REDEFINE: %{name} = SEPARATOR
// REDEFINE: %{layouts} = 0=[{data},{}],1=[]
// RUN: %{run}
// SEPARATOR: error: layout of argument #0: expected ';' before ',1=[]'{{$}}

// REDEFINE: %{name} = AXIS
// REDEFINE: %{layouts} = 0=[{dat},{}]
// RUN: %{run}
// AXIS: error: layout of argument #0: mesh has no axis 'dat'; its axes are 'data' (size 2), 'model' (size 4){{$}}

// REDEFINE: %{name} = MESHTEXT
// REDEFINE: %{mesh} = data=0
// RUN: %{run}
// MESHTEXT: error: mesh: axis 'data' has size 0, it must be at least 1{{$}}

// The mesh of the program is another, or there is none.
// RUN: pctl-opt %s --pctl-apply-strategy='mesh="a=2"' -o %t.mlir
// RUN: not pctl-opt %t.mlir --pctl-apply-strategy='mesh="a=4"' 2>&1 \
// RUN:   | FileCheck %s --check-prefix=DIFFERENT
// DIFFERENT: error: mesh is to be 'a=4', but the module declares 'a=2'{{$}}
// DIFFERENT: note: mesh declared here{{$}}
// RUN: not pctl-opt %s --pctl-apply-strategy='layouts="0=[{},{}]"' 2>&1 \
// RUN:   | FileCheck %s --check-prefix=UNDECLARED
// UNDECLARED: error: module declares no mesh{{$}}

// An annotation is never replaced.
// RUN: pctl-opt %s --pctl-apply-strategy='mesh="a=2" layouts="0=[{a},{}]"' -o %t.mlir
// RUN: not pctl-opt %t.mlir --pctl-apply-strategy='layouts="0=[{},{a}]"' 2>&1 \
// RUN:   | FileCheck %s --check-prefix=ANNOTATED
// ANNOTATED: error: 'func.func' op argument #0 is to be laid out as #pctl.layout<@mesh, [{}, {"a"}]>, but is annotated as #pctl.layout<@mesh, [{"a"}, {}]>{{$}}

func.func @main(%x: tensor<8x6xf32>, %n: i32) -> tensor<8x6xf32> {
  return %x : tensor<8x6xf32>
}
