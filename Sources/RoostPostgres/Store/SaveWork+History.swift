#if Postgres
  internal import Roost
  internal import RoostGraph
  internal import RoostRecords

  /// What a save tells the history.
  extension SaveWork {
    /// Writes down what changes.
    func note(_ statements: inout [Statement]) throws {
      var notes: [NoteGroup: ChangeNote] = [:]
      func add(_ kind: ChangeNote.Kind, _ content: SnapshotContent, key: RowKey, properties: [String] = []) {
        let group = NoteGroup(kind: kind, zone: key.zone, className: content.type.name, properties: properties)
        let empty = ChangeNote(
          zone: key.zone, className: content.type.name, kind: kind, keys: [], properties: properties)
        notes[group, default: empty].keys.append(key.key)
      }
      for row in rows {
        guard row.known != nil else {
          add(.insert, row.content, key: row.key)
          continue
        }
        let properties = try changedProperties(row)
        if !properties.isEmpty { add(.update, row.content, key: row.key, properties: properties) }
      }
      var images: [NoteGroup: [ValueImage]] = [:]
      for snapshot in request.deleted {
        guard let (_, key) = store.place(snapshot.persistentIdentifier) else { continue }
        add(.delete, snapshot.content, key: key)
        let group = NoteGroup(kind: .delete, zone: key.zone, className: snapshot.content.type.name, properties: [])
        images[group, default: []].append(snapshot.content.values)
      }
      for (group, images) in images {
        notes[group]?.kept = KeptValues.write(images, store.tables.kept[group.className] ?? [])
      }
      if notes.isEmpty { return }
      let sorted = notes.sorted { $0.key < $1.key }.map(\.value)
      if store.changes.isDistributed, Set(sorted.map(\.zone)).count > 1 { statements.append(store.changes.holding) }
      statements.append(
        store.changes.insertion(
          sorted, id: store.keys.next(), client: store.client, author: request.editingState.author))
    }

    struct NoteGroup: Hashable, Comparable {
      var kind: ChangeNote.Kind
      var zone: String
      var className: String
      var properties: [String]

      private var rank: Int {
        switch kind {
        case .insert: 0
        case .update: 1
        case .delete: 2
        }
      }

      static func < (one: NoteGroup, other: NoteGroup) -> Bool {
        (one.className, one.rank, one.zone, one.properties.joined(separator: " "))
          < (other.className, other.rank, other.zone, other.properties.joined(separator: " "))
      }
    }

    func changedProperties(_ row: RowChange) throws -> [String] {
      try place(row.content).kind.members.enumerated().compactMap { property, member in
        let isChanged =
          switch member {
          case .value(let column)?, .reference(let column)?: row.columns.contains(column)
          case .list?, .links?: member.flatMap { row.newPlaces[$0] } != nil
          case .found?: row.content.link(property) != row.known?.content.link(property)
          case nil: false
          }
        return isChanged ? row.content.type.propertyName(property) : nil
      }
    }
  }
#endif
