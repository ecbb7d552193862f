#if Postgres
  internal import Roost
  internal import RoostGraph
  internal import RoostRecords

  extension PostgresStore {
    /// Loads the models that notes name, and lists the deleted ones. It skips models that this
    /// container does not know. If `isFollowed`, it also loads new models of tables that were
    /// fetched from.
    func content(of notes: [ChangeNote], isFollowed: Bool) throws -> NewsContent {
      var wanted: [PersistentIdentifier] = []
      var seen: Set<PersistentIdentifier> = []
      for note in notes {
        guard let (table, place) = tables.places[note.className] else { continue }
        let type = tables.tables[table].classes[place].type
        for uuid in note.keys {
          let key = RowKey(note.zone, uuid)
          let isNew = isFollowed && note.kind != .delete && asked.contains(table)
          guard isNew || known(table, key) != nil else { continue }
          let name = identifier(type, key)
          if seen.insert(name).inserted { wanted.append(name) }
        }
      }
      var news = NewsContent()
      if wanted.isEmpty { return news }
      news.contents = try load(wanted, lists: false)
      let found = Set(news.contents.map(\.identifier.key))
      news.gone = wanted.filter { !found.contains($0.key) }
      return news
    }
  }

  /// `@unchecked Sendable`: the store is used only while no other call to it is running.
  struct WeakStore: @unchecked Sendable {
    weak var store: PostgresStore?
    init(_ store: PostgresStore) { self.store = store }
  }
#endif
