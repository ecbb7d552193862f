#if Postgres
  internal import Roost
  internal import RoostGraph
  internal import RoostRecords

  /// Brings the tables of a database to the form that the models need.
  ///
  /// One transaction makes all changes, and a lock lets one program at a time do it. Each change
  /// has the meaning that it has in the engine's `SchemaKeeper`: a change that keeps all values is
  /// made, and any other throws ``PostgresError/Code/needsMigration``.
  struct DatabaseShape {
    let schema: Schema
    let zones: Zones
    let namespace: SQLName
    let connection: Connection
    /// The wanted tables. They get their names in the database.
    var tables: TableMap
    /// The stored shape. Each change is recorded in it.
    var stored = StoredShape()
    var there = TableCatalog()
    /// The version to record; nil if the program has none.
    var version: Schema.Version?
    /// The state of a migration plan; nil outside of one.
    var stage: Stage?
    /// The columns that code of the plan has to fill. Empty unless ``stage`` is ``Stage/open``.
    var pending: [PendingColumn] = []
    /// The tables that this opening creates.
    var created: Set<Int> = []
    /// See ``isOlder``.
    var older: Set<Int> = []
    /// The store's identifier; nil for a new one.
    private var known: String?
    /// Statements that will be sent together.
    private var waiting: [Statement] = []

    private static let mostAttempts = 5

    init(_ tables: TableMap, of schema: Schema, zones: Zones, in namespace: SQLName, connection: Connection) {
      (self.tables, self.schema, self.zones) = (tables, schema, zones)
      (self.namespace, self.connection) = (namespace, connection)
      version = schema.isVersioned ? schema.version : nil
    }

    /// Makes the changes.
    ///
    /// If `changes` is given, it also makes the table of changes and the table of their consumers.
    /// `plan` is the program's migration plan, which may have code.
    func bring(with changes: ChangeTable?, plan: (any ShapePlan)? = nil) throws -> BroughtTables {
      var attempt = 1
      while true {
        do {
          var work = self
          try work.begin()
          if let plan { try work.follow(plan) }
          let brought = try work.bringHere(with: changes)
          try commit(plan)
          return brought
        } catch let fault as ServerFault {
          connection.rollback()
          // A change of a table and the saves of other programs may form a deadlock. The code of a
          // plan is not repeated.
          guard fault.isTransient, attempt < Self.mostAttempts, plan?.hasRun != true else { throw explained(fault) }
          attempt += 1
        } catch {
          connection.rollback()
          throw error
        }
      }
    }

    private func commit(_ plan: (any ShapePlan)?) throws {
      do throws(ServerFault) { try connection.run("COMMIT") } catch {
        guard error.isLost, plan?.hasRun == true else { throw error }
        throw PostgresError(
          .commitUncertain,
          "\(error.message). The server cannot be asked whether it committed the migration: make the container again to find out "
            + "which version the tables have", state: error.sqlState)
      }
    }

    /// Brings the tables to the form that the models need, in the current transaction.
    mutating func bringHere(with changes: ChangeTable?) throws -> BroughtTables {
      let identifier = try bringTables()
      var hasConsumers = false
      if let changes {
        let isNew = !there.names.contains(OwnTable.changes.text)
        if isNew {
          for statement in changes.creation { add(statement) }
          distribute(OwnTable.changes)
        }
        hasConsumers = try bringConsumers(isNew: isNew)
        try send()
      }
      return BroughtTables(
        identifier: identifier, tables: tables, leftLinks: leftLinks, isDistributed: isDistributed,
        hasConsumers: hasConsumers, version: version, pending: pending)
    }

    /// Makes the table of consumers. Returns whether it exists.
    ///
    /// Earlier versions of Roost did not make it. In their databases, a role that may not make
    /// tables works without it.
    private mutating func bringConsumers(isNew: Bool) throws -> Bool {
      if there.names.contains(OwnTable.consumers.text) { return true }
      if !isNew {
        let answer = try ask(
          "SELECT pg_catalog.has_schema_privilege(oid, 'CREATE') FROM pg_catalog.pg_namespace WHERE nspname = $1",
          [.text(namespace.text)])
        // A table of another role would not belong to the owner of the other tables.
        guard answer.count > 0, answer.isTrue(0, 0), try isOwner(of: OwnTable.changes.text) else { return false }
      }
      add(ConsumerTable(namespace: namespace).creation)
      try send()
      return true
    }

    private mutating func begin() throws {
      // Each statement sees the commits before it. So the statements after the lock see the changes
      // of the program that had the lock before.
      let answers = try connection.run([
        Statement("BEGIN ISOLATION LEVEL READ COMMITTED"),
        Statement("SELECT pg_advisory_xact_lock(hashtextextended($1, 0))", [.text("roost \(namespace.text)")]),
        Statement("SELECT EXISTS (SELECT FROM pg_catalog.pg_namespace WHERE nspname = $1)", [.text(namespace.text)]),
        TableCatalog.statement(namespace),
        Statement("SELECT EXISTS (SELECT FROM pg_catalog.pg_extension WHERE extname = 'citus')"),
        // Citus then changes the parts of a table one after the other, because later statements of
        // the transaction need it.
        Statement("SELECT set_config('citus.multi_shard_modify_mode', 'sequential', true)"),
      ])
      if answers[4].isTrue(0, 0) { stored.isDistributed = true }
      there = TableCatalog(answers[3])
      (known, stored) = try readMeta(hasNamespace: answers[2].isTrue(0, 0))
    }

    /// Reads the present state of the database, in the current transaction.
    mutating func read() throws {
      there = TableCatalog(try connection.run(TableCatalog.statement(namespace)))
      (known, stored) = try readMeta(hasNamespace: true)
    }

    private mutating func bringTables() throws -> String {
      let shape = stored
      try checkVersion()
      forgetLeft()
      try adopt()
      try checkThere()
      for number in tables.tables.indices { try bring(table: number) }
      try bringZones()
      try bringRelationships()
      leaveRelationships()
      for number in tables.tables.indices {
        try bringUniques(number)
        try bringIndexes(number)
      }
      try noteForms()
      try send()
      if let known, stored == shape { return known }
      // Only a plan needs this data, so a role without the right to write it leaves it out.
      if let known, stored.withoutNotesForPlans == shape.withoutNotesForPlans, try !mayNote() { return known }
      return try writeMeta(known)
    }

    /// The tables of links that no model uses. They reference tables of the models.
    private var leftLinks: [SQLName] {
      let ours = Set(tables.tables.map(\.name.text))
      return stored.links.filter { $0.isLeft && ours.contains($0.owner.table) && ours.contains($0.member.table) }
        .map { SQLName(exactly: $0.name) }
    }

    // MARK: Citus

    /// Whether the tables are distributed over the workers of a Citus cluster.
    var isDistributed: Bool { stored.isDistributed ?? false }

    /// Makes Citus store the rows of each zone of a new table on one worker, together with those of
    /// the other tables.
    mutating func distribute(_ table: SQLName) {
      if !isDistributed { return }
      add(Table.distribution(of: table, in: namespace, with: "\(namespace).\(OwnTable.commits)"))
    }

    // MARK: Statements

    /// Adds a statement without an answer. Such statements are sent together.
    mutating func add(_ text: String, _ parameters: [Statement.Parameter] = []) {
      waiting.append(Statement(text, parameters))
    }

    mutating func add(_ statement: Statement) { waiting.append(statement) }

    mutating func checkKeys() {
      let check = KeyCheck(namespace, isDistributed: isDistributed)
      waiting += check.preparation + check.statements
    }

    /// Sends the collected statements.
    mutating func send() throws {
      let all = waiting
      waiting = []
      _ = try connection.run(all)
    }

    /// Asks for rows, after all collected statements.
    mutating func ask(_ text: String, _ parameters: [Statement.Parameter] = []) throws -> Answer {
      try send()
      return try connection.run(Statement(text, parameters))
    }

    /// Counts the rows of a table for which a condition is true.
    mutating func count(_ table: String, where condition: String, _ parameters: [Statement.Parameter] = []) throws
      -> Int
    {
      let answer = try ask("SELECT count(*) FROM \(full(table)) WHERE \(condition)", parameters)
      return Int(answer.integer(0, 0) ?? 0)
    }

    mutating func hasRows(_ table: String) throws -> Bool {
      try ask("SELECT EXISTS (SELECT 1 FROM \(full(table)))").isTrue(0, 0)
    }

    func full(_ table: String) -> String { "\(namespace).\(SQLName(exactly: table))" }
    func quoted(_ name: String) -> String { SQLName(exactly: name).description }

    // MARK: Errors

    /// The class and the property of a field.
    func place(_ number: Int, _ field: String) -> String {
      let parts = field.split(separator: "/", maxSplits: 1).map(String.init)
      return parts.count == 2 ? parts.joined(separator: ".") : "\(tables.tables[number].root.name).\(field)"
    }

    func needsMigration(_ number: Int, _ field: String, detail: String) -> PostgresError {
      PostgresError(.needsMigration, "\(place(number, field)): \(detail)")
    }

    /// Adds the remedy for a missing right.
    func explained(_ fault: ServerFault) -> any Error {
      guard fault.state == "42501" else { return fault.error() }
      return PostgresError(
        .noRights,
        "\(fault.message). The first start, and each start with changed models, needs a role that owns the tables of the schema "
          + "\(namespace) and may create tables there (GRANT CREATE ON SCHEMA); other starts need the rights to SELECT, INSERT, "
          + "UPDATE and DELETE", state: fault.state)
    }
  }

  /// The tables of a database in the form that the models need.
  struct BroughtTables {
    /// The store's identifier.
    let identifier: String
    /// The tables, with their names in the database.
    let tables: TableMap
    /// The names of tables of links that no model uses any more.
    let leftLinks: [SQLName]
    let isDistributed: Bool
    /// Whether the table of consumers exists.
    let hasConsumers: Bool
    /// The version of the models; nil if the program has none.
    let version: Schema.Version?
    let pending: [PendingColumn]
  }

  func rows(_ count: Int) -> String { count == 1 ? "1 row" : "\(count) rows" }
#endif
