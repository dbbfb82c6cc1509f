// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Each nccl op as the call that it is. Memrefs are taken apart by ops of the
/// memref dialect, so the conversion does not care when they are lowered.

#include "pctl/Conversion/EntryPoint.h"
#include "pctl/Conversion/Passes.h"
#include "pctl/Dialect/Nccl/IR/Nccl.h"
#include "pctl/Runtime/nccl.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Func/Transforms/FuncConversions.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/Transforms/Patterns.h"
#include "mlir/Transforms/DialectConversion.h"

using namespace mlir;
using namespace pctl;

namespace pctl {
#define GEN_PASS_DEF_NCCLTOLLVMPASS
#include "pctl/Conversion/Passes.h.inc"
} // namespace pctl

/// The runtime's function that checks a status.
static constexpr char kCheckName[] = "pctlCheck";
/// Bytes of an ncclUniqueId.
static constexpr int64_t kUniqueIdBytes = NCCL_UNIQUE_ID_BYTES;

/// Returns NCCL's number of \p type, which the verifier has found to have one.
static ncclDataType_t getDataType(Type type, bool isUnsigned) {
  if (type.isInteger(8))
    return isUnsigned ? ncclUint8 : ncclInt8;
  if (type.isInteger(32))
    return isUnsigned ? ncclUint32 : ncclInt32;
  if (type.isInteger(64))
    return isUnsigned ? ncclUint64 : ncclInt64;
  if (type.isF16())
    return ncclFloat16;
  if (type.isBF16())
    return ncclBfloat16;
  if (type.isF32())
    return ncclFloat32;
  if (type.isF64())
    return ncclFloat64;
  return isa<Float8E4M3FNType>(type) ? ncclFloat8e4m3 : ncclFloat8e5m2;
}

namespace {
/// Emits what goes into calls, and the calls, in front of one op.
class CallEmitter {
public:
  CallEmitter(ConversionPatternRewriter &rewriter, Operation *op)
      : rewriter(rewriter), loc(op->getLoc()), op(op),
        module(op->getParentOfType<ModuleOp>()),
        pointer(LLVM::LLVMPointerType::get(op->getContext())) {}

  Value constant(int64_t value, Type type) {
    return LLVM::ConstantOp::create(rewriter, loc, type, value);
  }
  Value constantI32(int64_t value) {
    return constant(value, rewriter.getI32Type());
  }
  Value null() { return LLVM::ZeroOp::create(rewriter, loc, pointer); }
  Value dataType(Value buffer, bool isUnsigned) {
    Type type = cast<MemRefType>(buffer.getType()).getElementType();
    return constantI32(getDataType(type, isUnsigned));
  }
  /// The address of the first element of \p buffer, which is contiguous.
  Value address(Value buffer);
  /// The number of elements of \p buffer, an i64.
  Value count(Value buffer);
  /// Memory of the function for a value of \p type.
  Value slot(Type type);
  Value load(Type type, Value place) {
    return LLVM::LoadOp::create(rewriter, loc, type, place);
  }

  /// Calls \p name and hands its status to the runtime; \p comm may be null.
  void call(StringRef name, ValueRange arguments, Value comm,
            ArrayAttr argumentAttrs = {});

private:
  LLVM::LLVMFuncOp declare(StringRef name, LLVM::LLVMFunctionType type);
  Value nameOf(StringRef call);

  ConversionPatternRewriter &rewriter;
  Location loc;
  Operation *op;
  ModuleOp module;
  Type pointer;
};
} // namespace

Value CallEmitter::address(Value buffer) {
  Value number =
      memref::ExtractAlignedPointerAsIndexOp::create(rewriter, loc, buffer);
  auto type = cast<MemRefType>(buffer.getType());
  if (!type.getLayout().isIdentity()) {
    auto metadata =
        memref::ExtractStridedMetadataOp::create(rewriter, loc, buffer);
    // NCCL has no type of less than a byte.
    Value bytes = arith::ConstantIndexOp::create(
        rewriter, loc, type.getElementTypeBitWidth() / 8);
    Value start =
        arith::MulIOp::create(rewriter, loc, metadata.getOffset(), bytes);
    number = arith::AddIOp::create(rewriter, loc, number, start);
  }
  number =
      arith::IndexCastOp::create(rewriter, loc, rewriter.getI64Type(), number);
  return LLVM::IntToPtrOp::create(rewriter, loc, pointer, number);
}

