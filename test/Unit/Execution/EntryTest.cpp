// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// How programs are called: what entries take and return, whose the memory is,
/// and what compiling and calling refuse.

#include "Harness.h"

#include "pctl/Runtime/nccl.h"

#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

#include <malloc.h>

using namespace pctl;
using namespace pctl::execution;
using namespace pctl::test;

static const Entry *getMain(const Compiled &compiled) {
  auto entry = compiled.program->getEntry("main");
  if (entry)
    return *entry;
  ADD_FAILURE() << llvm::toString(entry.takeError());
  return nullptr;
}

/// Calls \p entry alone and returns the text of its error.
static std::string getCallError(const Entry &entry,
                                llvm::ArrayRef<Value> arguments,
                                llvm::ArrayRef<void *> comms = {}) {
  auto results = entry.call({nullptr, comms, nullptr}, arguments);
  if (results)
    return "";
  return llvm::toString(results.takeError());
}

TEST(Entry, RunsAProgramWithoutCollectivesAlone) {
  Compiled compiled = compileText(R"(
    func.func @main(%a: tensor<?x3xf32>, %b: tensor<3x2xf32>) -> tensor<?x2xf32> {
      %c0 = arith.constant 0 : index
      %zero = arith.constant 0.0 : f32
      %n = tensor.dim %a, %c0 : tensor<?x3xf32>
      %e = tensor.empty(%n) : tensor<?x2xf32>
      %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x2xf32>) -> tensor<?x2xf32>
      %r = linalg.matmul ins(%a, %b : tensor<?x3xf32>, tensor<3x2xf32>)
          outs(%f : tensor<?x2xf32>) -> tensor<?x2xf32>
      return %r : tensor<?x2xf32>
    })");
  ASSERT_TRUE(compiled.program);
  const Entry *entry = getMain(compiled);
  EXPECT_EQ(entry->getNumComms(), 0u);
  EXPECT_TRUE(entry->makeComms(nullptr).empty());
  float a[] = {1, 2, 3, 4, 5, 6}, b[] = {1, 0, 0, 1, 1, 1};
  Value arguments[] = {Value::ofBuffer(a, {2, 3}), Value::ofBuffer(b, {3, 2})};
  auto results = entry->call({}, arguments);
  ASSERT_TRUE(bool(results)) << llvm::toString(results.takeError());
  ASSERT_EQ(results->size(), 1u);
  const Value &result = results->front();
  EXPECT_EQ(result.getShape(), llvm::ArrayRef<int64_t>({2, 2}));
  EXPECT_TRUE(result.isRowMajor());
  const float *data = static_cast<const float *>(result.getData());
  EXPECT_EQ(std::vector<float>(data, data + 4),
            (std::vector<float>{4, 5, 10, 11}));
}

TEST(Entry, PassesScalarsAndSeveralResults) {
  Compiled compiled = compileText(R"(
    func.func @main(%x: tensor<2xf64>, %n: index, %b: i1, %h: f16)
        -> (i1, tensor<2xf64>, f16, index, tensor<f64>, i128) {
      %m = arith.addi %n, %n : index
      %not = arith.xori %b, %b : i1
      %c0 = arith.constant 0 : index
      %first = tensor.extract %x[%c0] : tensor<2xf64>
      %s = tensor.from_elements %first : tensor<f64>
      %wide = arith.constant 170141183460469231731687303715884105727 : i128
      return %not, %x, %h, %m, %s, %wide
          : i1, tensor<2xf64>, f16, index, tensor<f64>, i128
    })");
  ASSERT_TRUE(compiled.program);
  double x[] = {1.5, 2.5};
  int64_t n = 21;
  bool b = true;
  uint16_t h = 0x3C00;
  Value arguments[] = {Value::ofBuffer(x, {2}), Value::ofScalar(&n, 8),
                       Value::ofScalar(&b, 1), Value::ofScalar(&h, 2)};
  auto results = getMain(compiled)->call({}, arguments);
  ASSERT_TRUE(bool(results)) << llvm::toString(results.takeError());
  ASSERT_EQ(results->size(), 6u);
  EXPECT_EQ(*static_cast<const bool *>((*results)[0].getData()), false);
  const double *same = static_cast<const double *>((*results)[1].getData());
  EXPECT_EQ(same[1], 2.5);
  EXPECT_NE(same, x) << "a result is the caller's own";
  EXPECT_EQ(*static_cast<const uint16_t *>((*results)[2].getData()), 0x3C00);
  EXPECT_EQ(*static_cast<const int64_t *>((*results)[3].getData()), 42);
  EXPECT_FALSE((*results)[3].isBuffer());
  EXPECT_EQ(*static_cast<const double *>((*results)[4].getData()), 1.5);
  EXPECT_TRUE((*results)[4].getShape().empty());
  const uint64_t *wide = static_cast<const uint64_t *>((*results)[5].getData());
  EXPECT_EQ(wide[0], UINT64_MAX);
  EXPECT_EQ(wide[1], UINT64_MAX >> 1);
}

