import CLMDB

/// One thread's transactions on the library. Entries are sorted duplicates.
final class LMDBLibrarySession: SpacesSession {
  static let engine = "lmdb"
  let library: Library
  let spaces: LibrarySpaces<MDB_dbi>
  let desk = Desk()
  private let environment: OpaquePointer
  /// Renewed for every read, which is quicker than making a new one.
  private let reader: OpaquePointer

  init(_ store: LMDBLibraryStore) throws {
    library = store.library
    spaces = store.spaces
    environment = store.environment
    reader = try LMDB.begin(environment, readOnly: true)
    mdb_txn_reset(reader)
  }

  func close() { mdb_txn_abort(reader) }

  deinit { desk.clear() }

  @inline(__always)
  static func sorted(_ number: UInt64) -> UInt64 { number }

  // MARK: Transactions

  @inline(__always)
  func write(_ body: (OpaquePointer) throws -> Void) throws {
    let transaction = try LMDB.begin(environment)
    do {
      try body(transaction)
    } catch {
      mdb_txn_abort(transaction)
      throw error
    }
    try LMDB.check(mdb_txn_commit(transaction), "mdb_txn_commit")
  }

  @inline(__always)
  func read(_ body: (OpaquePointer) throws -> Void) throws {
    try LMDB.check(mdb_txn_renew(reader), "mdb_txn_renew")
    defer { mdb_txn_reset(reader) }
    try body(reader)
  }

  /// This is the only write transaction, so the number after the last one is free.
  @inline(__always)
  func newRows(_ transaction: OpaquePointer, _ count: Int, for rows: NumberedRows) throws -> UInt64 {
    try withCursor(transaction, rows == .tracks ? spaces.tracks : spaces.children) { cursor in
      var (last, value) = (MDB_val(), MDB_val())
      return mdb_cursor_get(cursor, &last, &value, MDB_LAST) == MDB_SUCCESS ? last.word + 1 : 1
    }
  }

  // MARK: Helpers

  @inline(__always)
  private func word(_ number: UInt64) -> MDB_val { MDB_val(desk.word(number)) }

  @inline(__always)
  private func put(
    _ transaction: OpaquePointer, _ space: MDB_dbi, _ key: MDB_val, _ value: MDB_val, _ flags: Int32 = 0
  ) throws {
    var (key, value) = (key, value)
    try LMDB.check(mdb_put(transaction, space, &key, &value, UInt32(flags)), "mdb_put")
  }

  /// Removes a key with all its values.
  @inline(__always)
  private func remove(_ transaction: OpaquePointer, _ space: MDB_dbi, _ key: MDB_val) throws {
    var key = key
    try LMDB.check(mdb_del(transaction, space, &key, nil), "mdb_del")
  }

  @inline(__always)
  private func withCursor<Result>(
    _ transaction: OpaquePointer, _ space: MDB_dbi, _ body: (OpaquePointer) throws -> Result
  ) throws -> Result {
    var cursor: OpaquePointer?
    try LMDB.check(mdb_cursor_open(transaction, space, &cursor), "mdb_cursor_open")
    defer { mdb_cursor_close(cursor) }
    return try body(cursor!)
  }

  @inline(__always)
  private func each(
    _ transaction: OpaquePointer, _ space: MDB_dbi, from key: MDB_val = MDB_val(),
    _ first: MDB_cursor_op = MDB_FIRST, _ next: MDB_cursor_op = MDB_NEXT,
    _ body: (MDB_val, MDB_val) throws -> Bool
  ) throws {
    try withCursor(transaction, space) { cursor in
      var (key, value) = (key, MDB_val())
      var code = mdb_cursor_get(cursor, &key, &value, first)
      while code == MDB_SUCCESS, try body(key, value) { code = mdb_cursor_get(cursor, &key, &value, next) }
      if code != MDB_NOTFOUND { try LMDB.check(code, "mdb_cursor_get") }
    }
  }
}

// MARK: Records

extension LMDBLibrarySession {
  @inline(__always)
  func append(
    _ transaction: OpaquePointer, _ space: MDB_dbi, _ row: UInt64, _ record: UnsafeRawBufferPointer
  ) throws {
    try put(transaction, space, word(row), MDB_val(record), MDB_APPEND)
  }

  @inline(__always)
  func replace(
    _ transaction: OpaquePointer, _ space: MDB_dbi, _ row: UInt64, _ record: UnsafeRawBufferPointer
  ) throws {
    try put(transaction, space, word(row), MDB_val(record))
  }

  @inline(__always)
  func removeRecord(_ transaction: OpaquePointer, _ space: MDB_dbi, _ row: UInt64) throws {
    try remove(transaction, space, word(row))
  }