Value CallEmitter::count(Value buffer) {
  auto type = cast<MemRefType>(buffer.getType());
  int64_t known = 1;
  Value result;
  for (int64_t dim = 0, rank = type.getRank(); dim != rank; ++dim) {
    if (!type.isDynamicDim(dim)) {
      known *= type.getDimSize(dim);
      continue;
    }
    Value size = memref::DimOp::create(rewriter, loc, buffer, dim);
    size =
        arith::IndexCastOp::create(rewriter, loc, rewriter.getI64Type(), size);
    result = result ? arith::MulIOp::create(rewriter, loc, result, size) : size;
  }
  if (!result)
    return constant(known, rewriter.getI64Type());
  if (known == 1)
    return result;
  return arith::MulIOp::create(rewriter, loc, result,
                               constant(known, rewriter.getI64Type()));
}

Value CallEmitter::slot(Type type) {
  // One for each call, whatever loop it is in.
  OpBuilder::InsertionGuard guard(rewriter);
  if (auto function = op->getParentOfType<FunctionOpInterface>())
    rewriter.setInsertionPointToStart(&function.getFunctionBody().front());
  Value one = constant(1, rewriter.getI64Type());
  return LLVM::AllocaOp::create(rewriter, loc, pointer, type, one);
}

LLVM::LLVMFuncOp CallEmitter::declare(StringRef name,
                                      LLVM::LLVMFunctionType type) {
  if (auto function = module.lookupSymbol<LLVM::LLVMFuncOp>(name))
    return function;
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointToStart(module.getBody());
  return LLVM::LLVMFuncOp::create(rewriter, module.getLoc(), name, type);
}

Value CallEmitter::nameOf(StringRef call) {
  std::string symbol = ("pctl_name_" + call).str();
  auto type = LLVM::LLVMArrayType::get(rewriter.getI8Type(), call.size() + 1);
  if (!module.lookupSymbol<LLVM::GlobalOp>(symbol)) {
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPointToStart(module.getBody());
    LLVM::GlobalOp::create(
        rewriter, module.getLoc(), type, /*isConstant=*/true,
        LLVM::Linkage::Internal, symbol,
        rewriter.getStringAttr(StringRef(call.data(), call.size()).str() +
                               std::string(1, '\0')));
  }
  return LLVM::AddressOfOp::create(rewriter, loc, pointer, symbol);
}

void CallEmitter::call(StringRef name, ValueRange arguments, Value comm,
                       ArrayAttr argumentAttrs) {
  Type i32 = rewriter.getI32Type();
  auto type = LLVM::LLVMFunctionType::get(
      i32, llvm::to_vector_of<Type>(arguments.getTypes()));
  LLVM::LLVMFuncOp function = declare(name, type);
  auto call = LLVM::CallOp::create(rewriter, loc, function, arguments);
  if (argumentAttrs) {
    function.setArgAttrsAttr(argumentAttrs);
    call.setArgAttrsAttr(argumentAttrs);
  }
  auto checkType = LLVM::LLVMFunctionType::get(
      LLVM::LLVMVoidType::get(module.getContext()), {i32, pointer, pointer});
  LLVM::LLVMFuncOp check = declare(kCheckName, checkType);
  LLVM::CallOp::create(
      rewriter, loc, check,
      ValueRange{call.getResult(), comm ? comm : null(), nameOf(name)});
}

//===----------------------------------------------------------------------===//
// Communicators and groups
//===----------------------------------------------------------------------===//

namespace {
struct GetUniqueIdLowering : OpConversionPattern<nccl::GetUniqueIdOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(nccl::GetUniqueIdOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    CallEmitter emitter(rewriter, op);
    emitter.call("ncclGetUniqueId", emitter.address(op.getId()), {});
    rewriter.eraseOp(op);
    return success();
  }
};

