// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// The .npy format. The header is a Python literal; what NumPy writes is a
/// dictionary of three entries, and nothing else is taken.

#include "pctl/Tensor/Npy.h"

#include "pctl/Support/Error.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <cstring>

using namespace pctl;
using namespace pctl::tensor;

static constexpr llvm::StringLiteral magic = "\x93NUMPY";

/// The element type as `descr` spells it.
static llvm::StringRef getDescr(ElementKind kind) {
  switch (kind) {
  case ElementKind::I1:
    return "|b1";
  case ElementKind::I8:
    return "|i1";
  case ElementKind::I16:
    return "<i2";
  case ElementKind::I32:
    return "<i4";
  case ElementKind::I64:
    return "<i8";
  case ElementKind::F16:
    return "<f2";
  case ElementKind::BF16:
    return "<V2";
  case ElementKind::F32:
    return "<f4";
  case ElementKind::F64:
    return "<f8";
  }
  llvm_unreachable("all kinds are handled");
}

static llvm::Expected<ElementKind> parseDescr(llvm::StringRef descr) {
  if (descr.starts_with(">"))
    return makeError("element type '{0}' is big-endian; little-endian is right",
                     descr);
  llvm::StringRef type = descr;
  if (!type.consume_front("<") && !type.consume_front("|"))
    type.consume_front("=");
  if (type == "b1")
    return ElementKind::I1;
  if (type == "i1" || type == "u1")
    return ElementKind::I8;
  if (type == "i2" || type == "u2")
    return ElementKind::I16;
  if (type == "i4" || type == "u4")
    return ElementKind::I32;
  if (type == "i8" || type == "u8")
    return ElementKind::I64;
  if (type == "f2")
    return ElementKind::F16;
  if (type == "V2")
    return ElementKind::BF16;
  if (type == "f4")
    return ElementKind::F32;
  if (type == "f8")
    return ElementKind::F64;
  return makeError("element type '{0}' is not one of bool, integers of 8 to 64 "
                   "bits, float16, bfloat16 (V2), float32, float64",
                   descr);
}

namespace {

/// The three entries of a header.
struct Header {
  std::optional<std::string> descr;
  std::optional<bool> fortranOrder;
  std::optional<llvm::SmallVector<int64_t, 4>> shape;
};

/// Reads the dictionary literal of a header.
class HeaderParser {
public:
  explicit HeaderParser(llvm::StringRef text) : rest(text) {}

  llvm::Expected<Header> parse() {
    Header header;
    if (!consume("{"))
      return malformed();
    while (!consume("}")) {
      std::optional<std::string> key = parseString();
      if (!key || !consume(":") || !parseEntry(*key, header))
        return malformed();
      if (!consume(",") && !peek("}"))
        return malformed();
    }
    skipSpace();
    if (!rest.empty() || !header.descr || !header.fortranOrder || !header.shape)
      return malformed();
    return header;
  }

private:
  llvm::Error malformed() const {
    return makeError("the .npy header is not a dictionary of 'descr', "
                     "'fortran_order' and 'shape'");
  }

  void skipSpace() { rest = rest.ltrim(); }
  bool peek(llvm::StringRef token) {
    skipSpace();
    return rest.starts_with(token);
  }
  bool consume(llvm::StringRef token) {
    skipSpace();
    return rest.consume_front(token);
  }

  std::optional<std::string> parseString() {
    skipSpace();
    if (rest.empty() || (rest[0] != '\'' && rest[0] != '"'))
      return std::nullopt;
    size_t end = rest.find(rest[0], 1);
    if (end == llvm::StringRef::npos)
      return std::nullopt;
    std::string text = rest.slice(1, end).str();
    rest = rest.drop_front(end + 1);
    return text;
  }

  bool parseEntry(llvm::StringRef key, Header &header) {
    if (key == "descr") {
      header.descr = parseString();
      return header.descr.has_value();
    }
    if (key == "fortran_order") {
      bool isTrue = consume("True");
      if (!isTrue && !consume("False"))
        return false;
      header.fortranOrder = isTrue;
      return true;
    }
    return key == "shape" && parseShape(header);
  }

