#include <rocksdb/c.h>

// The manifest tells the version: the header that knows it is one for C++.
static const int rocksdb_version_major = ROCKSDB_MAJOR;
static const int rocksdb_version_minor = ROCKSDB_MINOR;
static const int rocksdb_version_patch = ROCKSDB_PATCH;
