#include <wiredtiger.h>

// WiredTiger's calls are pointers in structures, and those that set and get keys and values take variable arguments,
// which Swift cannot pass. Keys are of the format Q, a number, or u, bytes.

static inline void wiredtiger_set_key_number(WT_CURSOR *cursor, uint64_t number) {
  cursor->set_key(cursor, number);
}

// The bytes are borrowed until the next call.
static inline void wiredtiger_set_key_bytes(WT_CURSOR *cursor, const void *bytes, size_t count) {
  WT_ITEM item = {.data = bytes, .size = count};
  cursor->set_key(cursor, &item);
}

static inline void wiredtiger_set_value_number(WT_CURSOR *cursor, uint64_t number) {
  cursor->set_value(cursor, number);
}

// The bytes are borrowed until the next call.
static inline void wiredtiger_set_value_bytes(WT_CURSOR *cursor, const void *bytes, size_t count) {
  WT_ITEM item = {.data = bytes, .size = count};
  cursor->set_value(cursor, &item);
}

static inline int wiredtiger_get_key_number(WT_CURSOR *cursor, uint64_t *number) {
  return cursor->get_key(cursor, number);
}

static inline int wiredtiger_get_key_bytes(WT_CURSOR *cursor, WT_ITEM *item) {
  return cursor->get_key(cursor, item);
}

static inline int wiredtiger_get_value_number(WT_CURSOR *cursor, uint64_t *number) {
  return cursor->get_value(cursor, number);
}

static inline int wiredtiger_get_value_bytes(WT_CURSOR *cursor, WT_ITEM *item) {
  return cursor->get_value(cursor, item);
}

// Calls of fixed arguments, so that Swift unwraps no pointer to a function.

static inline int wiredtiger_reset(WT_CURSOR *cursor) { return cursor->reset(cursor); }
static inline int wiredtiger_next(WT_CURSOR *cursor) { return cursor->next(cursor); }
static inline int wiredtiger_previous(WT_CURSOR *cursor) { return cursor->prev(cursor); }
static inline int wiredtiger_search(WT_CURSOR *cursor) { return cursor->search(cursor); }
static inline int wiredtiger_search_near(WT_CURSOR *cursor, int *order) { return cursor->search_near(cursor, order); }
static inline int wiredtiger_insert(WT_CURSOR *cursor) { return cursor->insert(cursor); }
static inline int wiredtiger_update(WT_CURSOR *cursor) { return cursor->update(cursor); }
static inline int wiredtiger_remove(WT_CURSOR *cursor) { return cursor->remove(cursor); }
static inline int wiredtiger_close_cursor(WT_CURSOR *cursor) { return cursor->close(cursor); }

static inline int wiredtiger_create(WT_SESSION *session, const char *name, const char *settings) {
  return session->create(session, name, settings);
}

static inline int wiredtiger_open_cursor(
  WT_SESSION *session, const char *name, const char *settings, WT_CURSOR **cursor) {
  return session->open_cursor(session, name, NULL, settings, cursor);
}

static inline int wiredtiger_begin(WT_SESSION *session) { return session->begin_transaction(session, NULL); }
static inline int wiredtiger_commit(WT_SESSION *session) { return session->commit_transaction(session, NULL); }
static inline int wiredtiger_rollback(WT_SESSION *session) { return session->rollback_transaction(session, NULL); }
static inline int wiredtiger_checkpoint(WT_SESSION *session) { return session->checkpoint(session, NULL); }
static inline int wiredtiger_close_session(WT_SESSION *session) { return session->close(session, NULL); }

static inline int wiredtiger_open_session(WT_CONNECTION *connection, const char *settings, WT_SESSION **session) {
  return connection->open_session(connection, NULL, settings, session);
}

static inline int wiredtiger_close(WT_CONNECTION *connection) { return connection->close(connection, NULL); }
