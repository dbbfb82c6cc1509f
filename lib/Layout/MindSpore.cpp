// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Between layouts and MindSpore's device_matrix, tensor_map, alias_name and
/// rank_list. Both number ranks row-major and cut a dim by several axes as by
/// one, so that only names and numbers change. docs/layout.md, "MindSpore".

#include "pctl/Layout/MindSpore.h"

#include "pctl/Layout/LayoutText.h"
#include "pctl/Support/Error.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace pctl;
using namespace pctl::layout;
using llvm::ArrayRef;
using llvm::Error;
using llvm::Expected;
using llvm::SmallVector;
using llvm::StringRef;

/// The alias that marks the axis of micro-slices of one device.
static constexpr StringRef interleavedAlias = "interleaved_parallel";
/// What stands for an uncut dim where aliases are used.
static constexpr StringRef uncutAlias = "None";

//===----------------------------------------------------------------------===//
// From MindSpore
//===----------------------------------------------------------------------===//

static Error checkAliases(const MindSporeLayout &form) {
  if (form.aliasName.empty())
    return Error::success();
  if (form.aliasName.size() != form.deviceMatrix.size())
    return makeError("alias_name has {0} entries, device_matrix has {1}",
                     form.aliasName.size(), form.deviceMatrix.size());
  llvm::StringSet<> seen;
  for (auto [index, alias] : llvm::enumerate(form.aliasName)) {
    if (alias.empty())
      return makeError("alias_name entry {0} is empty", index);
    if (alias == uncutAlias)
      return makeError("alias_name entry {0} is 'None', which stands for an "
                       "uncut dim",
                       index);
    if (!seen.insert(alias).second)
      return makeError("alias_name holds '{0}' twice", alias);
  }
  return Error::success();
}

static Expected<Mesh> makeMesh(const MindSporeLayout &form) {
  if (Error error = checkAliases(form))
    return std::move(error);
  if (form.interleavedParallel ||
      llvm::is_contained(form.aliasName, interleavedAlias))
    return makeError("interleaved_parallel splits what one device holds, a "
                     "layout has one slice a rank");
  SmallVector<MeshAxis> axes;
  for (auto [index, size] : llvm::enumerate(form.deviceMatrix)) {
    if (size < 1)
      return makeError("device_matrix entry {0} is {1}, it must be at least 1",
                       index, size);
    axes.push_back({form.aliasName.empty() ? llvm::formatv("d{0}", index).str()
                                           : form.aliasName[index],
                    size});
  }
  Expected<Mesh> mesh = Mesh::create(axes);
  if (!mesh || form.rankList.empty())
    return mesh;
  int64_t numDevices = mesh->getNumRanks();
  if (static_cast<int64_t>(form.rankList.size()) != numDevices)
    return makeError("rank_list has {0} entries, device_matrix has {1} devices",
                     form.rankList.size(), numDevices);
  return Mesh::create(axes, form.rankList);
}

/// Reads the map of one dim. \p isUsed has a flag for each axis of the mesh.
static Error readMap(const Mesh &mesh, ArrayRef<int64_t> map, unsigned index,
                     llvm::SmallVectorImpl<bool> &isUsed, DimLayout &dim) {
  if (map.size() == 1 && map.front() == -1)
    return Error::success();
  int64_t numAxes = mesh.getNumAxes();
  for (int64_t value : map) {
    if (value == -1)
      return makeError("tensor_map of dim {0} holds -1 beside other values",
                       index);
    if (value < 0 || value >= numAxes)
      return makeError("tensor_map value {0} of dim {1} is out of range, "
                       "device_matrix has {2} entries",
                       value, index, numAxes);
    unsigned axis = numAxes - 1 - value;
    if (isUsed[axis])
      return makeError("tensor_map value {0} (axis '{1}') is used twice", value,
                       mesh.getAxes()[axis].name);
    isUsed[axis] = true;
    dim.axes.push_back(mesh.getWholeAxis(axis));
  }
  return Error::success();
}

Expected<std::pair<Mesh, Layout>>
layout::fromMindSpore(const MindSporeLayout &form) {
  Expected<Mesh> mesh = makeMesh(form);
  if (!mesh)
    return mesh.takeError();
  Layout layout;
  SmallVector<bool> isUsed(mesh->getNumAxes(), false);
  for (auto [index, map] : llvm::enumerate(form.tensorMap))
    if (Error error =
            readMap(*mesh, map, index, isUsed, layout.dims.emplace_back()))
      return std::move(error);
  return std::make_pair(std::move(*mesh), std::move(layout));
}

