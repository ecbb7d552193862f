#if Postgres
  internal import Foundation
  public import Roost
  internal import RoostFile
  internal import RoostGraph
  internal import RoostRecords

  /// Stores models in a PostgreSQL database: see ``PostgresConfiguration``.
  ///
  /// It has one connection, and runs one call at a time. In a migration it works in the transaction
  /// of the migration: see ``StageTransaction``.
  final public class PostgresStore: AskedStore {
    public typealias Configuration = PostgresConfiguration
    public typealias Snapshot = DefaultSnapshot

    /// The configuration that the store was opened with.
    public let configuration: PostgresConfiguration
    /// The models that the database stores.
    public let schema: Schema
    /// The identifier of the store in identifiers of its models.
    public let identifier: String
    let tables: TableMap
    /// The names of tables of links that no model uses any more.
    let leftLinks: [SQLName]
    /// Whether Citus distributes the tables.
    let isDistributed: Bool
    let zones: Zones
    let selections: [Selection]
    let namespace: SQLName
    let changes: ChangeTable
    /// Whether the table of consumers exists.
    private var hasConsumers: Bool
    /// Distinguishes the saves of this container from those of others.
    let client: UUIDNumber
    /// The transaction of a migration, in which all statements run; nil outside a migration.
    let stage: StageTransaction?
    /// The columns that the code of a migration has to fill.
    let pending: Set<PendingColumn>
    /// In a migration, the properties that a save changes, by object: see ``willSave(_:)``.
    var touched: [PersistentIdentifier: UInt64] = [:]
    /// The version of the models that the database records; nil if the program has no versions.
    private let version: Schema.Version?
    /// Nil once the container is closed.
    var connection: Connection?
    var keys = KeyMaker()
    package var tally = AskTally()
    /// How many rows of the history were read, for tests.
    package var notesRead = 0
    /// The number of saves.
    var savedTimes = 0
    var uncertain: UncertainSave?
    /// Uncertain saves that turned out to be committed, by context, until the context saves again.
    var done: [UUID: SaveWork] = [:]
    /// Models whose context does not know that they are saved, with their permanent identifiers.
    var landed: [PersistentIdentifier: PersistentIdentifier] = [:]
    private var listener: ChangeListener?
    /// The place of the history when the store was opened.
    private let start: ChangePlace
    /// The tables from which models were fetched.
    var asked: Set<Int> = []
    /// The rows that the working set has, by table and key. A save that is based on older values
    /// has an older version.
    private var known: [[RowKey: KnownRow]]
    /// By table, the keys of the rows whose lists the working set has.
    private var listed: [Set<RowKey>]

    /// Connects, runs the migration plan, and brings the tables to the form that the models need.
    /// The plan's stages run in one transaction of the server.
    ///
    /// - Throws: `RoostError` with the code `badValue` or `unknownModel` if PostgreSQL cannot store
    ///   the models as they are, or if the rule of zones does not fit them. ``PostgresError`` if
    ///   the server cannot be reached, or if its tables do not fit the models and cannot be
    ///   changed; its code says which. The error of a stage of the plan.
    ///   `SwiftDataError.loadIssueModelContainer` if the code of a migration stage opens the
    ///   database that it migrates.
    public convenience init(
      _ configuration: PostgresConfiguration, migrationPlan: (any SchemaMigrationPlan.Type)?
    ) throws {
      guard let schema = configuration.schema else {
        throw RoostError(.badValue, "the configuration \(configuration.name) has no schema: give it that of its models")
      }
      try StageTransaction.checkThread(configuration)
      let namespace = SQLName(exactly: configuration.namespace)
      let wanted = try TableMap(schema)
      let zones = try Zones(configuration.zone, wanted)
      let opened = try Self.passing { () throws(ServerFault) in
        try Connection.open(configuration.address, patience: configuration.patience)
      }
      let changes = ChangeTable(namespace: namespace)
      let migration = migrationPlan.map {
        DatabaseMigration($0, configuration, to: schema, others: PlanNeighbours.entities, connection: opened)
      }
      let brought = try Self.passing {
        try DatabaseShape(wanted, of: schema, zones: zones, in: namespace, connection: opened).bring(
          with: configuration.historyDays == nil ? nil : changes, plan: migration)
      }
      let newest = try Self.passing { try opened.run(changes.newest).integer(0, 0) ?? 0 }
      try self.init(configuration, schema, over: opened, brought: brought, zones: zones, newest: newest)
    }

    /// Makes a store over an open connection.
    ///
    /// All transactions up to the number `newest` have ended. In a migration, the connection
    /// belongs to the transaction `stage`.
    init(
      _ configuration: PostgresConfiguration, _ schema: Schema, over connection: Connection, brought: BroughtTables,
      zones: Zones, newest: Int64 = 0, stage: StageTransaction? = nil
    ) throws {
      let (tables, namespace) = (brought.tables, SQLName(exactly: configuration.namespace))
      changes = ChangeTable(namespace: namespace, isDistributed: brought.isDistributed)
      start = ChangePlace(transaction: UInt64(clamping: newest), number: Int(Int32.max))
      identifier = brought.identifier
      self.connection = connection
      client = keys.next()
      self.configuration = configuration
      self.schema = schema
      self.namespace = namespace
      self.tables = tables
      self.zones = zones
      self.stage = stage
      leftLinks = brought.leftLinks
      isDistributed = brought.isDistributed
      hasConsumers = brought.hasConsumers
      version = brought.version
      pending = Set(brought.pending)
      let lacking = Dictionary(grouping: brought.pending, by: \.table)
      selections = tables.tables.indices.map { number in
        Selection(
          tables, number, in: namespace, isOneZone: zones.isOne,
          lacking: Set(lacking[number, default: []].map(\.column)))
      }
      known = tables.tables.map { _ in [:] }
      listed = tables.tables.map { _ in [] }
    }

    deinit { listener?.end() }

    /// The number of round trips to the server, for tests.
    package var roundTrips: Int { connection?.roundTrips ?? 0 }
    /// The number of the server process, for tests.
    package var process: Int32 { connection?.process ?? 0 }

    // MARK: Calls to the server

    private static func passing<Result>(_ body: () throws -> Result) throws -> Result {
      do { return try body() } catch let fault as ServerFault { throw fault.error() }
    }

    /// Runs statements that are safe to repeat. If the connection is lost, it runs them once more
    /// on a new one. It does not repeat a call that timed out or was cancelled.
    func run(_ statements: [Statement]) throws -> [Answer] { try repeating { try ask(statements) } }

    private func repeating<Result>(_ body: () throws -> Result) throws -> Result {
      try Self.passing {
        do { return try body() } catch let fault as ServerFault
          where fault.isLost && fault.cut == nil && stage == nil
        {
          return try body()
        }
      }
    }

    func ask(_ statements: [Statement]) throws(ServerFault) -> [Answer] {
      if let stage { return try stage.run(statements) }
      return try connected().run(statements)
    }

    /// The connection. Connects again if it was lost.
    func connected() throws(ServerFault) -> Connection {
      guard let connection else { throw ServerFault.closed }
      if connection.isAlive { return connection }
      let fresh = try Connection.open(configuration.address, patience: configuration.patience)
      self.connection = fresh
      return fresh
    }

    /// Connects again if the connection was lost, and brings the tables to the form that the models need.
    func check() throws {
      _ = try run([Statement("SELECT 1")])
      let now = try Self.passing {
        var shape = try DatabaseShape(
          TableMap(schema), of: schema, zones: zones, in: namespace, connection: connected())
        shape.version = version
        return try shape.bring(with: configuration.historyDays == nil ? nil : changes)
      }
      hasConsumers = now.hasConsumers
      if now.identifier != identifier {
        throw PostgresError(
          .changedTables,
          "the tables of the schema \(namespace) were made anew by another program: make the container again")
      }
    }

    // MARK: Known rows

    private let knownLock = Lock()

    func known(_ table: Int, _ key: RowKey) -> KnownRow? { knownLock.withLock { known[table][key] } }
    func note(_ table: Int, _ key: RowKey, as row: KnownRow?) {
      knownLock.withLock { keep(row, table, at: key) }
    }

    /// The caller has the lock.
    private func keep(_ row: KnownRow?, _ table: Int, at key: RowKey) {
      known[table][key] = row
      noteLists(of: row, table, at: key)
    }

    /// The caller has the lock.
    private func noteLists(of row: KnownRow?, _ table: Int, at key: RowKey) {
      guard selections[table].hasLists else { return }
      if row?.content.hasAllLists == true { listed[table].insert(key) } else { listed[table].remove(key) }
    }

    /// More keys than this are not sent with a fetch.
    private static let mostListed = 1000

    /// The rows of a table whose lists a fetch selects: those whose lists the working set has
    /// already.
    ///
    /// `wanted` are the rows to fetch; nil if their keys are not known before the fetch.
    func lists(_ table: Int, among wanted: [RowKey]? = nil) -> Selection.Lists {
      guard selections[table].hasLists else { return .all }
      let keys = knownLock.withLock { () -> [RowKey]? in
        if let wanted { return wanted.filter { listed[table].contains($0) } }
        return listed[table].count > Self.mostListed ? nil : Array(listed[table])
      }
      guard let keys else { return .all }
      return keys.isEmpty ? .none : .of(keys.map(\.key))
    }

    package func took(_ contents: [SnapshotContent]) {
      knownLock.withLock {
        if let mark = contents.first?.mark as? KnownRow {
          known[mark.table].reserveCapacity(known[mark.table].count + contents.count)
        }
        for content in contents {
          guard let mark = content.mark as? KnownRow else { continue }
          let row = mark.taken(content, replacing: &known[mark.table][mark.key])
          noteLists(of: row, mark.table, at: mark.key)
        }
      }
    }

    package func known(_ content: SnapshotContent) -> KnownPart {
      guard let mark = content.mark as? KnownRow, let known = known(mark.table, mark.key) else { return .nothing }
      for (part, lists) in [(KnownPart.all, true), (.values, false)]
      where mark.isCovered(by: known, lists: lists) && content.isCovered(by: known.content, lists: lists) {
        return part
      }
      return .nothing
    }

    /// The contents of an answer's rows.
    func contents(_ answer: Answer, table: Int) throws -> [SnapshotContent] {
      try selections[table].known(answer, store: identifier).map(\.markedContent)
    }

    /// The contents of the rows that statements select, each from a table. The rows of a single
    /// statement are decoded while the server sends more.
    func contents(_ statements: [(table: Int, statement: Statement)]) throws -> [SnapshotContent] {
      guard statements.count == 1, let (table, statement) = statements.first, stage == nil else {
        return try zip(statements, run(statements.map(\.statement))).flatMap { try contents($1, table: $0.table) }
      }
      return try repeating {
        var contents: [SnapshotContent] = []
        var decoder = RowDecoder(selections[table], store: identifier)
        var failure: (any Error)?
        try connected().stream(statement) { row in
          do { contents.append(try decoder.row(row, 0).markedContent) } catch { failure = error }
          return failure == nil
        }
        if let failure { throw failure }
        return contents
      }
    }

    /// The table and the key that an identifier names; nil if it does not belong to this store.
    func place(_ identifier: PersistentIdentifier) -> (table: Int, key: RowKey)? {
      guard let table = tables.places[identifier.entityName]?.table, let key = RowKey(identifier) else { return nil }
      return (table, key)
    }

    func identifier(_ type: _ModelType, _ key: RowKey) -> PersistentIdentifier {
      PersistentIdentifier(store: identifier, entity: type.name, key.name)
    }

    /// A table's name with that of its schema.
    func full(_ table: Int) -> String { "\(namespace).\(tables.tables[table].name)" }

    // MARK: Other programs

    package var tellsChanges: Bool { stage == nil && configuration.historyDays != nil && configuration.followsOthers }

    package func begin(_ news: StoreNews) {
      guard tellsChanges, listener == nil else { return }
      let reader = ChangeReader(changes, client: client)
      // Weak, so that the listener's thread does not keep the store alive after its container.
      let holder = WeakStore(self)
      listener = ChangeListener(
        configuration.address, changes, client: client.text, patience: configuration.patience
      ) { connection, place in
        try reader.read(connection, from: place) { notes in
          try news.show { try holder.store?.content(of: notes, isFollowed: news.isFollowed) ?? NewsContent() }
        }
      }
      listener?.begin(at: start)
    }

    /// Drops the connection and the known rows. The connection of a migration stays open.
    package func end() {
      listener?.end()
      (connection, uncertain, done, landed, asked) = (nil, nil, [:], [:], [])
      forget()
    }

    private func forget() {
      knownLock.withLock {
        known = tables.tables.map { _ in [:] }
        listed = tables.tables.map { _ in [] }
      }
    }

    // MARK: DataStore

    /// Removes all models and the history of their changes, in one transaction.
    ///
    /// - Throws: ``PostgresError`` if the server cannot be reached or refuses, for example with the
    ///   code `noRights`. `RoostError` with the code `closed` if the container is closed.
    ///   `CancellationError` if the task is cancelled.
    public func erase() throws {
      try CallInterrupt.check()
      var names = (tables.tables.map(\.name) + tables.links.map(\.name) + leftLinks).map { "\(namespace).\($0)" }
      if configuration.historyDays != nil { names.append(changes.name) }
      if names.isEmpty { return }
      var statements = [Statement("TRUNCATE \(names.joined(separator: ", "))")]
      if hasConsumers {
        // A consumer with unread changes gets an error at its next reading.
        let consumers = ConsumerTable(namespace: namespace)
        statements = [consumers.lock] + statements + consumers.raisingHorizonToNewest
      }
      _ = try run(statements)
      forget()
    }

    /// Fetches all models of a class. A container calls other functions: see ``AskedStore``.
    ///
    /// - Throws: `DataStoreError.preferInMemoryFilter` if the request has a predicate, and
    ///   `DataStoreError.preferInMemorySort` if it has an order. `RoostError` with the code
    ///   `unknownModel` if the class is not one of this store, `unreadable` if a property's type
    ///   does not accept a stored value, and `closed` if the container is closed. ``PostgresError``
    ///   if the server cannot be reached or refuses.
    public func fetch<T>(_ request: DataStoreFetchRequest<T>) throws -> DataStoreFetchResult<T, DefaultSnapshot> {
      if request.descriptor.predicate != nil { throw DataStoreError.preferInMemoryFilter }
      if !request.descriptor.sortBy.isEmpty { throw DataStoreError.preferInMemorySort }
      let (table, place) = try tables.place(T._$type)
      let found = try all(table, tables.tables[table].classes[place].type, limit: request.descriptor.fetchLimit)
      return DataStoreFetchResult(descriptor: request.descriptor, fetchedSnapshots: found.map { DefaultSnapshot($0) })
    }

    private func all(_ table: Int, _ type: _ModelType, limit: Int?) throws -> [SnapshotContent] {
      var question = RowQuestion(table, type)
      question.limit = limit
      return try contents([(table, question.statement(self, lists: .all))])
    }
  }
#endif