TEST(Entry, ReturnsOneScalar) {
  for (const char *type : {"f32", "i64", "complex<f32>"}) {
    Compiled compiled =
        compileText(std::string("func.func @main(%x: ") + type + ") -> " +
                    type + " { return %x : " + type + " }");
    ASSERT_TRUE(compiled.program);
    const char bytes[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    int64_t size = llvm::StringRef(type) == "f32" ? 4 : 8;
    auto results = getMain(compiled)->call({}, Value::ofScalar(bytes, size));
    ASSERT_TRUE(bool(results));
    EXPECT_EQ(std::memcmp((*results)[0].getData(), bytes, size), 0) << type;
  }
}

TEST(Entry, LeavesItsInputsAlone) {
  // The sum could be computed in the argument, and the constant returned as is.
  Array input = Array::of<float>({3}, {1, 2, 3});
  auto results = run(R"(
    func.func @main(%x: tensor<3xf32>) -> (tensor<3xf32>, tensor<2xi32>) {
      %r = linalg.add ins(%x, %x : tensor<3xf32>, tensor<3xf32>)
          outs(%x : tensor<3xf32>) -> tensor<3xf32>
      %c = arith.constant dense<[7, 8]> : tensor<2xi32>
      return %r, %c : tensor<3xf32>, tensor<2xi32>
    })",
                     1, {{input}});
  EXPECT_EQ(results[0][0], Array::of<float>({3}, {2, 4, 6}));
  EXPECT_EQ(results[0][1], Array::of<int32_t>({2}, {7, 8}));
}

