#if RocksDB
  import CRocksDB
  import Foundation

  /// One open RocksDB database with the settings of this program.
  ///
  /// Unchecked because of the pointers: according to the manual all threads may use a database and
  /// its families.
  final class RocksDBDatabase: @unchecked Sendable {
    let handle: OpaquePointer
    /// In the order of their names.
    let families: [OpaquePointer]
    let options: OpaquePointer
    let directory: String

    static let settings =
      "RocksDB \(rocksdb_version_major).\(rocksdb_version_minor).\(rocksdb_version_patch), 256 MiB block cache, bloom"
      + " filters of 10 bits, no compression, else as it is by default; a transaction is one write batch; synced is"
      + " sync, relaxed is without (the log is written and not synced)"

    init(_ directory: String, families names: [String] = ["default"]) throws {
      self.directory = directory
      let options = Self.makeOptions()
      self.options = options
      let texts = names.map { UnsafePointer(strdup($0)) }
      defer { for text in texts { free(UnsafeMutableRawPointer(mutating: text)) } }
      let settings = [OpaquePointer?](repeating: options, count: names.count)
      var opened = [OpaquePointer?](repeating: nil, count: names.count)
      do {
        let database = try RocksDB.check("rocksdb_open_column_families") {
          rocksdb_open_column_families(options, directory, Int32(names.count), texts, settings, &opened, $0)
        }
        handle = database!
        families = opened.map { $0! }
      } catch {
        rocksdb_options_destroy(options)
        throw error
      }
    }

    private static func makeOptions() -> OpaquePointer {
      let cache = rocksdb_cache_create_lru(256 << 20)
      defer { rocksdb_cache_destroy(cache) }
      let table = rocksdb_block_based_options_create()
      defer { rocksdb_block_based_options_destroy(table) }
      rocksdb_block_based_options_set_block_cache(table, cache)
      rocksdb_block_based_options_set_filter_policy(table, rocksdb_filterpolicy_create_bloom_full(10))
      let options = rocksdb_options_create()!
      rocksdb_options_set_create_if_missing(options, 1)
      rocksdb_options_set_create_missing_column_families(options, 1)
      rocksdb_options_set_compression(options, Int32(rocksdb_no_compression))
      rocksdb_options_set_block_based_table_factory(options, table)
      return options
    }

    /// Writes the memory tables to files, and waits until no thread compacts files any more.
    func settle() throws {
      let flushing = rocksdb_flushoptions_create()
      defer { rocksdb_flushoptions_destroy(flushing) }
      for family in families {
        try RocksDB.check("rocksdb_flush_cf") { rocksdb_flush_cf(handle, flushing, family, $0) }
      }
      // After the end of a snapshot RocksDB rewrites files whose keys no snapshot distinguishes any
      // more. The first snapshot triggers this, and would otherwise slow down a reader.
      rocksdb_release_snapshot(handle, rocksdb_create_snapshot(handle))
      while try isBusy() { Thread.sleep(forTimeInterval: 0.005) }
    }

    private func isBusy() throws -> Bool {
      try families.contains { family in
        try ["compaction-pending", "num-running-compactions", "num-running-flushes"].contains { name in
          var number: UInt64 = 0
          guard rocksdb_property_int_cf(handle, family, "rocksdb.\(name)", &number) == 0 else {
            throw EngineError("rocksdb", "rocksdb_property_int_cf", "no property is called \(name)")
          }
          return number > 0
        }
      }
    }

    func close() {
      for family in families { rocksdb_column_family_handle_destroy(family) }
      rocksdb_close(handle)
      rocksdb_options_destroy(options)
    }
  }

  /// Functions that every call of RocksDB needs.
  enum RocksDB {
    /// Calls `body` with memory for an error message, and throws the message that it leaves there.
    @inline(__always)
    static func check<Result>(
      _ call: String, _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) throws -> Result
    ) throws -> Result {
      var message: UnsafeMutablePointer<CChar>?
      let result = try body(&message)
      guard let message else { return result }
      defer { rocksdb_free(message) }
      throw EngineError("rocksdb", call, String(cString: message))
    }
  }

  extension UnsafeRawBufferPointer {
    /// The bytes in the type that C expects.
    @inline(__always)
    var characters: UnsafePointer<CChar>? { baseAddress?.assumingMemoryBound(to: CChar.self) }

    /// Borrows bytes that C returned.
    @inline(__always)
    init(_ characters: UnsafePointer<CChar>?, _ count: Int) { self.init(start: characters, count: count) }
  }
#endif
