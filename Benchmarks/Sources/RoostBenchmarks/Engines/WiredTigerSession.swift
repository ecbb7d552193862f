#if WiredTiger
  import CWiredTiger

  /// One thread's transactions on the table.
  final class WiredTigerSession: Session {
    private let access: WiredTigerAccess
    private let keys: KeyKind
    private var cursor: WiredTigerCursor
    /// The memory of a string's value while WiredTiger reads it.
    private let cell = UnsafeMutableRawBufferPointer.allocate(byteCount: 8, alignment: 8)

    init(_ store: WiredTigerStore) throws {
      access = try store.connection.session()
      keys = store.keys
      cursor = try access.cursor(WiredTigerStore.table)
    }

    deinit { cell.deallocate() }

    func close() { access.close() }

    func insert(_ rows: IntegerRows, perTransaction: Int) throws {
      let cursor = cursor
      var key = rows.keys.lowerBound
      while key < rows.keys.upperBound {
        let end = min(key + UInt64(perTransaction), rows.keys.upperBound)
        try access.write {
          while key < end {
            try Self.insert(key, rows.value(of: key), cursor)
            key += 1
          }
        }
      }
    }

    func insert(_ rows: StringRows, perTransaction: Int) throws {
      let cursor = cursor
      for start in stride(from: 0, to: rows.count, by: perTransaction) {
        try access.write {
          for row in start..<min(start + perTransaction, rows.count) {
            cell.storeBytes(of: rows.value(row), as: UInt64.self)
            cursor.setKey(rows.key(row))
            cursor.setValue(UnsafeRawBufferPointer(cell))
            try cursor.insert()
          }
        }
      }
    }

    func commitEach(_ rows: IntegerRows) throws {
      let cursor = cursor
      for key in rows.keys {
        try access.write { try Self.insert(key, rows.value(of: key), cursor) }
      }
    }

    /// Fills the table by a bulk cursor, which needs exclusive access and writes no log. The
    /// checkpoint makes it durable.
    func build(_ rows: IntegerRows) throws {
      try cursor.close()
      let bulk = try access.cursor(WiredTigerStore.table, "bulk")
      for key in rows.keys { try Self.insert(key, rows.value(of: key), bulk) }
      try bulk.close()
      try access.checkpoint()
      cursor = try access.cursor(WiredTigerStore.table)
    }

    func sum(_ probes: IntegerProbes) throws -> UInt64 {
      let cursor = cursor
      return try access.read {
        var sum: UInt64 = 0
        for key in probes.keys {
          cursor.setKey(key)
          sum &+= try Self.find(cursor)
        }
        return sum
      }
    }

    func sum(_ probes: StringProbes) throws -> UInt64 {
      let cursor = cursor
      return try access.read {
        var sum: UInt64 = 0
        for probe in 0..<probes.count {
          cursor.setKey(probes.key(probe))
          sum &+= try Self.find(cursor)
        }
        return sum
      }
    }

    func scan() throws -> Digest {
      let cursor = cursor
      return try access.read {
        var digest = Digest()
        try cursor.reset()
        switch keys {
        case .integers:
          while try cursor.next() {
            let (key, value) = (try cursor.keyNumber(), try cursor.valueBytes())
            digest.add(
              keyWord: key, keyLength: IntegerRows.keyLength, valueWord: value.loadUnaligned(as: UInt64.self),
              valueLength: value.count)
          }
        case .strings:
          while try cursor.next() {
            let (key, value) = (try cursor.keyBytes(), try cursor.valueBytes())
            digest.add(
              keyWord: key.loadUnaligned(as: UInt64.self), keyLength: key.count,
              valueWord: value.loadUnaligned(as: UInt64.self), valueLength: value.count)
          }
        }
        return digest
      }
    }

    @inline(__always)
    private static func insert(_ key: UInt64, _ value: UnsafeRawBufferPointer, _ cursor: WiredTigerCursor) throws {
      cursor.setKey(key)
      cursor.setValue(value)
      try cursor.insert()
    }

    /// The first eight bytes of the value whose key was set.
    @inline(__always)
    private static func find(_ cursor: WiredTigerCursor) throws -> UInt64 {
      guard try cursor.search() else { throw EngineError("wiredtiger", "search", "a key is missing") }
      return try cursor.valueBytes().loadUnaligned(as: UInt64.self)
    }
  }
#endif
