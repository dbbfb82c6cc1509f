// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// The loops of the reductions: one block of elements at a time stays in the
/// nearest cache while every rank's contribution is added to it.

#include "Reduction.h"
#include "DataTypes.h"
#include <algorithm>
#include <type_traits>

using namespace pctl::hostnccl;

const char *pctl::hostnccl::nameOfReduction(Reduction reduction) {
  constexpr const char *names[] = {"sum", "prod", "max",
                                   "min", "avg",  "premulsum"};
  return names[static_cast<int>(reduction)];
}

/// Whether T is one of the types that are combined as float.
template <typename T> static constexpr bool isSmall = std::is_class_v<T>;

/// The type that T is combined in. Integers are combined unsigned, where going
/// past the end is defined to wrap; 8-bit ones too.
template <typename T, typename = void> struct AccumulatorOf {
  using type = T;
};
template <typename T> struct AccumulatorOf<T, std::enable_if_t<isSmall<T>>> {
  using type = float;
};
template <typename T> using Accumulator = typename AccumulatorOf<T>::type;

template <typename T> static Accumulator<T> widen(T value) {
  if constexpr (isSmall<T>)
    return T::toFloat(value);
  else
    return value;
}

template <typename T> static T narrow(Accumulator<T> value) {
  if constexpr (isSmall<T>)
    return T::fromFloat(value);
  else
    return value;
}

template <typename A> static A add(A a, A b) {
  if constexpr (std::is_integral_v<A>) {
    using Unsigned = std::make_unsigned_t<A>;
    return static_cast<A>(static_cast<Unsigned>(a) + static_cast<Unsigned>(b));
  } else {
    return a + b;
  }
}

template <typename A> static A multiply(A a, A b) {
  // At least 32 bits wide: the product of two promoted narrow ones is an int.
  if constexpr (std::is_integral_v<A>) {
    using Unsigned =
        std::conditional_t<sizeof(A) < 4, uint32_t, std::make_unsigned_t<A>>;
    return static_cast<A>(static_cast<Unsigned>(a) * static_cast<Unsigned>(b));
  } else {
    return a * b;
  }
}

/// A signed integer that orders floats as numbers, with -0 below +0.
template <typename A> static auto orderKey(A value) {
  using Key = std::conditional_t<sizeof(A) == 4, int32_t, int64_t>;
  Key bits;
  std::memcpy(&bits, &value, sizeof(bits));
  constexpr Key magnitude = std::is_same_v<Key, int32_t>
                                ? static_cast<Key>(INT32_MAX)
                                : static_cast<Key>(INT64_MAX);
  return static_cast<Key>(bits < 0 ? bits ^ magnitude : bits);
}

/// The larger one (the smaller one for Sign = -1). A NaN loses against any
/// number, as it does in NCCL.
template <int Sign, typename A> static A pick(A a, A b) {
  if constexpr (std::is_integral_v<A>) {
    return Sign > 0 ? (b > a ? b : a) : (b < a ? b : a);
  } else {
    bool better =
        Sign > 0 ? orderKey(b) > orderKey(a) : orderKey(b) < orderKey(a);
    bool take = (a != a) | ((b == b) & better);
    return take ? b : a;
  }
}

template <Reduction R, typename A> static A combine(A a, A b) {
  if constexpr (R == Reduction::Prod)
    return multiply(a, b);
  else if constexpr (R == Reduction::Max)
    return pick<1>(a, b);
  else if constexpr (R == Reduction::Min)
    return pick<-1>(a, b);
  else
    return add(a, b);
}

template <typename T> static Accumulator<T> factorAs(const Factor &factor) {
  T value;
  std::memcpy(&value, factor.bytes, sizeof(T));
  return widen(value);
}

/// Adds one rank's elements to the accumulators, or starts them.
template <typename T, Reduction R, bool First>
static void accumulate(Accumulator<T> *__restrict into,
                       const T *__restrict from, size_t count,
                       Accumulator<T> factor) {
  for (size_t i = 0; i < count; ++i) {
    Accumulator<T> value = widen(from[i]);
    if constexpr (R == Reduction::PreMulSum)
      value = multiply(value, factor);
    if constexpr (First)
      into[i] = value;
    else
      into[i] = combine<R>(into[i], value);
  }
}

