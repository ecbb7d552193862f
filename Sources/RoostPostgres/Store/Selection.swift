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

    /// What a row of an answer says.
    func known(_ answer: Answer, _ row: Int, store: String, from start: Int = 0) throws -> (
      key: RowKey, known: KnownRow
    ) {
      guard let zone = answer.text(row, start), let uuid = answer.uuid(row, start + 1),
        let version = answer.integer(row, start + 2)
      else {
        throw PostgresError(.refused, "a row of \(table.name) has no key or no version")
      }
      let key = RowKey(zone, uuid)
      let className = classColumn.map { answer.text(row, start + $0) } ?? table.root.name
      guard let kind = table.classes.first(where: { $0.type.name == className }) else {
        throw PostgresError(
          .newerModels, "a row of \(table.name) is of the class \(className ?? "nil"), which this program does not have"
        )
      }
      func identifier(_ table: Int, _ className: String?, key uuid: UUIDNumber) -> PersistentIdentifier {
        PersistentIdentifier(
          store: store, entity: className ?? tables.tables[table].root.name, RowKey(zone, uuid).name)
      }
      let own = PersistentIdentifier(store: store, entity: kind.type.name, key.name)
      var writer = ImageWriter(kind.form)
      var links = kind.form.links.map { _ in SnapshotContent.Link.absent }
      for (property, member) in kind.members.enumerated() {
        switch member {
        case .value(let column)?:
          guard case .value(let form) = table.columns[column].kind, let at = columns[column] else {
            writer.skip()
            continue
          }
          let fault = answer.read(row, start + at) { bytes -> ValueFault? in
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
        case .reference(let column)?:
          writer.skip()
          guard case .reference(let target, _) = table.columns[column].kind, let at = columns[column] else { continue }
          let className = targetClasses[column].flatMap { answer.text(row, start + $0) }
          links[kind.form.linkPlaces[property]] = .one(
            answer.uuid(row, start + at).map { identifier(target, className, key: $0) })
        case nil, .found?, .list?, .links?: writer.skip()
        }
      }
      var known = KnownRow(version: version, content: SnapshotContent(own, writer.finish(), links: links))
      let hasLists = answer.isTrue(row, start + listColumn)
      for one in joined {
        guard let property = kind.properties[one.member] else { continue }
        let isList = kind.form.isList(property)
        guard hasLists || !isList, let keys = answer.uuids(row, start + one.keys) else { continue }
        let classes = one.classes.flatMap { answer.texts(row, start + $0) }
        let members = keys.enumerated().map { identifier(one.target, classes?[$0.offset], key: $0.element) }
        known.content.links[kind.form.linkPlaces[property]] = isList ? .many(members) : .one(members.first)
        guard let at = one.places, let numbers = answer.integers(row, start + at, null: -1) else { continue }
        known.places[one.member] = Dictionary(zip(keys, numbers)) { first, _ in first }
      }
      return (key, known)
    }
  }

  /// What a content that was fetched says besides its values.
  final class RowMark: Sendable {
    let table: Int
    let key: RowKey
    private let version: Int64
    private let places: [TableClass.Member: [UUIDNumber: Int64]]

    init(_ table: Int, _ key: RowKey, of row: KnownRow) {
      (self.table, self.key, version, places) = (table, key, row.version, row.places)
    }

    func isCovered(by row: KnownRow, lists: Bool) -> Bool {
      version == row.version && (!lists || places.allSatisfy { row.places[$0.key] == $0.value })
    }

    /// - Parameter former: what was known before. Its lists stay if none came with the content.
    func known(_ content: SnapshotContent, after former: KnownRow?) -> KnownRow {
      var plain = former.map { content.filled(from: $0.content) } ?? content
      plain.mark = nil
      return KnownRow(
        version: version, content: plain, places: former?.places.merging(places) { $1 } ?? places)
    }
  }

  /// What the store last had of a row, as far as this program knows.
  struct KnownRow {
    var version: Int64
    var content: SnapshotContent
    /// By list, the places of its members.
    var places: [TableClass.Member: [UUIDNumber: Int64]] = [:]
  }
#endif