  @inline(__always)
  func withRecord<Result>(
    _ transaction: OpaquePointer, _ space: MDB_dbi, _ row: UInt64, _ body: (UnsafeRawBufferPointer) throws -> Result
  ) throws -> Result {
    var (key, value) = (word(row), MDB_val())
    try LMDB.check(mdb_get(transaction, space, &key, &value), "mdb_get")
    return try body(value.bytes)
  }

  @inline(__always)
  func eachRecord(
    _ transaction: OpaquePointer, _ space: MDB_dbi, _ body: (UInt64, UnsafeRawBufferPointer) throws -> Void
  ) throws {
    try each(transaction, space) { key, value in
      try body(key.word, value.bytes)
      return true
    }
  }
}

// MARK: Names

extension LMDBLibrarySession {
  @inline(__always)
  func putName(
    _ transaction: OpaquePointer, _ space: MDB_dbi, _ name: UnsafeRawBufferPointer, _ row: UInt64, mustBeNew: Bool
  ) throws {
    try put(transaction, space, MDB_val(name), word(row), mustBeNew ? MDB_NOOVERWRITE : 0)
  }

  @inline(__always)
  func removeName(_ transaction: OpaquePointer, _ space: MDB_dbi, _ name: UnsafeRawBufferPointer) throws {
    try remove(transaction, space, MDB_val(name))
  }

  @inline(__always)
  func row(_ transaction: OpaquePointer, _ space: MDB_dbi, named name: UnsafeRawBufferPointer) throws -> UInt64? {
    var (key, value) = (MDB_val(name), MDB_val())
    let code = mdb_get(transaction, space, &key, &value)
    if code == MDB_NOTFOUND { return nil }
    try LMDB.check(code, "mdb_get")
    return value.word
  }

  @inline(__always)
  func eachName(_ transaction: OpaquePointer, _ space: MDB_dbi, _ body: (UInt64) throws -> Void) throws {
    try each(transaction, space) { _, value in
      try body(value.word)
      return true
    }
  }
}

// MARK: Entries

extension LMDBLibrarySession {
  @inline(__always)
  func addEntry(_ transaction: OpaquePointer, _ space: MDB_dbi, _ key: EntryKey, _ row: UInt64) throws {
    try put(transaction, space, MDB_val(key.bytes), word(row))
  }

  @inline(__always)
  func removeEntry(_ transaction: OpaquePointer, _ space: MDB_dbi, _ key: EntryKey, _ row: UInt64) throws {
    var (key, value) = (MDB_val(key.bytes), word(row))
    try LMDB.check(mdb_del(transaction, space, &key, &value), "mdb_del")
  }

  @inline(__always)
  func removeEntries(_ transaction: OpaquePointer, _ space: MDB_dbi, _ key: EntryKey, _ rows: [UInt64]) throws {
    try remove(transaction, space, MDB_val(key.bytes))
  }

  @inline(__always)
  func rows(_ transaction: OpaquePointer, _ space: MDB_dbi, of key: EntryKey) throws -> [UInt64] {
    var found: [UInt64] = []
    try each(transaction, space, from: MDB_val(key.bytes), MDB_SET, MDB_NEXT_DUP) { _, value in
      found.append(value.word)
      return true
    }
    return found
  }

  @inline(__always)
  func counts(
    _ transaction: OpaquePointer, _ space: MDB_dbi, of keys: Int, _ key: (Int) -> EntryKey
  ) throws -> [Int] {
    try withCursor(transaction, space) { cursor in
      try (0..<keys).map { number in
        var (name, value, count) = (MDB_val(key(number).bytes), MDB_val(), 0)
        let code = mdb_cursor_get(cursor, &name, &value, MDB_SET)
        if code == MDB_NOTFOUND { return 0 }
        try LMDB.check(code, "mdb_cursor_get")
        try LMDB.check(mdb_cursor_count(cursor, &count), "mdb_cursor_count")
        return count
      }
    }
  }

  @inline(__always)
  func eachEntry(_ transaction: OpaquePointer, _ space: MDB_dbi, _ body: (UInt64) throws -> Bool) throws {
    try each(transaction, space) { _, value in try body(value.word) }
  }

  func count(_ transaction: OpaquePointer, _ space: MDB_dbi) throws -> Int {
    var statistics = MDB_stat()
    try LMDB.check(mdb_stat(transaction, space, &statistics), "mdb_stat")
    return statistics.ms_entries
  }
}

extension MDB_val {
  /// The bytes that LMDB returned.
  @inline(__always)
  fileprivate var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: mv_data, count: mv_size) }
}