//===----------------------------------------------------------------------===//
// To MindSpore
//===----------------------------------------------------------------------===//

static Error checkExpressible(const Layout &layout) {
  if (layout.isPartial())
    return makeError("MindSpore's form has no partial axes, layout has {0} "
                     "partial entries",
                     layout.partial.size());
  for (auto [index, dim] : llvm::enumerate(layout.dims)) {
    if (dim.open)
      return makeError("MindSpore's form has no open dims, dim {0} is open",
                       index);
    if (!dim.blockSizes.empty())
      return makeError("MindSpore's form has no explicit block sizes, dim {0} "
                       "has them",
                       index);
  }
  return Error::success();
}

/// Returns the factors that the device matrix needs, major first: each mesh
/// axis whole, or split where \p used holds parts of it.
static SmallVector<AxisRef> splitMesh(const Mesh &mesh,
                                      ArrayRef<AxisRef> used) {
  SmallVector<AxisRef> factors(used);
  llvm::append_range(factors, mesh.getComplement(used));
  // An axis of size 1 is in no complement.
  for (unsigned axis = 0; axis < mesh.getNumAxes(); ++axis)
    if (AxisRef whole = mesh.getWholeAxis(axis);
        whole.size == 1 && !llvm::is_contained(factors, whole))
      factors.push_back(whole);
  llvm::sort(factors);
  return factors;
}

/// Returns a name for \p factor that \p taken lacks, and adds it there.
static std::string nameFactor(const Mesh &mesh, AxisRef factor,
                              llvm::StringSet<> &taken) {
  std::string name = mesh.getAxes()[factor.axis].name;
  if (factor == mesh.getWholeAxis(factor.axis))
    return name;
  name = llvm::formatv("{0}_{1}_{2}", name, factor.preSize, factor.size).str();
  while (!taken.insert(name).second)
    name += '_';
  return name;
}

Expected<MindSporeLayout> layout::toMindSpore(const Mesh &mesh,
                                              const Layout &layout) {
  if (Error error = checkExpressible(layout))
    return std::move(error);
  llvm::StringSet<> taken;
  for (const MeshAxis &axis : mesh.getAxes()) {
    if (axis.name == uncutAlias || axis.name == interleavedAlias)
      return makeError("axis '{0}' has a name with another meaning in "
                       "MindSpore's form",
                       axis.name);
    taken.insert(axis.name);
  }

  MindSporeLayout form;
  SmallVector<AxisRef> factors = splitMesh(mesh, layout.getUsedAxes());
  for (AxisRef factor : factors) {
    form.deviceMatrix.push_back(factor.size);
    form.aliasName.push_back(nameFactor(mesh, factor, taken));
  }
  for (const DimLayout &dim : layout.dims) {
    SmallVector<int64_t> &map = form.tensorMap.emplace_back();
    for (AxisRef ref : dim.axes)
      map.push_back(factors.end() - 1 - llvm::find(factors, ref));
    if (map.empty())
      map.push_back(-1);
  }
  form.rankList.assign(mesh.getDeviceIds().begin(), mesh.getDeviceIds().end());
  return form;
}

MindSporeLayout layout::getMindSporeFileForm(const MindSporeLayout &form) {
  MindSporeLayout file;
  file.rankList = form.rankList;
  file.interleavedParallel = form.interleavedParallel;
  int64_t numAxes = form.deviceMatrix.size();
  // The new map value of each axis, by its old one; nothing for size 1.
  SmallVector<std::optional<int64_t>> renumbered(numAxes);
  int64_t kept = 0;
  for (int64_t value = 0; value < numAxes; ++value)
    if (form.deviceMatrix[numAxes - 1 - value] != 1)
      renumbered[value] = kept++;
  llvm::copy_if(form.deviceMatrix, std::back_inserter(file.deviceMatrix),
                [](int64_t size) { return size != 1; });
  for (ArrayRef<int64_t> map : form.tensorMap) {
    SmallVector<int64_t> &fileMap = file.tensorMap.emplace_back();
    for (int64_t value : map)
      if (value >= 0 && value < numAxes && renumbered[value])
        fileMap.push_back(*renumbered[value]);
    if (fileMap.empty())
      fileMap.push_back(-1);
  }
  return file;
}
