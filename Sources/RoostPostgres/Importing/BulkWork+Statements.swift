#if Postgres
  internal import Roost
  internal import RoostGraph
  internal import RoostRecords

  /// The statements of a chunk, after its copies.
  extension BulkWork {
    mutating func statements() throws -> [Statement] {
      completeColumns()
      var statements: [Statement] = []
      part(&statements)
      try update(&statements)
      move(&statements)
      lead(&statements)
      replace(&statements)
      join(&statements)
      return statements
    }

    /// Clears references of stored rows whose one-to-one partners now belong to rows of the chunk.
    private func part(_ statements: inout [Statement]) {
      for (column, owners) in partners.sorted(by: { ($0.key.table, $0.key.column) < ($1.key.table, $1.key.column) }) {
        guard let target = target(of: .reference(column: column.column), column.table) else { continue }
        let name = store.tables.tables[column.table].columns[column.column].name
        let taken = owners.filter { there[target][$0.key] != nil }
        for (zone, rows) in Dictionary(grouping: taken, by: \.key.zone).sorted(by: { $0.key < $1.key }) {
          statements.append(
            Statement(
              "UPDATE \(store.full(column.table)) SET \(Table.version) = \(Table.version) + 1, \(name) = NULL "
                + "WHERE \(Table.zone) = $1 AND \(name) = ANY($2) AND NOT \(Table.key) = ANY($3)",
              [.text(zone), .uuids(rows.map(\.key.key)), .uuids(rows.map { lines[$0.value].key.key })]))
        }
      }
    }

    /// Adds the changed references of stored rows to their columns to update.
    private mutating func completeColumns() {
      for at in lines.indices where lines[at].state == .updated {
        for (column, source) in classes[lines[at].place].sources.enumerated() {
          switch source {
          case .reference(let slot): if slots[lines[at].start + slot].isSaid { lines[at].columns.append(column) }
          case .place(let slot): if slots[lines[at].start + slot].place >= 0 { lines[at].columns.append(column) }
          case .value, .nothing: continue
          }
        }
        lines[at].columns.sort()
      }
    }

    /// A statement that fails if fewer rows changed than it names: another program deleted one.
    private func counted(_ update: String, _ count: Int, in statement: inout Statement) -> String {
      let number = statement.add(.bigint(Int64(count)))
      return "WITH u AS (\(update) RETURNING 1) SELECT 1 / (CASE WHEN count(*) = \(number) THEN 1 ELSE 0 END) FROM u"
    }

    private func update(_ statements: inout [Statement]) throws {
      let changed = lines.indices.filter { lines[$0].state == .updated && !lines[$0].columns.isEmpty }
      let groups = Dictionary(grouping: changed) {
        SaveWork.Group(table: classes[lines[$0].place].table, zone: lines[$0].key.zone, columns: lines[$0].columns)
      }
      for (group, rows) in groups.sorted(by: { $0.key < $1.key }) {
        let shape = store.tables.tables[group.table]
        var statement = Statement("")
        let zone = statement.add(.text(group.zone))
        var values = [statement.add(.uuids(rows.map { lines[$0].key.key }))]
        for column in group.columns {
          var array = ArrayColumn(shape.columns[column].type)
          for row in rows { array.append(try bytes(row, column)) }
          values.append(statement.add(array.parameter))
        }
        let names = ["k"] + group.columns.indices.map { "c\($0)" }
        let sets = group.columns.enumerated().map { ", \(shape.columns[$1].name) = n.c\($0)" }.joined()
        statement.text = counted(
          "UPDATE \(store.full(group.table)) AS t SET \(Table.version) = t.\(Table.version) + 1\(sets) "
            + "FROM unnest(\(values.joined(separator: ", "))) AS n(\(names.joined(separator: ", "))) "
            + "WHERE t.\(Table.zone) = \(zone) AND t.\(Table.key) = n.k", rows.count, in: &statement)
        statements.append(statement)
      }
    }

    /// Makes stored rows reference rows of the chunk.
    private func move(_ statements: inout [Statement]) {
      let groups = Dictionary(grouping: moves) {
        SaveWork.Group(table: $0.table, zone: $0.key.zone, columns: [$0.column] + ($0.placeColumn.map { [$0] } ?? []))
      }
      for (group, all) in groups.sorted(by: { $0.key < $1.key }) {
        let shape = store.tables.tables[group.table]
        // The last list that contains a row keeps it.
        let moves = Array(Dictionary(all.map { ($0.key, $0) }) { $1 }.values)
        var statement = Statement("")
        let zone = statement.add(.text(group.zone))
        let values = [
          statement.add(.uuids(moves.map(\.key.key))), statement.add(.uuids(moves.map(\.target))),
          statement.add(.bigints(moves.map(\.place))),
        ]
        let names = group.columns.map { shape.columns[$0].name }
        let sets = ["\(names[0]) = n.t"] + (names.count > 1 ? ["\(names[1]) = n.p"] : [])
        statement.text = counted(
          "UPDATE \(store.full(group.table)) AS t SET \(Table.version) = t.\(Table.version) + 1, "
            + "\(sets.joined(separator: ", ")) FROM unnest(\(values.joined(separator: ", "))) AS n(k, t, p) "
            + "WHERE t.\(Table.zone) = \(zone) AND t.\(Table.key) = n.k", moves.count, in: &statement)
        statements.append(statement)
      }
    }

    /// Removes links of stored rows that the import does not name.
    private func replace(_ statements: inout [Statement]) {
      for (side, owners) in replaced.sorted(by: { ($0.key.link, $0.key.zone) < ($1.key.link, $1.key.zone) }) {
        let (first, second) = (LinkTable.firstKey, LinkTable.secondKey)
        let (own, other) = side.isFirst ? (first, second) : (second, first)
        let kept = pairs.keys.filter {
          $0.link == side.link && $0.zone == side.zone && owners.contains(side.isFirst ? $0.first : $0.second)
        }
        statements.append(
          Statement(
            "DELETE FROM \(store.namespace).\(store.tables.links[side.link].name) AS l WHERE l.\(Table.zone) = $1 "
              + "AND l.\(own) = ANY($2) AND NOT EXISTS (SELECT 1 FROM unnest($3, $4) AS n(o, m) "
              + "WHERE n.o = l.\(own) AND n.m = l.\(other))",
            [
              .text(side.zone), .uuids(Array(owners)), .uuids(kept.map { side.isFirst ? $0.first : $0.second }),
              .uuids(kept.map { side.isFirst ? $0.second : $0.first }),
            ]))
      }
    }

    /// Adds links between stored rows.
    private func join(_ statements: inout [Statement]) {
      let groups = Dictionary(grouping: pairs.filter { !$0.value.isNew }) {
        SaveWork.Group(table: $0.key.link, zone: $0.key.zone)
      }
      for (group, pairs) in groups.sorted(by: { $0.key < $1.key }) {
        func places(_ place: (Pair) -> Int64?) -> Statement.Parameter {
          var column = ArrayColumn(.bigint)
          for pair in pairs {
            if let place = place(pair.value) { column.append { $0.append(place) } } else { column.appendNull() }
          }
          return column.parameter
        }
        statements.append(
          SaveWork.joining(
            "\(store.namespace).\(store.tables.links[group.table].name)",
            [
              .text(group.zone), .uuids(pairs.map(\.key.first)), .uuids(pairs.map(\.key.second)),
              places(\.firstPlace), places(\.secondPlace),
            ]))
      }
    }

    // MARK: Late links

    /// Sets references of rows of earlier chunks, unless another program has set them.
    private mutating func lead(_ statements: inout [Statement]) {
      var references: [SaveWork.Group: [(number: Int, owner: UUIDNumber, target: UUIDNumber)]] = [:]
      var places: [SaveWork.Group: [(member: UUIDNumber, owner: UUIDNumber, place: Int64)]] = [:]
      for (number, late) in chunk.late.enumerated() {
        guard let (table, place) = store.tables.places[late.type.name],
          let member = store.tables.tables[table].classes[place].members[late.property]
        else { continue }
        let zone = late.owner.zone
        let targets = late.targets.filter { $0.zone == zone }
        for (place, target) in targets.enumerated() {
          let at = Int64(place + 1) * ListPlaces.gap
          switch member {
          case .value, .found: continue
          case .reference(let column):
            references[SaveWork.Group(table: table, zone: zone, columns: [column]), default: []].append(
              (number, late.owner.key, target.key))
          case .list(let other, let column, let placeColumn):
            places[SaveWork.Group(table: other, zone: zone, columns: [column, placeColumn]), default: []].append(
              (target.key, late.owner.key, at))
          case .links(let link, let isFirst):
            let (owner, other) = (late.owner.key, target.key)
            let key = SaveWork.LinkKey(
              link: link, zone: zone, first: isFirst ? owner : other, second: isFirst ? other : owner)
            var pair = pairs[key] ?? Pair(isNew: false)
            if isFirst { pair.firstPlace = at } else { pair.secondPlace = at }
            pairs[key] = pair
          }
        }
      }
      for (group, all) in references.sorted(by: { $0.key < $1.key }) {
        guard let target = target(of: .reference(column: group.columns[0]), group.table) else { continue }
        let column = store.tables.tables[group.table].columns[group.columns[0]].name
        lateStatements.append(statements.count)
        statements.append(
          Statement(
            "UPDATE \(store.full(group.table)) AS t SET \(Table.version) = t.\(Table.version) + 1, \(column) = n.t "
              + "FROM unnest($2, $3, $4) AS n(k, t, n) WHERE t.\(Table.zone) = $1 AND t.\(Table.key) = n.k "
              + "AND (t.\(column) IS NULL OR t.\(column) = n.t) AND EXISTS (SELECT 1 FROM \(store.full(target)) AS x "
              + "WHERE x.\(Table.zone) = $1 AND x.\(Table.key) = n.t) RETURNING n.n",
            [
              .text(group.zone), .uuids(all.map(\.owner)), .uuids(all.map(\.target)),
              .bigints(all.map { Int64($0.number) }),
            ]))
        lateNumbers.formUnion(all.map(\.number))
      }
      for (group, all) in places.sorted(by: { $0.key < $1.key }) {
        let columns = group.columns.map { store.tables.tables[group.table].columns[$0].name }
        statements.append(
          Statement(
            "UPDATE \(store.full(group.table)) AS t SET \(columns[1]) = n.p FROM unnest($2, $3, $4) AS n(k, o, p) "
              + "WHERE t.\(Table.zone) = $1 AND t.\(Table.key) = n.k AND t.\(columns[0]) = n.o",
            [.text(group.zone), .uuids(all.map(\.member)), .uuids(all.map(\.owner)), .bigints(all.map(\.place))]))
      }
    }

    // MARK: The history

    /// The notes of the chunk for the history.
    func notes() -> [ChangeNote] {
      var notes: [SaveWork.NoteGroup: ChangeNote] = [:]
      func add(_ kind: ChangeNote.Kind, _ className: String, key: RowKey, properties: [String] = []) {
        let group = SaveWork.NoteGroup(kind: kind, zone: key.zone, className: className, properties: properties)
        notes[
          group,
          default: ChangeNote(zone: key.zone, className: className, kind: kind, keys: [], properties: properties)
        ].keys.append(key.key)
      }
      for (at, line) in lines.enumerated() {
        let kind = classes[line.place]
        switch line.state {
        case .new: add(.insert, kind.type.name, key: line.key)
        case .updated:
          let properties = line.columns.compactMap { column in
            kind.kind.properties[.value(column: column)] ?? kind.kind.properties[.reference(column: column)]
          }
          if !properties.isEmpty {
            add(.update, kind.type.name, key: line.key, properties: properties.map { field(at, $0) })
          }
        case .kept, .same: continue
        }
      }
      for move in moves {
        guard let name = there[move.table][move.key], let place = store.tables.places[name]?.place else { continue }
        let kind = store.tables.tables[move.table].classes[place]
        guard let property = kind.properties[.reference(column: move.column)] else { continue }
        add(.update, name, key: move.key, properties: [kind.type.propertyName(property)])
      }
      for late in chunk.late {
        add(.update, late.type.name, key: RowKey(late.owner), properties: [late.type.propertyName(late.property)])
      }
      return notes.sorted { $0.key < $1.key }.map(\.value)
    }
  }
#endif
