#if WiredTiger
  import CWiredTiger

  /// One thread's transactions on the library, with a cursor for each table.
  ///
  /// A cursor adds only missing keys, and changes and removes only existing ones. An entry is a key
  /// followed by a row number, with an empty value.
  final class WiredTigerLibrarySession: SpacesSession {
    typealias Transaction = Void

    static let engine = "wiredtiger"
    let library: Library
    let spaces: LibrarySpaces<WiredTigerCursor>
    let desk = Desk()
    private let access: WiredTigerAccess
    private let numbers: RowNumbers

    init(_ store: WiredTigerLibraryStore) throws {
      library = store.library
      numbers = store.numbers
      let access = try store.connection.session()
      self.access = access
      spaces = try LibrarySpaces { name, _ in try access.cursor(name, "overwrite=false") }
    }

    func close() { access.close() }

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

    // MARK: Records

    @inline(__always)
    func append(
      _: Transaction, _ space: WiredTigerCursor, _ row: UInt64, _ record: UnsafeRawBufferPointer
    ) throws {
      space.setKey(row)
      space.setValue(record)
      try space.insert()
    }

    @inline(__always)
    func replace(
      _: Transaction, _ space: WiredTigerCursor, _ row: UInt64, _ record: UnsafeRawBufferPointer
    ) throws {
      space.setKey(row)
      space.setValue(record)
      try space.update()
    }

    @inline(__always)
    func removeRecord(_: Transaction, _ space: WiredTigerCursor, _ row: UInt64) throws {
      space.setKey(row)
      try space.remove()
    }

    @inline(__always)
    func withRecord<Result>(
      _: Transaction, _ space: WiredTigerCursor, _ row: UInt64, _ body: (UnsafeRawBufferPointer) throws -> Result
    ) throws -> Result {
      space.setKey(row)
      guard try space.search() else { throw EngineError(Self.engine, "search", "row \(row) is missing") }
      return try body(try space.valueBytes())
    }

    @inline(__always)
    func eachRecord(
      _: Transaction, _ space: WiredTigerCursor, _ body: (UInt64, UnsafeRawBufferPointer) throws -> Void
    ) throws {
      try space.reset()
      while try space.next() { try body(try space.keyNumber(), try space.valueBytes()) }
    }

    // MARK: Names

    @inline(__always)
    func putName(
      _: Transaction, _ space: WiredTigerCursor, _ name: UnsafeRawBufferPointer, _ row: UInt64, mustBeNew: Bool
    ) throws {
      space.setKey(name)
      space.setValue(row)
      try space.insert()
    }

    @inline(__always)
    func removeName(_: Transaction, _ space: WiredTigerCursor, _ name: UnsafeRawBufferPointer) throws {
      space.setKey(name)
      try space.remove()
    }

    @inline(__always)
    func row(_: Transaction, _ space: WiredTigerCursor, named name: UnsafeRawBufferPointer) throws -> UInt64? {
      space.setKey(name)
      return try space.search() ? space.valueNumber() : nil
    }

    @inline(__always)
    func eachName(_: Transaction, _ space: WiredTigerCursor, _ body: (UInt64) throws -> Void) throws {
      try space.reset()
      while try space.next() { try body(try space.valueNumber()) }
    }
  }

  // MARK: Entries

  extension WiredTigerLibrarySession {
    @inline(__always)
    func addEntry(_: Transaction, _ space: WiredTigerCursor, _ key: EntryKey, _ row: UInt64) throws {
      space.setKey(key.joined(row))
      space.setValue(UnsafeRawBufferPointer(start: nil, count: 0))
      try space.insert()
    }

    @inline(__always)
    func removeEntry(_: Transaction, _ space: WiredTigerCursor, _ key: EntryKey, _ row: UInt64) throws {
      space.setKey(key.joined(row))
      try space.remove()
    }

    func removeEntries(_: Transaction, _ space: WiredTigerCursor, _ key: EntryKey, _ rows: [UInt64]) throws {
      for row in rows { try removeEntry((), space, key, row) }
    }

    func rows(_: Transaction, _ space: WiredTigerCursor, of key: EntryKey) throws -> [UInt64] {
      var found: [UInt64] = []
      try each(space, of: key) { found.append($0.lastBigEndianWord) }
      return found
    }

    func counts(
      _: Transaction, _ space: WiredTigerCursor, of keys: Int, _ key: (Int) -> EntryKey
    ) throws -> [Int] {
      try (0..<keys).map { number in
        var count = 0
        try each(space, of: key(number)) { _ in count += 1 }
        return count
      }
    }

    @inline(__always)
    private func each(
      _ space: WiredTigerCursor, of key: EntryKey, _ body: (UnsafeRawBufferPointer) -> Void
    ) throws {
      space.setKey(key.bytes)
      var goesOn = try space.seek()
      while goesOn {
        let joined = try space.keyBytes()
        guard key.begins(joined) else { return }
        body(joined)
        goesOn = try space.next()
      }
    }

    @inline(__always)
    func eachEntry(_: Transaction, _ space: WiredTigerCursor, _ body: (UInt64) throws -> Bool) throws {
      try space.reset()
      while try space.next(), try body(try space.keyBytes().lastBigEndianWord) {}
    }

    func count(_: Transaction, _ space: WiredTigerCursor) throws -> Int {
      try space.reset()
      var count = 0
      while try space.next() { count += 1 }
      return count
    }
  }
#endif
