#if Postgres
  package import Roost
  internal import RoostGraph
  internal import RoostRecords

  /// The part of a store that the stages of a migration use.
  extension PostgresStore {
    package var asksForChanges: Bool { !pending.isEmpty }

    package func willSave(_ changes: [(model: PersistentIdentifier, properties: UInt64)]) {
      touched = Dictionary(changes) { $0 | $1 }
    }

    /// Whether the running save sets a property, even to its previous value.
    func touches(_ content: SnapshotContent, _ property: Int) -> Bool {
      touched[content.identifier, default: 0] & _ModelState.bit(property) != 0
    }

    /// Throws for the models of the version before a transform: they are read-only.
    func checkWrites() throws {
      if stage == nil || configuration.namespace != StageTransaction.frozen { return }
      throw RoostError(
        .denied,
        "models of the old version cannot be saved: change the models of the new version")
    }

    /// Throws if code left rows without a value that their class requires.
    func checkFilled() throws {
      for one in pending.sorted(by: { ($0.table, $0.column) < ($1.table, $1.column) }) {
        let (table, column) = (tables.tables[one.table], tables.tables[one.table].columns[one.column])
        let field = column.field ?? ""
        var test = "\(column.name) IS NULL"
        var parameters: [Statement.Parameter] = []
        let owner = DatabaseShape.owner(field).flatMap { name in table.classes.first { $0.type.name == name } }
        if let owner {
          test += " AND \(Table.className) = ANY($1)"
          parameters = [.texts(table.classes.map(\.type).filter { $0.isKind(of: owner.type) }.map(\.name))]
        }
        let answer = try run([
          Statement(
            "SELECT count(*) OVER (), \(Table.key)::text FROM \(full(one.table)) WHERE \(test) ORDER BY \(Table.key) LIMIT 3",
            parameters)
        ])[0]
        guard let count = answer.integer(0, 0) else { continue }
        let places = (0..<answer.count).compactMap { answer.text($0, 1) }.joined(separator: ", ")
        throw MigrationFault(
          owner?.type.name ?? table.root.name, field.split(separator: "/").last.map(String.init),
          detail: "\(count) \(count == 1 ? "object has" : "objects have") no value for it after the stage, "
            + (count == 1 ? "in row \(places)" : "the first in rows \(places)")
            + ": set it in didMigrate or in a transform, give it a default value, or make it optional")
      }
    }
  }
#endif
