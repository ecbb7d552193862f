#if RocksDB
  import CRocksDB

  /// RocksDB with one column family. Integer keys are eight bytes, big-endian.
  struct RocksDBEngine: Engine {
    let name = "rocksdb"

    var note: String { RocksDBDatabase.settings + "; build ingests one sorted file" }

    func open(_ directory: String, keys: KeyKind, durability: Durability) throws -> any Store {
      RocksDBStore(try RocksDBDatabase(directory), keys, durability)
    }
  }

  final class RocksDBStore: Store {
    let database: RocksDBDatabase
    let keys: KeyKind
    let durability: Durability

    init(_ database: RocksDBDatabase, _ keys: KeyKind, _ durability: Durability) {
      self.database = database
      self.keys = keys
      self.durability = durability
    }

    func session() throws -> any Session { RocksDBSession(self) }
    func settle() throws { try database.settle() }
    func close() throws { database.close() }
  }
#endif