/// Returns the bytes that the process has allocated and not freed.
static size_t getBytesInUse() {
  struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

TEST(Entry, FreesAllThatItDoesNotReturn) {
  // Staging memory, tensors on the way, and a tensor that a loop carries.
  Compiled compiled = compileText(R"(
    pctl.mesh @m <["x"=2]>
    func.func @main(%x: tensor<?x64xi16>) -> tensor<101x?xi16> {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c3 = arith.constant 3 : index
      %n = tensor.dim %x, %c0 : tensor<?x64xi16>
      %l = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %x) -> tensor<?x64xi16> {
        %e = tensor.empty(%n) : tensor<?x64xi16>
        %r = linalg.add ins(%a, %x : tensor<?x64xi16>, tensor<?x64xi16>)
            outs(%e : tensor<?x64xi16>) -> tensor<?x64xi16>
        scf.yield %r : tensor<?x64xi16>
      }
      %o, %s = pctl.block_range 64 by ["x"] on @m : index, index
      %f = tensor.empty(%s) : tensor<101x?xi16>
      %c = tensor.cast %f : tensor<101x?xi16> to tensor<101x32xi16>
      %g = pctl.exchange ins(%l : tensor<?x64xi16>)
          outs(%c : tensor<101x32xi16>)
          from <@m, [{"x"}, {}]> to <@m, [{}, {"x"}]> of tensor<101x64xi16>
          axes = ["x"] on @m -> tensor<101x32xi16>
      %h = tensor.empty() : tensor<101x32xi16>
      %k = pctl.all_reduce ins(%g : tensor<101x32xi16>)
          outs(%h : tensor<101x32xi16>) kind = xor axes = ["x"] on @m
          -> tensor<101x32xi16>
      %d = tensor.cast %k : tensor<101x32xi16> to tensor<101x?xi16>
      return %d : tensor<101x?xi16>
    })");
  ASSERT_TRUE(compiled.program);
  const Entry *entry = getMain(compiled);
  // Ranks call by turns of all, so that what is in use is only what stays.
  auto callOften = [&](int times) {
    runRanks(2, [&](int rank, void *world) {
      std::vector<void *> comms = entry->makeComms(world);
      Array input = Array::zeros({51 - rank, 64}, 2);
      for (int i = 0; i < times; ++i) {
        auto results =
            entry->call({world, comms, nullptr},
                        Value::ofBuffer(input.bytes.data(), input.shape));
        EXPECT_TRUE(bool(results));
      }
      for (void *comm : comms)
        ncclCommDestroy(static_cast<ncclComm_t>(comm));
    });
    return getBytesInUse();
  };
  size_t few = callOften(1), alsoFew = callOften(1), many = callOften(200);
  // Each call makes more than 40 KiB; the host library keeps some for each
  // communicator.
  EXPECT_LT(many, alsoFew + (alsoFew - std::min(few, alsoFew)) + 64 * 1024);
}

TEST(Entry, HandsCommunicatorsToCallees) {
  // A private callee, called in a loop, and a public one.
  const char *text = R"(
    pctl.mesh @m <["x"=2, "y"=2]>
    func.func private @over_x(%v: tensor<1xi32>) -> tensor<1xi32> {
      %e = tensor.empty() : tensor<1xi32>
      %r = pctl.all_reduce ins(%v : tensor<1xi32>) outs(%e : tensor<1xi32>)
          kind = sum axes = ["x"] on @m -> tensor<1xi32>
      return %r : tensor<1xi32>
    }
    func.func @over_y(%v: tensor<1xi32>) -> tensor<1xi32> {
      %e = tensor.empty() : tensor<1xi32>
      %r = pctl.all_reduce ins(%v : tensor<1xi32>) outs(%e : tensor<1xi32>)
          kind = product axes = ["y"] on @m -> tensor<1xi32>
      return %r : tensor<1xi32>
    }
    func.func private @place() -> index {
      %p = pctl.axis_index ["y", "x"] on @m : index
      return %p : index
    }
    func.func private @plain(%v: tensor<1xi32>) -> tensor<1xi32> {
      return %v : tensor<1xi32>
    }
    func.func @main(%v: tensor<1xi32>) -> (tensor<1xi32>, index) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c3 = arith.constant 3 : index
      %l = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %v) -> tensor<1xi32> {
        %n = func.call @over_x(%a) : (tensor<1xi32>) -> tensor<1xi32>
        scf.yield %n : tensor<1xi32>
      }
      %s = func.call @plain(%l) : (tensor<1xi32>) -> tensor<1xi32>
      %r = func.call @over_y(%s) : (tensor<1xi32>) -> tensor<1xi32>
      %p = func.call @place() : () -> index
      return %r, %p : tensor<1xi32>, index
    })";
  std::vector<std::vector<Array>> inputs;
  for (int rank = 0; rank < 4; ++rank)
    inputs.push_back({Array::of<int32_t>({1}, {rank + 1})});
  auto results = run(text, 4, inputs);
  // Ranks 0 and 2 add up to 4 and then double twice, 1 and 3 to 6.
  const int64_t places[] = {0, 2, 1, 3};
  for (int rank = 0; rank < 4; ++rank) {
    EXPECT_EQ(results[rank][0], Array::of<int32_t>({1}, {16 * 24}));
    EXPECT_EQ(results[rank][1].get<int64_t>(0), places[rank]);
  }
}

