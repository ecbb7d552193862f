#if Postgres
  internal import Roost
  internal import RoostGraph
  internal import RoostRecords

  /// The statements that merge pairs of rows into one row each.
  struct KeyMerge {
    private let rows: KeyDuplicates
    private let store: PostgresStore
    private var statements: [Statement] = []
    /// Statements that return the keys of changed rows: by their numbers, the class and the
    /// property for the history.
    private var moves: [Int: (className: String, property: String, zone: String)] = [:]
    private var notes: [ChangeNote] = []

    init(_ rows: KeyDuplicates) { (self.rows, store) = (rows, rows.store) }

    /// Adds a statement. Its first three parameters are the zone, the kept row's key and the
    /// duplicate's key.
    private mutating func add(_ text: String, _ pair: DuplicatePair<RowKey>) {
      statements.append(Statement(text, [.text(pair.kept.zone), .uuid(pair.kept.key), .uuid(pair.duplicate.key)]))
    }

    private static let both = "IN ($2, $3)"

    mutating func add(_ pair: DuplicatePair<RowKey>) {
      for relationship in store.tables.relationships {
        switch relationship.form {
        case .reference(let column, let place):
          if relationship.target == rows.number { move(relationship, column, place: place, of: pair) }
        case .links(let link):
          let shape = store.tables.links[link]
          if shape.first == rows.number { move(link, isFirst: true, pair) }
          if shape.second == rows.number { move(link, isFirst: false, pair) }
        }
      }
      take(pair)
      notes.append(
        ChangeNote(zone: pair.kept.zone, className: rows.type.name, kind: .delete, keys: [pair.duplicate.key]))
      let names = rows.type.properties.indices.filter { pair.takes($0, isNil: false) }
      notes.append(
        ChangeNote(
          zone: pair.kept.zone, className: rows.type.name, kind: .update, keys: [pair.kept.key],
          properties: names.map { rows.type.propertyName($0) }))
    }

    // MARK: References to the duplicate

    private mutating func move(
      _ relationship: KeptRelationship, _ column: Int, place: Int?, of pair: DuplicatePair<RowKey>
    ) {
      let holder = store.tables.tables[relationship.holder.table]
      let (name, full) = (holder.columns[column].name, store.full(relationship.holder.table))
      let isOwn = relationship.holder.table == rows.number
      let others = isOwn ? " AND \(Table.key) NOT \(Self.both)" : ""
      func change(_ value: String, _ test: String) -> String {
        "UPDATE \(full) SET \(name) = \(value), \(Table.version) = \(Table.version) + 1 WHERE \(Table.zone) = $1 AND $2 <> $3 AND \(test)"
      }
      func note() {
        moves[statements.count] = (holder.root.name, holder.columns[column].field ?? "", pair.kept.zone)
      }
      if let property = partner(relationship, column) {
        // A one-to-one partner counts as a value of the property, on either side.
        let hasNew = "EXISTS (SELECT 1 FROM \(full) WHERE \(Table.zone) = $1 AND \(name) = $3)"
        let (takesAny, takesNil) = (pair.takes(property, isNil: false), pair.takes(property, isNil: true))
        if takesAny {
          note()
          add(change("NULL", "\(name) = $2\(takesNil ? "" : " AND \(hasNew)")") + " RETURNING \(Table.key)", pair)
          note()
          add(change("$2", "\(name) = $3\(others)") + " RETURNING \(Table.key)", pair)
        } else {
          note()
          add(change("NULL", "\(name) = $3") + " RETURNING \(Table.key)", pair)
        }
      } else if let place {
        let at = holder.columns[place].name
        let last = "(SELECT coalesce(max(\(at)), 0) FROM \(full) WHERE \(Table.zone) = $1 AND \(name) = $2)"
        note()
        add(
          "UPDATE \(full) AS m SET \(name) = $2, \(at) = n.p, \(Table.version) = m.\(Table.version) + 1 FROM "
            + "(SELECT \(Table.key), \(last) + \(ListPlaces.gap) * row_number() OVER (ORDER BY \(at) NULLS LAST, \(Table.key)) AS p "
            + "FROM \(full) WHERE \(Table.zone) = $1 AND \(name) = $3\(others)) AS n "
            + "WHERE m.\(Table.zone) = $1 AND m.\(Table.key) = n.\(Table.key) RETURNING m.\(Table.key)", pair)
      } else {
        note()
        add(change("$2", "\(name) = $3\(others)") + " RETURNING \(Table.key)", pair)
      }
      // An object must not reference itself after the merge.
      if isOwn { add(change(holder.columns[column].isOptional ? "NULL" : "$2", "\(name) = $3"), pair) }
    }

    /// The one-to-one property of the class for rows whose column references the object; nil if
    /// several rows may reference it.
    private func partner(_ relationship: KeptRelationship, _ column: Int) -> Int? {
      for kind in rows.table.classes {
        if let property = kind.properties[.found(table: relationship.holder.table, column: column)] { return property }
        if relationship.isOwnInverse, let property = kind.properties[.reference(column: column)] {
          return property
        }
      }
      return nil
    }

    private mutating func move(_ link: Int, isFirst: Bool, _ pair: DuplicatePair<RowKey>) {
      let shape = store.tables.links[link]
      let full = "\(store.namespace).\(shape.name)"
      let keys = [LinkTable.firstKey, LinkTable.secondKey]
      let places = [LinkTable.firstPlace, LinkTable.secondPlace]
      let (own, other) = isFirst ? (keys[0], keys[1]) : (keys[1], keys[0])
      let (ownPlace, otherPlace) = isFirst ? (places[0], places[1]) : (places[1], places[0])
      let others = shape.first == shape.second ? " AND \(other) NOT \(Self.both)" : ""
      let last = "(SELECT coalesce(max(\(ownPlace)), 0) FROM \(full) WHERE \(Table.zone) = $1 AND \(own) = $2)"
      add(
        "INSERT INTO \(full) (\(Table.zone), \(own), \(other), \(ownPlace), \(otherPlace)) SELECT \(Table.zone), $2, \(other), "
          + "\(last) + \(ListPlaces.gap) * row_number() OVER (ORDER BY \(ownPlace) NULLS LAST, \(other)), \(otherPlace) "
          + "FROM \(full) WHERE \(Table.zone) = $1 AND \(own) = $3\(others) ON CONFLICT DO NOTHING", pair)
      add("DELETE FROM \(full) WHERE \(Table.zone) = $1 AND \(own) = $3 AND $2 <> $3", pair)
    }

    // MARK: Values

    /// Deletes the duplicate, and gives its values to the kept row.
    private mutating func take(_ pair: DuplicatePair<RowKey>) {
      let shape = rows.table
      var sets = ["\(Table.version) = k.\(Table.version) + 1"]
      for (property, member) in rows.kind.members.enumerated() where pair.takes(property, isNil: false) {
        let column: Int
        switch member {
        case .value(let at)?, .reference(let at)?: column = at
        case nil, .found?, .list?, .links?: continue
        }
        let name = shape.columns[column].name
        var value = "d.\(name)"
        if case .reference(rows.number, _) = shape.columns[column].kind {
          let instead = shape.columns[column].isOptional ? "NULL" : "k.\(name)"
          value = "CASE WHEN d.\(name) \(Self.both) THEN \(instead) ELSE d.\(name) END"
        }
        let takesNil = pair.takes(property, isNil: true)
        sets.append("\(name) = " + (takesNil ? value : "CASE WHEN d.\(name) IS NULL THEN k.\(name) ELSE \(value) END"))
        guard let place = shape.placeColumn(of: column) else { continue }
        let at = shape.columns[place].name
        sets.append("\(at) = " + (takesNil ? "d.\(at)" : "CASE WHEN d.\(name) IS NULL THEN k.\(at) ELSE d.\(at) END"))
      }
      add(
        "WITH d AS (DELETE FROM \(store.full(rows.number)) WHERE \(Table.zone) = $1 AND \(Table.key) = $3 RETURNING *) "
          + "UPDATE \(store.full(rows.number)) AS k SET \(sets.joined(separator: ", ")) FROM d "
          + "WHERE k.\(Table.zone) = $1 AND k.\(Table.key) = $2", pair)
    }

    // MARK: Sending

    mutating func run() throws {
      guard let stage = store.stage else { return }
      let answers = try stage.commit([], statements) { fault, _ in SaveWork.error(fault) }
      for (number, move) in moves.sorted(by: { $0.key < $1.key }) {
        let keys = (0..<answers[number].count).compactMap { answers[number].uuid($0, 0) }
        if keys.isEmpty { continue }
        notes.append(
          ChangeNote(zone: move.zone, className: move.className, kind: .update, keys: keys, properties: [move.property])
        )
      }
      if store.configuration.historyDays == nil || notes.isEmpty { return }
      let note = store.changes.insertion(
        notes, id: store.keys.next(), client: store.client, author: nil, after: stage.note(notes.count))
      _ = try store.run([note])
    }
  }
#endif
