#include <sqlite3.h>

// `sqlite3_config` takes variable arguments, which Swift cannot pass.
static inline int sqlite_count_no_memory(void) {
  return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}
