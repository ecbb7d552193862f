#if Postgres
  internal import Roost
  internal import RoostGraph
  internal import RoostRecords

  /// A migration plan, for the change of a database's tables.
  protocol ShapePlan: AnyObject {
    /// Whether code has run that must not be repeated.
    var hasRun: Bool { get }
    /// Runs the stages that the database needs, in the current transaction. Returns true if
    /// anything changed. The shape gets the version of the program's models.
    func run(_ shape: inout DatabaseShape) throws -> Bool
  }

  /// A column without values, which the code of a migration plan has to fill.
  struct PendingColumn: Hashable {
    /// The numbers of the table and of the column.
    var table: Int
    var column: Int
  }

  /// The stages of a migration plan.
  extension DatabaseShape {
    enum Stage {
      /// Code of the plan fills the data that the models need. New uniqueness rules are not
      /// enforced yet, and required columns may lack values.
      case open
      /// The tables have everything that the version needs.
      case complete
    }

    mutating func follow(_ plan: any ShapePlan) throws {
      if try plan.run(&self) { try read() }
    }

    // MARK: Columns that code has to fill

    /// Records that code has to fill a column. Returns false outside a stage.
    mutating func isPending(_ number: Int, _ column: Int) -> Bool {
      if stage != .open { return false }
      let one = PendingColumn(table: number, column: column)
      if !pending.contains(one) { pending.append(one) }
      return true
    }

    /// Whether a collection has elements of another type now. The column does not show it, because
    /// it is JSON before and after.
    func hasOtherElements(_ number: Int, _ known: Int, of field: String) throws -> Bool {
      let root = tables.tables[number].root.name
      guard let before = stored.tables[known].outlines?[root]?[field] else { return false }
      guard before.hasPrefix("[") || before.hasPrefix("Set<") else { return false }
      let now = try GraphStore.outlines(schema.plans)[root]?.properties[field] ?? before
      func elements(_ word: String) -> String { word.hasSuffix("?") ? String(word.dropLast()) : word }
      return elements(now) != elements(before)
    }

    // MARK: Parked data

    /// Runs a change of columns that may lose values. In a stage, these values are parked, and the
    /// new form is made beside them.
    mutating func change(_ body: (inout Self) throws -> Void, otherwise park: (inout Self) throws -> Void) throws {
      if stage != .open { return try body(&self) }
      try send()
      try connection.run("SAVEPOINT roost_change")
      let before = self
      do {
        try body(&self)
        try send()
      } catch let refusal as PostgresError where refusal.code == .needsMigration {
        self = before
        try connection.run("ROLLBACK TO SAVEPOINT roost_change")
        try park(&self)
      }
      add("RELEASE SAVEPOINT roost_change")
    }

    /// The prefix of a parked field's name. Parking frees the name for a property with another
    /// form.
    private static let parked = "@parked "

    private func parked(_ field: String, among taken: (String) -> Bool) -> String {
      let (owner, name) = (Self.owner(field).map { $0 + "/" } ?? "", field.split(separator: "/").last.map(String.init))
      var new = owner + Self.parked + (name ?? field)
      var number = 2
      while taken(new) {
        new = "\(owner)\(Self.parked)\(name ?? field) \(number)"
        number += 1
      }
      return new
    }

    /// Parks a column under a name that no property has. Rules over it are removed.
    mutating func park(_ known: Int, column at: Int) {
      let table = stored.tables[known]
      guard let field = table.columns[at].field else { return }
      let rules = (table.uniques + (table.indexes ?? [])).filter { $0.isOver(field) }
      for rule in rules {
        add("DROP INDEX IF EXISTS \(full(rule.index))")
        stored.tables[known].uniques.removeAll { $0 == rule }
        stored.tables[known].indexes?.removeAll { $0 == rule }
        there.names.remove(rule.index)
      }
      if let reference = table.columns[at].reference {
        add("ALTER TABLE \(full(table.name)) DROP CONSTRAINT IF EXISTS \(quoted(reference.constraint))")
        stored.tables[known].columns[at].reference?.inverse = nil
      }
      stored.tables[known].columns[at].field = parked(field) { table.column(of: $0) != nil }
      stored.tables[known].columns[at].isLeft = true
      moveColumn(known, at, to: table.columns[at].name + "_parked")
      let name = stored.tables[known].columns[at].name
      guard let found = there.column(table.name, name), !found.isOptional else { return }
      add("ALTER TABLE \(full(table.name)) ALTER COLUMN \(quoted(name)) DROP NOT NULL")
      there.set(table.name, name, known: .init(type: found.type, isOptional: true, hasDefault: found.hasDefault))
    }

    /// Parks the data of a relationship under names that no property has.
    mutating func park(_ source: Source) {
      switch source {
      case .reference(let side):
        if let (known, at) = column(side) { park(known, column: at) }
      case .links(let name):
        guard let at = stored.links.firstIndex(where: { $0.name == name }) else { return }
        stored.links[at].isLeft = true
        for side in [\StoredLink.owner, \StoredLink.member] {
          guard let field = stored.links[at][keyPath: side].field else { continue }
          stored.links[at][keyPath: side].field = parked(field) { new in
            stored.links.contains { $0.owner.field == new || $0.member.field == new }
          }
        }
      }
    }

    /// Parks the relationships of a field in the database.
    mutating func parkRelationships(_ side: StoredSide) {
      for table in stored.tables {
        for column in table.columns where !column.isLeft {
          guard let reference = column.reference, reference.table == side.table, reference.inverse == side.field else {
            continue
          }
          park(.reference(StoredSide(table: table.name, field: column.field)))
        }
      }
      for link in stored.links where link.sides.contains(side) && !link.isLeft { park(.links(link.name)) }
    }
  }

  extension Schema {
    /// The plans of its models.
    var plans: [ModelPlan] {
      models.compactMap { model in entitiesByName[model._$type.name].map { ModelPlan($0, model) } }
    }
  }
#endif
