// Every message is whole; each run is about the one program below.

// DEFINE: %{strategy} =
// DEFINE: %{name} =
// DEFINE: %{run} = not pctl-opt %s --pctl-apply-dataset-strategy='strategy="%{strategy}"' \
// DEFINE:   2>&1 | FileCheck %s --check-prefix=%{name}

// REDEFINE: %{name} = KIND
// REDEFINE: %{strategy} = half_batch
// RUN: %{run}
// KIND: error: dataset strategy is 'half_batch', expected 'data_parallel', 'full_batch', tuples of cuts such as '((4,1),(4,1))' or layouts such as '[{data},{}]'{{$}}

// REDEFINE: %{name} = MIXED
// REDEFINE: %{strategy} = ((4,1),[{a}])
// RUN: %{run}
// MIXED: error: dataset strategy mixes cuts and layouts, expected one kind for all data inputs{{$}}

// REDEFINE: %{strategy} = [{a},{}];(4)
// RUN: %{run}

// REDEFINE: %{name} = SYNTAX
// REDEFINE: %{strategy} = ((4,x))
// RUN: %{run}
// SYNTAX: error: dataset strategy '((4,x))': expected tuples of cuts such as '((4,1),(4,1))', found 'x))'{{$}}

// REDEFINE: %{name} = COUNT
// REDEFINE: %{strategy} = ((4,1))
// RUN: %{run}
// COUNT: error: 'func.func' op has 2 data inputs, but the dataset strategy is for 1{{$}}

// REDEFINE: %{name} = RANK
// REDEFINE: %{strategy} = ((4),(4))
// RUN: %{run}
// RANK: error: 'func.func' op data input #0 has tensor rank 2, but the dataset strategy has 1 cuts for it{{$}}

// REDEFINE: %{name} = LAYOUTRANK
// REDEFINE: %{strategy} = [{a}];[{a}]
// RUN: %{run}
// LAYOUTRANK: error: 'func.func' op data input #0 has tensor rank 2, but the dataset strategy has a layout of 1 dims for it{{$}}

// REDEFINE: %{name} = DIVIDE
// REDEFINE: %{strategy} = ((3,1),(4))
// RUN: %{run}
// DIVIDE: error: 'func.func' op data input #0 is to be cut in more ways than divide the 8 ranks of mesh @m{{$}}

// REDEFINE: %{name} = ZERO
// REDEFINE: %{strategy} = ((0,1),(4))
// RUN: %{run}
// ZERO: error: 'func.func' op data input #0 is to be cut 0 ways, expected 1 or more{{$}}

// REDEFINE: %{name} = SEPARATOR
// REDEFINE: %{strategy} = [{a},{}],[{a}]
// RUN: %{run}
// SEPARATOR: error: dataset strategy: expected ';' before ',[{a}]'{{$}}

// RUN: not pctl-opt %s --pctl-apply-dataset-strategy='data-args=7' 2>&1 \
// RUN:   | FileCheck %s --check-prefix=ARGUMENT
// ARGUMENT: error: 'func.func' op has 2 arguments, so there is no argument #7{{$}}

pctl.mesh @m <["a"=4, "b"=2]>
func.func @main(%x: tensor<8x6xf32> {pctl.data}, %y: tensor<8xf32> {pctl.data}) {
  return
}
