#if Postgres
  internal import Roost
  internal import RoostGraph
  internal import RoostRecords

  /// Finds the stored rows that the chunk names, and those with the unique values of its rows.
  extension BulkWork {
    mutating func meet() throws {
      var twins: [Int: Set<RowKey>] = [:]
      var rules: [SaveWork.UniqueValues: Int] = [:]
      try ask(&twins)
      var updated: [RowKey: Int] = [:]
      let isRefused = Set(faults.map(\.row))
      for at in lines.indices where !isRefused.contains(at) {
        let table = classes[lines[at].place].table
        var other: Int?
        if case .row(let row)? = chunk.rows[at].own, row != at { other = root(row) }
        let values = uniqueValues(at)
        if other == nil { other = values.lazy.compactMap { rules[$0] }.first.map { root($0) } }
        var found = twins[at] ?? []
        if let own = ownKey(at), there[table][own] != nil { found.insert(own) }
        if found.count > 1 {
          refuse(at, duplicate(at, "its unique values are those of several rows"))
          continue
        }
        if let key = found.first {
          if there[table][key] != classes[lines[at].place].type.name {
            refuse(at, duplicate(at, "a row of another class has its unique values"))
            continue
          }
          if let known = updated[key] {
            join(at, to: known)
          } else {
            updated[key] = at
            take(at, key)
          }
        } else if let other, !isRefused.contains(other) {
          join(at, to: other)
        }
        for value in values where rules[value] == nil { rules[value] = at }
      }
    }

    private func duplicate(_ at: Int, _ why: String) -> ImportFault {
      ImportFault(.duplicate, "\(classes[lines[at].place].type.name): \(why)")
    }

    /// Decides what happens to a line that is a stored row.
    private mutating func take(_ at: Int, _ key: RowKey) {
      switch chunk.conflict {
      case .insert, .throw: return refuse(at, duplicate(at, "it exists already, or another one has its unique values"))
      case .skip: lines[at].state = .kept
      case .update, .merge:
        lines[at].state = .updated
        for (column, source) in classes[lines[at].place].sources.enumerated() {
          guard case .value(let property, _) = source, isGiven(property, lines[at].values) else { continue }
          lines[at].columns.append(column)
        }
      }
      lines[at].key = key
    }

    /// Decides what happens to a line that is the row of an earlier line.
    private mutating func join(_ at: Int, to other: Int) {
      if lines[at].place != lines[other].place {
        return refuse(at, duplicate(at, "an object of another class has its unique values"), because: other)
      }
      switch chunk.conflict {
      case .insert, .throw: refuse(at, duplicate(at, "an earlier one has its unique values"), because: other)
      case .skip: lines[at].state = .same(other, isKept: true)
      case .update, .merge:
        lines[at].state = .same(other, isKept: false)
        for (column, source) in classes[lines[at].place].sources.enumerated() {
          guard case .value(let property, _) = source, isGiven(property, lines[at].values) else { continue }
          lines[other].values = lines[other].values.taking(property, of: lines[at].values)
          if lines[other].state == .updated, !lines[other].columns.contains(column) {
            lines[other].columns.append(column)
          }
        }
      }
    }

    private func isGiven(_ property: Int, _ values: ValueImage) -> Bool {
      if !values.isPresent(property) { return false }
      return chunk.conflict != .merge || values.value(of: property).map { !$0.isNull } ?? true
    }

    // MARK: Unique values

    private func uniqueValues(_ at: Int) -> [SaveWork.UniqueValues] {
      let kind = classes[lines[at].place]
      let rules = store.tables.tables[kind.table].uniques
      if rules.isEmpty { return [] }
      return rules.enumerated().compactMap { number, rule in
        guard admits(rule, at) else { return nil }
        var values: [RoostRecords.Value] = []
        for part in rule.parts {
          switch kind.sources[part.column] {
          case .value(let property, _):
            guard part.path.isEmpty, let value = lines[at].values.value(of: property), !value.isNull else { return nil }
            values.append(value)
          case .reference:
            guard let key = referenced(at, part.column) else { return nil }
            values.append(.uuid(key))
          case .place, .nothing: return nil
          }
        }
        return SaveWork.UniqueValues(table: kind.table, rule: number, zone: lines[at].key.zone, values: values)
      }
    }

    /// Whether a line fulfils the condition of a rule.
    private func admits(_ rule: UniqueRule, _ at: Int) -> Bool {
      let kind = classes[lines[at].place]
      return rule.admits { column in
        switch kind.sources[column] {
        case .value(let property, _): lines[at].values.value(of: property) ?? .null
        case .reference: isReferring(at, column) ? .bool(true) : .null
        case .place, .nothing: .null
        }
      }
    }

    private func isReferring(_ at: Int, _ column: Int) -> Bool {
      let kind = classes[lines[at].place].kind
      guard let property = kind.properties[.reference(column: column)],
        case .one(_?) = chunk.rows[at].links[kind.form.linkPlaces[property]]
      else { return false }
      return true
    }

    /// The key of a reference, if it is known before stored rows are found.
    private func referenced(_ at: Int, _ column: Int) -> UUIDNumber? {
      let kind = classes[lines[at].place]
      guard let property = kind.kind.properties[.reference(column: column)],
        case .one(let target?) = chunk.rows[at].links[kind.kind.form.linkPlaces[property]]
      else { return nil }
      switch target {
      case .row(let row): return lines[root(row)].key.key
      case .earlier(let key): return key.key
      case .stored(let identifier): return RowKey(identifier)?.key
      }
    }

    // MARK: Asking

    private func ownKey(_ at: Int) -> RowKey? {
      switch chunk.rows[at].own {
      case .earlier(let key)?: RowKey(key)
      case .stored(let identifier)?: RowKey(identifier)
      case .row?, nil: nil
      }
    }

    /// Asks for the rows that the chunk names, and for those with the unique values of its rows.
    private mutating func ask(_ twins: inout [Int: Set<RowKey>]) throws {
      var statements: [Statement] = []
      var meanings: [(table: Int, zone: String, rows: [Int]?)] = []
      for (table, zone, keys) in named() {
        let name = store.tables.tables[table].hasClassColumn ? "\(Table.className)" : "NULL::text"
        statements.append(
          Statement(
            "SELECT 0, \(Table.key), \(name) FROM \(store.full(table)) WHERE \(Table.zone) = $1 AND \(Table.key) = ANY($2)",
            [.text(zone), .uuids(keys)]))
        meanings.append((table, zone, nil))
      }
      for (table, shape) in store.tables.tables.enumerated() where !shape.uniques.isEmpty {
        let all = lines.indices.filter { classes[lines[$0].place].table == table }
        if all.isEmpty { continue }
        for (zone, rows) in Dictionary(grouping: all, by: { lines[$0].key.zone }).sorted(by: { $0.key < $1.key }) {
          for rule in shape.uniques {
            let fit = rows.filter { admits(rule, $0) }
            if fit.isEmpty { continue }
            statements.append(try search(rule, table, zone: zone, rows: fit))
            meanings.append((table, zone, fit))
          }
        }
      }
      if statements.isEmpty { return }
      for (meaning, answer) in zip(meanings, try store.run(statements)) {
        for line in 0..<answer.count {
          guard let number = answer.integer(line, 0), let key = answer.uuid(line, 1) else { continue }
          let found = RowKey(meaning.zone, key)
          there[meaning.table][found] = answer.text(line, 2) ?? store.tables.tables[meaning.table].root.name
          if let rows = meaning.rows { twins[rows[Int(number) - 1], default: []].insert(found) }
        }
      }
    }

    /// The keys of earlier transactions that the chunk names.
    private func named() -> [(table: Int, zone: String, keys: [UUIDNumber])] {
      var keys: [[RowKey: Bool]] = store.tables.tables.map { _ in [:] }
      func add(_ target: BulkTarget, _ table: Int) {
        switch target {
        case .row: return
        case .earlier(let key): keys[table][RowKey(key)] = true
        case .stored(let identifier): if let key = RowKey(identifier) { keys[table][key] = true }
        }
      }
      for (at, row) in chunk.rows.enumerated() {
        let kind = classes[lines[at].place]
        if let own = row.own { add(own, kind.table) }
        for (place, _, member) in kind.links {
          guard let table = target(of: member, kind.table) else { continue }
          switch row.links[place] {
          case .absent, .one(nil): continue
          case .one(let one?): add(one, table)
          case .many(let many): for one in many { add(one, table) }
          }
        }
      }
      return keys.enumerated().flatMap { table, keys in
        Dictionary(grouping: keys.keys, by: \.zone).map { (table, $0.key, $0.value.map(\.key)) }
      }
    }

    /// The table that a relationship of a class references.
    func target(of member: TableClass.Member, _ table: Int) -> Int? {
      switch member {
      case .value: return nil
      case .reference(let column):
        guard case .reference(let other, _) = store.tables.tables[table].columns[column].kind else { return nil }
        return other
      case .found(let other, _), .list(let other, _, _): return other
      case .links(let number, let isFirst):
        return isFirst ? store.tables.links[number].second : store.tables.links[number].first
      }
    }

    /// The statement that finds the rows with the values of a unique rule.
    private mutating func search(
      _ rule: UniqueRule, _ table: Int, zone: String, rows: [Int]
    ) throws -> Statement {
      let (shape, parts) = (store.tables.tables[table], rule.parts)
      var statement = Statement("")
      let zoneName = statement.add(.text(zone))
      var columns = parts.map { ArrayColumn($0.path.isEmpty ? shape.columns[$0.column].type : .jsonb) }
      for at in rows {
        for (number, part) in parts.enumerated() {
          let reference = referenced(at, part.column)
          do {
            if let reference {
              columns[number].append { $0.append(reference) }
            } else {
              columns[number].append(try bytes(at, part.column))
            }
          } catch let fault as ImportFault {
            refuse(at, fault)
            columns[number].appendNull()
          }
        }
      }
      let names = columns.map { statement.add($0.parameter) }
      let className = shape.hasClassColumn ? "t.\(Table.className)" : "NULL::text"
      let rows = rule.twins(shape, values: names, table: store.full(table), zone: zoneName)
      statement.text = "SELECT n.n, t.\(Table.key), \(className) FROM \(rows)"
      return statement
    }
  }
#endif