struct CommInitRankLowering : OpConversionPattern<nccl::CommInitRankOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(nccl::CommInitRankOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    CallEmitter emitter(rewriter, op);
    auto pointer = LLVM::LLVMPointerType::get(getContext());
    Value place = emitter.slot(pointer);
    // The id is a struct that C passes by value.
    auto idType = LLVM::LLVMStructType::getLiteral(
        getContext(),
        LLVM::LLVMArrayType::get(rewriter.getI8Type(), kUniqueIdBytes));
    DictionaryAttr none = rewriter.getDictionaryAttr({});
    DictionaryAttr byValue = rewriter.getDictionaryAttr(rewriter.getNamedAttr(
        LLVM::LLVMDialect::getByValAttrName(), TypeAttr::get(idType)));
    emitter.call("ncclCommInitRank",
                 {place, adaptor.getSize(), emitter.address(op.getId()),
                  adaptor.getRank()},
                 {}, rewriter.getArrayAttr({none, none, byValue, none}));
    rewriter.replaceOp(op, emitter.load(pointer, place));
    return success();
  }
};

struct CommSplitLowering : OpConversionPattern<nccl::CommSplitOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(nccl::CommSplitOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    CallEmitter emitter(rewriter, op);
    auto pointer = LLVM::LLVMPointerType::get(getContext());
    Value place = emitter.slot(pointer);
    emitter.call("ncclCommSplit",
                 {adaptor.getComm(), adaptor.getColor(), adaptor.getKey(),
                  place, emitter.null()},
                 adaptor.getComm());
    rewriter.replaceOp(op, emitter.load(pointer, place));
    return success();
  }
};

/// A call that takes a communicator alone.
template <typename OpTy> struct CommLowering : OpConversionPattern<OpTy> {
  CommLowering(TypeConverter &converter, MLIRContext *context, StringRef name)
      : OpConversionPattern<OpTy>(converter, context), name(name) {}
  LogicalResult
  matchAndRewrite(OpTy op, typename OpTy::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    // The communicator may be gone after the call.
    CallEmitter(rewriter, op).call(name, adaptor.getComm(), {});
    rewriter.eraseOp(op);
    return success();
  }
  StringRef name;
};

/// A call that gives a number of a communicator.
template <typename OpTy> struct CommQueryLowering : OpConversionPattern<OpTy> {
  CommQueryLowering(TypeConverter &converter, MLIRContext *context,
                    StringRef name)
      : OpConversionPattern<OpTy>(converter, context), name(name) {}
  LogicalResult
  matchAndRewrite(OpTy op, typename OpTy::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    CallEmitter emitter(rewriter, op);
    Type i32 = rewriter.getI32Type();
    Value place = emitter.slot(i32);
    emitter.call(name, {adaptor.getComm(), place}, adaptor.getComm());
    rewriter.replaceOp(op, emitter.load(i32, place));
    return success();
  }
  StringRef name;
};

template <typename OpTy> struct GroupLowering : OpConversionPattern<OpTy> {
  GroupLowering(TypeConverter &converter, MLIRContext *context, StringRef name)
      : OpConversionPattern<OpTy>(converter, context), name(name) {}
  LogicalResult
  matchAndRewrite(OpTy op, typename OpTy::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    CallEmitter(rewriter, op).call(name, {}, {});
    rewriter.eraseOp(op);
    return success();
  }
  StringRef name;
};
} // namespace

//===----------------------------------------------------------------------===//
// Collectives and messages
//===----------------------------------------------------------------------===//

/// Which of its buffers the count of a collective is that of.
enum class CountOf { Send, Recv, RankShareOfSend };

