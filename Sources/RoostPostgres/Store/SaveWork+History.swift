#if Postgres
  internal import Roost
  internal import RoostGraph
  internal import RoostRecords

  /// The notes of a save for the history.
  extension SaveWork {
    /// Writes the notes.
    func note(_ statements: inout [Statement]) throws {
      var notes: [NoteGroup: ChangeNote] = [:]
      func add(_ kind: ChangeNote.Kind, _ className: String, key: RowKey, properties: [String] = []) {
        let group = NoteGroup(kind: kind, zone: key.zone, className: className, properties: properties)
        let empty = ChangeNote(zone: key.zone, className: className, kind: kind, keys: [], properties: properties)
        notes[group, default: empty].keys.append(key.key)
      }
      for row in rows {
        guard row.known != nil else {
          add(.insert, row.content.type.name, key: row.key)
          continue
        }
        let properties = try changedProperties(row)
        if !properties.isEmpty { add(.update, row.content.type.name, key: row.key, properties: properties) }
      }
      for left in try leftLists() {
        add(.update, left.owner.entityName, key: left.key, properties: [left.property])
      }
      var images: [NoteGroup: [ValueImage]] = [:]
      for snapshot in request.deleted {
        guard let (_, key) = store.place(snapshot.persistentIdentifier) else { continue }
        add(.delete, snapshot.content.type.name, key: key)
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
          sorted, id: store.keys.next(), client: store.client, author: request.editingState.author,
          after: store.stage?.note(sorted.count) ?? 0))
    }

    /// A list that loses a member and whose owner did not load it.
    private struct LeftList: Hashable {
      var owner: PersistentIdentifier
      var key: RowKey
      var property: String
    }

    /// The lists that lose members in this save without a change of the list itself.
    private func leftLists() throws -> Set<LeftList> {
      var found: Set<LeftList> = []
      let gone = Set(deleted.map(\.key))
      var told: [RowKey: Set<TableClass.Member>] = [:]
      for row in rows where !row.newPlaces.isEmpty { told[row.key, default: []].formUnion(row.newPlaces.keys) }
      func add(_ owner: PersistentIdentifier, _ member: TableClass.Member) {
        guard let (table, key) = store.place(owner), !gone.contains(key),
          let place = store.tables.places[owner.entityName]?.place
        else { return }
        let kind = store.tables.tables[table].classes[place]
        guard let property = kind.properties[member], told[key]?.contains(member) != true else { return }
        found.insert(LeftList(owner: owner, key: key, property: kind.type.propertyName(property)))
      }
      /// Adds the list that contains a row because of the row's reference.
      func leave(_ table: Int, _ kind: TableClass, by column: Int, from content: SnapshotContent) {
        guard let property = kind.properties[.reference(column: column)],
          case .one(let owner?)? = content.link(property),
          let place = store.tables.tables[table].placeColumn(of: column)
        else { return }
        add(owner, .list(table: table, column: column, place: place))
      }
      for row in rows {
        guard let known = row.known else { continue }
        let (table, kind) = try place(row.content)
        for column in row.columns { leave(table, kind, by: column, from: known.content) }
      }
      for one in deleted {
        guard let content = store.known(one.table, one.key)?.content else { continue }
        let (table, kind) = try place(content)
        for member in kind.members {
          switch member {
          case .reference(let column)?: leave(table, kind, by: column, from: content)
          case .links(let number, let isFirst)?:
            guard let property = kind.properties[.links(number, isFirst: isFirst)],
              case .many(let partners)? = content.link(property)
            else { continue }
            for partner in partners { add(partner, .links(number, isFirst: !isFirst)) }
          default: continue
          }
        }
      }
      for (link, change) in links where change.isRemoved {
        let shape = store.tables.links[link.link]
        for (table, key, isFirst) in [(shape.first, link.first, true), (shape.second, link.second, false)] {
          guard let owner = store.known(table, RowKey(link.zone, key))?.content.identifier else { continue }
          add(owner, .links(link.link, isFirst: isFirst))
        }
      }
      return found
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
