#if Postgres
  internal import Roost
  internal import RoostGraph
  internal import RoostRecords

  /// The columns that a query selects from a table's rows.
  ///
  /// One statement returns a row with the keys of all rows in its relationships, so that everything
  /// is of one snapshot.
  struct Selection {
    /// A relationship that the other side stores, and its columns in the answer.
    struct Joined {
      let member: TableClass.Member
      /// The class of the referenced table.
      let entity: String
      let keys: Int
      var classes: Int?
      var places: Int?
    }

    let table: Table
    private let tables: TableMap
    let number: Int
    /// Nil if all rows are in the zone without a name.
    let zoneColumn: Int?
    let keyColumn: Int
    let versionColumn: Int
    let classColumn: Int?
    /// By class of the table.
    private(set) var kinds: [ClassColumns] = []
    private(set) var joined: [Joined] = []
    /// The columns and joins, for the alias `t`.
    private var list: [String] = []
    /// Parts of queries that are joined with a row.
    private var joins: [(columns: String, rows: String, name: String, isList: Bool)] = []
    /// The first column for lists. It says whether the lists of a row were selected. Nil if rows have
    /// no lists.
    private(set) var listColumn: Int?
    /// The number of elements of ``joined`` before the lists.
    private(set) var aloneCount = 0

    /// The rows for which lists are selected.
    enum Lists {
      case all
      case none
      case of([UUIDNumber])
    }

    /// Makes the selection for a table. If `isOneZone`, all rows are in the zone without a name.
    /// `lacking` are columns that a migration has to fill: NULL means a missing value in them.
    init(_ tables: TableMap, _ number: Int, in namespace: SQLName, isOneZone: Bool, lacking: Set<Int> = []) {
      self.tables = tables
      self.number = number
      table = tables.tables[number]
      // The server sorts rows with all their columns, so a column that is always the same is not selected.
      zoneColumn = isOneZone ? nil : 0
      keyColumn = isOneZone ? 0 : 1
      versionColumn = keyColumn + 1
      list = ((isOneZone ? [] : [Table.zone]) + [Table.key, Table.version]).map { "t.\($0)" }
      if table.hasClassColumn {
        classColumn = list.count
        list.append("t.\(Table.className)")
      } else {
        classColumn = nil
      }
      // By column of the table, its column in the answer, and the column with the class of the
      // referenced row.
      var columns: [Int?] = []
      var targetClasses: [Int: Int] = [:]
      for (place, column) in table.columns.enumerated() {
        if case .place = column.kind {
          columns.append(nil)
          continue
        }
        columns.append(list.count)
        list.append("t.\(column.name)")
        guard case .reference(let target, _) = column.kind, tables.tables[target].hasClassColumn else { continue }
        targetClasses[place] = list.count
        list.append(
          "(SELECT r.\(Table.className) FROM \(namespace).\(tables.tables[target].name) AS r "
            + "WHERE r.\(Table.zone) = t.\(Table.zone) AND r.\(Table.key) = t.\(column.name))")
      }
      var seen: Set<TableClass.Member> = []
      let members = table.classes.flatMap { $0.members.compactMap { $0 } }.filter { seen.insert($0).inserted }
      let lists = members.filter { isList($0) }
      for member in members where !lists.contains(member) { join(member, namespace) }
      aloneCount = joined.count
      if !lists.isEmpty {
        // Columns of lists are the last, so that a statement without lists leaves them out.
        listColumn = list.count
        list.append("true")
      }
      for member in lists { join(member, namespace) }
      kinds = table.classes.map { self.columns(of: $0, columns, targetClasses, lacking: lacking) }
    }

    /// Whether rows have lists.
    var hasLists: Bool { joins.contains { $0.isList } }

    private mutating func join(_ member: TableClass.Member, _ namespace: SQLName) {
      let name = "x\(joined.count)"
      func aggregate(_ value: String, by order: String) -> String { "array_agg(\(value) ORDER BY \(order))" }
      let from: String
      let target: Int
      let key: String
      let place: String?
      switch member {
      case .value, .reference: return
      case .found(let other, let column), .list(let other, let column, _):
        let foreign = tables.tables[other]
        target = other
        from =
          "\(namespace).\(foreign.name) AS m WHERE m.\(Table.zone) = t.\(Table.zone) "
          + "AND m.\(foreign.columns[column].name) = t.\(Table.key)"
        key = "m.\(Table.key)"
        if case .list(_, _, let at) = member { place = "m.\(foreign.columns[at].name)" } else { place = nil }
      case .links(let number, let isFirst):
        let link = tables.links[number]
        target = isFirst ? link.second : link.first
        let (own, other) =
          isFirst ? (LinkTable.firstKey, LinkTable.secondKey) : (LinkTable.secondKey, LinkTable.firstKey)
        key = "l.\(other)"
        place = "l.\(isFirst ? LinkTable.firstPlace : LinkTable.secondPlace)"
        let members =
          tables.tables[target].hasClassColumn
          ? " JOIN \(namespace).\(tables.tables[target].name) AS m ON m.\(Table.zone) = l.\(Table.zone) "
            + "AND m.\(Table.key) = l.\(other)" : ""
        from =
          "\(namespace).\(link.name) AS l\(members) WHERE l.\(Table.zone) = t.\(Table.zone) AND l.\(own) = t.\(Table.key)"
      }
      let order = [place.map { "\($0) NULLS LAST" }, key].compactMap { $0 }.joined(separator: ", ")
      var parts = ["\(aggregate(key, by: order)) AS k"]
      var one = Joined(member: member, entity: tables.tables[target].root.name, keys: list.count)
      list.append("\(name).k")
      if tables.tables[target].hasClassColumn {
        one.classes = list.count
        list.append("\(name).c")
        parts.append("\(aggregate("m.\(Table.className)", by: order)) AS c")
      }
      if let place {
        one.places = list.count
        list.append("\(name).p")
        parts.append("\(aggregate(place, by: order)) AS p")
      }
      joins.append((parts.joined(separator: ", "), from, name, isList(member)))
      joined.append(one)
    }

    private func isList(_ member: TableClass.Member) -> Bool {
      table.classes.contains { kind in kind.properties[member].map { kind.form.isList($0) } == true }
    }

    /// Whether rows of other tables are joined with each row. `wanted` is a condition as in
    /// ``text(from:where:order:lists:after:)``.
    func isJoined(lists wanted: String) -> Bool { joins.contains { !$0.isList || wanted != "false" } }

    /// A statement's text for rows of the table, which has the alias `t`.
    ///
    /// `wanted` is a condition in SQL: lists are selected for the rows for which it is true. The
    /// columns `first` come before those of the selection.
    func text(
      from rows: String, where conditions: [String] = [], order: String = "", lists wanted: String = "true",
      after first: [String] = []
    ) -> String {
      let test = conditions.isEmpty ? "" : " WHERE " + conditions.joined(separator: " AND ")
      var list = list
      if let listColumn {
        if wanted == "false" { list.removeSubrange(listColumn...) } else { list[listColumn] = wanted }
      }
      let joins = joins.filter { !$0.isList || wanted != "false" }.map { join in
        let test = join.isList && wanted != "true" ? " AND " + wanted : ""
        return " CROSS JOIN LATERAL (SELECT \(join.columns) FROM \(join.rows)\(test)) AS \(join.name)"
      }
      return "SELECT \((first + list).joined(separator: ", ")) FROM \(rows) AS t\(joins.joined())\(test)\(order)"
    }

    // MARK: Reading

    /// The rows of an answer. `start` is the number of the selection's first column.
    func known(_ answer: Answer, store: String, from start: Int = 0) throws -> [KnownRow] {
      var decoder = RowDecoder(self, store: store, from: start)
      return try (0..<answer.count).map { try decoder.row(answer, $0) }
    }

    private func columns(
      of kind: TableClass, _ columns: [Int?], _ targetClasses: [Int: Int], lacking: Set<Int>
    ) -> ClassColumns {
      let values = kind.members.map { member -> ClassColumns.ValueColumn in
        guard case .value(let column)? = member, case .value(let form) = table.columns[column].kind else {
          return ClassColumns.ValueColumn()
        }
        return ClassColumns.ValueColumn(at: columns[column], form: form, mayLack: lacking.contains(column))
      }
      let references = kind.form.links.map { property -> ClassColumns.ReferenceColumn? in
        guard case .reference(let column)? = kind.members[property],
          case .reference(let target, _) = table.columns[column].kind, let at = columns[column]
        else { return nil }
        return ClassColumns.ReferenceColumn(
          at: at, entity: tables.tables[target].root.name, classAt: targetClasses[column])
      }
      return ClassColumns(kind, values: values, references: references)
    }
  }

  /// The last state of a row that this program saw in the database. A fetched content carries it as its mark.
  final class KnownRow: Sendable {
    let table: Int
    let key: RowKey
    let version: Int64
    let content: SnapshotContent
    /// By list, the places of its members.
    let places: [TableClass.Member: [UUIDNumber: Int64]]

    init(
      _ table: Int, _ key: RowKey, version: Int64, content: SnapshotContent,
      places: [TableClass.Member: [UUIDNumber: Int64]]
    ) {
      (self.table, self.key, self.version, self.content, self.places) = (table, key, version, content, places)
    }

    /// The content, marked.
    var markedContent: SnapshotContent {
      var marked = content
      marked.mark = self
      return marked
    }

    /// Whether another state has the same version and, if `lists` is true, the same places.
    func isCovered(by row: KnownRow, lists: Bool) -> Bool {
      version == row.version && (!lists || places.allSatisfy { row.places[$0.key] == $0.value })
    }

    /// Replaces the state of the row after the working set has written a content with this mark.
    /// Returns the new state.
    ///
    /// `former` is the state before. Its lists stay if the content has none.
    func taken(_ content: SnapshotContent, replacing former: inout KnownRow?) -> KnownRow {
      if former == nil, content.links == self.content.links {
        former = self
        return self
      }
      var plain = former.map { content.filled(from: $0.content) } ?? content
      plain.mark = nil
      let row = KnownRow(
        table, key, version: version, content: plain, places: former?.places.merging(places) { $1 } ?? places)
      former = row
      return row
    }
  }
#endif