namespace {
/// A collective of a send and a receive buffer; reductions have a kind, rooted
/// ones a root.
template <typename OpTy> struct CollectiveLowering : OpConversionPattern<OpTy> {
  CollectiveLowering(TypeConverter &converter, MLIRContext *context,
                     StringRef name, CountOf countOf)
      : OpConversionPattern<OpTy>(converter, context), name(name),
        countOf(countOf) {}

  LogicalResult
  matchAndRewrite(OpTy op, typename OpTy::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    CallEmitter emitter(rewriter, op);
    SmallVector<Value> arguments = {
        emitter.address(op.getSend()), emitter.address(op.getRecv()),
        getCount(op, adaptor, emitter, rewriter),
        emitter.dataType(op.getSend(), op.getIsUnsigned())};
    if constexpr (llvm::is_one_of<OpTy, nccl::AllReduceOp, nccl::ReduceOp,
                                  nccl::ReduceScatterOp>::value)
      arguments.push_back(emitter.constantI32(int64_t(op.getKind())));
    if constexpr (llvm::is_one_of<OpTy, nccl::ReduceOp, nccl::BroadcastOp,
                                  nccl::GatherOp, nccl::ScatterOp>::value)
      arguments.push_back(emitter.constantI32(op.getRoot()));
    arguments.append({adaptor.getComm(), adaptor.getStream()});
    emitter.call(name, arguments, adaptor.getComm());
    rewriter.eraseOp(op);
    return success();
  }

private:
  Value getCount(OpTy op, typename OpTy::Adaptor adaptor, CallEmitter &emitter,
                 ConversionPatternRewriter &rewriter) const {
    if (countOf == CountOf::Recv)
      return emitter.count(op.getRecv());
    Value count = emitter.count(op.getSend());
    if (countOf == CountOf::Send)
      return count;
    Type i32 = rewriter.getI32Type();
    Value place = emitter.slot(i32);
    emitter.call("ncclCommCount", {adaptor.getComm(), place},
                 adaptor.getComm());
    Value size = LLVM::ZExtOp::create(
        rewriter, op.getLoc(), rewriter.getI64Type(), emitter.load(i32, place));
    return arith::DivUIOp::create(rewriter, op.getLoc(), count, size);
  }

  StringRef name;
  CountOf countOf;
};

template <typename OpTy> struct MessageLowering : OpConversionPattern<OpTy> {
  MessageLowering(TypeConverter &converter, MLIRContext *context,
                  StringRef name)
      : OpConversionPattern<OpTy>(converter, context), name(name) {}
  LogicalResult
  matchAndRewrite(OpTy op, typename OpTy::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    CallEmitter emitter(rewriter, op);
    emitter.call(name,
                 {emitter.address(op.getBuffer()),
                  emitter.count(op.getBuffer()),
                  emitter.dataType(op.getBuffer(), op.getIsUnsigned()),
                  adaptor.getPeer(), adaptor.getComm(), adaptor.getStream()},
                 adaptor.getComm());
    rewriter.eraseOp(op);
    return success();
  }
  StringRef name;
};
} // namespace

//===----------------------------------------------------------------------===//
// Pass
//===----------------------------------------------------------------------===//

