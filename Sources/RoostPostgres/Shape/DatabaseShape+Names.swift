#if Postgres
  internal import Roost
  internal import RoostGraph
  internal import RoostRecords

  /// Names: the database's names of tables and columns, and properties that were renamed.
  extension DatabaseShape {
    /// Gives the wanted tables their names in the database, and renames columns whose properties
    /// were renamed.
    mutating func adopt() throws {
      for number in tables.tables.indices {
        try checkFamily(number)
        guard let known = stored.table(of: tables.tables[number].root.name) else {
          // A class of another program may have a similar name in SQL.
          let taken = Set(stored.tables.map(\.name) + stored.links.map(\.name))
          while taken.contains(tables.tables[number].name.text) {
            tables.tables[number].name = tables.tables[number].name.adding("_")
          }
          continue
        }
        tables.tables[number].name = SQLName(exactly: stored.tables[known].name)
        if !isOlder(number) { try rename(number, known) }
        nameColumns(number, known)
      }
    }

    /// Refuses classes whose rows are in another table than the models need.
    private mutating func checkFamily(_ number: Int) throws {
      let table = tables.tables[number]
      for kind in table.classes.map(\.type) {
        for other in stored.tables where other.entity != table.root.name {
          guard there.tables[other.name] != nil else { continue }
          if other.entity == kind.name, try hasRows(other.name) {
            throw PostgresError(
              .needsMigration,
              "\(kind.name): the database has its objects in a table of their own, and the model inherits from \(table.root.name), "
                + "whose objects are in another one: give the class a new name, and copy the objects")
          }
          guard other.classes.contains(kind.name), other.entity != kind.name, kind.superType == nil else { continue }
          let count = try count(
            other.name, where: "\(Table.className) = $1", [.text(kind.name)])
          if count == 0 { continue }
          throw PostgresError(
            .needsMigration,
            "\(kind.name): the database has \(rows(count)) of it as a subclass of \(other.entity), and the model inherits from "
              + "nothing: keep the superclass, or give the class a new name, and copy the objects")
        }
      }
    }

    /// Gives existing columns their names in the database, and gives new ones a name that no column
    /// has.
    private mutating func nameColumns(_ number: Int, _ known: Int) {
      var taken = Table.reserved.union(stored.tables[known].columns.map { SQLName(exactly: $0.name) })
      var columns = tables.tables[number].columns
      for place in columns.indices {
        if case .place(let reference) = columns[place].kind {
          let at = stored.tables[known].columns.first { $0.placeOf == columns[reference].name.text }
          if let at {
            columns[place].name = SQLName(exactly: at.name)
            continue
          }
          columns[place].name = columns[reference].name.adding("_place")
        } else if let field = columns[place].field, let at = stored.tables[known].column(of: field) {
          columns[place].name = SQLName(exactly: stored.tables[known].columns[at].name)
          continue
        }
        while taken.contains(columns[place].name) { columns[place].name = columns[place].name.adding("_") }
        taken.insert(columns[place].name)
      }
      tables.tables[number].columns = columns
    }

    // MARK: Renaming

    /// All fields of a table in the models: those of columns, and those of relationships that links
    /// or other tables store.
    func fields(_ number: Int) -> Set<String> {
      var names = Set(tables.tables[number].columns.compactMap(\.field))
      for one in tables.relationships {
        for side in one.sides where side.table == number { names.insert(side.field) }
      }
      return names
    }

    /// All fields of a table in the database.
    private func storedFields(_ known: Int) -> Set<String> {
      let name = stored.tables[known].name
      var names = Set(stored.tables[known].columns.compactMap(\.field))
      for table in stored.tables {
        for column in table.columns {
          if let reference = column.reference, reference.table == name, let inverse = reference.inverse, !column.isLeft
          {
            names.insert(inverse)
          }
        }
      }
      for link in stored.links { for side in link.sides where side.table == name { names.insert(side.field ?? "") } }
      return names
    }

    private mutating func rename(_ number: Int, _ known: Int) throws {
      let names = try renamed(number, known)
      if names.isEmpty { return }
      let table = stored.tables[known].name
      let affected = stored.tables[known].columns.indices.filter { place in
        stored.tables[known].columns[place].field.flatMap { names[$0] } != nil
      }
      var columns: [(place: Int, field: String)] = []
      for place in affected {
        if let field = stored.tables[known].columns[place].field, let new = names[field] {
          columns.append((place, new))
        }
      }
      // Two columns that exchange names need a third name in between.
      for (place, _) in columns { renameColumn(known, place, to: "roost_\(place)") }
      for (place, field) in columns {
        stored.tables[known].columns[place].field = field
        renameColumn(known, place, to: freeName(known, SQLName(field)))
        renameRules(known, place)
      }
      for other in stored.tables.indices {
        for place in stored.tables[other].columns.indices {
          guard let reference = stored.tables[other].columns[place].reference, reference.table == table else {
            continue
          }
          stored.tables[other].columns[place].reference?.inverse = reference.inverse.map { names[$0] ?? $0 }
        }
      }
      for link in stored.links.indices {
        for side in [\StoredLink.owner, \StoredLink.member] where stored.links[link][keyPath: side].table == table {
          let field = stored.links[link][keyPath: side].field
          stored.links[link][keyPath: side].field = field.map { names[$0] ?? $0 }
        }
      }
      func moved(_ index: StoredIndex) -> StoredIndex {
        func renamed(_ path: String) -> String {
          let field = String(path.prefix { $0 != "." })
          return (names[field] ?? field) + path.dropFirst(field.count)
        }
        var index = index
        (index.paths, index.tested) = (index.paths.map(renamed), index.tested?.map(renamed))
        return index
      }
      stored.tables[known].uniques = stored.tables[known].uniques.map(moved)
      stored.tables[known].indexes = stored.tables[known].indexes?.map(moved)
    }

    private func freeName(_ known: Int, _ wanted: SQLName) -> String {
      var name = wanted
      let taken = Table.reserved.union(
        (there.tables[stored.tables[known].name] ?? [:]).keys.map { SQLName(exactly: $0) })
      while taken.contains(name) { name = name.adding("_") }
      return name.text
    }

    /// Gives a column a free name, and its place column a name derived from it.
    mutating func moveColumn(_ known: Int, _ place: Int, to name: String) {
      renameColumn(known, place, to: freeName(known, SQLName(exactly: name)))
      renameRules(known, place)
    }

    private mutating func renameColumn(_ known: Int, _ place: Int, to name: String) {
      let (table, before) = (stored.tables[known].name, stored.tables[known].columns[place].name)
      if before == name { return }
      add("ALTER TABLE \(full(table)) RENAME COLUMN \(quoted(before)) TO \(quoted(name))")
      there.rename(table, before, to: name)
      stored.tables[known].columns[place].name = name
      for other in stored.tables[known].columns.indices where stored.tables[known].columns[other].placeOf == before {
        stored.tables[known].columns[other].placeOf = name
      }
    }

    /// Renames the place column, the foreign key and the index of a reference after it.
    private mutating func renameRules(_ known: Int, _ place: Int) {
      let (table, column) = (stored.tables[known].name, stored.tables[known].columns[place])
      guard let reference = column.reference else { return }
      for other in stored.tables[known].columns.indices
      where stored.tables[known].columns[other].placeOf == column.name {
        let names = there.tables[table] ?? [:]
        var name = SQLName(exactly: column.name + "_place")
        while names[name.text] != nil { name = name.adding("_") }
        renameColumn(known, other, to: name.text)
      }
      if column.isLeft { return }
      let index = there.name(table, [column.name], kind: "idx").text
      add("ALTER INDEX \(full(reference.index)) RENAME TO \(quoted(index))")
      there.names.remove(reference.index)
      stored.tables[known].columns[place].reference?.index = index
      // Citus cannot rename a constraint.
      if isDistributed { return }
      let constraint = there.name(table, [column.name], kind: "fkey").text
      add(
        "ALTER TABLE \(full(table)) RENAME CONSTRAINT \(quoted(reference.constraint)) TO \(quoted(constraint))")
      there.names.remove(reference.constraint)
      stored.tables[known].columns[place].reference?.constraint = constraint
    }

    /// The new names of fields, by their names in the database. A name may become free only when
    /// its property gets another name.
    private mutating func renamed(_ number: Int, _ known: Int) throws -> [String: String] {
      let has = storedFields(known)
      let formers = tables.tables[number].formerNames
      var renamed = exchanged(formers, has, known: known)
      let exchangers = Set(exchangeGroups(formers).joined())
      var isDone = false
      while !isDone {
        isDone = true
        for (name, before) in formers.sorted(by: { $0.key < $1.key }) where !exchangers.contains(name) {
          let isFree = !has.contains(name) || renamed[name] != nil
          guard isFree, has.contains(before), renamed[before] == nil, !renamed.values.contains(name) else { continue }
          renamed[before] = name
          isDone = false
        }
      }
      try addMoved(number, has, renamed: &renamed)
      return renamed
    }

    /// Adds properties that another class of the family declared before.
    private func addMoved(_ number: Int, _ has: Set<String>, renamed: inout [String: String]) throws {
      let wanted = fields(number)
      let formers = tables.tables[number].formerNames
      func own(_ field: String) -> String { field.split(separator: "/").last.map(String.init) ?? field }
      let classes = Dictionary(
        tables.tables[number].classes.map { ($0.type.name, $0.type) }, uniquingKeysWith: { first, _ in first })
      func kind(_ field: String) -> _ModelType? {
        let parts = field.split(separator: "/")
        return parts.count == 2 ? classes[String(parts[0])] : tables.tables[number].root
      }
      var sources: [String: [String]] = [:]
      for field in wanted.sorted() where !has.contains(field) && !renamed.values.contains(field) {
        let names = Set([own(field)] + (formers[field].map { [own($0)] } ?? []))
        let found = has.filter { other in
          guard names.contains(own(other)), !wanted.contains(other), renamed[other] == nil, let mine = kind(field),
            let theirs = kind(other)
          else { return false }
          return mine !== theirs && (mine.isKind(of: theirs) || theirs.isKind(of: mine))
        }
        if found.count > 1 {
          throw needsMigration(
            number, field,
            detail: "several classes had a property of this name: give it a new name, and copy the values")
        }
        if let other = found.first { sources[other, default: []].append(field) }
      }
      for (other, fields) in sources {
        if fields.count > 1 {
          throw needsMigration(
            number, fields[0],
            detail:
              "the superclass had the property, and several classes have it now: give it new names, and copy the values"
          )
        }
        renamed[other] = fields[0]
      }
    }

    /// The groups of names in which each name was the former name of another.
    private func exchangeGroups(_ formers: [String: String]) -> [[String]] {
      var groups: [[String]] = []
      for start in formers.keys.sorted() where !groups.contains(where: { $0.contains(start) }) {
        var group = [start]
        while let next = formers[group[group.count - 1]], !group.contains(next) { group.append(next) }
        if formers[group[group.count - 1]] == start, group.count > 1 { groups.append(group) }
      }
      return groups
    }

    /// Names that are exchanged now. The stored shape records the exchange.
    private mutating func exchanged(_ formers: [String: String], _ has: Set<String>, known: Int) -> [String: String] {
      var renamed: [String: String] = [:]
      for group in exchangeGroups(formers) {
        let mark = group.sorted().joined(separator: " ")
        if stored.tables[known].exchanged.contains(mark) || !has.isSuperset(of: group) { continue }
        stored.tables[known].exchanged.append(mark)
        for name in group { if let before = formers[name] { renamed[before] = name } }
      }
      return renamed
    }
  }
#endif
