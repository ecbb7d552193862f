#if Postgres
  internal import RoostGraph
  internal import RoostRecords

  /// Relationships: the present form of each in the database, and the change to the form that the
  /// models need.
  extension DatabaseShape {
    /// The form of a relationship in the database.
    enum Source: Hashable {
      case reference(StoredSide)
      case links(String)
    }

    func storedSide(_ side: Side) -> StoredSide {
      StoredSide(table: tables.tables[side.table].name.text, field: side.field)
    }

    /// The present form of each relationship in the database. All are found before anything
    /// changes, because two relationships may be made from one.
    func sources() throws -> [Source?] {
      try tables.relationships.map { wanted in
        let sides = Set(wanted.sides.map(storedSide))
        var found: [Source] = []
        for table in stored.tables {
          for column in table.columns {
            guard let reference = column.reference else { continue }
            let holder = StoredSide(table: table.name, field: column.field)
            let inverse = StoredSide(table: reference.table, field: reference.inverse)
            if column.isLeft {
              guard case .reference = wanted.form, storedSide(wanted.holder) == holder else { continue }
              found.append(.reference(holder))
            } else if sides.contains(holder) || reference.inverse != nil && sides.contains(inverse) {
              found.append(.reference(holder))
            }
          }
        }
        for link in stored.links where !link.sides.isDisjoint(with: sides) {
          if link.isLeft {
            guard case .links = wanted.form else { continue }
          }
          found.append(.links(link.name))
        }
        guard found.count > 1 else { return found.first }
        // A form in use has precedence over one that the models have left.
        let used = found.filter { !isLeft($0) }
        if used.count == 1 { return used[0] }
        throw needsMigration(
          wanted.holder.table, wanted.holder.field,
          detail:
            "the database has it and \(wanted.other?.field ?? "its other side") as two relationships, and the models make them each "
            + "other's inverse: give one of them a new name, and copy what it has")
      }
    }

    private func isLeft(_ source: Source) -> Bool {
      switch source {
      case .reference(let side):
        guard let (known, at) = column(side) else { return true }
        return stored.tables[known].columns[at].isLeft
      case .links(let name): return stored.links.first { $0.name == name }?.isLeft ?? true
      }
    }

    /// The numbers of a stored table and of its column.
    func column(_ side: StoredSide) -> (table: Int, column: Int)? {
      guard let table = stored.table(named: side.table), let field = side.field,
        let column = stored.tables[table].column(of: field)
      else { return nil }
      return (table, column)
    }

    mutating func bringRelationships() throws {
      let sources = try sources()
      for (number, source) in sources.enumerated() {
        let wanted = tables.relationships[number]
        let isOlder = wanted.sides.contains { self.isOlder($0.table) }
        // Another relationship may still use the reference from which this one is made.
        let isShared = sources.indices.contains { other in
          guard other != number, sources[other] == source, case .reference(let side)? = source else { return false }
          return storedSide(tables.relationships[other].holder) == side
        }
        if let source {
          try change {
            try $0.bring(number, from: source, isShared: isShared, isOlder: isOlder)
          } otherwise: {
            $0.park(source)
            try $0.bring(number, from: nil, isShared: false, isOlder: isOlder)
          }
        } else {
          try bring(number, from: nil, isShared: false, isOlder: isOlder)
        }
      }
    }

    private mutating func bring(_ number: Int, from source: Source?, isShared: Bool, isOlder: Bool) throws {
      let wanted = tables.relationships[number]
      switch (wanted.form, source) {
      case (.reference(let column, let place), nil):
        if isOlder { throw gone(wanted) }
        try checkValue(wanted.holder)
        try addReference(wanted, column, place: place)
      case (.reference(let column, let place), .reference(let side)?):
        try bringReference(wanted, column, place: place, from: side, isOlder: isOlder)
      case (.reference(let column, let place), .links(let name)?):
        if isOlder { throw gone(wanted) }
        try moveLinks(name, to: wanted, column, place: place)
      case (.links(let link), nil):
        if isOlder { throw gone(wanted) }
        for side in wanted.sides { try checkValue(side) }
        create(link, wanted)
      case (.links(let link), .reference(let side)?):
        if isOlder { throw gone(wanted) }
        create(link, wanted)
        try copyReference(side, to: link, wanted, isShared: isShared)
      case (.links(let link), .links(let name)?):
        try bringLinks(name, to: link, number)
      }
      if source != nil { try checkTargets(number) }
    }

    func gone(_ wanted: KeptRelationship) -> PostgresError {
      newer(
        wanted.holder.table,
        "it does not keep \(place(wanted.holder.table, wanted.holder.field)) as this program's models need it")
    }

    /// Refuses a relationship if the database has a value of its name.
    private mutating func checkValue(_ side: Side) throws {
      guard let (table, column) = column(storedSide(side)), stored.tables[table].columns[column].reference == nil else {
        return
      }
      if stage == .open { return park(table, column: column) }
      throw needsMigration(
        side.table, side.field,
        detail: "the database has a value for it, and the model has a relationship: give the property another name")
    }

    /// Refuses a relationship to a subclass if rows reference objects of other classes.
    private mutating func checkTargets(_ number: Int) throws {
      let wanted = tables.relationships[number]
      let table = tables.tables[wanted.holder.table].name.text
      switch wanted.form {
      case .reference(let column, _):
        let key = tables.tables[wanted.holder.table].columns[column].name
        try checkTarget(wanted.holder, wanted.target, className: wanted.targetClass, from: table, key: key)
      case .links(let link):
        let name = tables.links[link].name.text
        let isFirst = tables.isOwner(wanted.holder, of: link)
        let keys = [LinkTable.secondKey, LinkTable.firstKey]
        try checkTarget(
          wanted.holder, wanted.target, className: wanted.targetClass, from: name, key: keys[isFirst ? 0 : 1])
        guard let other = wanted.other else { return }
        try checkTarget(
          other, wanted.holder.table, className: wanted.otherClass, from: name, key: keys[isFirst ? 1 : 0])
      }
    }

    private mutating func checkTarget(
      _ side: Side, _ target: Int, className: String?, from table: String, key: SQLName
    ) throws {
      let classes = tables.tables[target].classes.map(\.type)
      // Only models that are new to the table can need another class.
      guard let kind = classes.first(where: { $0.name == className }), kind.superType != nil, !isOlder(side.table),
        let known = stored.table(named: tables.tables[side.table].name.text),
        stored.tables[known].forms.last != tables.form(side.table)
      else { return }
      let names = classes.filter { $0.isKind(of: kind) }.map(\.name)
      let answer = try ask(
        "SELECT count(*) FROM \(full(table)) AS t JOIN \(full(tables.tables[target].name.text)) AS r "
          + "ON r.\(Table.zone) = t.\(Table.zone) AND r.\(Table.key) = t.\(key) WHERE r.\(Table.className) <> ALL($1)",
        [.texts(names)])
      let count = Int(answer.integer(0, 0) ?? 0)
      if count == 0 { return }
      throw needsMigration(
        side.table, side.field,
        detail:
          "the model has a relationship to \(kind.name), and \(rows(count)) \(count == 1 ? "references" : "reference") objects of "
          + "other classes: change these first")
    }

    // MARK: Relationships that the models do not have

    /// References and links that no model has stay. A reference becomes nullable, and deletions no
    /// longer follow it.
    mutating func leaveRelationships() {
      for number in tables.tables.indices {
        guard !isOlder(number), let known = stored.table(of: tables.tables[number].root.name) else { continue }
        let wanted = fields(number)
        for at in stored.tables[known].columns.indices {
          let column = stored.tables[known].columns[at]
          guard let field = column.field, let reference = column.reference, !column.isLeft, !wanted.contains(field),
            isNamed(field, number)
          else { continue }
          stored.tables[known].columns[at].isLeft = true
          let alter = "ALTER TABLE \(full(stored.tables[known].name))"
          add("\(alter) DROP CONSTRAINT IF EXISTS \(quoted(reference.constraint))")
          if there.column(stored.tables[known].name, column.name)?.isOptional == false {
            add("\(alter) ALTER COLUMN \(quoted(column.name)) DROP NOT NULL")
          }
        }
      }
      for at in stored.links.indices where !stored.links[at].isLeft {
        let isWanted = stored.links[at].sides.contains { side in
          guard let number = tables.tables.firstIndex(where: { $0.name.text == side.table }) else { return true }
          let field = side.field ?? ""
          return isOlder(number) || fields(number).contains(field) || !isNamed(field, number)
        }
        if !isWanted { stored.links[at].isLeft = true }
      }
    }

    /// Whether the program has the class that declares a field.
    private func isNamed(_ field: String, _ number: Int) -> Bool {
      Self.owner(field).map { owner in tables.tables[number].classes.contains { $0.type.name == owner } } ?? true
    }
  }
#endif