static void populatePatterns(TypeConverter &types,
                             RewritePatternSet &patterns) {
  MLIRContext *context = patterns.getContext();
  patterns.add<GetUniqueIdLowering, CommInitRankLowering, CommSplitLowering>(
      types, context);
  patterns.add<CommLowering<nccl::CommFinalizeOp>>(types, context,
                                                   "ncclCommFinalize");
  patterns.add<CommLowering<nccl::CommDestroyOp>>(types, context,
                                                  "ncclCommDestroy");
  patterns.add<CommLowering<nccl::CommAbortOp>>(types, context,
                                                "ncclCommAbort");
  patterns.add<CommQueryLowering<nccl::CommCountOp>>(types, context,
                                                     "ncclCommCount");
  patterns.add<CommQueryLowering<nccl::CommUserRankOp>>(types, context,
                                                        "ncclCommUserRank");
  patterns.add<GroupLowering<nccl::GroupStartOp>>(types, context,
                                                  "ncclGroupStart");
  patterns.add<GroupLowering<nccl::GroupEndOp>>(types, context, "ncclGroupEnd");
  patterns.add<CollectiveLowering<nccl::AllReduceOp>>(
      types, context, "ncclAllReduce", CountOf::Send);
  patterns.add<CollectiveLowering<nccl::ReduceOp>>(types, context, "ncclReduce",
                                                   CountOf::Send);
  patterns.add<CollectiveLowering<nccl::BroadcastOp>>(
      types, context, "ncclBroadcast", CountOf::Send);
  patterns.add<CollectiveLowering<nccl::AllGatherOp>>(
      types, context, "ncclAllGather", CountOf::Send);
  patterns.add<CollectiveLowering<nccl::ReduceScatterOp>>(
      types, context, "ncclReduceScatter", CountOf::Recv);
  patterns.add<CollectiveLowering<nccl::AllToAllOp>>(
      types, context, "ncclAlltoAll", CountOf::RankShareOfSend);
  patterns.add<CollectiveLowering<nccl::GatherOp>>(types, context, "ncclGather",
                                                   CountOf::Send);
  patterns.add<CollectiveLowering<nccl::ScatterOp>>(
      types, context, "ncclScatter", CountOf::Recv);
  patterns.add<MessageLowering<nccl::SendOp>>(types, context, "ncclSend");
  patterns.add<MessageLowering<nccl::RecvOp>>(types, context, "ncclRecv");
}

/// Fails where \p module has a symbol that a declaration would meet and that is
/// not itself such a declaration.
static LogicalResult checkNames(ModuleOp module) {
  for (Operation &op : *module.getBody()) {
    auto symbol = dyn_cast<SymbolOpInterface>(op);
    if (!symbol || isa<LLVM::LLVMFuncOp>(op))
      continue;
    StringRef name = symbol.getName();
    if (name == kCheckName || name.starts_with("pctl_name_nccl") ||
        (name.starts_with("nccl") && name.size() > 4 && llvm::isUpper(name[4])))
      return op.emitError("symbol '")
             << name << "' is taken by the runtime; call it another name";
  }
  return success();
}

namespace {
struct NcclToLLVM : pctl::impl::NcclToLLVMPassBase<NcclToLLVM> {
  void runOnOperation() override {
    if (failed(checkNames(getOperation())))
      return signalPassFailure();
    TypeConverter types;
    types.addConversion([](Type type) { return type; });
    auto toPointer = [](Type type) -> Type {
      return LLVM::LLVMPointerType::get(type.getContext());
    };
    types.addConversion([=](nccl::CommType type) { return toPointer(type); });
    types.addConversion([=](nccl::StreamType type) { return toPointer(type); });

    RewritePatternSet patterns(&getContext());
    ConversionTarget target(getContext());
    target.addIllegalDialect<nccl::NcclDialect>();
    target.addDynamicallyLegalOp<func::FuncOp>([&](func::FuncOp function) {
      return types.isSignatureLegal(function.getFunctionType()) &&
             types.isLegal(&function.getBody());
    });
    target.markUnknownOpDynamicallyLegal(
        [&](Operation *op) { return types.isLegal(op); });
    populateFunctionOpInterfaceTypeConversionPattern<func::FuncOp>(patterns,
                                                                   types);
    populateCallOpTypeConversionPattern(patterns, types);
    populateReturnOpTypeConversionPattern(patterns, types);
    populateBranchOpInterfaceTypeConversionPattern(patterns, types);
    scf::populateSCFStructuralTypeConversionsAndLegality(types, patterns,
                                                         target);
    populatePatterns(types, patterns);
    if (failed(applyPartialConversion(getOperation(), target,
                                      std::move(patterns))))
      return signalPassFailure();
    dropAxes();
  }

  /// The axes of communicators have said what they had to.
  void dropAxes() {
    auto name = StringAttr::get(&getContext(), kCommArgAttrName);
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      for (unsigned i = 0, e = function.getNumArguments(); i != e; ++i)
        function.removeArgAttr(i, name);
      for (unsigned i = 0, e = function.getNumResults(); i != e; ++i)
        function.removeResultAttr(i, name);
    }
    getOperation()->removeAttr("pctl.form");
  }
};
} // namespace
