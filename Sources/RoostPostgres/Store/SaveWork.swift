#if Postgres
  internal import Roost
  internal import RoostGraph
  internal import RoostQuery
  internal import RoostRecords

  /// One save: which rows are written, and by which statements.
  ///
  /// Rows that leave others that are deleted are updated first, so that no rule of the database deletes them too; then the deletions,
  /// so that new rows can have the unique values of old ones; then the other rows.
  struct SaveWork {
    private let store: PostgresStore
    private let request: DataStoreSaveChangesRequest<DefaultSnapshot>
    /// The lasting identifiers of new models.
    private(set) var remapped: [PersistentIdentifier: PersistentIdentifier] = [:]
    private var rows: [RowChange] = []
    private var deleted: [(table: Int, key: RowKey, version: Int64)] = []
    /// Places in lists that rows keep of themselves.
    private var places: [PlaceKey: Int64] = [:]
    private var links: [LinkKey: LinkChange] = [:]
    /// By the number of a statement, what it means if that fails with a division by zero, as tests in SQL do.
    private var checks: [Int: String] = [:]

    /// A row that is written.
    private struct RowChange {
      var table: Int
      var key: RowKey
      var content: SnapshotContent
      /// What the store has of it; nil for a new row.
      var known: KnownRow?
      /// The columns that change; all of them for a new row.
      var columns: [Int] = []
      var newPlaces: [TableClass.Member: [UUIDNumber: Int64]] = [:]
    }

    private struct PlaceKey: Hashable {
      var table: Int
      var column: Int
      var key: RowKey
    }

    private struct LinkKey: Hashable {
      var link: Int
      var zone: String
      var first: UUIDNumber
      var second: UUIDNumber
    }

    private struct LinkChange {
      var isRemoved = false
      var firstPlace: Int64?
      var secondPlace: Int64?
    }

    init(_ store: PostgresStore, _ request: DataStoreSaveChangesRequest<DefaultSnapshot>) {
      self.store = store
      self.request = request
    }

    private func name(_ content: SnapshotContent, _ property: Int) -> String {
      "\(content.type.name).\(content.type.propertyName(property))"
    }

    private func members(_ content: SnapshotContent) throws -> (table: Int, members: [TableClass.Member?]) {
      let (table, place) = try store.tables.place(content.type)
      return (table, store.tables.tables[table].classes[place].members)
    }

    // MARK: Preparing

    mutating func prepare() throws {
      for snapshot in request.deleted {
        guard let (table, key) = store.place(snapshot.persistentIdentifier) else { continue }
        deleted.append((table, key, store.known(table, key)?.version ?? 0))
      }
      let inserted = request.inserted.map(\.content)
      let fresh = Dictionary(inserted.map { ($0.identifier, $0) }) { first, _ in first }
      for content in inserted {
        let (table, _) = try members(content)
        // An earlier save was committed whose answer was lost.
        if let saved = store.landed[content.identifier], let (table, key) = store.place(saved),
          let known = store.known(table, key)
        {
          remapped[content.identifier] = saved
          rows.append(RowChange(table: table, key: key, content: content, known: known))
          continue
        }
        let key = RowKey(try zone(content, fresh), store.keys.next())
        remapped[content.identifier] = store.identifier(content.type, key)
        rows.append(RowChange(table: table, key: key, content: content))
      }
      try meetTwins()
      for snapshot in request.updated {
        guard let (table, key) = store.place(snapshot.persistentIdentifier) else {
          throw RoostError(.foreign, "\(snapshot.persistentIdentifier.entityName) to save is not of this store")
        }
        guard let known = store.known(table, key) else {
          throw RoostError(.conflict, "\(snapshot.content.type.name) \(key.text) was deleted by another program")
        }
        if try zone(snapshot.content, fresh) != key.zone {
          throw RoostError(
            .badValue, "the zone of \(snapshot.content.type.name) \(key.text) changed: delete it, and insert a new one")
        }
        rows.append(RowChange(table: table, key: key, content: snapshot.content, known: known))
      }
      for at in rows.indices { try resolve(at) }
      for at in rows.indices { try compareLists(at) }
      for at in rows.indices { rows[at].columns = try changedColumns(rows[at]) }
    }

    /// The zone of an object.
    private func zone(
      _ content: SnapshotContent, _ fresh: [PersistentIdentifier: SnapshotContent], depth: Int = 0
    ) throws -> String {
      let (table, _) = try members(content)
      guard let property = store.zones.property(table) else { return "" }
      let fault = RoostError(.badValue, "\(name(content, property)) tells the zone, and is nil or leads in a circle")
      guard let link = content.link(property) else {
        guard let value = content.values.value(of: property), !value.isNull else { throw fault }
        return value.zoneText
      }
      guard case .one(let target?) = link, depth < 32 else { throw fault }
      if let other = fresh[target] { return try zone(other, fresh, depth: depth + 1) }
      guard let (_, key) = store.place(target) else { throw fault }
      return key.zone
    }

    /// Puts lasting identifiers into a content's relationships.
    private mutating func resolve(_ at: Int) throws {
      let content = rows[at].content
      func lasting(_ identifier: PersistentIdentifier) throws -> PersistentIdentifier {
        let found = remapped[identifier] ?? identifier
        guard let (_, key) = store.place(found) else {
          throw RoostError(.foreign, "\(content.type.name) references a \(found.entityName) that is not of this store")
        }
        if key.zone != rows[at].key.zone {
          throw RoostError(
            .badValue,
            "\(content.type.name) of the zone '\(rows[at].key.zone)' references \(found.entityName) of the "
              + "zone '\(key.zone)': relationships stay in a zone")
        }
        return found
      }
      rows[at].content.links = try content.links.map { link in
        switch link {
        case .absent: .absent
        case .one(let one): .one(try one.map(lasting))
        case .many(let many): .many(try many.map(lasting))
        }
      }
      rows[at].content.identifier = store.identifier(content.type, rows[at].key)
    }

    /// Finds out where the members of changed lists stand from now on.
    private mutating func compareLists(_ at: Int) throws {
      let row = rows[at]
      let (_, members) = try self.members(row.content)
      for (property, member) in members.enumerated() {
        guard let member, case .many(let list)? = row.content.link(property) else { continue }
        let before = row.known?.content.link(property)
        if before == .many(list) { continue }
        let keys = list.compactMap { store.place($0)?.key.key }
        let old = row.known?.places[member] ?? [:]
        let changes = ListPlaces.changes(keys, from: old)
        var now = old.filter { keys.contains($0.key) }
        for (key, place) in changes { now[key] = place }
        rows[at].newPlaces[member] = now
        switch member {
        case .list(let other, _, let column):
          for (key, place) in changes {
            places[PlaceKey(table: other, column: column, key: RowKey(row.key.zone, key))] = place
          }
        case .links(let number, let isFirst):
          for (key, place) in changes {
            let link = linkKey(number, row.key, to: key, isFirst: isFirst)
            var change = links[link] ?? LinkChange()
            change.isRemoved = false
            if isFirst { change.firstPlace = place } else { change.secondPlace = place }
            links[link] = change
          }
          let kept = Set(keys)
          for key in old.keys where !kept.contains(key) {
            let link = linkKey(number, row.key, to: key, isFirst: isFirst)
            if links[link] == nil { links[link] = LinkChange(isRemoved: true) }
          }
        case .value, .reference, .found: continue
        }
      }
    }

    private func linkKey(_ number: Int, _ own: RowKey, to other: UUIDNumber, isFirst: Bool) -> LinkKey {
      LinkKey(
        link: number, zone: own.zone, first: isFirst ? own.key : other, second: isFirst ? other : own.key)
    }

    /// The columns that differ from what the store has.
    private mutating func changedColumns(_ row: RowChange) throws -> [Int] {
      let (table, members) = try self.members(row.content)
      var changed: Set<Int> = []
      for (property, member) in members.enumerated() {
        switch member {
        case .value(let column)?, .reference(let column)?:
          guard let known = row.known else {
            changed.insert(column)
            continue
          }
          if row.content.isPresent(property), !row.content.isSame(property, as: known.content) {
            changed.insert(column)
          }
        case nil, .found?, .list?, .links?: continue
        }
      }
      for (place, column) in store.tables.tables[table].columns.enumerated() {
        guard case .place(let reference) = column.kind else { continue }
        let isPlaced = places[PlaceKey(table: table, column: place, key: row.key)] != nil
        if changed.contains(reference) || isPlaced && !changed.isEmpty { changed.insert(place) }
      }
      return changed.sorted()
    }

    /// New models with the unique values of ones that the store has become those.
    private mutating func meetTwins() throws {
      var seen: [UniqueValues: Int] = [:]
      var dropped: Set<Int> = []
      var asked: [(table: Int, rows: [Int], statement: Statement)] = []
      for (table, shape) in store.tables.tables.enumerated() where !shape.uniques.isEmpty {
        let new = rows.indices.filter { rows[$0].table == table && rows[$0].known == nil }
        if new.isEmpty { continue }
        for (number, parts) in shape.uniques.enumerated() {
          for at in new where !dropped.contains(at) {
            guard let values = try uniqueValues(parts, rows[at]) else { continue }
            let key = UniqueValues(table: table, rule: number, zone: rows[at].key.zone, values: values)
            if let first = seen[key], first != at {
              // The last one of a save stays.
              remapped[rows[first].content.identifier] = remapped[rows[at].content.identifier]
              dropped.insert(first)
            }
            seen[key] = at
          }
          for (zone, ats) in Dictionary(grouping: new.filter { !dropped.contains($0) }, by: { rows[$0].key.zone }) {
            if let statement = try twins(parts, table, zone: zone, rows: ats) { asked.append((table, ats, statement)) }
          }
        }
      }
      let gone = Set(deleted.map(\.key))
      for (one, answer) in zip(asked, try store.run(asked.map(\.statement))) {
        for line in 0..<answer.count {
          guard let number = answer.integer(line, 0) else { continue }
          let (key, known) = try store.selections[one.table].known(answer, line, store: store.identifier, from: 1)
          let at = one.rows[Int(number) - 1]
          if gone.contains(key) || dropped.contains(at) { continue }
          let before = rows[at].content.identifier
          rows[at].key = key
          rows[at].known = known
          remapped[before] = known.content.identifier
        }
      }
      rows = rows.indices.filter { !dropped.contains($0) }.map { rows[$0] }
    }

    private struct UniqueValues: Hashable {
      var table: Int
      var rule: Int
      var zone: String
      var values: [RoostRecords.Value]
    }

    /// The values of a rule; nil where one of them is nil, which equals nothing, or a new object.
    private func uniqueValues(_ parts: [UniquePart], _ row: RowChange) throws -> [RoostRecords.Value]? {
      let (_, members) = try self.members(row.content)
      var values: [RoostRecords.Value] = []
      for part in parts {
        guard let property = members.firstIndex(of: .value(column: part.column)), part.path.isEmpty,
          let value = row.content.values.value(of: property), !value.isNull
        else { return nil }
        values.append(value)
      }
      return values
    }

    /// Asks for the rows that have the unique values of new ones.
    private func twins(_ parts: [UniquePart], _ table: Int, zone: String, rows ats: [Int]) throws -> Statement? {
      let shape = store.tables.tables[table]
      var statement = Statement("")
      let zoneName = statement.add(.text(zone))
      var columns: [ArrayColumn] = parts.map { ArrayColumn($0.path.isEmpty ? shape.columns[$0.column].type : .jsonb) }
      for at in ats {
        let (_, members) = try self.members(rows[at].content)
        for (number, part) in parts.enumerated() {
          columns[number].append(try bytes(rows[at], part.column, members: members))
        }
      }
      let names = columns.map { statement.add($0.parameter) }
      let tests = parts.enumerated().map { number, part in
        let type = shape.columns[part.column].type
        let value: String
        if !part.path.isEmpty {
          value = UniquePart.path(part.path, of: "n.v\(number)")
        } else {
          value = type == .text ? "normalize(n.v\(number), NFC) COLLATE \"C\"" : "n.v\(number)"
        }
        return "\(part.sql(of: shape, alias: "t.")) = \(value)"
      }
      let selection = store.selections[table]
      let list = (["t.n"] + selection.list).joined(separator: ", ")
      statement.text =
        "SELECT \(list) FROM (SELECT t.*, n.n FROM unnest(\(names.joined(separator: ", "))) WITH ORDINALITY AS "
        + "n(\(names.indices.map { "v\($0)" }.joined(separator: ", ")), n) JOIN \(store.full(table)) AS t "
        + "ON t.\(Table.zone) = \(zoneName) AND \(tests.joined(separator: " AND "))) AS t \(selection.joins.joined(separator: " "))"
      return statement
    }

    // MARK: Values

    /// A column's bytes in a row that is written; nil for null.
    private func bytes(_ row: RowChange, _ column: Int, members: [TableClass.Member?]) throws -> [UInt8]? {
      let shape = store.tables.tables[row.table].columns[column]
      switch shape.kind {
      case .value(let form):
        guard let property = members.firstIndex(of: .value(column: column)) else { return nil }
        do {
          let found = try row.content.values.read(property) { source throws -> [UInt8]? in try form.bytes(&source) }
          if let found { return found }
        } catch let fault as ValueFault {
          throw RoostError(.badValue, "\(name(row.content, property)) cannot be saved: \(fault.reason)")
        }
        if shape.isOptional { return nil }
        throw RoostError(.badValue, "\(name(row.content, property)) has no value")
      case .reference:
        guard let property = members.firstIndex(of: .reference(column: column)) else { return nil }
        guard case .one(let target?)? = row.content.link(property) else {
          if shape.isOptional { return nil }
          throw RoostError(.badValue, "\(name(row.content, property)) must lead to an object")
        }
        var wire = WireBytes()
        if let key = store.place(target)?.key.key { wire.append(key) }
        return wire.bytes
      case .place:
        guard let place = places[PlaceKey(table: row.table, column: column, key: row.key)] else { return nil }
        var wire = WireBytes()
        wire.append(place)
        return wire.bytes
      }
    }

    // MARK: Statements

    /// So many rows are written by one statement.
    private static var mostRows: Int { 2000 }

    mutating func statements() throws -> [Statement] {
      var statements: [Statement] = []
      let gone = Set(deleted.map(\.key))
      func leaves(_ row: RowChange) -> Bool {
        guard let known = row.known else { return false }
        return known.content.links.contains { link in
          if case .one(let target?) = link, let key = store.place(target)?.key { gone.contains(key) } else { false }
        }
      }
      let changed = rows.filter { $0.known != nil && !$0.columns.isEmpty }
      try update(changed.filter(leaves), &statements)
      delete(&statements)
      try update(changed.filter { !leaves($0) }, &statements)
      try insert(rows.filter { $0.known == nil }, &statements)
      place(&statements)
      link(&statements)
      if store.configuration.historyDays != nil, !statements.isEmpty { try note(&statements) }
      return statements
    }

    private struct Group: Hashable {
      var table: Int
      var zone: String
      var columns: [Int]
    }

    private func groups(_ rows: [RowChange]) -> [(key: Group, rows: ArraySlice<RowChange>)] {
      let all = Dictionary(grouping: rows) { Group(table: $0.table, zone: $0.key.zone, columns: $0.columns) }
      return all.sorted {
        ($0.key.table, $0.key.zone, $0.key.columns.count) < ($1.key.table, $1.key.zone, $1.key.columns.count)
      }
      .flatMap { key, rows in
        stride(from: 0, to: rows.count, by: Self.mostRows).map { (key, rows[$0..<min(rows.count, $0 + Self.mostRows)]) }
      }
    }

    /// Adds the columns of some rows to a statement, and returns their names in it.
    private func add(_ rows: ArraySlice<RowChange>, _ columns: [Int], to statement: inout Statement) throws -> [String]
    {
      guard let first = rows.first else { return [] }
      let shape = store.tables.tables[first.table]
      return try columns.map { column in
        var values = ArrayColumn(shape.columns[column].type)
        for row in rows {
          let (_, members) = try self.members(row.content)
          values.append(try bytes(row, column, members: members))
        }
        return statement.add(values.parameter)
      }
    }

    private func insert(_ rows: [RowChange], _ statements: inout [Statement]) throws {
      // A row of a subclass has other columns than one of its superclass. All of them are written together, with nulls.
      var whole = rows
      for at in whole.indices { whole[at].columns = Array(store.tables.tables[whole[at].table].columns.indices) }
      for (key, rows) in groups(whole) {
        let shape = store.tables.tables[key.table]
        var statement = Statement("")
        let zone = statement.add(.text(key.zone))
        var names = [Table.key]
        var values = [statement.add(.uuids(rows.map(\.key.key)))]
        if shape.hasClassColumn {
          names.append(Table.className)
          values.append(statement.add(.texts(rows.map(\.content.type.name))))
        }
        names += key.columns.map { shape.columns[$0].name }
        values += try add(rows, key.columns, to: &statement)
        statement.text =
          "INSERT INTO \(store.full(key.table)) (\(Table.zone), \(names.map(\.description).joined(separator: ", "))) "
          + "SELECT \(zone), n.* FROM unnest(\(values.joined(separator: ", "))) AS n"
        statements.append(statement)
      }
    }

    private mutating func update(_ rows: [RowChange], _ statements: inout [Statement]) throws {
      for (key, rows) in groups(rows) {
        let shape = store.tables.tables[key.table]
        var statement = Statement("")
        let zone = statement.add(.text(key.zone))
        var values = [
          statement.add(.uuids(rows.map(\.key.key))), statement.add(.bigints(rows.map { $0.known?.version ?? 0 })),
        ]
        values += try add(rows, key.columns, to: &statement)
        let names = ["k", "v"] + key.columns.indices.map { "c\($0)" }
        let sets = key.columns.enumerated().map { ", \(shape.columns[$1].name) = n.c\($0)" }.joined()
        let count = statement.add(.bigint(Int64(rows.count)))
        statement.text =
          "WITH u AS (UPDATE \(store.full(key.table)) AS t SET \(Table.version) = t.\(Table.version) + 1\(sets) "
          + "FROM unnest(\(values.joined(separator: ", "))) AS n(\(names.joined(separator: ", "))) "
          + "WHERE t.\(Table.zone) = \(zone) AND t.\(Table.key) = n.k AND t.\(Table.version) = n.v RETURNING 1) "
          + "SELECT 1 / (CASE WHEN count(*) = \(count) THEN 1 ELSE 0 END) FROM u"
        checks[statements.count] = "another program changed or deleted a \(shape.root.name) that is saved"
        statements.append(statement)
      }
    }

    private mutating func delete(_ statements: inout [Statement]) {
      let groups = Dictionary(grouping: deleted) { Group(table: $0.table, zone: $0.key.zone, columns: []) }
      let sorted = groups.sorted { ($0.key.table, $0.key.zone) < ($1.key.table, $1.key.zone) }
      for (key, rows) in sorted {
        var statement = Statement("")
        let zone = statement.add(.text(key.zone))
        let values = [statement.add(.uuids(rows.map(\.key.key))), statement.add(.bigints(rows.map(\.version)))]
        statement.text =
          "DELETE FROM \(store.full(key.table)) AS t USING unnest(\(values.joined(separator: ", "))) AS n(k, v) "
          + "WHERE t.\(Table.zone) = \(zone) AND t.\(Table.key) = n.k AND t.\(Table.version) = n.v"
        statements.append(statement)
      }
      // Rules of the database may have deleted some of them before, so what counts is that none is left.
      for (key, rows) in sorted {
        checks[statements.count] =
          "another program changed a \(store.tables.tables[key.table].root.name) that is deleted"
        statements.append(
          Statement(
            "SELECT 1 / (CASE WHEN count(*) = 0 THEN 1 ELSE 0 END) FROM \(store.full(key.table)) "
              + "WHERE \(Table.zone) = $1 AND \(Table.key) = ANY($2)",
            [.text(key.zone), .uuids(rows.map(\.key.key))]))
      }
    }

    /// Places of rows that are not written otherwise.
    private func place(_ statements: inout [Statement]) {
      var written: Set<PlaceKey> = []
      for row in rows {
        for (column, shape) in store.tables.tables[row.table].columns.enumerated() {
          guard case .place = shape.kind, row.known == nil || row.columns.contains(column) else { continue }
          written.insert(PlaceKey(table: row.table, column: column, key: row.key))
        }
      }
      let groups = Dictionary(grouping: places.filter { !written.contains($0.key) }) {
        Group(table: $0.key.table, zone: $0.key.key.zone, columns: [$0.key.column])
      }
      for (key, places) in groups.sorted(by: { ($0.key.table, $0.key.zone) < ($1.key.table, $1.key.zone) }) {
        let column = store.tables.tables[key.table].columns[key.columns[0]].name
        statements.append(
          Statement(
            "UPDATE \(store.full(key.table)) AS t SET \(column) = n.p FROM unnest($2, $3) AS n(k, p) "
              + "WHERE t.\(Table.zone) = $1 AND t.\(Table.key) = n.k",
            [.text(key.zone), .uuids(places.map(\.key.key.key)), .bigints(places.map(\.value))]))
      }
    }

    private func link(_ statements: inout [Statement]) {
      let groups = Dictionary(grouping: links) {
        Group(table: $0.key.link, zone: $0.key.zone, columns: [$0.value.isRemoved ? 0 : 1])
      }
      let sorted = groups.sorted {
        ($0.key.table, $0.key.zone, $0.key.columns[0]) < ($1.key.table, $1.key.zone, $1.key.columns[0])
      }
      for (key, changes) in sorted {
        let name = "\(store.namespace).\(store.tables.links[key.table].name)"
        let (one, two) = (LinkTable.firstKey, LinkTable.secondKey)
        let keys: [Statement.Parameter] = [
          .text(key.zone), .uuids(changes.map(\.key.first)), .uuids(changes.map(\.key.second)),
        ]
        if key.columns == [0] {
          statements.append(
            Statement(
              "DELETE FROM \(name) AS l USING unnest($2, $3) AS n(o, m) "
                + "WHERE l.\(Table.zone) = $1 AND l.\(one) = n.o AND l.\(two) = n.m", keys))
          continue
        }
        let (first, second) = (LinkTable.firstPlace, LinkTable.secondPlace)
        func places(_ place: (LinkChange) -> Int64?) -> Statement.Parameter {
          var column = ArrayColumn(.bigint)
          for change in changes {
            if let place = place(change.value) { column.append { $0.append(place) } } else { column.appendNull() }
          }
          return column.parameter
        }
        statements.append(
          Statement(
            "INSERT INTO \(name) AS l (\(Table.zone), \(one), \(two), \(first), \(second)) "
              + "SELECT $1, n.* FROM unnest($2, $3, $4, $5) AS n ON CONFLICT (\(Table.zone), \(one), \(two)) DO UPDATE "
              + "SET \(first) = coalesce(excluded.\(first), l.\(first)), \(second) = coalesce(excluded.\(second), l.\(second))",
            keys + [places(\.firstPlace), places(\.secondPlace)]))
      }
    }

    // MARK: History

    /// Writes down what changes.
    private func note(_ statements: inout [Statement]) throws {
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
      statements.append(
        store.changes.insertion(
          sorted, id: store.keys.next(), client: store.client, author: request.editingState.author))
    }

    private struct NoteGroup: Hashable, Comparable {
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

    private func changedProperties(_ row: RowChange) throws -> [String] {
      let (_, members) = try self.members(row.content)
      return members.enumerated().compactMap { property, member in
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

    // MARK: Afterwards

    /// What the store has from now on.
    func noteSaved() {
      for row in rows {
        let version = (row.known?.version ?? 0) + (row.known == nil || !row.columns.isEmpty ? 1 : 0)
        var known = KnownRow(version: version, content: row.content, places: row.known?.places ?? [:])
        for (member, places) in row.newPlaces { known.places[member] = places }
        store.note(row.table, row.key, as: known)
      }
      for one in deleted { store.note(one.table, one.key, as: nil) }
    }

    /// What a fault of the server means for the program that saved.
    func error(_ fault: ServerFault, statement: Int?) -> any Error {
      func text(_ words: String) -> String { "\(words): \(fault.message)" }
      switch fault.state {
      case "22012":
        if let statement, let check = checks[statement] {
          return RoostError(.conflict, "\(check): roll back or fetch again, then save again", underlyingError: fault)
        }
        return PostgresError(fault)
      case "23505": return RoostError(.notUnique, text("another row has the same unique value"), underlyingError: fault)
      case "23503":
        return RoostError(
          .denied, text("a row is referenced, or references one that is not there"), underlyingError: fault)
      case "40001", "40P01":
        return RoostError(.conflict, text("other programs change the same rows all the time"), underlyingError: fault)
      default: return PostgresError(fault)
      }
    }
  }

  extension UniquePart {
    static func path(_ path: [String], of value: String) -> String {
      let steps = path.map { "'" + $0.replacing("'", with: "''") + "'" }.joined(separator: ", ")
      return "jsonb_extract_path(\(value), \(steps))"
    }
  }

  extension ValueImage {
    /// A value as rows, keys and conditions know it; nil where there is none.
    func value(of property: Int) -> RoostRecords.Value? {
      guard let coder = form.coders[property], let bytes = raw(property) else { return nil }
      return bytes.withUnsafeBytes { RoostRecords.Value(element: $0, as: coder.form.element) }
    }
  }

  extension RoostRecords.Value {
    /// The zone that a value names.
    fileprivate var zoneText: String {
      switch self {
      case .string(let text), .url(let text): text
      case .int(let number): "\(number)"
      case .uint(let number): "\(number)"
      case .uuid(let number): number.text
      default: Describer.text(self)
      }
    }
  }
#endif
