import CLMDB

/// One thread's transactions on an LMDB environment.
final class LMDBSession: Session {
  private let store: LMDBStore
  /// The memory of an integer key, or of a string's value, while LMDB reads it.
  private let cell = UnsafeMutableRawBufferPointer.allocate(byteCount: 8, alignment: 8)

  init(_ store: LMDBStore) {
    self.store = store
  }

  deinit {
    cell.deallocate()
  }

  func close() {}

  func insert(_ rows: IntegerRows, perTransaction: Int) throws {
    var key = rows.keys.lowerBound
    while key < rows.keys.upperBound {
      let end = min(key + UInt64(perTransaction), rows.keys.upperBound)
      try write { transaction in
        let cursor = try open(transaction)
        defer { mdb_cursor_close(cursor) }
        while key < end {
          var name = named(key)
          var value = MDB_val(rows.value(of: key))
          try LMDB.check(mdb_cursor_put(cursor, &name, &value, UInt32(MDB_APPEND)), "mdb_cursor_put")
          key += 1
        }
      }
    }
  }

  func insert(_ rows: StringRows, perTransaction: Int) throws {
    for start in stride(from: 0, to: rows.count, by: perTransaction) {
      try write { transaction in
        for row in start..<min(start + perTransaction, rows.count) {
          var name = MDB_val(rows.key(row))
          var value = named(rows.value(row))
          try LMDB.check(
            mdb_put(transaction, store.database, &name, &value, UInt32(MDB_NOOVERWRITE)), "mdb_put")
        }
      }
    }
  }

  func commitEach(_ rows: IntegerRows) throws {
    for key in rows.keys {
      try write { transaction in
        var name = named(key)
        var value = MDB_val(rows.value(of: key))
        try LMDB.check(
          mdb_put(transaction, store.database, &name, &value, UInt32(MDB_NOOVERWRITE)), "mdb_put")
      }
    }
  }

  func build(_ rows: IntegerRows) throws {
    try insert(rows, perTransaction: rows.count)
  }

  func sum(_ probes: IntegerProbes) throws -> UInt64 {
    try read { transaction in
      var sum: UInt64 = 0
      for key in probes.keys {
        var name = named(key)
        sum &+= try find(&name, transaction)
      }
      return sum
    }
  }

  func sum(_ probes: StringProbes) throws -> UInt64 {
    try read { transaction in
      var sum: UInt64 = 0
      for probe in 0..<probes.count {
        var name = MDB_val(probes.key(probe))
        sum &+= try find(&name, transaction)
      }
      return sum
    }
  }

  func scan() throws -> Digest {
    try read { transaction in
      let cursor = try open(transaction)
      defer { mdb_cursor_close(cursor) }
      var digest = Digest()
      var key = MDB_val()
      var value = MDB_val()
      var code = mdb_cursor_get(cursor, &key, &value, MDB_FIRST)
      while code == MDB_SUCCESS {
        digest.add(keyWord: key.word, keyLength: key.mv_size, valueWord: value.word, valueLength: value.mv_size)
        code = mdb_cursor_get(cursor, &key, &value, MDB_NEXT)
      }
      guard code == MDB_NOTFOUND else { throw EngineError("lmdb", "scan", String(cString: mdb_strerror(code))) }
      return digest
    }
  }

  @inline(__always)
  private func find(_ name: inout MDB_val, _ transaction: OpaquePointer) throws -> UInt64 {
    var value = MDB_val()
    try LMDB.check(mdb_get(transaction, store.database, &name, &value), "mdb_get")
    return value.word
  }

  /// The eight bytes of `word`, in the session's cell until the next call.
  @inline(__always)
  private func named(_ word: UInt64) -> MDB_val {
    cell.storeBytes(of: word, as: UInt64.self)
    return MDB_val(UnsafeRawBufferPointer(cell))
  }

  private func open(_ transaction: OpaquePointer) throws -> OpaquePointer {
    var cursor: OpaquePointer?
    try LMDB.check(mdb_cursor_open(transaction, store.database, &cursor), "mdb_cursor_open")
    return cursor!
  }

  private func write(_ body: (OpaquePointer) throws -> Void) throws {
    let transaction = try LMDB.begin(store.environment)
    do {
      try body(transaction)
    } catch {
      mdb_txn_abort(transaction)
      throw error
    }
    try LMDB.check(mdb_txn_commit(transaction), "mdb_txn_commit")
  }

  private func read<Result>(_ body: (OpaquePointer) throws -> Result) throws -> Result {
    let transaction = try LMDB.begin(store.environment, readOnly: true)
    defer { mdb_txn_abort(transaction) }
    return try body(transaction)
  }
}
