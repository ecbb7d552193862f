#if Postgres
  internal import Roost
  internal import RoostGraph
  internal import RoostRecords

  /// The statements of a save.
  extension SaveWork {
    /// The most rows in one statement.
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

    /// The rows or links that one statement writes.
    struct Group: Hashable, Comparable {
      /// The number of a table, or of a table of links.
      var table: Int
      var zone: String
      /// For rows, the columns that it writes.
      var columns: [Int] = []
      var step = LinkStep.join

      static func < (one: Group, other: Group) -> Bool {
        if (one.table, one.zone, one.step) != (other.table, other.zone, other.step) {
          return (one.table, one.zone, one.step) < (other.table, other.zone, other.step)
        }
        return one.columns.lexicographicallyPrecedes(other.columns)
      }
    }

    /// The change of a link.
    enum LinkStep: Int, Comparable {
      case part, join, move
      static func < (one: LinkStep, other: LinkStep) -> Bool { one.rawValue < other.rawValue }
    }

    /// Groups in an order that all programs share, so that few of them wait for each other.
    private func grouped<Element>(
      _ all: some Sequence<Element>, by key: (Element) -> Group
    ) -> [(key: Group, value: [Element])] {
      Dictionary(grouping: all, by: key).sorted { $0.key < $1.key }
    }

    private func groups(_ rows: [RowChange]) -> [(key: Group, rows: ArraySlice<RowChange>)] {
      let all = grouped(rows) { Group(table: $0.table, zone: $0.key.zone, columns: $0.columns) }
      return all.flatMap { key, rows in
        stride(from: 0, to: rows.count, by: Self.mostRows).map { (key, rows[$0..<min(rows.count, $0 + Self.mostRows)]) }
      }
    }

    /// Adds the columns of some rows to a statement, and returns their names in it.
    func add(_ rows: ArraySlice<RowChange>, _ columns: [Int], to statement: inout Statement) throws -> [String] {
      guard let first = rows.first else { return [] }
      let shape = store.tables.tables[first.table]
      var values = columns.map { ArrayColumn(shape.columns[$0].type) }
      for row in rows {
        let kind = try place(row.content).kind
        for (at, column) in columns.enumerated() { values[at].append(try bytes(row, column, of: kind)) }
      }
      return values.map { statement.add($0.parameter) }
    }

    func insert(_ rows: [RowChange], _ statements: inout [Statement]) throws {
      // Rows of a subclass have other columns than rows of its superclass. One statement writes all
      // columns, with nulls.
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

    mutating func update(_ rows: [RowChange], _ statements: inout [Statement]) throws {
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

    mutating func delete(_ statements: inout [Statement]) {
      let sorted = grouped(deleted) { Group(table: $0.table, zone: $0.key.zone) }
      if store.isDistributed { leave(sorted.map { ($0.key, $0.value.map(\.key.key)) }, &statements) }
      for (key, rows) in sorted {
        var statement = Statement("")
        let zone = statement.add(.text(key.zone))
        let values = [statement.add(.uuids(rows.map(\.key.key))), statement.add(.bigints(rows.map(\.version)))]
        statement.text =
          "DELETE FROM \(store.full(key.table)) AS t USING unnest(\(values.joined(separator: ", "))) AS n(k, v) "
          + "WHERE t.\(Table.zone) = \(zone) AND t.\(Table.key) = n.k AND t.\(Table.version) = n.v"
        statements.append(statement)
      }
      // Foreign keys may have deleted some rows before, so the test is that none is left.
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

    /// Removes references to deleted rows for which the database has no rule.
    private func leave(_ groups: [(key: Group, keys: [UUIDNumber])], _ statements: inout [Statement]) {
      for (key, keys) in groups {
        for (number, table) in store.tables.tables.enumerated() {
          for column in table.columns {
            guard case .reference(key.table, onDeletion: .setNull) = column.kind else { continue }
            statements.append(
              Statement(
                "UPDATE \(store.full(number)) SET \(column.name) = NULL WHERE \(Table.zone) = $1 AND \(column.name) = ANY($2)",
                [.text(key.zone), .uuids(keys)]))
          }
        }
      }
    }

    /// Writes places of rows that no other statement writes.
    func place(_ statements: inout [Statement]) {
      var written: Set<PlaceKey> = []
      for row in rows {
        for (column, shape) in store.tables.tables[row.table].columns.enumerated() {
          guard case .place = shape.kind, row.known == nil || row.columns.contains(column) else { continue }
          written.insert(PlaceKey(table: row.table, column: column, key: row.key))
        }
      }
      let groups = grouped(places.filter { !written.contains($0.key) }) {
        Group(table: $0.key.table, zone: $0.key.key.zone, columns: [$0.key.column])
      }
      for (key, places) in groups {
        let column = store.tables.tables[key.table].columns[key.columns[0]].name
        statements.append(
          Statement(
            "UPDATE \(store.full(key.table)) AS t SET \(column) = n.p FROM unnest($2, $3) AS n(k, p) "
              + "WHERE t.\(Table.zone) = $1 AND t.\(Table.key) = n.k",
            [.text(key.zone), .uuids(places.map(\.key.key.key)), .bigints(places.map(\.value))]))
      }
    }

    func link(_ statements: inout [Statement]) {
      let groups = grouped(links) {
        Group(
          table: $0.key.link, zone: $0.key.zone, step: $0.value.isRemoved ? .part : $0.value.isNew ? .join : .move)
      }
      for (key, changes) in groups {
        let name = "\(store.namespace).\(store.tables.links[key.table].name)"
        let (one, two) = (LinkTable.firstKey, LinkTable.secondKey)
        let keys: [Statement.Parameter] = [
          .text(key.zone), .uuids(changes.map(\.key.first)), .uuids(changes.map(\.key.second)),
        ]
        if key.step == .part {
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
        let placing = [places(\.firstPlace), places(\.secondPlace)]
        if key.step == .move {
          statements.append(
            Statement(
              "UPDATE \(name) AS l SET \(first) = coalesce(n.f, l.\(first)), \(second) = coalesce(n.s, l.\(second)) "
                + "FROM unnest($2, $3, $4, $5) AS n(o, m, f, s) "
                + "WHERE l.\(Table.zone) = $1 AND l.\(one) = n.o AND l.\(two) = n.m", keys + placing))
          continue
        }
        statements.append(Self.joining(name, keys + placing))
      }
    }

    /// Adds links that may exist already.
    static func joining(_ name: String, _ values: [Statement.Parameter]) -> Statement {
      let (one, two) = (LinkTable.firstKey, LinkTable.secondKey)
      let (first, second) = (LinkTable.firstPlace, LinkTable.secondPlace)
      return Statement(
        "INSERT INTO \(name) AS l (\(Table.zone), \(one), \(two), \(first), \(second)) "
          + "SELECT $1, n.* FROM unnest($2, $3, $4, $5) AS n ON CONFLICT (\(Table.zone), \(one), \(two)) DO UPDATE "
          + "SET \(first) = coalesce(excluded.\(first), l.\(first)), \(second) = coalesce(excluded.\(second), l.\(second))",
        values)
    }
  }
#endif
