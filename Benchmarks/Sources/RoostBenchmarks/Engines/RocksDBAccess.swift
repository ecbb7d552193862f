#if RocksDB
  import CRocksDB

  /// One thread's batches, snapshots and look-ups in a RocksDB database.
  final class RocksDBAccess {
    private let database: RocksDBDatabase
    private let handle: OpaquePointer
    private let batch = rocksdb_writebatch_create()!
    private let reading = rocksdb_readoptions_create()!
    private let writing = rocksdb_writeoptions_create()!

    init(_ database: RocksDBDatabase, _ durability: Durability) {
      self.database = database
      handle = database.handle
      rocksdb_writeoptions_set_sync(writing, durability == .synced ? 1 : 0)
    }

    deinit {
      rocksdb_writebatch_destroy(batch)
      rocksdb_readoptions_destroy(reading)
      rocksdb_writeoptions_destroy(writing)
    }

    /// Writes all puts and removals of `body`, or none.
    @inline(__always)
    func write(_ body: () throws -> Void) throws {
      rocksdb_writebatch_clear(batch)
      try body()
      try RocksDB.check("rocksdb_write") { rocksdb_write(handle, writing, batch, $0) }
    }

    /// Calls `body`, which reads one snapshot.
    @inline(__always)
    func read<Result>(_ body: () throws -> Result) throws -> Result {
      let snapshot = rocksdb_create_snapshot(handle)
      rocksdb_readoptions_set_snapshot(reading, snapshot)
      defer {
        rocksdb_readoptions_set_snapshot(reading, nil)
        rocksdb_release_snapshot(handle, snapshot)
      }
      return try body()
    }

    @inline(__always)
    func put(_ family: OpaquePointer, _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) {
      rocksdb_writebatch_put_cf(batch, family, key.characters, key.count, value.characters, value.count)
    }

    @inline(__always)
    func remove(_ family: OpaquePointer, _ key: UnsafeRawBufferPointer) {
      rocksdb_writebatch_delete_cf(batch, family, key.characters, key.count)
    }

    /// The result of `body` for the value of a key; nil if there is none.
    @inline(__always)
    func get<Result>(
      _ family: OpaquePointer, _ key: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) throws -> Result
    ) throws -> Result? {
      let found = try RocksDB.check("rocksdb_get_pinned_cf") {
        rocksdb_get_pinned_cf(handle, reading, family, key.characters, key.count, $0)
      }
      guard let found else { return nil }
      defer { rocksdb_pinnableslice_destroy(found) }
      var count = 0
      let value = rocksdb_pinnableslice_value(found, &count)
      return try body(UnsafeRawBufferPointer(value, count))
    }

    /// Walks through a family in key order, beginning with a key, until `body` returns false.
    @inline(__always)
    func each(
      _ family: OpaquePointer, from key: UnsafeRawBufferPointer? = nil, _ body: (Entry) throws -> Bool
    ) throws {
      let iterator = rocksdb_create_iterator_cf(handle, reading, family)!
      defer { rocksdb_iter_destroy(iterator) }
      if let key {
        rocksdb_iter_seek(iterator, key.characters, key.count)
      } else {
        rocksdb_iter_seek_to_first(iterator)
      }
      while rocksdb_iter_valid(iterator) != 0, try body(Entry(iterator: iterator)) { rocksdb_iter_next(iterator) }
      try RocksDB.check("rocksdb_iter_next") { rocksdb_iter_get_error(iterator, $0) }
    }

    /// The number in the last key of a family; nil if the family is empty.
    func lastNumber(_ family: OpaquePointer) throws -> UInt64? {
      let iterator = rocksdb_create_iterator_cf(handle, reading, family)!
      defer { rocksdb_iter_destroy(iterator) }
      rocksdb_iter_seek_to_last(iterator)
      try RocksDB.check("rocksdb_iter_seek_to_last") { rocksdb_iter_get_error(iterator, $0) }
      return rocksdb_iter_valid(iterator) != 0 ? Entry(iterator: iterator).key.bigEndianWord : nil
    }

    /// The entry at an iterator. Bytes are valid until its next step.
    struct Entry {
      fileprivate let iterator: OpaquePointer

      @inline(__always)
      var key: UnsafeRawBufferPointer {
        var count = 0
        let bytes = rocksdb_iter_key(iterator, &count)
        return UnsafeRawBufferPointer(bytes, count)
      }

      @inline(__always)
      var value: UnsafeRawBufferPointer {
        var count = 0
        let bytes = rocksdb_iter_value(iterator, &count)
        return UnsafeRawBufferPointer(bytes, count)
      }
    }
  }
#endif
