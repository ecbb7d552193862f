#if Postgres
  internal import RoostGraph
  internal import RoostRecords

  /// Tables, and columns of values.
  extension DatabaseShape {
    mutating func bring(table number: Int) throws {
      guard let known = stored.table(of: tables.tables[number].root.name) else { return try create(number) }
      if isOlder(number) { return try checkOlder(number, known) }
      try bringClassColumn(number, known)
      for place in tables.tables[number].columns.indices {
        let column = tables.tables[number].columns[place]
        guard case .value(let form) = column.kind, let field = column.field else { continue }
        if let at = stored.tables[known].column(of: field) {
          try change(number, known, at: at, to: place, form: form)
        } else {
          try checkKind(number, known, field: field)
          try addColumn(number, known, place: place, form: form)
        }
      }
      leaveColumns(number, known)
    }

    // MARK: New tables

    private mutating func create(_ number: Int) throws {
      let table = tables.tables[number]
      let name = table.name.text
      created.insert(number)
      var parts = [
        "\(Table.zone) text NOT NULL DEFAULT ''", "\(Table.key) uuid NOT NULL",
        "\(Table.version) bigint NOT NULL DEFAULT 1",
      ]
      if table.hasClassColumn { parts.append(classDefinition(table)) }
      parts += table.columns.map { "\($0.name) \($0.type.rawValue)" + ($0.isOptional ? "" : " NOT NULL") }
      parts.append("PRIMARY KEY (\(Table.zone), \(Table.key))")
      add("CREATE TABLE \(full(name)) (\(parts.joined(separator: ", ")))")
      distribute(table.name)
      there.add(table: name)
      var noted = StoredTable(name: name, entity: table.root.name, classes: table.classes.map(\.type.name).sorted())
      for column in table.columns {
        there.set(
          name, column.name.text,
          known: .init(type: column.type.rawValue, isOptional: column.isOptional, hasDefault: false))
        guard case .value(let form) = column.kind, let field = column.field else { continue }
        noted.columns.append(
          StoredColumn(
            name: column.name.text, field: field, type: column.type.rawValue, values: form.word,
            isRequired: column.isNeeded))
      }
      stored.tables.append(noted)
    }

    private func classDefinition(_ table: Table) -> String {
      "\(Table.className) text NOT NULL DEFAULT '\(table.root.name.replacing("'", with: "''"))'"
    }

    private mutating func bringClassColumn(_ number: Int, _ known: Int) throws {
      let table = tables.tables[number]
      let name = stored.tables[known].name
      if !table.hasClassColumn || there.column(name, Table.className.text) != nil { return }
      add("ALTER TABLE \(full(name)) ADD COLUMN \(classDefinition(table))")
      there.set(name, Table.className.text, known: .init(type: "text", isOptional: false, hasDefault: true))
    }

    // MARK: Older models

    /// Models that are older than the table do not change it. They are refused if they cannot work
    /// with it.
    private mutating func checkOlder(_ number: Int, _ known: Int) throws {
      let table = stored.tables[known]
      let wanted = fields(number)
      for (place, column) in tables.tables[number].columns.enumerated() {
        guard case .value(let form) = column.kind, let field = column.field else { continue }
        guard let at = table.column(of: field) else {
          throw newer(number, "it has no column for \(self.place(number, field)) any more")
        }
        if table.columns[at].values != form.word {
          throw newer(number, "\(self.place(number, field)) has values of another type")
        }
        guard column.isNeeded, !column.isOptional, there.column(table.name, table.columns[at].name)?.isOptional == true
        else { continue }
        try fillNulls(number, known, at: at, place: place, form: form)
      }
      for column in table.columns where !(column.field.map { wanted.contains($0) } ?? true) {
        guard let found = there.column(table.name, column.name), !found.isOptional, !found.hasDefault else { continue }
        throw newer(number, "it requires a value for \(place(number, column.field ?? column.name))")
      }
    }

    // MARK: Columns

    /// Refuses a property of values if the database has a relationship of its name.
    private mutating func checkKind(_ number: Int, _ known: Int, field: String) throws {
      let side = StoredSide(table: stored.tables[known].name, field: field)
      let isList = stored.links.contains { $0.sides.contains(side) && !$0.isLeft }
      let isFound = stored.tables.contains { table in
        table.columns.contains { $0.reference?.table == side.table && $0.reference?.inverse == field && !$0.isLeft }
      }
      if !isList, !isFound { return }
      if stage == .open { return parkRelationships(side) }
      throw needsMigration(
        number, field,
        detail: "the database has a relationship for it, and the model has a value: give the property another name")
    }

    private mutating func addColumn(_ number: Int, _ known: Int, place: Int, form: ValueForm) throws {
      let column = tables.tables[number].columns[place]
      let (name, field) = (stored.tables[known].name, column.field ?? "")
      var isPending = false
      let value = try initial(number, field, form: form)
      let classes = classCondition(number, field)
      if value == nil, column.isNeeded {
        let count = try count(name, where: classes?.text ?? "true", classes?.parameters ?? [])
        if count > 0 { isPending = self.isPending(number, place) }
        if count > 0, !isPending {
          throw needsMigration(
            number, field,
            detail:
              "the property is new, and the database has \(rows(count)) without a value for it: give it a default value, or make "
              + "it optional")
        }
      } else if let value, try hasRows(name) {
        add("ALTER TABLE \(full(name)) ADD COLUMN \(column.name) \(column.type.rawValue)")
        fill(name, column, value: value, classes: classes, isNull: false)
        if !column.isOptional { add("ALTER TABLE \(full(name)) ALTER COLUMN \(column.name) SET NOT NULL") }
        return note(known, column, form: form, isPending: false)
      }
      add(
        "ALTER TABLE \(full(name)) ADD COLUMN \(column.name) \(column.type.rawValue)"
          + (column.isOptional || isPending ? "" : " NOT NULL"))
      note(known, column, form: form, isPending: isPending)
    }

    private mutating func note(_ known: Int, _ column: Column, form: ValueForm, isPending: Bool) {
      stored.tables[known].columns.append(
        StoredColumn(
          name: column.name.text, field: column.field, type: column.type.rawValue, values: form.word,
          isRequired: column.isNeeded && !isPending))
      there.set(
        stored.tables[known].name, column.name.text,
        known: .init(
          type: column.type.rawValue, isOptional: column.isOptional || isPending, hasDefault: false))
    }

    private mutating func change(_ number: Int, _ known: Int, at: Int, to place: Int, form: ValueForm) throws {
      let column = tables.tables[number].columns[place]
      let field = column.field ?? ""
      if stored.tables[known].columns[at].reference != nil {
        if stage == .open { return try parkAndAdd(number, known, at: at, place: place, form: form) }
        throw needsMigration(
          number, field,
          detail: "the database has a relationship for it, and the model has a value: give the property another name")
      }
      guard let found = there.column(stored.tables[known].name, column.name.text) else { return }
      if stage == .open, try hasOtherElements(number, known, of: field) {
        return try parkAndAdd(number, known, at: at, place: place, form: form)
      }
      if stored.tables[known].columns[at].values != form.word {
        do { try changeType(number, known, at: at, to: column, form: form) } catch let refusal as PostgresError
          where refusal.code == .needsMigration && stage == .open
        {
          return try parkAndAdd(number, known, at: at, place: place, form: form)
        }
      }
      let before = stored.tables[known].columns[at]
      var isOptional = column.isOptional
      stored.tables[known].columns[at].isLeft = false
      stored.tables[known].columns[at].isRequired = column.isNeeded
      let alter = "ALTER TABLE \(full(stored.tables[known].name)) ALTER COLUMN \(column.name)"
      if column.isOptional {
        if !found.isOptional { add("\(alter) DROP NOT NULL") }
        // In a column of a subclass, rows of other classes have null.
        if column.isNeeded, !before.isRequired || before.isLeft,
          try !fillNulls(number, known, at: at, place: place, form: form)
        {
          stored.tables[known].columns[at].isRequired = false
        }
      } else if found.isOptional {
        if try fillNulls(number, known, at: at, place: place, form: form) {
          add("\(alter) SET NOT NULL")
        } else {
          isOptional = true
          stored.tables[known].columns[at].isRequired = false
        }
      }
      there.set(
        stored.tables[known].name, column.name.text,
        known: .init(type: column.type.rawValue, isOptional: isOptional, hasDefault: found.hasDefault))
    }

    /// In a stage, parks the values in the database beside the new ones.
    private mutating func parkAndAdd(_ number: Int, _ known: Int, at: Int, place: Int, form: ValueForm) throws {
      let (root, field) = (tables.tables[number].root.name, tables.tables[number].columns[place].field ?? "")
      // The next comparison finds the new column.
      stored.tables[known].outlines?[root]?[field] = nil
      park(known, column: at)
      try addColumn(number, known, place: place, form: form)
    }

    /// Gives the rows of a class that have null the property's default. Without a default it
    /// throws; in a stage it returns false instead, because code fills the rows.
    @discardableResult
    private mutating func fillNulls(
      _ number: Int, _ known: Int, at: Int, place: Int, form: ValueForm
    ) throws -> Bool {
      let column = tables.tables[number].columns[place]
      let (name, field) = (stored.tables[known].name, column.field ?? "")
      let classes = classCondition(number, field)
      let test = "\(column.name) IS NULL" + (classes.map { " AND \($0.text)" } ?? "")
      let count = try count(name, where: test, classes?.parameters ?? [])
      if count == 0 { return true }
      guard let value = try initial(number, field, form: form) else {
        if isPending(number, place) { return false }
        throw needsMigration(
          number, field,
          detail:
            "the model requires a value, and \(rows(count)) \(count == 1 ? "has" : "have") none: give it a default value, make it "
            + "optional, or give these rows a value first")
      }
      fill(name, column, value: value, classes: classes, isNull: true)
      return true
    }

    /// Writes a value into rows. The value is a parameter, never a part of the text.
    private mutating func fill(
      _ table: String, _ column: Column, value: [UInt8],
      classes: (text: String, parameters: [Statement.Parameter])?, isNull: Bool
    ) {
      var tests: [String] = isNull ? ["\(column.name) IS NULL"] : []
      var statement = Statement("", classes?.parameters ?? [])
      if let classes { tests.append(classes.text) }
      let name = statement.add(Statement.Parameter(type: column.type.oid, bytes: value))
      add(
        "UPDATE \(full(table)) SET \(column.name) = \(name), \(Table.version) = \(Table.version) + 1"
          + (tests.isEmpty ? "" : " WHERE \(tests.joined(separator: " AND "))"), statement.parameters)
      // The second update of a row leaves checks of its foreign keys pending, and the server
      // changes no table while checks are pending.
      checkKeys()
    }

    /// Columns that the models no longer have stay, and become nullable.
    private mutating func leaveColumns(_ number: Int, _ known: Int) {
      let name = stored.tables[known].name
      let wanted = fields(number)
      let classes = Set(tables.tables[number].classes.map(\.type.name))
      for at in stored.tables[known].columns.indices {
        let column = stored.tables[known].columns[at]
        guard let field = column.field, column.reference == nil, !wanted.contains(field) else { continue }
        // This program may not have the class.
        if let owner = Self.owner(field), !classes.contains(owner) { continue }
        stored.tables[known].columns[at].isLeft = true
        guard let found = there.column(name, column.name), !found.isOptional, !found.hasDefault else { continue }
        add("ALTER TABLE \(full(name)) ALTER COLUMN \(quoted(column.name)) DROP NOT NULL")
      }
    }

    /// The subclass that declares a field; nil for a field of the base class.
    static func owner(_ field: String) -> String? {
      let parts = field.split(separator: "/", maxSplits: 1)
      return parts.count == 2 ? String(parts[0]) : nil
    }

    /// The condition that a row is of a class that has a field; nil if all rows are.
    func classCondition(_ number: Int, _ field: String) -> (text: String, parameters: [Statement.Parameter])? {
      guard let name = Self.owner(field),
        let owner = tables.tables[number].classes.first(where: { $0.type.name == name })?.type
      else { return nil }
      let kinds = tables.tables[number].classes.map(\.type).filter { $0.isKind(of: owner) }.map(\.name)
      return ("\(Table.className) = ANY($1)", [.texts(kinds)])
    }
  }
#endif
