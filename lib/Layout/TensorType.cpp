// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// The names of element types and the parser of tensor types.

#include "pctl/Layout/TensorType.h"

#include "pctl/Layout/LayoutText.h"
#include "pctl/Support/Error.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace pctl;
using namespace pctl::layout;
using llvm::Expected;
using llvm::StringRef;

/// The most bits that an integer type of MLIR can have.
static constexpr int64_t maxIntegerBits = (int64_t(1) << 24) - 1;

namespace {
struct NamedFloat {
  StringRef name;
  int64_t bits;
};
} // namespace

static constexpr NamedFloat floats[] = {
    {"f4E2M1FN", 4},      {"f6E2M3FN", 6},   {"f6E3M2FN", 6},   {"f8E3M4", 8},
    {"f8E4M3", 8},        {"f8E4M3FN", 8},   {"f8E4M3FNUZ", 8}, {"f8E5M2", 8},
    {"f8E4M3B11FNUZ", 8}, {"f8E5M2FNUZ", 8}, {"f8E8M0FNU", 8},  {"bf16", 16},
    {"f16", 16},          {"tf32", 19},      {"f32", 32},       {"f64", 64},
    {"f80", 80},          {"f128", 128},
};

/// Returns the digits of an integer type's name, empty where it is none.
static StringRef getIntegerDigits(StringRef name) {
  if (!name.consume_front("si") && !name.consume_front("ui") &&
      !name.consume_front("i"))
    return "";
  return llvm::all_of(name, llvm::isDigit) ? name : "";
}

static Expected<ElementType> parseInteger(StringRef name, StringRef digits) {
  int64_t bits;
  if (digits.getAsInteger(10, bits) || bits < 1 || bits > maxIntegerBits)
    return makeError("element type '{0}' has {1} bits, an integer has 1 to {2}",
                     name, digits, maxIntegerBits);
  return ElementType{name.str(), ElementClass::Integer, bits};
}

static Expected<ElementType> parseComplex(StringRef name, StringRef part) {
  if (part.starts_with("complex") || part == "index")
    return makeError("element type '{0}' has parts of type '{1}', they must be "
                     "integers or floats",
                     name, part);
  Expected<ElementType> half = parseElementType(part);
  if (!half)
    return half;
  return ElementType{"complex<" + half->name + ">", ElementClass::Complex,
                     2 * half->bits};
}

Expected<ElementType> layout::parseElementType(StringRef text) {
  StringRef name = text.trim();
  if (name == "index")
    return ElementType{"index", ElementClass::Integer, 64};
  for (const NamedFloat &named : floats)
    if (named.name == name)
      return ElementType{name.str(), ElementClass::Float, named.bits};
  if (StringRef digits = getIntegerDigits(name); !digits.empty())
    return parseInteger(name, digits);
  StringRef part = name;
  if (part.consume_front("complex<") && part.consume_back(">"))
    return parseComplex(name, part);
  return makeError("'{0}' is no element type; f32, bf16, f8E4M3FN, i8, i1, "
                   "index and complex<f32> are some",
                   name);
}

Expected<TensorType> layout::parseTensorType(StringRef text) {
  TensorType type;
  StringRef rest = text.trim();
  if (rest.empty())
    return makeError("no type; 16x16xf32 is one, f32 is that of a scalar");
  bool more =
      llvm::isDigit(rest.front()) || rest.front() == '?' || rest.front() == '-';
  if (!more)
    rest.consume_front("x");
  while (more) {
    auto [size, behind] = rest.split('x');
    if (size.size() == rest.size())
      return makeError("'{0}' has no element type at its end; 16x16xf32 has "
                       "one",
                       text.trim());
    int64_t number;
    if (size.getAsInteger(10, number) || number < 0)
      return makeError("size '{0}' of dim {1} is no number from 0 to 2^63 - 1",
                       size, type.shape.size());
    type.shape.push_back(number);
    rest = behind;
    more = !rest.empty() && !llvm::isAlpha(rest.front());
  }
  Expected<ElementType> element = parseElementType(rest);
  if (!element)
    return element.takeError();
  type.element = std::move(*element);
  return type;
}

std::string layout::toString(const TensorType &type) {
  std::string sizes = shapeToString(type.shape);
  return (sizes.empty() ? "" : sizes + "x") + type.element.name;
}

bool layout::isKindFor(ReductionKind kind, ElementClass elementClass) {
  switch (kind) {
  case ReductionKind::Sum:
  case ReductionKind::Product:
    return true;
  case ReductionKind::Maximum:
  case ReductionKind::MaxNum:
  case ReductionKind::Minimum:
  case ReductionKind::MinNum:
    return elementClass == ElementClass::Float;
  case ReductionKind::MaxSigned:
  case ReductionKind::MaxUnsigned:
  case ReductionKind::MinSigned:
  case ReductionKind::MinUnsigned:
  case ReductionKind::And:
  case ReductionKind::Or:
  case ReductionKind::Xor:
    return elementClass == ElementClass::Integer;
  }
  return false;
}
