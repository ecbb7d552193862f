#if Postgres
  internal import Roost
  internal import RoostGraph
  internal import RoostRecords

  /// What is selected of a table's rows, and how an object's content is made of it.
  ///
  /// One statement returns a row with the keys of all that its relationships lead to, so that everything is of one snapshot.
  struct Selection {
    /// A relationship whose other side keeps it, and its columns in the answer.
    private struct Joined {
      var member: TableClass.Member
      /// The number of the table that it leads to.
      var target: Int
      var keys: Int
      var classes: Int?
      var places: Int?
    }

    let table: Table
    private let tables: TableMap
    private let number: Int
    private let lacking: Set<Int>
    private let classColumn: Int?
    /// By column of the table, where it is in the answer.
    private var columns: [Int?] = []
    /// By column, where the class of the referenced row is.
    private var targetClasses: [Int: Int] = [:]
    private var joined: [Joined] = []
    /// The list of columns, and what is joined, for the alias `t`.
    private var list: [String] = []
    /// Parts of queries that are joined with a row.
    private var joins: [(columns: String, rows: String, name: String, isList: Bool, places: Range<Int>)] = []
    /// Where it is said whether the lists of a row were selected.
    private var listColumn = 0

    /// The rows for which lists are selected.
    enum Lists {
      case all
      case none
      case of([UUIDNumber])
    }

    /// - Parameter lacking: columns that a migration has to fill. Null is no value in them.
    init(_ tables: TableMap, _ number: Int, in namespace: SQLName, lacking: Set<Int> = []) {
      self.tables = tables
      self.lacking = lacking
      self.number = number
      table = tables.tables[number]
      list = [Table.zone, Table.key, Table.version].map { "t.\($0)" }
      if table.hasClassColumn {
        classColumn = list.count
        list.append("t.\(Table.className)")
      } else {
        classColumn = nil
      }
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
      listColumn = list.count
      list.append("true")
      for member in table.classes.flatMap({ $0.members.compactMap { $0 } }) where seen.insert(member).inserted {
        join(member, namespace)
      }
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
      let first = list.count
      let order = [place.map { "\($0) NULLS LAST" }, key].compactMap { $0 }.joined(separator: ", ")
      var parts = ["\(aggregate(key, by: order)) AS k"]
      var one = Joined(member: member, target: target, keys: list.count)
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
      joins.append((parts.joined(separator: ", "), from, name, isList(member), first..<list.count))
      joined.append(one)
    }

    private func isList(_ member: TableClass.Member) -> Bool {
      table.classes.contains { kind in kind.properties[member].map { kind.form.isList($0) } == true }
    }

    /// Whether rows of other tables are joined with each row.
    ///
    /// - Parameter wanted: as in ``text(from:where:order:lists:after:)``.
    func isJoined(lists wanted: String) -> Bool { joins.contains { !$0.isList || wanted != "false" } }

    /// A statement's text for rows of the table, which has the alias `t`.
    ///
    /// - Parameters:
    ///   - wanted: a condition in SQL. Lists are selected for the rows for which it is true.
    ///   - first: columns before those of the selection.
    func text(
      from rows: String, where conditions: [String] = [], order: String = "", lists wanted: String = "true",
      after first: [String] = []
    ) -> String {
      let test = conditions.isEmpty ? "" : " WHERE " + conditions.joined(separator: " AND ")
      var list = list
      list[listColumn] = wanted
      let joins = joins.map { join in
        if join.isList, wanted == "false" {
          for place in join.places { list[place] = "NULL" }
          return ""
        }
        let test = join.isList && wanted != "true" ? " AND " + wanted : ""
        return " CROSS JOIN LATERAL (SELECT \(join.columns) FROM \(join.rows)\(test)) AS \(join.name)"
      }
      return "SELECT \((first + list).joined(separator: ", ")) FROM \(rows) AS t\(joins.joined())\(test)\(order)"
    }

    // MARK: Reading

    /// What the rows of an answer say.
    ///
    /// - Parameter start: the number of the selection's first column.
    func known(_ answer: Answer, store: String, from start: Int = 0) throws -> [KnownRow] {
      // Neighbouring rows usually have the same zone and class, so both are reused.
      var (zone, kind) = (ZoneName.none, table.classes[0])
      var writer = ImageWriter(kind.form)
      return try (0..<answer.count).map { row in
        guard let zoneText = answer.text(row, start), let uuid = answer.uuid(row, start + 1),
          let version = answer.integer(row, start + 2)
        else {
          throw PostgresError(.refused, "a row of \(table.name) has no key or no version")
        }
        if !zone.isWritten(zoneText) { zone = ZoneName(zoneText) }
        if let classColumn {
          let name = answer.text(row, start + classColumn)
          if name != kind.type.name {
            kind = try self.kind(named: name)
            writer = ImageWriter(kind.form)
          }
        }
        let key = RowKey(zone, uuid)
        let reader = RowReader(answer: answer, row: row, start: start, store: store, zone: zone, kind: kind)
        var content = SnapshotContent(
          PersistentIdentifier(store: store, entity: kind.type.name, key.name),
          try values(reader, key, into: &writer), links: references(reader))
        let places = addLists(reader, to: &content)
        return KnownRow(number, key, version: version, content: content, places: places)
      }
    }

    private func kind(named name: String?) throws -> TableClass {
      if let kind = table.classes.first(where: { $0.type.name == name }) { return kind }
      throw PostgresError(
        .newerModels, "a row of \(table.name) is of the class \(name ?? "nil"), which this program does not have")
    }

    /// A row of an answer.
    private struct RowReader {
      let answer: Answer
      let row: Int
      let start: Int
      let store: String
      let zone: ZoneName
      let kind: TableClass

      func identifier(_ table: Table, _ className: String?, key: UUIDNumber) -> PersistentIdentifier {
        PersistentIdentifier(store: store, entity: className ?? table.root.name, .uuid(key, zone: zone))
      }
    }

    private func values(_ reader: RowReader, _ key: RowKey, into writer: inout ImageWriter) throws -> ValueImage {
      let kind = reader.kind
      for (property, member) in kind.members.enumerated() {
        guard case .value(let column)? = member, case .value(let form) = table.columns[column].kind,
          let at = columns[column]
        else {
          writer.skip()
          continue
        }
        let fault = reader.answer.read(reader.row, reader.start + at) { bytes -> ValueFault? in
          if bytes == nil, lacking.contains(column) {
            writer.skip()
            return nil
          }
          return writer.attempt { (sink) throws(ValueFault) in try form.read(bytes, into: &sink) }
        }
        if let fault {
          throw RoostError(
            .unreadable, "\(kind.type.name).\(kind.type.propertyName(property)) of \(key.text): \(fault.reason)")
        }
      }
      return writer.finish()
    }

    /// The relationships whose references are in the row itself. The others are absent.
    private func references(_ reader: RowReader) -> [SnapshotContent.Link] {
      reader.kind.form.links.map { property in
        guard case .reference(let column)? = reader.kind.members[property],
          case .reference(let target, _) = table.columns[column].kind, let at = columns[column]
        else { return .absent }
        let className = targetClasses[column].flatMap { reader.answer.text(reader.row, reader.start + $0) }
        return .one(
          reader.answer.uuid(reader.row, reader.start + at).map {
            reader.identifier(tables.tables[target], className, key: $0)
          })
      }
    }

    /// Adds the relationships that other tables keep. Returns the places of their members.
    private func addLists(
      _ reader: RowReader, to content: inout SnapshotContent
    ) -> [TableClass.Member: [UUIDNumber: Int64]] {
      var places: [TableClass.Member: [UUIDNumber: Int64]] = [:]
      if joined.isEmpty { return places }
      let (kind, answer, row, start) = (reader.kind, reader.answer, reader.row, reader.start)
      let hasLists = answer.isTrue(row, start + listColumn)
      for one in joined {
        guard let property = kind.properties[one.member] else { continue }
        let isList = kind.form.isList(property)
        guard hasLists || !isList, let keys = answer.uuids(row, start + one.keys) else { continue }
        let classes = one.classes.flatMap { answer.texts(row, start + $0) }
        let members = keys.enumerated().map {
          reader.identifier(tables.tables[one.target], classes?[$0.offset], key: $0.element)
        }
        content.links[kind.form.linkPlaces[property]] = isList ? .many(members) : .one(members.first)
        guard let at = one.places, let numbers = answer.integers(row, start + at, null: -1) else { continue }
        places[one.member] = Dictionary(zip(keys, numbers)) { first, _ in first }
      }
      return places
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

    /// The state to remember after the working set has written a content with this mark.
    ///
    /// - Parameter former: what was known before. Its lists stay if none came with the content.
    func taken(_ content: SnapshotContent, after former: KnownRow?) -> KnownRow {
      if former == nil, content.links == self.content.links { return self }
      var plain = former.map { content.filled(from: $0.content) } ?? content
      plain.mark = nil
      return KnownRow(
        table, key, version: version, content: plain, places: former?.places.merging(places) { $1 } ?? places)
    }
  }
#endif
