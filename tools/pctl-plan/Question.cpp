// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// From what was typed to values. Every error names the option that it is in.

#include "Question.h"

#include "pctl/Layout/LayoutText.h"
#include "pctl/Support/Error.h"

#include "llvm/ADT/STLExtras.h"

using namespace pctl;
using namespace pctl::layout;
using namespace pctl::plan;
using llvm::Error;
using llvm::Expected;
using llvm::SmallVector;
using llvm::StringRef;

/// Returns \p error with the option that it is in.
static Error inOption(StringRef name, Error error) {
  return makeError("--{0}: {1}", name, llvm::toString(std::move(error)));
}

/// Reads a number of bytes, at least \p least, where the option is given.
static Error readBytes(StringRef name, const std::optional<std::string> &text,
                       int64_t least, llvm::function_ref<void(int64_t)> use) {
  if (!text)
    return Error::success();
  int64_t bytes;
  if (StringRef(*text).getAsInteger(10, bytes) || bytes < least)
    return makeError("--{0}: '{1}' is no number of bytes from {2} to 2^63 - 1",
                     name, *text, least);
  use(bytes);
  return Error::success();
}

Expected<redistribute::PlannerOptions>
plan::readPlannerOptions(const Arguments &arguments, ClusterCache &clusters) {
  std::string name = arguments.cluster.value_or("bytes");
  auto known = clusters.find(name);
  if (known == clusters.end()) {
    Expected<cost::Cluster> cluster = cost::loadCluster(name);
    if (!cluster)
      return inOption("cluster", cluster.takeError());
    known = clusters.emplace(name, std::move(*cluster)).first;
  }
  redistribute::PlannerOptions options;
  options.cluster = known->second;
  if (Error error = readBytes("cap-bytes", arguments.capBytes, 0,
                              [&](int64_t bytes) { options.capBytes = bytes; }))
    return std::move(error);
  if (Error error =
          readBytes("chunk-bytes", arguments.chunkBytes, 1,
                    [&](int64_t bytes) { options.chunkBytes = bytes; }))
    return std::move(error);
  return options;
}

static Expected<Layout> readLayout(StringRef name, StringRef text,
                                   const Mesh &mesh,
                                   llvm::ArrayRef<int64_t> shape,
                                   const ElementType &element) {
  Expected<Layout> layout = parseLayout(text, mesh);
  if (!layout)
    return inOption(name, layout.takeError());
  if (Error error = verifyLayout(mesh, *layout, shape))
    return inOption(name, std::move(error));
  for (const PartialAxes &entry : layout->partial)
    if (!isKindFor(entry.kind, element.elementClass))
      return makeError("--{0}: elements of type {1} have no reduction '{2}'",
                       name, element.name, stringifyReductionKind(entry.kind));
  return layout;
}

static Expected<SmallVector<int64_t, 4>> readOffset(StringRef text,
                                                    size_t numDims) {
  SmallVector<int64_t, 4> offset;
  SmallVector<StringRef> words;
  if (!text.trim().empty())
    text.split(words, ',');
  for (StringRef word : words)
    if (word.trim().getAsInteger(10, offset.emplace_back()))
      return makeError("--offset: '{0}' is no integer of at most 64 bits",
                       word.trim());
  if (offset.size() != numDims)
    return makeError("--offset: has {0} numbers, the tensor has {1} dims",
                     offset.size(), numDims);
  return offset;
}

/// Checks that nothing is missing that every question has.
static Error checkComplete(const Arguments &arguments) {
  for (auto [name, value] :
       {std::pair("mesh", &arguments.mesh),
        std::pair("shape", &arguments.shape),
        std::pair("from", &arguments.from), std::pair("to", &arguments.to)})
    if (!*value)
      return llvm::make_error<UsageError>(
          llvm::Twine("option --") + name +
          " is missing; a question has --mesh, --shape, --from and --to");
  return Error::success();
}

/// Reads where the tensor is to be: where it is, unless options say otherwise.
static Expected<Side> readTarget(const Arguments &arguments, const Side &from,
                                 const ElementType &element) {
  Side to = from;
  if (arguments.toMesh) {
    Expected<Mesh> mesh = parseMesh(*arguments.toMesh);
    if (!mesh)
      return inOption("to-mesh", mesh.takeError());
    to.mesh = std::move(*mesh);
  }
  if (arguments.toShape) {
    Expected<TensorType> type = parseTensorType(*arguments.toShape);
    if (!type)
      return inOption("to-shape", type.takeError());
    if (!(type->element == element))
      return makeError("--to-shape: the element type is {0}, that of --shape "
                       "is {1}",
                       type->element.name, element.name);
    if (type->shape.size() != from.shape.size())
      return makeError("--to-shape: has {0} dims, --shape has {1}",
                       type->shape.size(), from.shape.size());
    to.shape = std::move(type->shape);
  }
  Expected<Layout> layout =
      readLayout("to", *arguments.to, to.mesh, to.shape, element);
  if (!layout)
    return layout.takeError();
  to.layout = std::move(*layout);
  return to;
}

Expected<Question> plan::readQuestion(const Arguments &arguments,
                                      ClusterCache &clusters) {
  if (Error error = checkComplete(arguments))
    return std::move(error);
  Expected<Mesh> mesh = parseMesh(*arguments.mesh);
  if (!mesh)
    return inOption("mesh", mesh.takeError());
  Expected<TensorType> type = parseTensorType(*arguments.shape);
  if (!type)
    return inOption("shape", type.takeError());
  Expected<Layout> layout =
      readLayout("from", *arguments.from, *mesh, type->shape, type->element);
  if (!layout)
    return layout.takeError();
  Side from{std::move(*mesh), type->shape, std::move(*layout)};
  Expected<Side> to = readTarget(arguments, from, type->element);
  if (!to)
    return to.takeError();
  Question question{type->element, std::move(from), std::move(*to), {}, {}};
  if (arguments.offset) {
    Expected<SmallVector<int64_t, 4>> offset =
        readOffset(*arguments.offset, type->shape.size());
    if (!offset)
      return offset.takeError();
    question.offset = std::move(*offset);
  }
  Expected<redistribute::PlannerOptions> options =
      readPlannerOptions(arguments, clusters);
  if (!options)
    return options.takeError();
  question.options = std::move(*options);
  question.options.elementBytes = question.element.getBytes();
  return question;
}