template <typename T, Reduction R>
static void finish(T *__restrict into, const Accumulator<T> *__restrict from,
                   size_t count, size_t rankCount) {
  for (size_t i = 0; i < count; ++i) {
    Accumulator<T> value = from[i];
    // Division of integers goes towards zero. The count is taken at 64 bits:
    // it need not fit the element type.
    if constexpr (R == Reduction::Avg && std::is_signed_v<T>)
      value = static_cast<Accumulator<T>>(
          value / static_cast<std::conditional_t<std::is_integral_v<T>, int64_t,
                                                 Accumulator<T>>>(rankCount));
    else if constexpr (R == Reduction::Avg && std::is_integral_v<T>)
      value = static_cast<T>(value / static_cast<uint64_t>(rankCount));
    else if constexpr (R == Reduction::Avg)
      value = value / static_cast<float>(rankCount);
    into[i] = narrow<T>(value);
  }
}

template <typename T, Reduction R>
static void reduceElements(const Contributions &contributions,
                           const std::vector<void *> &targets, size_t begin,
                           size_t count) {
  constexpr size_t block = 1024;
  alignas(64) Accumulator<T> sums[block];
  alignas(64) T results[block];
  size_t rankCount = contributions.sources.size();
  for (size_t done = 0; done < count; done += block) {
    size_t size = std::min(block, count - done);
    for (size_t rank = 0; rank < rankCount; ++rank) {
      const T *from =
          static_cast<const T *>(contributions.sources[rank]) + begin + done;
      Accumulator<T> factor = R == Reduction::PreMulSum
                                  ? factorAs<T>(contributions.factors[rank])
                                  : Accumulator<T>();
      if (rank == 0)
        accumulate<T, R, true>(sums, from, size, factor);
      else
        accumulate<T, R, false>(sums, from, size, factor);
    }
    finish<T, R>(results, sums, size, rankCount);
    for (void *target : targets)
      std::memcpy(static_cast<T *>(target) + begin + done, results,
                  size * sizeof(T));
  }
}

using ReduceFn = void (*)(const Contributions &, const std::vector<void *> &,
                          size_t, size_t);

template <typename T> static ReduceFn loopFor(Reduction reduction) {
  constexpr ReduceFn loops[] = {reduceElements<T, Reduction::Sum>,
                                reduceElements<T, Reduction::Prod>,
                                reduceElements<T, Reduction::Max>,
                                reduceElements<T, Reduction::Min>,
                                reduceElements<T, Reduction::Avg>,
                                reduceElements<T, Reduction::PreMulSum>};
  return loops[static_cast<int>(reduction)];
}

static ReduceFn loopFor(ncclDataType_t type, Reduction reduction) {
  switch (type) {
  case ncclInt8:
    return loopFor<int8_t>(reduction);
  case ncclUint8:
    return loopFor<uint8_t>(reduction);
  case ncclInt32:
    return loopFor<int32_t>(reduction);
  case ncclUint32:
    return loopFor<uint32_t>(reduction);
  case ncclInt64:
    return loopFor<int64_t>(reduction);
  case ncclUint64:
    return loopFor<uint64_t>(reduction);
  case ncclFloat16:
    return loopFor<Float16>(reduction);
  case ncclFloat32:
    return loopFor<float>(reduction);
  case ncclFloat64:
    return loopFor<double>(reduction);
  case ncclBfloat16:
    return loopFor<BFloat16>(reduction);
  case ncclFloat8e4m3:
    return loopFor<Float8e4m3>(reduction);
  case ncclFloat8e5m2:
    return loopFor<Float8e5m2>(reduction);
  case ncclNumTypes:
    break;
  }
  return nullptr;
}

void pctl::hostnccl::reduceInto(const Contributions &contributions,
                                const std::vector<void *> &targets,
                                ncclDataType_t type, Reduction reduction,
                                size_t begin, size_t count) {
  if (ReduceFn loop = loopFor(type, reduction))
    loop(contributions, targets, begin, count);
}
