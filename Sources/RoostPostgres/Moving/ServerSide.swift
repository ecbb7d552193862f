#if Postgres
  internal import Roost
  internal import RoostGraph
  internal import RoostRecords

  /// The database in a move.
  final class ServerSide: MoveSide {
    let store: PostgresStore
    let numbers: MoveNumbers
    /// The zone that is read; nil for all.
    private let zone: String?
    /// The connection with the transaction that reads.
    private var reader: Connection?
    /// The other side of a push.
    weak var source: (any MoveSide)?
    /// If there are zones, the zones of the source's objects.
    private var zones: [PersistentIdentifier: String] = [:]

    private static let mostZones = 200_000
    /// The number of places and links in one transaction. Those of one more object may be added.
    private static let mostLinks = 20_000

    init(_ store: PostgresStore, _ numbers: MoveNumbers, zone: String? = nil) {
      (self.store, self.numbers, self.zone) = (store, numbers, zone)
    }

    // MARK: Reading

    func renew() throws { reader = nil }

    private func read(_ statements: [Statement]) throws -> [Answer] {
      do throws(ServerFault) {
        if let reader { return try reader.run(statements) }
        let fresh = try Connection(store.configuration.address.text)
        try fresh.run("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
        reader = fresh
        return try fresh.run(statements)
      } catch { throw PostgresError(error) }
    }

    private func contents(_ answer: Answer, _ table: Int) throws -> [SnapshotContent] {
      try store.selections[table].known(answer, store: store.identifier).map(\.content)
    }

    func page(_ table: Int, after last: PersistentIdentifier?, count: Int) throws -> [SnapshotContent] {
      var rows = RowQuestion(table, store.tables.tables[table].root)
      if let zone { rows.conditions.append("t.\(Table.zone) = \(rows.add(.text(zone)))") }
      if let last = last.flatMap({ RowKey($0) }) {
        rows.conditions.append(
          "(t.\(Table.zone), t.\(Table.key)) > (\(rows.add(.text(last.zone))), \(rows.add(.uuid(last.key))))")
      }
      (rows.order, rows.limit) = (["t.\(Table.zone)"], count)
      return try contents(read([rows.statement(store, lists: .all)])[0], table)
    }

    func load(_ identifiers: [PersistentIdentifier]) throws -> [SnapshotContent] {
      let wanted = store.loading(identifiers, lists: true)
      return try zip(wanted, read(wanted.map(\.statement))).flatMap { try contents($1, $0.table) }
    }
  }

  extension ServerSide: MoveTarget {
    // MARK: Keys

    private func key(_ identifier: PersistentIdentifier, zone: String) -> RowKey? {
      guard let table = store.tables.places[identifier.entityName]?.table, let row = numbers.number(identifier) else {
        return nil
      }
      return RowKey(zone, numbers.keys[table].key(row))
    }

    /// The zone of an object of the source.
    private func zone(_ identifier: PersistentIdentifier) throws -> String {
      if store.configuration.zone == .single { return "" }
      if let known = zones[identifier] { return known }
      guard let content = try source?.load([identifier]).first else {
        throw RoostError(.badValue, "\(identifier.entityName) is not in the file")
      }
      return try zone(content)
    }

    private func zone(_ content: SnapshotContent) throws -> String {
      if store.configuration.zone == .single { return "" }
      if let known = zones[content.identifier] { return known }
      var above: [PersistentIdentifier: SnapshotContent] = [:]
      var next = content
      while let property = try zoneProperty(next.type),
        case .one(let other?)? = next.link(property), above[other] == nil,
        let found = try source?.load([other]).first
      {
        above[other] = found
        next = found
      }
      let zone = try SaveWork(store, Self.request).zone(content, above)
      if zones.count >= Self.mostZones { zones = [:] }
      zones[content.identifier] = zone
      return zone
    }

    /// The property that determines the zone of a class's objects.
    private func zoneProperty(_ type: _ModelType) throws -> Int? {
      let (table, place) = try store.tables.place(type)
      return store.zones[table].flatMap { store.tables.tables[table].classes[place].properties[$0.member] }
    }

    /// A content with the identifiers in the database, for its object and for those that it
    /// references.
    private func translated(_ content: SnapshotContent) throws -> SaveWork.RowChange? {
      let zone = try zone(content)
      guard let key = key(content.identifier, zone: zone) else { return nil }
      func here(_ identifier: PersistentIdentifier) -> PersistentIdentifier {
        guard let key = self.key(identifier, zone: zone) else { return identifier }
        return PersistentIdentifier(store: store.identifier, entity: identifier.entityName, key.name)
      }
      var content = content
      content.identifier = here(content.identifier)
      content.links = content.links.map { link in
        switch link {
        case .absent: .absent
        case .one(let one): .one(one.map(here))
        case .many(let many): .many(many.map(here))
        }
      }
      return SaveWork.RowChange(table: try store.tables.place(content.type).table, key: key, content: content)
    }

    // MARK: Writing

    private static var request: DataStoreSaveChangesRequest<DefaultSnapshot> {
      DataStoreSaveChangesRequest(inserted: [], updated: [], deleted: [], editingState: EditingState())
    }

    func present(_ identifiers: [PersistentIdentifier]) throws -> Set<PersistentIdentifier> {
      if identifiers.isEmpty { return [] }
      var wanted: [SaveWork.Group: [UUIDNumber: PersistentIdentifier]] = [:]
      for identifier in identifiers {
        guard let table = store.tables.places[identifier.entityName]?.table,
          let key = key(identifier, zone: try zone(identifier))
        else { continue }
        wanted[SaveWork.Group(table: table, zone: key.zone), default: [:]][key.key] = identifier
      }
      let groups = wanted.sorted { $0.key < $1.key }
      let answers = try store.run(
        groups.map { group, keys in
          Statement(
            "SELECT \(Table.key) FROM \(store.full(group.table)) WHERE \(Table.zone) = $1 AND \(Table.key) = ANY($2)",
            [.text(group.zone), .uuids(Array(keys.keys))])
        })
      var found: Set<PersistentIdentifier> = []
      for (group, answer) in zip(groups, answers) {
        for row in 0..<answer.count {
          if let identifier = answer.uuid(row, 0).flatMap({ group.value[$0] }) { found.insert(identifier) }
        }
      }
      return found
    }

    func insert(_ contents: [SnapshotContent]) throws {
      var work = SaveWork(store, Self.request)
      for content in contents {
        guard let row = try translated(content) else { continue }
        work.rows.append(row)
        try place(row, number: numbers.number(content.identifier) ?? 0, in: &work)
      }
      var statements: [Statement] = []
      if store.configuration.historyDays != nil { try work.note(&statements) }
      do {
        try store.commit(statements, work, copying: work.copies())
      } catch let error as PostgresError where error.state == ServerFault.notSupported {
        // A role under a row-level security policy may insert rows, but not copy them.
        try store.commit(work.statements(), work)
      }
    }

    /// Gives a new row its places in lists, made from the row's number: most lists are in that
    /// order.
    private func place(_ row: SaveWork.RowChange, number: UInt64, in work: inout SaveWork) throws {
      let kind = try work.place(row.content).kind
      for (column, shape) in store.tables.tables[row.table].columns.enumerated() {
        guard case .place(let reference) = shape.kind, let property = kind.properties[.reference(column: reference)],
          case .one(.some)? = row.content.link(property)
        else { continue }
        work.places[SaveWork.PlaceKey(table: row.table, column: column, key: row.key)] =
          Int64(clamping: number) &* ListPlaces.gap
      }
    }

    func connect(_ contents: [SnapshotContent], late: (SnapshotContent) -> [Int]) throws {
      var work = SaveWork(store, Self.request)
      var references: [LateColumn: [(own: UUIDNumber, target: UUIDNumber, place: Int64)]] = [:]
      func flush() throws {
        var statements = references.sorted { $0.key < $1.key }.map { update($0.key, $0.value) }
        work.place(&statements)
        work.link(&statements)
        if !statements.isEmpty { try store.commit(statements, work) }
        (references, work.places, work.links) = ([:], [:], [:])
      }
      for content in contents {
        guard let row = try translated(content) else { continue }
        let kind = try work.place(content).kind
        for property in late(content) {
          guard case .reference(let column)? = kind.members[property],
            case .one(let target?)? = row.content.link(property), let key = RowKey(target)
          else { continue }
          let place = Int64(clamping: numbers.number(content.identifier) ?? 0) &* ListPlaces.gap
          references[LateColumn(table: row.table, column: column, zone: row.key.zone), default: []].append(
            (row.key.key, key.key, place))
        }
        for (property, member) in kind.members.enumerated() {
          guard let member, case .many(let list)? = row.content.link(property) else { continue }
          arrange(list.compactMap { RowKey($0)?.key }, of: row, by: member, in: &work)
        }
        if references.count + work.places.count + work.links.count >= Self.mostLinks { try flush() }
      }
      try flush()
    }

    private func arrange(
      _ list: [UUIDNumber], of row: SaveWork.RowChange, by member: TableClass.Member, in work: inout SaveWork
    ) {
      switch member {
      case .list(let table, _, let column):
        // The list is in the order of the numbers, and its members have these as places already.
        if zip(list, list.dropFirst()).allSatisfy({ $0 < $1 }) { return }
        for (at, key) in list.enumerated() {
          work.places[SaveWork.PlaceKey(table: table, column: column, key: RowKey(row.key.zone, key))] =
            Int64(at + 1) * ListPlaces.gap
        }
      case .links(let number, let isFirst):
        for (at, key) in list.enumerated() {
          let link = work.linkKey(number, row.key, to: key, isFirst: isFirst)
          var change = work.links[link] ?? SaveWork.LinkChange(isNew: true)
          let place = Int64(at + 1) * ListPlaces.gap
          if isFirst { change.firstPlace = place } else { change.secondPlace = place }
          work.links[link] = change
        }
      case .value, .reference, .found: return
      }
    }

    /// A column with references that are written late, in one zone.
    private struct LateColumn: Hashable, Comparable {
      var table: Int
      var column: Int
      var zone: String

      static func < (one: LateColumn, other: LateColumn) -> Bool {
        (one.table, one.column, one.zone) < (other.table, other.column, other.zone)
      }
    }

    /// Writes references, and the places of their rows in the other side's lists, unless they are
    /// written already.
    private func update(
      _ column: LateColumn, _ rows: [(own: UUIDNumber, target: UUIDNumber, place: Int64)]
    ) -> Statement {
      let shape = store.tables.tables[column.table]
      let name = shape.columns[column.column].name
      let place = shape.placeColumn(of: column.column).map { shape.columns[$0] }
      return Statement(
        "UPDATE \(store.full(column.table)) AS t SET \(Table.version) = t.\(Table.version) + 1, \(name) = n.r"
          + (place.map { ", \($0.name) = n.p" } ?? "")
          + " FROM unnest($2, $3, $4) AS n(k, r, p) WHERE t.\(Table.zone) = $1 AND t.\(Table.key) = n.k "
          + "AND t.\(name) IS DISTINCT FROM n.r",
        [
          .text(column.zone), .uuids(rows.map(\.own)), .uuids(rows.map(\.target)), .bigints(rows.map(\.place)),
        ])
    }
  }
#endif
