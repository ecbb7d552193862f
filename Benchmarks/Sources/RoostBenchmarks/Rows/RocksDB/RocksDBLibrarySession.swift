#if RocksDB
  import CRocksDB

  /// One thread's batches and snapshots of the library. A batch does not see its own puts.
  ///
  /// Row numbers are eight bytes, big-endian. An entry is a key followed by a row number, without a
  /// value.
  final class RocksDBLibrarySession: SpacesSession {
    typealias Transaction = Void

    static let engine = "rocksdb"
    let library: Library
    let spaces: LibrarySpaces<OpaquePointer>
    let desk = Desk()
    private let access: RocksDBAccess
    private let numbers: RowNumbers

    init(_ store: RocksDBLibraryStore) {
      library = store.library
      spaces = store.spaces
      access = RocksDBAccess(store.database, store.durability)
      numbers = store.numbers
    }

    func close() {}

    deinit { desk.clear() }

    @inline(__always)
    static func sorted(_ number: UInt64) -> UInt64 { number.bigEndian }

    // MARK: Transactions

    @inline(__always)
    func write(_ body: (Transaction) throws -> Void) throws { try access.write { try body(()) } }

    @inline(__always)
    func read(_ body: (Transaction) throws -> Void) throws { try access.read { try body(()) } }

    @inline(__always)
    func newRows(_: Transaction, _ count: Int, for rows: NumberedRows) throws -> UInt64 {
      numbers.take(count, for: rows)
    }

    @inline(__always)
    private func word(_ number: UInt64) -> UnsafeRawBufferPointer { desk.word(number.bigEndian) }

    // MARK: Records

    @inline(__always)
    func append(
      _: Transaction, _ space: OpaquePointer, _ row: UInt64, _ record: UnsafeRawBufferPointer
    ) throws {
      access.put(space, word(row), record)
    }

    @inline(__always)
    func replace(
      _: Transaction, _ space: OpaquePointer, _ row: UInt64, _ record: UnsafeRawBufferPointer
    ) throws {
      access.put(space, word(row), record)
    }

    @inline(__always)
    func removeRecord(_: Transaction, _ space: OpaquePointer, _ row: UInt64) throws {
      access.remove(space, word(row))
    }

    @inline(__always)
    func withRecord<Result>(
      _: Transaction, _ space: OpaquePointer, _ row: UInt64, _ body: (UnsafeRawBufferPointer) throws -> Result
    ) throws -> Result {
      guard let result = try access.get(space, word(row), body) else {
        throw EngineError(Self.engine, "rocksdb_get_pinned_cf", "row \(row) is missing")
      }
      return result
    }

    @inline(__always)
    func eachRecord(
      _: Transaction, _ space: OpaquePointer, _ body: (UInt64, UnsafeRawBufferPointer) throws -> Void
    ) throws {
      try access.each(space) { entry in
        try body(entry.key.bigEndianWord, entry.value)
        return true
      }
    }

    // MARK: Names

    @inline(__always)
    func putName(
      _: Transaction, _ space: OpaquePointer, _ name: UnsafeRawBufferPointer, _ row: UInt64, mustBeNew: Bool
    ) throws {
      if mustBeNew, try access.get(space, name, { _ in true }) == true {
        throw EngineError(Self.engine, "rocksdb_get_pinned_cf", "the id of row \(row) is there")
      }
      access.put(space, name, word(row))
    }

    @inline(__always)
    func removeName(_: Transaction, _ space: OpaquePointer, _ name: UnsafeRawBufferPointer) throws {
      access.remove(space, name)
    }

    @inline(__always)
    func row(_: Transaction, _ space: OpaquePointer, named name: UnsafeRawBufferPointer) throws -> UInt64? {
      try access.get(space, name) { $0.bigEndianWord }
    }

    @inline(__always)
    func eachName(_: Transaction, _ space: OpaquePointer, _ body: (UInt64) throws -> Void) throws {
      try access.each(space) { entry in
        try body(entry.value.bigEndianWord)
        return true
      }
    }
  }

  // MARK: Entries

  extension RocksDBLibrarySession {
    @inline(__always)
    func addEntry(_: Transaction, _ space: OpaquePointer, _ key: EntryKey, _ row: UInt64) throws {
      access.put(space, key.joined(row), UnsafeRawBufferPointer(start: nil, count: 0))
    }

    @inline(__always)
    func removeEntry(_: Transaction, _ space: OpaquePointer, _ key: EntryKey, _ row: UInt64) throws {
      access.remove(space, key.joined(row))
    }

    func removeEntries(_: Transaction, _ space: OpaquePointer, _ key: EntryKey, _ rows: [UInt64]) throws {
      for row in rows { access.remove(space, key.joined(row)) }
    }

    func rows(_: Transaction, _ space: OpaquePointer, of key: EntryKey) throws -> [UInt64] {
      var found: [UInt64] = []
      try access.each(space, from: key.bytes) { entry in
        let joined = entry.key
        guard key.begins(joined) else { return false }
        found.append(joined.lastBigEndianWord)
        return true
      }
      return found
    }

    func counts(
      _: Transaction, _ space: OpaquePointer, of keys: Int, _ key: (Int) -> EntryKey
    ) throws -> [Int] {
      try (0..<keys).map { number in
        let key = key(number)
        var count = 0
        try access.each(space, from: key.bytes) { entry in
          guard key.begins(entry.key) else { return false }
          count += 1
          return true
        }
        return count
      }
    }

    @inline(__always)
    func eachEntry(_: Transaction, _ space: OpaquePointer, _ body: (UInt64) throws -> Bool) throws {
      try access.each(space) { try body($0.key.lastBigEndianWord) }
    }

    func count(_: Transaction, _ space: OpaquePointer) throws -> Int {
      var count = 0
      try access.each(space) { _ in
        count += 1
        return true
      }
      return count
    }
  }
#endif
