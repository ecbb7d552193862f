#if Postgres
  internal import Roost
  internal import RoostGraph
  internal import RoostRecords

  /// New models with the unique values of other models.
  extension SaveWork {
    /// A new model with the unique values of a stored row becomes that row.
    mutating func meetTwins() throws {
      var seen: [UniqueValues: Int] = [:]
      /// By place among the rows, the row that replaces it.
      var dropped: [Int: Int] = [:]
      var asked: [(table: Int, rule: UniqueRule, rows: [Int], statement: Statement)] = []
      for (table, shape) in store.tables.tables.enumerated() where !shape.uniques.isEmpty {
        let new = rows.indices.filter { rows[$0].table == table && rows[$0].known == nil }
        if new.isEmpty { continue }
        for (number, rule) in shape.uniques.enumerated() {
          for at in new where dropped[at] == nil {
            guard let values = try uniqueValues(rule, rows[at]) else { continue }
            let key = UniqueValues(table: table, rule: number, zone: rows[at].key.zone, values: values)
            if let first = seen[key], first != at {
              // The last one in a save stays.
              dropped[first] = at
            }
            seen[key] = at
          }
          let fit = try new.filter { try dropped[$0] == nil && admits(rule, rows[$0].content) }
          for (zone, ats) in Dictionary(grouping: fit, by: { rows[$0].key.zone }) {
            asked.append((table, rule, ats, try twins(rule, table, zone: zone, rows: ats)))
          }
        }
      }
      let gone = Set(deleted.map(\.key))
      let updated = try updatedRows()
      for (one, answer) in zip(asked, try store.run(asked.map(\.statement))) {
        let found = try store.selections[one.table].known(answer, store: store.identifier, from: 1)
        for (line, known) in found.enumerated() {
          guard let number = answer.integer(line, 0) else { continue }
          let key = known.key
          let at = one.rows[Int(number) - 1]
          if gone.contains(key) || dropped[at] != nil { continue }
          // This save gives the row other unique values, so these become free.
          if let change = updated[key], try leaves(one.rule, change, of: known) { continue }
          let before = rows[at].content.identifier
          rows[at].key = key
          rows[at].isMet = store.known(one.table, key) == nil
          rows[at].known = known
          rows[at].content.links = Self.joined(rows[at].content.links, known.content.links)
          remapped[before] = known.content.identifier
        }
      }
      for first in dropped.keys {
        var last = first
        while let next = dropped[last] { last = next }
        remapped[rows[first].content.identifier] = remapped[rows[last].content.identifier]
      }
      rows = rows.indices.filter { dropped[$0] == nil }.map { rows[$0] }
    }

    /// The relationships of a row after a new object was merged into it. If the new object does not
    /// set one, the stored one stays.
    private static func joined(
      _ fresh: [SnapshotContent.Link], _ stored: [SnapshotContent.Link]
    ) -> [SnapshotContent.Link] {
      guard fresh.count == stored.count else { return fresh }
      return zip(fresh, stored).map { fresh, stored in
        switch (fresh, stored) {
        case (.absent, _), (.one(nil), _): stored
        case (.many(let new), .many(let old)): .many(old + new.filter { !old.contains($0) })
        default: fresh
        }
      }
    }

    private func updatedRows() throws -> [RowKey: SnapshotContent] {
      var found: [RowKey: SnapshotContent] = [:]
      for snapshot in request.updated {
        if let (_, key) = store.place(snapshot.persistentIdentifier) { found[key] = snapshot.content }
      }
      return found
    }

    /// Whether a change gives a row other values for a uniqueness rule, or takes it out of the rule's
    /// condition.
    private func leaves(_ rule: UniqueRule, _ content: SnapshotContent, of known: KnownRow) throws -> Bool {
      let kind = try place(content).kind
      if try !admits(rule, content) { return true }
      for part in rule.parts {
        let property =
          kind.properties[.value(column: part.column)] ?? kind.properties[.reference(column: part.column)]
        if let property, !content.isSame(property, as: known.content) { return true }
      }
      return false
    }

    struct UniqueValues: Hashable {
      var table: Int
      var rule: Int
      var zone: String
      var values: [RoostRecords.Value]
    }

    /// Whether a row fulfils the condition of a rule.
    private func admits(_ rule: UniqueRule, _ content: SnapshotContent) throws -> Bool {
      if rule.tests.isEmpty { return true }
      let kind = try place(content).kind
      return rule.admits { column in
        if let property = kind.properties[.value(column: column)] {
          return content.values.value(of: property) ?? .null
        }
        guard let property = kind.properties[.reference(column: column)], case .one(_?)? = content.link(property) else {
          return .null
        }
        return .bool(true)
      }
    }

    /// The values of a rule; nil if one of them is nil or a new object, or if the row does not fulfil
    /// the condition.
    func uniqueValues(_ rule: UniqueRule, _ row: RowChange) throws -> [RoostRecords.Value]? {
      guard try admits(rule, row.content) else { return nil }
      let kind = try place(row.content).kind
      var values: [RoostRecords.Value] = []
      for part in rule.parts {
        if let property = kind.properties[.reference(column: part.column)] {
          guard case .one(let target?)? = row.content.link(property),
            let key = store.place(remapped[target] ?? target)?.key.key
          else { return nil }
          values.append(.uuid(key))
          continue
        }
        guard let property = kind.properties[.value(column: part.column)], part.path.isEmpty,
          let value = row.content.values.value(of: property), !value.isNull
        else { return nil }
        values.append(value)
      }
      return values
    }

    /// The statement that finds rows with the unique values of new rows.
    private func twins(_ rule: UniqueRule, _ table: Int, zone: String, rows ats: [Int]) throws -> Statement {
      let (shape, parts) = (store.tables.tables[table], rule.parts)
      var statement = Statement("")
      let zoneName = statement.add(.text(zone))
      var columns: [ArrayColumn] = parts.map { ArrayColumn($0.path.isEmpty ? shape.columns[$0.column].type : .jsonb) }
      for at in ats {
        let kind = try place(rows[at].content).kind
        for (number, part) in parts.enumerated() {
          columns[number].append(try bytes(rows[at], part.column, of: kind))
        }
      }
      let names = columns.map { statement.add($0.parameter) }
      let rows = rule.twins(shape, values: names, table: store.full(table), zone: zoneName)
      statement.text = store.selections[table].text(
        from: "(SELECT t.*, n.n AS \"#\" FROM \(rows))", after: ["t.\"#\""])
      return statement
    }
  }

  extension UniqueRule {
    /// Rows `t` of a table that have the values of a rule, which are arrays. `n.n` numbers the values from 1.
    func twins(_ shape: Table, values: [String], table: String, zone: String) -> String {
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
      return
        "unnest(\(values.joined(separator: ", "))) WITH ORDINALITY AS "
        + "n(\(values.indices.map { "v\($0)" }.joined(separator: ", ")), n) JOIN \(table) AS t "
        + "ON t.\(Table.zone) = \(zone) AND \(tests.joined(separator: " AND "))"
        + condition(" AND ", of: shape, alias: "t.")
    }
  }
#endif
