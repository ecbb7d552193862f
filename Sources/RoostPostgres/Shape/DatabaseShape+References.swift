#if Postgres
  internal import RoostGraph
  internal import RoostRecords

  /// References: columns with the key of another row, each with a foreign key, an index, and perhaps a place in the other row's list.
  extension DatabaseShape {
    private func known(_ number: Int) -> Int { stored.table(named: tables.tables[number].name.text) ?? 0 }

    /// Adds a reference that the database does not have.
    mutating func addReference(_ wanted: KeptRelationship, _ column: Int, place: Int?) throws {
      let (number, field) = (wanted.holder.table, wanted.holder.field)
      let shape = tables.tables[number].columns[column]
      let name = tables.tables[number].name.text
      var isRequired = shape.isNeeded
      if !created.contains(number) {
        if shape.isNeeded {
          let classes = classCondition(number, field)
          let count = try count(name, where: classes?.text ?? "true", classes?.parameters ?? [])
          if count > 0, isPending(number, column) {
            isRequired = false
          } else if count > 0 {
            throw needsMigration(
              number, field,
              detail:
                "the relationship is new, and the database has \(rows(count)) without one: make it optional first, and give each "
                + "object one")
          }
        }
        addColumn(number, shape, isNullable: shape.isOptional || shape.isNeeded && !isRequired)
      }
      finish(wanted, column, place: place, isRequired: isRequired)
    }

    private mutating func addColumn(_ number: Int, _ column: Column, isNullable: Bool) {
      let name = tables.tables[number].name.text
      if there.column(name, column.name.text) != nil { return }
      add(
        "ALTER TABLE \(full(name)) ADD COLUMN \(column.name) \(column.type.rawValue)" + (isNullable ? "" : " NOT NULL"))
      there.set(
        name, column.name.text, known: .init(type: column.type.rawValue, isOptional: isNullable, hasDefault: false))
    }

    /// Records a reference whose column exists, and adds its rules.
    private mutating func finish(_ wanted: KeptRelationship, _ column: Int, place: Int?, isRequired: Bool) {
      let (number, field) = (wanted.holder.table, wanted.holder.field)
      let shape = tables.tables[number].columns[column]
      let name = tables.tables[number].name.text
      guard case .reference(let target, let rule) = shape.kind else { return }
      let constraint = there.name(name, [shape.name.text], kind: "fkey")
      let index = there.name(name, [shape.name.text], kind: "idx")
      addKey(constraint, table: name, column: shape.name, to: target, rule: rule)
      add("CREATE INDEX \(index) ON \(full(name)) (\(Table.zone), \(shape.name))")
      stored.tables[known(number)].columns.append(
        StoredColumn(
          name: shape.name.text, field: field, type: shape.type.rawValue, values: "reference",
          isRequired: isRequired,
          reference: StoredReference(
            table: tables.tables[target].name.text, rule: "\(rule)", inverse: wanted.other?.field,
            constraint: constraint.text, index: index.text)))
      addPlace(number, of: shape.name.text, place)
    }

    /// Adds the column for the place in the other side's list, if there is none.
    private mutating func addPlace(_ number: Int, of reference: String, _ place: Int?) {
      guard let place else { return }
      let column = tables.tables[number].columns[place]
      if stored.tables[known(number)].columns.contains(where: { $0.placeOf == reference }) { return }
      addColumn(number, column, isNullable: true)
      stored.tables[known(number)].columns.append(
        StoredColumn(
          name: column.name.text, field: nil, type: column.type.rawValue, values: "place", isRequired: false,
          placeOf: reference))
    }

    /// Adds a foreign key. It is checked at the commit, so that rows may be written in any order.
    mutating func addKey(
      _ constraint: SQLName, table: String, column: SQLName, to target: Int, rule: Column.DeletionRule
    ) {
      let action =
        switch rule {
        case .delete: " ON DELETE CASCADE"
        // Citus refuses it, because the zone is a part of the key. There a save does it: see
        // `SaveWork.leave`.
        case .setNull: isDistributed ? "" : " ON DELETE SET NULL (\(column))"
        case .refuse: ""
        }
      add(
        "ALTER TABLE \(full(table)) ADD CONSTRAINT \(constraint) FOREIGN KEY (\(Table.zone), \(column)) REFERENCES "
          + "\(full(tables.tables[target].name.text)) (\(Table.zone), \(Table.key))\(action) "
          + "DEFERRABLE INITIALLY DEFERRED")
    }

    // MARK: From a reference

    /// Brings a reference to the form that the models need.
    mutating func bringReference(
      _ wanted: KeptRelationship, _ column: Int, place: Int?, from side: StoredSide, isOlder: Bool
    ) throws {
      let (number, field) = (wanted.holder.table, wanted.holder.field)
      guard let (table, at) = self.column(side), let reference = stored.tables[table].columns[at].reference else {
        return
      }
      let before = stored.tables[table].columns[at]
      let wasList = stored.tables[table].columns.contains { $0.placeOf == before.name }
      if wasList, place == nil, let other = wanted.sides.first(where: { storedSide($0).field == reference.inverse }),
        storedSide(other).table == reference.table, reference.inverse != nil
      {
        throw needsMigration(
          other.table, other.field,
          detail:
            "the database has a list for it, and the model has a relationship to one: give the property another name")
      }
      let holder = storedSide(wanted.holder)
      if isOlder, side != holder { throw gone(wanted) }
      let inverse = StoredSide(table: reference.table, field: reference.inverse)
      if side != holder, wanted.other.map(storedSide) == side || inverse == holder {
        return try turn(side, to: wanted, column, place: place)
      }
      let target = tables.tables[wanted.target].name.text
      if reference.table != target {
        throw needsMigration(
          number, field,
          detail:
            "the database has a relationship to \(quoted(reference.table)), and the model has one to \(quoted(target)): give the "
            + "property another name")
      }
      // The other side still has its name, so this side was renamed.
      if side.field != field { rename(table, at, number: number, column: column) }
      tables.tables[number].columns[column].name = SQLName(exactly: stored.tables[table].columns[at].name)
      if before.isLeft { removeDangling(table, at) }
      try bringNulls(number, column, table: table, at: at, isOlder: isOlder)
      stored.tables[table].columns[at].isLeft = false
      guard case .reference(_, let rule) = tables.tables[number].columns[column].kind else { return }
      if !isOlder || before.isLeft {
        if before.isLeft || reference.rule != "\(rule)" {
          if !before.isLeft {
            add("ALTER TABLE \(full(side.table)) DROP CONSTRAINT IF EXISTS \(quoted(reference.constraint))")
          }
          let name = stored.tables[table].columns[at].reference?.constraint ?? reference.constraint
          addKey(
            SQLName(exactly: name), table: side.table, column: tables.tables[number].columns[column].name,
            to: wanted.target, rule: rule)
          stored.tables[table].columns[at].reference?.rule = "\(rule)"
        }
        stored.tables[table].columns[at].reference?.inverse = wanted.other?.field
        stored.tables[table].columns[at].isRequired =
          tables.tables[number].columns[column].isNeeded
          && !pending.contains(PendingColumn(table: number, column: column))
      }
      addPlace(number, of: stored.tables[table].columns[at].name, place)
    }

    private mutating func rename(_ table: Int, _ at: Int, number: Int, column: Int) {
      let (name, new) = (stored.tables[table].name, tables.tables[number].columns[column].name.text)
      let before = stored.tables[table].columns[at].name
      stored.tables[table].columns[at].field = tables.tables[number].columns[column].field
      if there.column(name, new) != nil { return }
      add("ALTER TABLE \(full(name)) RENAME COLUMN \(quoted(before)) TO \(quoted(new))")
      there.rename(name, before, to: new)
      stored.tables[table].columns[at].name = new
      for other in stored.tables[table].columns.indices where stored.tables[table].columns[other].placeOf == before {
        stored.tables[table].columns[other].placeOf = new
        for place in tables.tables[number].columns.indices {
          guard case .place(column) = tables.tables[number].columns[place].kind else { continue }
          tables.tables[number].columns[place].name = SQLName(exactly: stored.tables[table].columns[other].name)
        }
      }
    }

    /// Other programs may have deleted rows that a reference without a rule still contains.
    private mutating func removeDangling(_ table: Int, _ at: Int) {
      let (name, column) = (stored.tables[table].name, stored.tables[table].columns[at])
      guard let target = column.reference?.table else { return }
      add(
        "UPDATE \(full(name)) AS t SET \(quoted(column.name)) = NULL WHERE t.\(quoted(column.name)) IS NOT NULL AND NOT EXISTS "
          + "(SELECT 1 FROM \(full(target)) AS r WHERE r.\(Table.zone) = t.\(Table.zone) AND r.\(Table.key) = t.\(quoted(column.name)))"
      )
    }

    private mutating func bringNulls(_ number: Int, _ column: Int, table: Int, at: Int, isOlder: Bool) throws {
      let shape = tables.tables[number].columns[column]
      let before = stored.tables[table].columns[at]
      let name = stored.tables[table].name
      let isNullable = there.column(name, before.name)?.isOptional ?? true
      let alter = "ALTER TABLE \(full(name)) ALTER COLUMN \(quoted(before.name))"
      if shape.isOptional, !isNullable, !isOlder {
        add("\(alter) DROP NOT NULL")
        there.set(name, before.name, known: .init(type: before.type, isOptional: true, hasDefault: false))
      }
      let isTightened = shape.isOptional ? !before.isRequired || before.isLeft : isNullable
      guard shape.isNeeded, isTightened else { return }
      if try !checkNulls(number, column, name: before.name) || shape.isOptional || isOlder { return }
      // The server changes no table while checks of its foreign keys are pending.
      checkKeys()
      add("\(alter) SET NOT NULL")
      there.set(name, before.name, known: .init(type: before.type, isOptional: false, hasDefault: false))
    }

    /// Throws for rows without a reference that the models require. In a stage it returns false for
    /// them, because code fills them.
    private mutating func checkNulls(_ number: Int, _ column: Int, name: String) throws -> Bool {
      let field = tables.tables[number].columns[column].field ?? ""
      let classes = classCondition(number, field)
      let test = "\(quoted(name)) IS NULL" + (classes.map { " AND \($0.text)" } ?? "")
      let count = try count(tables.tables[number].name.text, where: test, classes?.parameters ?? [])
      if count == 0 { return true }
      if isPending(number, column) { return false }
      throw needsMigration(
        number, field,
        detail:
          "the model requires an object, and \(rows(count)) \(count == 1 ? "has" : "have") none: give each one first, or make it "
          + "optional")
    }

    // MARK: From the other side, and from links

    /// Fills a new reference with pairs of keys, and adds its rules.
    ///
    /// `pairs` is a query with the columns `h` (the holder's key), `o` (the other's key) and `p`
    /// (the place).
    private mutating func fill(_ wanted: KeptRelationship, _ column: Int, place: Int?, from pairs: String) throws {
      let number = wanted.holder.table
      let shape = tables.tables[number].columns[column]
      let name = tables.tables[number].name.text
      addColumn(number, shape, isNullable: true)
      if let place { addColumn(number, tables.tables[number].columns[place], isNullable: true) }
      let placed = place.map { ", \(tables.tables[number].columns[$0].name) = n.p" } ?? ""
      add(
        "UPDATE \(full(name)) AS t SET \(shape.name) = n.o\(placed), \(Table.version) = t.\(Table.version) + 1 FROM (\(pairs)) AS n "
          + "WHERE t.\(Table.zone) = n.zone AND t.\(Table.key) = n.h")
      var isRequired = shape.isNeeded
      if shape.isNeeded {
        isRequired = try checkNulls(number, column, name: shape.name.text)
        checkKeys()
        if isRequired, !shape.isOptional { add("ALTER TABLE \(full(name)) ALTER COLUMN \(shape.name) SET NOT NULL") }
      }
      finish(wanted, column, place: place, isRequired: isRequired)
    }

    private mutating func refuseMany(_ wanted: KeptRelationship, table: String, key: String, test: String) throws {
      let answer = try ask(
        "SELECT count(*) FROM (SELECT 1 FROM \(full(table)) WHERE \(test) GROUP BY \(Table.zone), \(quoted(key)) "
          + "HAVING count(*) > 1) AS m")
      let count = Int(answer.integer(0, 0) ?? 0)
      if count == 0 { return }
      throw needsMigration(
        wanted.holder.table, wanted.holder.field,
        detail:
          "the database has \(count == 1 ? "1 object" : "\(count) objects") with more than one partner by it, and the models let "
          + "each have one: remove the others first")
    }

    /// Stores a one-to-one relationship on its other side.
    private mutating func turn(_ side: StoredSide, to wanted: KeptRelationship, _ column: Int, place: Int?) throws {
      guard let (table, at) = self.column(side) else { return }
      let ends = [stored.tables[table].columns[at].reference?.table, side.table]
      if ends != [wanted.holder.table, wanted.target].map({ tables.tables[$0].name.text }) {
        throw needsMigration(
          wanted.holder.table, wanted.holder.field,
          detail: "the database has a relationship between other classes for it: give the property another name")
      }
      let before = stored.tables[table].columns[at].name
      try refuseMany(wanted, table: side.table, key: before, test: "\(quoted(before)) IS NOT NULL")
      try fill(
        wanted, column, place: place,
        from: "SELECT \(Table.zone) AS zone, \(quoted(before)) AS h, \(Table.key) AS o, NULL::bigint AS p FROM "
          + "\(full(side.table)) WHERE \(quoted(before)) IS NOT NULL")
      drop(side)
    }

    /// Removes the column of a reference whose values were moved.
    mutating func drop(_ side: StoredSide) {
      guard let (table, at) = self.column(side) else { return }
      let column = stored.tables[table].columns[at]
      checkKeys()
      for one in stored.tables[table].columns where one.name == column.name || one.placeOf == column.name {
        add("ALTER TABLE \(full(side.table)) DROP COLUMN \(quoted(one.name))")
        there.set(side.table, one.name, known: nil)
      }
      stored.tables[table].columns.removeAll { $0.name == column.name || $0.placeOf == column.name }
      if let reference = column.reference { there.names.remove(reference.index) }
    }

    /// Makes a reference from links: a list got a to-one inverse.
    mutating func moveLinks(_ name: String, to wanted: KeptRelationship, _ column: Int, place: Int?) throws {
      guard let at = stored.links.firstIndex(where: { $0.name == name }) else { return }
      let link = stored.links[at]
      let (holder, other) = (storedSide(wanted.holder), wanted.other.map(storedSide))
      if link.owner == holder || link.member == holder || other == nil {
        throw needsMigration(
          wanted.holder.table, wanted.holder.field,
          detail:
            "the database has a list for it, and the model has a relationship to one: give the property another name")
      }
      let isOwner = link.owner == other
      let (mine, theirs) = isOwner ? (link.member, link.owner) : (link.owner, link.member)
      if mine.table != holder.table || theirs != other {
        throw needsMigration(
          wanted.holder.table, wanted.holder.field,
          detail: "the database has its other side as a list of \(quoted(mine.table)): give the property another name")
      }
      let keys = isOwner ? (LinkTable.secondKey, LinkTable.firstKey) : (LinkTable.firstKey, LinkTable.secondKey)
      let placed = isOwner ? LinkTable.firstPlace : LinkTable.secondPlace
      try refuseMany(wanted, table: name, key: keys.0.text, test: "true")
      try fill(
        wanted, column, place: place,
        from: "SELECT \(Table.zone) AS zone, \(keys.0) AS h, \(keys.1) AS o, \(placed) AS p FROM \(full(name))")
      checkKeys()
      add("DROP TABLE \(full(name))")
      there.remove(table: name)
      stored.links.remove(at: at)
    }
  }
#endif