  bool parseShape(Header &header) {
    if (!consume("("))
      return false;
    header.shape.emplace();
    while (!consume(")")) {
      skipSpace();
      int64_t size;
      if (rest.consumeInteger(10, size) || size < 0)
        return false;
      header.shape->push_back(size);
      if (!consume(",") && !peek(")"))
        return false;
    }
    return true;
  }

  llvm::StringRef rest;
};

} // namespace

llvm::Expected<HostTensor> tensor::parseNpy(llvm::StringRef bytes) {
  llvm::StringRef rest = bytes;
  if (!rest.consume_front(magic) || rest.size() < 2)
    return makeError("not a .npy file");
  unsigned version = static_cast<unsigned char>(rest[0]);
  rest = rest.drop_front(2);
  if (version < 1 || version > 3)
    return makeError("version {0} of the .npy format is not 1, 2 or 3",
                     version);
  size_t lengthBytes = version == 1 ? 2 : 4;
  if (rest.size() < lengthBytes)
    return makeError("the .npy header is cut off");
  size_t length = version == 1 ? llvm::support::endian::read16le(rest.data())
                               : llvm::support::endian::read32le(rest.data());
  rest = rest.drop_front(lengthBytes);
  if (rest.size() < length)
    return makeError("the .npy header is cut off");

  llvm::Expected<Header> header = HeaderParser(rest.take_front(length)).parse();
  if (!header)
    return header.takeError();
  llvm::Expected<ElementKind> kind = parseDescr(*header->descr);
  if (!kind)
    return kind.takeError();
  // The order of a tensor with at most one dim is the same both ways.
  if (*header->fortranOrder && header->shape->size() > 1)
    return makeError("the .npy data is in Fortran order; C order is right");

  // Compared before anything is allocated: a header may claim any size.
  rest = rest.drop_front(length);
  uint64_t claimed = getElementBytes(*kind);
  for (int64_t size : *header->shape)
    claimed = llvm::SaturatingMultiply(claimed, static_cast<uint64_t>(size));
  if (claimed != rest.size())
    return makeError("the .npy data has {0} bytes, its shape and type make {1}",
                     rest.size(), claimed);
  if (*kind == ElementKind::I1)
    if (size_t at = rest.find_if([](char c) { return c != 0 && c != 1; });
        at != llvm::StringRef::npos)
      return makeError("element {0} of the .npy data is a bool of {1}; 0 or 1 "
                       "is right",
                       at, static_cast<unsigned char>(rest[at]));
  llvm::Expected<HostTensor> result = HostTensor::create(*kind, *header->shape);
  if (result && !rest.empty())
    std::memcpy(result->getData(), rest.data(), rest.size());
  return result;
}

llvm::Expected<HostTensor> tensor::readNpy(llvm::StringRef path) {
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false);
  if (!buffer)
    return makeError("{0}: {1}", path, buffer.getError().message());
  llvm::Expected<HostTensor> result = parseNpy((*buffer)->getBuffer());
  if (!result)
    return makeError("{0}: {1}", path, llvm::toString(result.takeError()));
  return result;
}

std::string tensor::printNpy(const HostTensor &tensor) {
  std::string shape;
  for (int64_t size : tensor.getShape())
    shape += llvm::formatv("{0}, ", size);
  std::string header = llvm::formatv(
      "{{'descr': '{0}', 'fortran_order': False, 'shape': ({1}), }",
      getDescr(tensor.getKind()), llvm::StringRef(shape).rtrim());
  // The data starts at a multiple of 64 bytes, and a newline ends the header.
  size_t prefix = magic.size() + 2 + 2;
  header.resize(llvm::alignTo(prefix + header.size() + 1, 64) - prefix - 1,
                ' ');
  header += '\n';

  std::string bytes = magic.str();
  bytes += {1, 0, static_cast<char>(header.size() & 0xff),
            static_cast<char>(header.size() >> 8)};
  bytes += header;
  bytes.append(reinterpret_cast<const char *>(tensor.getData()),
               tensor.getSizeBytes());
  return bytes;
}

llvm::Error tensor::writeNpy(llvm::StringRef path, const HostTensor &tensor) {
  std::error_code error;
  llvm::raw_fd_ostream file(path, error, llvm::sys::fs::OF_None);
  if (!error) {
    file << printNpy(tensor);
    file.close();
    error = file.error();
    file.clear_error();
  }
  if (error)
    return makeError("{0}: {1}", path, error.message());
  return llvm::Error::success();
}