TEST(Entry, KnowsWhatItTakes) {
  Compiled compiled = compileText(R"(
    pctl.mesh @m <["x"=2, "y"=2]>
    func.func @main(%v: tensor<1x?xi32>) -> tensor<2x?xi32> {
      %c1 = arith.constant 1 : index
      %n = tensor.dim %v, %c1 : tensor<1x?xi32>
      %e = tensor.empty(%n) : tensor<2x?xi32>
      %r = pctl.all_gather ins(%v : tensor<1x?xi32>) outs(%e : tensor<2x?xi32>)
          dim = 0 axes = ["y"] on @m -> tensor<2x?xi32>
      %s = pctl.all_reduce ins(%r : tensor<2x?xi32>) outs(%e : tensor<2x?xi32>)
          kind = sum axes = ["x", "y"] on @m -> tensor<2x?xi32>
      return %s : tensor<2x?xi32>
    }
    func.func private @unused())");
  ASSERT_TRUE(compiled.program);
  ASSERT_EQ(compiled.program->getEntries().size(), 1u);
  const Entry *entry = getMain(compiled);
  EXPECT_EQ(entry->getNumComms(), 2u);
  EXPECT_EQ(entry->getArgumentTypes().size(), 1u);
  EXPECT_EQ(entry->getResultTypes().size(), 1u);

  int32_t data[4] = {};
  void *comms[2] = {};
  Value good[] = {Value::ofBuffer(data, {1, 4})};
  EXPECT_EQ(getCallError(*entry, good),
            "'main' needs 2 communicators, but got 0");
  EXPECT_EQ(getCallError(*entry, {}, comms),
            "'main' takes 1 arguments, but got 0");
  EXPECT_EQ(getCallError(*entry, Value::ofScalar(data, 4), comms),
            "argument 0 of 'main' is a buffer, but got a scalar");
  EXPECT_EQ(getCallError(*entry, Value::ofBuffer(data, {4}), comms),
            "argument 0 of 'main' has 2 dims, but got 1");
  EXPECT_EQ(getCallError(*entry, Value::ofBuffer(data, {2, 2}), comms),
            "dim 0 of argument 0 of 'main' has size 1, but got 2");
  EXPECT_EQ(llvm::toString(compiled.program->getEntry("f").takeError()),
            "program has no entry 'f'; it has [main]");
}

TEST(Compile, RefusesWhatItCannotRun) {
  auto getError = [](mlir::ModuleOp module, const CompileOptions &options) {
    auto program = compile(module, options);
    return program ? std::string() : llvm::toString(program.takeError());
  };
  mlir::MLIRContext &context = getContext();
  auto planned = mlir::parseSourceString<mlir::ModuleOp>(
      "func.func @f() { return }", &context);
  EXPECT_EQ(getError(*planned, {}),
            "op 'func.func' is not in executable form; run "
            "pctl-to-llvm-pipeline first");
  CompileOptions level;
  level.optLevel = 4;
  EXPECT_EQ(getError(*planned, level),
            "optimization level 4 is not one of 0 to 3");

  std::string message;
  auto plain = lowerText("func.func @f() { return }", message);
  ASSERT_TRUE(bool(plain));
  CompileOptions library;
  library.libraries = {"/nowhere/libnone.so"};
  EXPECT_EQ(getError(*plain, library),
            "cannot load library '/nowhere/libnone.so': /nowhere/libnone.so: "
            "cannot open shared object file: No such file or directory");

  auto unresolved = lowerText("func.func private @pctl_no_such_function()\n"
                              "func.func @f() {\n"
                              "  call @pctl_no_such_function() : () -> ()\n"
                              "  return\n}",
                              message);
  ASSERT_TRUE(bool(unresolved));
  EXPECT_EQ(getError(*unresolved, {}),
            "function 'pctl_no_such_function' is defined neither by the "
            "program nor by a library that is loaded");
}

