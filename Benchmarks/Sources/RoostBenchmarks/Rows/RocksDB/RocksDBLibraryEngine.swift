#if RocksDB
  /// The music library in RocksDB, with record encoding and index families written by hand for
  /// these operations.
  struct RocksDBLibraryEngine: LibraryEngine {
    let name = "rocksdb"

    var note: String {
      RocksDBDatabase.settings
        + "; a packed record, one column family for rows and one for each index; an id is looked up before it is"
        + " added, and two batches at once could add it twice; rows are numbered by a counter of the process; E1 walks"
        + " the index of dates"
    }

    func open(_ directory: String, _ library: Library, durability: Durability) throws -> any LibraryStore {
      try RocksDBLibraryStore(directory, library, durability)
    }
  }

  /// One RocksDB database with a column family for each key space.
  ///
  /// Unchecked because of the pointers in `spaces`: according to the manual of RocksDB all threads
  /// may use a column family.
  final class RocksDBLibraryStore: LibraryStore, @unchecked Sendable {
    let database: RocksDBDatabase
    let library: Library
    let durability: Durability
    let spaces: LibrarySpaces<OpaquePointer>
    let numbers: RowNumbers

    init(_ directory: String, _ library: Library, _ durability: Durability) throws {
      // Every database has the first one.
      var names = ["default"]
      _ = LibrarySpaces { name, _ in names.append(name) }
      let database = try RocksDBDatabase(directory, families: names)
      let spaces = LibrarySpaces { name, _ in database.families[names.firstIndex(of: name)!] }
      do {
        let access = RocksDBAccess(database, durability)
        numbers = RowNumbers(
          lastTrack: try access.lastNumber(spaces.tracks), lastChild: try access.lastNumber(spaces.children))
      } catch {
        database.close()
        throw error
      }
      self.database = database
      self.spaces = spaces
      self.library = library
      self.durability = durability
    }

    func session() throws -> any LibrarySession { RocksDBLibrarySession(self) }

    func close() throws {
      defer { database.close() }
      try database.settle()
    }
  }
#endif
