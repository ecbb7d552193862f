import CSQLite
import Foundation

/// A connection with the five statements the suite needs.
final class SQLiteSession: Session {
  private let connection: SQLiteConnection
  private let keys: KeyKind
  private let turn: NSLock

  private let begin: OpaquePointer
  private let commit: OpaquePointer
  private let insert: OpaquePointer
  private let select: OpaquePointer
  private let walk: OpaquePointer

  init(_ connection: SQLiteConnection, of store: SQLiteStore) throws {
    self.connection = connection
    keys = store.keys
    turn = store.turn
    begin = try connection.prepare("BEGIN")
    commit = try connection.prepare("COMMIT")
    insert = try connection.prepare("INSERT INTO entries(key, value) VALUES (?, ?)")
    select = try connection.prepare("SELECT value FROM entries WHERE key = ?")
    walk = try connection.prepare("SELECT key, value FROM entries ORDER BY key")
  }

  func close() {
    for statement in [begin, commit, insert, select, walk] {
      sqlite3_finalize(statement)
    }
  }

  func insert(_ rows: IntegerRows, perTransaction: Int) throws {
    var key = rows.keys.lowerBound
    while key < rows.keys.upperBound {
      let end = min(key + UInt64(perTransaction), rows.keys.upperBound)
      try write {
        while key < end {
          try insert(key, rows.value(of: key))
          key += 1
        }
      }
    }
  }

  func insert(_ rows: StringRows, perTransaction: Int) throws {
    for start in stride(from: 0, to: rows.count, by: perTransaction) {
      try write {
        for row in start..<min(start + perTransaction, rows.count) {
          bind(rows.key(row), to: insert)
          sqlite3_bind_int64(insert, 2, Int64(bitPattern: rows.value(row)))
          try connection.run(insert)
        }
      }
    }
  }

  func commitEach(_ rows: IntegerRows) throws {
    for key in rows.keys {
      turn.lock()
      defer { turn.unlock() }
      try insert(key, rows.value(of: key))
    }
  }

  func build(_ rows: IntegerRows) throws {
    try insert(rows, perTransaction: rows.count)
  }

  func sum(_ probes: IntegerProbes) throws -> UInt64 {
    try read {
      var sum: UInt64 = 0
      for key in probes.keys {
        sqlite3_bind_int64(select, 1, Int64(bitPattern: key))
        guard sqlite3_step(select) == SQLITE_ROW else { throw connection.failure("no row for key \(key)") }
        sum &+= sqlite3_column_blob(select, 0).loadUnaligned(as: UInt64.self)
        sqlite3_reset(select)
      }
      return sum
    }
  }

  func sum(_ probes: StringProbes) throws -> UInt64 {
    try read {
      var sum: UInt64 = 0
      for probe in 0..<probes.count {
        bind(probes.key(probe), to: select)
        guard sqlite3_step(select) == SQLITE_ROW else { throw connection.failure("no row for probe \(probe)") }
        sum &+= UInt64(bitPattern: sqlite3_column_int64(select, 0))
        sqlite3_reset(select)
      }
      return sum
    }
  }

  func scan() throws -> Digest {
    var digest = Digest()
    defer { sqlite3_reset(walk) }
    var code = sqlite3_step(walk)
    while code == SQLITE_ROW {
      switch keys {
      case .integers:
        digest.add(
          keyWord: UInt64(bitPattern: sqlite3_column_int64(walk, 0)), keyLength: IntegerRows.keyLength,
          valueWord: sqlite3_column_blob(walk, 1).loadUnaligned(as: UInt64.self),
          valueLength: Int(sqlite3_column_bytes(walk, 1)))
      case .strings:
        digest.add(
          keyWord: UnsafeRawPointer(sqlite3_column_text(walk, 0)).loadUnaligned(as: UInt64.self),
          keyLength: Int(sqlite3_column_bytes(walk, 0)),
          valueWord: UInt64(bitPattern: sqlite3_column_int64(walk, 1)), valueLength: StringRows.valueLength)
      }
      code = sqlite3_step(walk)
    }
    guard code == SQLITE_DONE else { throw connection.failure("scan") }
    return digest
  }

  // A binding without a destructor borrows the bytes: they outlive the step.

  @inline(__always)
  private func insert(_ key: UInt64, _ value: UnsafeRawBufferPointer) throws {
    sqlite3_bind_int64(insert, 1, Int64(bitPattern: key))
    sqlite3_bind_blob(insert, 2, value.baseAddress, Int32(value.count), nil)
    try connection.run(insert)
  }

  @inline(__always)
  private func bind(_ key: UnsafeRawBufferPointer, to statement: OpaquePointer) {
    sqlite3_bind_text(
      statement, 1, key.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(key.count), nil)
  }

  private func write(_ body: () throws -> Void) throws {
    turn.lock()
    defer { turn.unlock() }
    try connection.run(begin)
    try body()
    try connection.run(commit)
  }

  private func read(_ body: () throws -> UInt64) throws -> UInt64 {
    try connection.run(begin)
    let sum = try body()
    try connection.run(commit)
    return sum
  }
}
