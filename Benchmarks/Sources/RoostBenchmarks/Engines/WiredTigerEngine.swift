#if WiredTiger
  import CWiredTiger

  /// WiredTiger with one table, a B-tree. Integer keys have the format Q, which sorts as numbers do.
  struct WiredTigerEngine: Engine {
    let name = "wiredtiger"

    var note: String { WiredTigerConnection.settings + "; build uses a bulk cursor and ends with a checkpoint" }

    func open(_ directory: String, keys: KeyKind, durability: Durability) throws -> any Store {
      try WiredTigerStore(try WiredTigerConnection(directory, durability), keys)
    }
  }

  final class WiredTigerStore: Store {
    let connection: WiredTigerConnection
    let keys: KeyKind

    static let table = "entries"

    init(_ connection: WiredTigerConnection, _ keys: KeyKind) throws {
      self.connection = connection
      self.keys = keys
      do {
        let access = try connection.session()
        defer { access.close() }
        try access.create(Self.table, key: keys == .integers ? "Q" : "u", value: "u")
      } catch {
        try? connection.close()
        throw error
      }
    }

    func session() throws -> any Session { try WiredTigerSession(self) }
    func settle() throws { try connection.settle() }
    func close() throws { try connection.close() }
  }
#endif
