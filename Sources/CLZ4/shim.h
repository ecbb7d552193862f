#include <lz4.h>
#include <lz4frame.h>

/// Asks for a cache line without waiting for it. Swift has no instruction for that.
static inline void roost_fetch_ahead(const void *address) { __builtin_prefetch(address, 0, 2); }
