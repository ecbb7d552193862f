#if Postgres
  internal import Roost
  internal import RoostGraph
  internal import RoostRecords

  /// The tables of a version of the models.
  struct StagedTables {
    let schema: Schema
    let zones: Zones
    let brought: BroughtTables
  }

  /// A database while the stages of a plan change it, in one transaction.
  struct StagedDatabase: StagedStore {
    let configuration: PostgresConfiguration
    let transaction: StageTransaction
    /// By table, the field that determines the zone of its rows.
    private let zones: [String: String]

    init(_ configuration: PostgresConfiguration, _ transaction: StageTransaction, stored: StoredShape) {
      (self.configuration, self.transaction) = (configuration, transaction)
      let told = stored.tables.compactMap { table in table.zone.map { (table.entity, $0) } }
      zones = Dictionary(told) { first, _ in first }
    }

    var place: String { configuration.name }

    /// Errors of the server or of the connection are not errors of the plan.
    func isWhole(_ error: any Error) -> Bool {
      guard let error = error as? PostgresError else { return false }
      return [.noRights, .lost, .timedOut, .full].contains(error.code)
    }

    // MARK: Versions

    func settle(_ version: PlanVersions.Version) throws -> Bool {
      _ = try bring(version, .complete)
      return true
    }

    private func bring(_ version: PlanVersions.Version, _ stage: DatabaseShape.Stage) throws -> StagedTables {
      let (schema, namespace) = (version.kept, SQLName(exactly: configuration.namespace))
      let wanted = try TableMap(schema)
      let zones = try Zones(zone(wanted), wanted)
      var shape = DatabaseShape(wanted, of: schema, zones: zones, in: namespace, connection: transaction.connection)
      shape.stage = stage
      do {
        try transaction.checkKeys()
        try shape.read()
        let changes = ChangeTable(namespace: namespace)
        let tables = try shape.bringHere(with: configuration.historyDays == nil ? nil : changes)
        return StagedTables(schema: schema, zones: zones, brought: tables)
      } catch let fault as ServerFault { throw fault.isTransient ? fault : shape.explained(fault) }
    }

    /// The rules of zones for the models of a version. The configuration has those of the newest one.
    private func zone(_ tables: TableMap) -> PostgresZone {
      if configuration.zone == .single { return .single }
      let rules = tables.tables.compactMap { table -> PostgresZone.Rule? in
        let (name, type) = (table.root.name, table.root)
        let given = configuration.zone.rules.first { $0.model == name && type.number(ofPath: $0.property) != nil }
        return given ?? zones[name].map { PostgresZone.Rule(model: name, property: $0) }
      }
      return PostgresZone(rules: rules)
    }

    // MARK: Containers

    func withContainer(_ version: PlanVersions.Version, _ body: (ModelContainer) throws -> Void) throws {
      try withContainer(bring(version, .open), in: configuration.namespace, body)
    }

    /// Runs code over a container whose models are read from the tables of a schema of the database.
    func withContainer(
      _ tables: StagedTables, in namespace: String, _ body: (ModelContainer) throws -> Void
    ) throws {
      var own = configuration.of(namespace)
      own.schema = tables.schema
      let store = try PostgresStore(
        own, tables.schema, over: transaction.connection, brought: tables.brought, zones: tables.zones,
        stage: transaction)
      let container = try ModelContainer(for: tables.schema, over: store)
      do { try body(container) } catch {
        try? container.close()
        throw error
      }
      try container.close()
    }

    func checkFilled(_ container: ModelContainer) throws {
      for case let store as PostgresStore in container.dataStores { try store.checkFilled() }
    }

    // MARK: Transforms

    /// Copies all tables to tables that end with the transaction.
    func freeze(_ version: PlanVersions.Version, isChanged: Bool) throws -> StagedTables {
      let tables = try bring(version, .open)
      let names = tables.brought.tables.tables.map(\.name) + tables.brought.tables.links.map(\.name)
      let namespace = SQLName(exactly: configuration.namespace)
      let frozen = SQLName(exactly: StageTransaction.frozen)
      let statements = names.flatMap { name in
        [
          // The table of an earlier step.
          "DROP TABLE IF EXISTS \(frozen).\(name)",
          "CREATE TEMPORARY TABLE \(name) (LIKE \(namespace).\(name) INCLUDING INDEXES) ON COMMIT DROP",
          "INSERT INTO \(frozen).\(name) SELECT * FROM \(namespace).\(name)",
          "ANALYZE \(frozen).\(name)",
        ]
      }
      do { _ = try transaction.connection.run(statements.map { Statement($0) }) } catch {
        if error.state == "42501" { throw noRights(error) }
        throw error.error()
      }
      return tables
    }

    private func noRights(_ fault: ServerFault) -> PostgresError {
      PostgresError(
        .noRights,
        "\(fault.message). A transform copies the old tables to temporary ones: GRANT TEMPORARY ON DATABASE lets the role make them",
        state: fault.state)
    }

    func transform(
      _ transform: ModelTransform, _ step: PlanVersions.Step, from source: StagedTables, into new: ModelContainer,
      report: (Int, Int) throws -> Void
    ) throws {
      let (old, new) = transform.classes
      if source.brought.tables.places[old._$type.name] == nil { return }
      if let new, new._$type.root.name != old._$type.root.name { throw transform.leavesFamily() }
      try transform.run(
        KeyPairs(self, source, to: bring(step.to, .open), old: old, new: new), report: report)
    }

    // MARK: Duplicates

    func remove(_ removal: DuplicateRemoval, in container: ModelContainer) throws {
      guard let store = container.dataStores.lazy.compactMap({ $0 as? PostgresStore }).first else { return }
      try removal.run(container) { (map, paths) throws -> KeyDuplicates? in
        store.tables.places[map.type.name] == nil
          ? nil : try KeyDuplicates(store, container, of: map.type, paths: paths)
      }
    }
  }
#endif
