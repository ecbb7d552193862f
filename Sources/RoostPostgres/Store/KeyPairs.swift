#if Postgres
  internal import Roost
  internal import RoostGraph
  internal import RoostRecords

  /// Pairs each model of a class before a step with the present model that has the same key.
  ///
  /// Each batch uses its own containers, so that memory does not grow with the number of models.
  struct KeyPairs: ModelPairs {
    private let database: StagedDatabase
    private let source: StagedTables
    private let target: StagedTables
    private let new: (any PersistentModel.Type)?
    /// The old class.
    private let type: _ModelType
    private let table: Table
    private var last: RowKey?

    init(
      _ database: StagedDatabase, _ source: StagedTables, to target: StagedTables, old: any PersistentModel.Type,
      new: (any PersistentModel.Type)?
    ) throws {
      (self.database, self.source, self.target, self.new) = (database, source, target, new)
      type = old._$type
      table = source.brought.tables.tables[try source.brought.tables.place(old._$type).table]
    }

    private var rows: String { "\(SQLName(exactly: StageTransaction.frozen)).\(table.name)" }

    /// The condition that a row is of the class, or of a subclass of it.
    private func condition(_ statement: inout Statement) -> String {
      if !table.hasClassColumn { return "true" }
      let names = table.classes.map(\.type).filter { $0.isKind(of: type) }.map(\.name)
      return "\(Table.className) = ANY(\(statement.add(.texts(names))))"
    }

    private func ask(_ statement: Statement) throws -> Answer {
      do { return try database.transaction.run([statement])[0] } catch { throw error.error() }
    }

    func count() throws -> Int {
      var statement = Statement("")
      statement.text = "SELECT count(*) FROM \(rows) WHERE \(condition(&statement))"
      return Int(clamping: try ask(statement).integer(0, 0) ?? 0)
    }

    mutating func next(_ limit: Int, _ body: (ModelBatch) throws -> Void) throws -> Int {
      var statement = Statement("")
      var tests = [condition(&statement)]
      if let last {
        let (zone, key) = (statement.add(.text(last.zone)), statement.add(.uuid(last.key)))
        tests.append("(\(Table.zone), \(Table.key)) > (\(zone), \(key))")
      }
      let className = table.hasClassColumn ? ", \(Table.className)" : ""
      statement.text =
        "SELECT \(Table.zone), \(Table.key)\(className) FROM \(rows) WHERE \(tests.joined(separator: " AND ")) "
        + "ORDER BY \(Table.zone), \(Table.key) LIMIT \(limit)"
      let answer = try ask(statement)
      let keys = (0..<answer.count).compactMap { row -> (key: RowKey, name: String)? in
        guard let zone = answer.text(row, 0), let key = answer.uuid(row, 1) else { return nil }
        return (RowKey(zone, key), (className.isEmpty ? nil : answer.text(row, 2)) ?? table.root.name)
      }
      guard let end = keys.last else { return 0 }
      last = end.key
      let identifiers = keys.map { identifier($0.name, $0.key) }
      try database.withContainer(source, in: StageTransaction.frozen) { old in
        try database.withContainer(target, in: database.configuration.namespace) { new in
          try pair(identifiers, old, in: new, body: body)
        }
      }
      return keys.count
    }

    private func identifier(_ name: String, _ key: RowKey) -> PersistentIdentifier {
      PersistentIdentifier(store: source.brought.identifier, entity: name, key.name)
    }

    private func pair(
      _ identifiers: [PersistentIdentifier], _ source: ModelContainer, in target: ModelContainer,
      body: (ModelBatch) throws -> Void
    ) throws {
      let (reading, writing) = (ModelContext(source), ModelContext(target))
      let models = try source.models(identifiers, in: reading)
      var news: [IdentifierKey: any PersistentModel] = [:]
      if let new {
        let wanted = identifiers.map {
          PersistentIdentifier(store: $0.store, entity: new._$type.name, $0.key)
        }
        for (identifier, model) in try target.models(wanted, in: writing) { news[identifier.key] = model }
      }
      try body(ModelBatch(identifiers.compactMap { models[$0] }, writing) { news[$0.persistentModelID.key] })
      if writing.hasChanges { try writing.save() }
    }
  }
#endif
