// The commands of `lanza`, each in a file of its name. They return the exit status and throw lanza::Error.
#pragma once

namespace lanza::cli {

/// The devices, the cache and the version.
int info();
/// What was found and what was not, and a kernel compiled and run on each device. 1 when something needs repair.
int doctor();

int cache_show();
int cache_clear();
int cache_path();

}  // namespace lanza::cli
