// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Answers as pictures: devices are columns, steps are bands, and what a device
/// sends to another is an arrow between their columns, with its bytes. A band
/// with too many arrows to follow is a table of senders by receivers instead.

#ifndef PCTL_TOOLS_PCTL_PLAN_PICTURE_H
#define PCTL_TOOLS_PCTL_PLAN_PICTURE_H

#include "Answer.h"

#include "llvm/Support/raw_ostream.h"

namespace pctl::plan {

/// The most devices that are drawn.
inline constexpr int64_t maxDrawnDevices = 64;

/// Draws \p answer as SVG, the same for the same answer. Errors: more than
/// maxDrawnDevices devices; those of Answer::listTransfers.
llvm::Error draw(llvm::raw_ostream &os, const Answer &answer);

/// Draws into the file at \p path, `-` being stdout. Errors: those of draw, and
/// a file that can't be written, each with the option `--svg`.
llvm::Error drawToFile(const Answer &answer, llvm::StringRef path);

} // namespace pctl::plan

#endif // PCTL_TOOLS_PCTL_PLAN_PICTURE_H
