#if WiredTiger
  /// The music library in WiredTiger, with record encoding and index tables written by hand for
  /// these operations.
  struct WiredTigerLibraryEngine: LibraryEngine {
    let name = "wiredtiger"

    var note: String {
      WiredTigerConnection.settings
        + "; a packed record, one table for rows and one for each index; rows are numbered by a counter of the process;"
        + " E1 walks the index of dates"
    }

    func open(_ directory: String, _ library: Library, durability: Durability) throws -> any LibraryStore {
      try WiredTigerLibraryStore(try WiredTigerConnection(directory, durability), library)
    }
  }

  /// One WiredTiger database with a table for each key space.
  final class WiredTigerLibraryStore: LibraryStore {
    let connection: WiredTigerConnection
    let library: Library
    let numbers: RowNumbers

    init(_ connection: WiredTigerConnection, _ library: Library) throws {
      self.connection = connection
      self.library = library
      do {
        let access = try connection.session()
        defer { access.close() }
        let spaces = try LibrarySpaces { name, kind in
          switch kind {
          case .records: try access.create(name, key: "Q", value: "u")
          case .names: try access.create(name, key: "u", value: "Q")
          case .entries, .entriesOfNumbers: try access.create(name, key: "u", value: "u")
          }
          return try access.cursor(name)
        }
        numbers = RowNumbers(
          lastTrack: try spaces.tracks.last() ? spaces.tracks.keyNumber() : nil,
          lastChild: try spaces.children.last() ? spaces.children.keyNumber() : nil)
      } catch {
        try? connection.close()
        throw error
      }
    }

    func session() throws -> any LibrarySession { try WiredTigerLibrarySession(self) }
    func close() throws { try connection.close() }
  }
#endif