TEST(Compile, TakesEveryOptimizationLevel) {
  for (unsigned level = 0; level <= 3; ++level) {
    auto results = run("func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {\n"
                       "  %r = math.exp %x : tensor<2xf32>\n"
                       "  return %r : tensor<2xf32>\n}",
                       1, {{Array::of<float>({2}, {0, 0})}}, level);
    EXPECT_EQ(results[0][0], Array::of<float>({2}, {1, 1}));
  }
}

TEST(Compile, ComputesInSmallFloats) {
  // bf16 has no instructions here; 1 + 2^-8 rounds to even, that is to 1.
  auto results = run(R"(
    func.func @main(%x: tensor<2xbf16>, %y: tensor<2xf16>)
        -> (tensor<2xbf16>, tensor<2xf16>) {
      %r = arith.addf %x, %x : tensor<2xbf16>
      %s = math.tanh %r : tensor<2xbf16>
      %t = arith.mulf %y, %y : tensor<2xf16>
      %u = math.erf %t : tensor<2xf16>
      return %s, %t : tensor<2xbf16>, tensor<2xf16>
    })",
                     1,
                     {{Array::of<uint16_t>({2}, {0x0000, 0x4100}),
                       Array::of<uint16_t>({2}, {0x4000, 0x3C00})}});
  EXPECT_EQ(results[0][0], Array::of<uint16_t>({2}, {0x0000, 0x3F80}));
  EXPECT_EQ(results[0][1], Array::of<uint16_t>({2}, {0x4400, 0x3C00}));
}

TEST(Compile, CopiesIntoBuffersWithGaps) {
  auto results = run(R"(
    func.func @main(%x: tensor<2x3xi32>, %y: tensor<2x2xi32>) -> tensor<2x3xi32> {
      %r = tensor.insert_slice %y into %x[0, 1] [2, 2] [1, 1]
          : tensor<2x2xi32> into tensor<2x3xi32>
      return %r : tensor<2x3xi32>
    })",
                     1,
                     {{Array::of<int32_t>({2, 3}, {1, 2, 3, 4, 5, 6}),
                       Array::of<int32_t>({2, 2}, {7, 8, 9, 10})}});
  EXPECT_EQ(results[0][0], Array::of<int32_t>({2, 3}, {1, 7, 8, 4, 9, 10}));
}

TEST(Compile, OrdersZerosBySign) {
  auto results = run(R"(
    func.func @main(%x: tensor<2xf32>, %y: tensor<2xf32>)
        -> (tensor<2xf32>, tensor<2xf32>) {
      %r = arith.maximumf %x, %y : tensor<2xf32>
      %s = arith.minimumf %x, %y : tensor<2xf32>
      return %r, %s : tensor<2xf32>, tensor<2xf32>
    })",
                     1,
                     {{Array::of<float>({2}, {0.0f, -0.0f}),
                       Array::of<float>({2}, {-0.0f, 0.0f})}});
  EXPECT_EQ(results[0][0], Array::of<float>({2}, {0.0f, 0.0f}));
  EXPECT_EQ(results[0][1], Array::of<float>({2}, {-0.0f, -0.0f}));
}

TEST(Compile, RunsASoftmax) {
  auto results = run(R"(
    func.func @main(%x: tensor<1x2xf32>) -> tensor<1x2xf32> {
      %e = tensor.empty() : tensor<1x2xf32>
      %r = linalg.softmax dimension(1) ins(%x : tensor<1x2xf32>)
          outs(%e : tensor<1x2xf32>) -> tensor<1x2xf32>
      return %r : tensor<1x2xf32>
    })",
                     1, {{Array::of<float>({1, 2}, {3, 3})}});
  EXPECT_EQ(results[0][0], Array::of<float>({1, 2}, {0.5, 0.5}));
}
