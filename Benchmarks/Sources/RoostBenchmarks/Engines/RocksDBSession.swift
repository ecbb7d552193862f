#if RocksDB
  import CRocksDB

  /// One thread's batches and snapshots.
  final class RocksDBSession: Session {
    private let database: RocksDBDatabase
    private let access: RocksDBAccess
    private let family: OpaquePointer
    private let keys: KeyKind
    /// The memory of an integer key, or of a string's value, while RocksDB reads it.
    private let cell = UnsafeMutableRawBufferPointer.allocate(byteCount: 8, alignment: 8)

    init(_ store: RocksDBStore) {
      database = store.database
      access = RocksDBAccess(store.database, store.durability)
      family = store.database.families[0]
      keys = store.keys
    }

    deinit { cell.deallocate() }

    func close() {}

    func insert(_ rows: IntegerRows, perTransaction: Int) throws {
      var key = rows.keys.lowerBound
      while key < rows.keys.upperBound {
        let end = min(key + UInt64(perTransaction), rows.keys.upperBound)
        try access.write {
          while key < end {
            access.put(family, word(key.bigEndian), rows.value(of: key))
            key += 1
          }
        }
      }
    }

    func insert(_ rows: StringRows, perTransaction: Int) throws {
      for start in stride(from: 0, to: rows.count, by: perTransaction) {
        try access.write {
          for row in start..<min(start + perTransaction, rows.count) {
            access.put(family, rows.key(row), word(rows.value(row)))
          }
        }
      }
    }

    func commitEach(_ rows: IntegerRows) throws {
      for key in rows.keys {
        try access.write { access.put(family, word(key.bigEndian), rows.value(of: key)) }
      }
    }

    /// Writes a file of sorted rows beside the database and ingests it. Both calls sync.
    func build(_ rows: IntegerRows) throws {
      let settings = rocksdb_envoptions_create()
      defer { rocksdb_envoptions_destroy(settings) }
      let writer = rocksdb_sstfilewriter_create(settings, database.options)
      defer { rocksdb_sstfilewriter_destroy(writer) }
      let file = "\(database.directory)/rows.sst"
      try RocksDB.check("rocksdb_sstfilewriter_open") { rocksdb_sstfilewriter_open(writer, file, $0) }
      for key in rows.keys {
        let (name, value) = (word(key.bigEndian), rows.value(of: key))
        try RocksDB.check("rocksdb_sstfilewriter_put") {
          rocksdb_sstfilewriter_put(writer, name.characters, name.count, value.characters, value.count, $0)
        }
      }
      try RocksDB.check("rocksdb_sstfilewriter_finish") { rocksdb_sstfilewriter_finish(writer, $0) }
      let ingestion = rocksdb_ingestexternalfileoptions_create()
      defer { rocksdb_ingestexternalfileoptions_destroy(ingestion) }
      rocksdb_ingestexternalfileoptions_set_move_files(ingestion, 1)
      try file.withCString { path in
        var path: UnsafePointer<CChar>? = path
        try RocksDB.check("rocksdb_ingest_external_file") {
          rocksdb_ingest_external_file(database.handle, &path, 1, ingestion, $0)
        }
      }
    }

    func sum(_ probes: IntegerProbes) throws -> UInt64 {
      try access.read {
        var sum: UInt64 = 0
        for key in probes.keys { sum &+= try find(word(key.bigEndian)) }
        return sum
      }
    }

    func sum(_ probes: StringProbes) throws -> UInt64 {
      try access.read {
        var sum: UInt64 = 0
        for probe in 0..<probes.count { sum &+= try find(probes.key(probe)) }
        return sum
      }
    }

    func scan() throws -> Digest {
      try access.read {
        var digest = Digest()
        try access.each(family) { entry in
          let (key, value) = (entry.key, entry.value)
          digest.add(
            keyWord: keys == .integers ? key.bigEndianWord : key.loadUnaligned(as: UInt64.self), keyLength: key.count,
            valueWord: value.loadUnaligned(as: UInt64.self), valueLength: value.count)
          return true
        }
        return digest
      }
    }

    @inline(__always)
    private func find(_ key: UnsafeRawBufferPointer) throws -> UInt64 {
      guard let word = try access.get(family, key, { $0.loadUnaligned(as: UInt64.self) }) else {
        throw EngineError("rocksdb", "rocksdb_get_pinned_cf", "a key is missing")
      }
      return word
    }

    /// The eight bytes of `word`, in the session's cell until the next call.
    @inline(__always)
    private func word(_ word: UInt64) -> UnsafeRawBufferPointer {
      cell.storeBytes(of: word, as: UInt64.self)
      return UnsafeRawBufferPointer(cell)
    }
  }
#endif
