#if Postgres
  public import Roost
  internal import RoostGraph
  internal import RoostRecords

  /// Keeps models in a PostgreSQL database: see ``PostgresConfiguration``.
  ///
  /// It has one connection, and is asked one thing at a time.
  final public class PostgresStore: AskedStore {
    public typealias Configuration = PostgresConfiguration
    public typealias Snapshot = DefaultSnapshot

    public let configuration: PostgresConfiguration
    public let schema: Schema
    public let identifier: String
    let tables: Tables
    /// Tables of links that the models do not name any more.
    private let leftLinks: [SQLName]
    let zones: Zones
    let selections: [Selection]
    let namespace: SQLName
    var connection: Connection
    var keys = KeyMaker()
    /// How many saves there were.
    var savedTimes = 0
    var uncertain: UncertainSave?
    /// Models that are saved though their context does not know it, with their identifiers.
    var landed: [PersistentIdentifier: PersistentIdentifier] = [:]
    /// By table and key.
    private var known: [[RowKey: KnownRow]]

    public init(_ configuration: PostgresConfiguration, migrationPlan: (any SchemaMigrationPlan.Type)?) throws {
      guard let schema = configuration.schema else {
        throw RoostError(.badValue, "the configuration \(configuration.name) has no schema: give it that of its models")
      }
      let namespace = SQLName(exactly: configuration.namespace)
      let wanted = try Tables(schema)
      let opened = try Self.passing { () throws(ServerFault) in try Connection(configuration.address) }
      let (identifier, tables, leftLinks) = try Self.passing {
        try DatabaseShape(wanted, of: schema, in: namespace, opened).bring()
      }
      self.configuration = configuration
      self.schema = schema
      self.namespace = namespace
      self.identifier = identifier
      self.tables = tables
      self.leftLinks = leftLinks
      connection = opened
      zones = try Zones(configuration.zone, tables)
      selections = tables.tables.indices.map { Selection(tables, $0, in: namespace) }
      known = tables.tables.map { _ in [:] }
    }

    /// How many times the server was asked, for tests.
    package var roundTrips: Int { connection.roundTrips }

    // MARK: Calls to the server

    private static func passing<Result>(_ body: () throws -> Result) throws -> Result {
      do { return try body() } catch let fault as ServerFault { throw PostgresError(fault) }
    }

    /// Runs statements; after the connection was lost, with a new one.
    func run(_ statements: [Statement]) throws -> [Answer] {
      try Self.passing { try ask(statements) }
    }

    func ask(_ statements: [Statement]) throws(ServerFault) -> [Answer] {
      try connect()
      return try connection.run(statements)
    }

    /// Connects again if the connection was lost.
    func connect() throws(ServerFault) {
      if !connection.isAlive { connection = try Connection(configuration.address) }
    }

    // MARK: What is known

    func known(_ table: Int, _ key: RowKey) -> KnownRow? { known[table][key] }
    func note(_ table: Int, _ key: RowKey, _ row: KnownRow?) { known[table][key] = row }

    /// The contents of an answer's rows, which are known from now on.
    func contents(_ answer: Answer, table: Int) throws -> [SnapshotContent] {
      try (0..<answer.count).map { row in
        let (key, row) = try selections[table].known(answer, row, store: identifier)
        note(table, key, row)
        return row.content
      }
    }

    /// The table and the key that an identifier names; nil where it is not one of this store's.
    func place(_ identifier: PersistentIdentifier) -> (table: Int, key: RowKey)? {
      guard let table = tables.places[identifier.entityName]?.table, let key = RowKey(identifier) else { return nil }
      return (table, key)
    }

    func identifier(_ type: _ModelType, _ key: RowKey) -> PersistentIdentifier {
      PersistentIdentifier(store: identifier, entity: type.name, .text(key.text))
    }

    /// A table's name with that of its schema.
    func full(_ table: Int) -> String { "\(namespace).\(tables.tables[table].name)" }

    // MARK: DataStore

    public func erase() throws {
      let names = tables.tables.map(\.name) + tables.links.map(\.name) + leftLinks
      if names.isEmpty { return }
      _ = try run([Statement("TRUNCATE \(names.map { "\(namespace).\($0)" }.joined(separator: ", "))")])
      known = tables.tables.map { _ in [:] }
    }

    /// A container asks in other words: see ``AskedStore``.
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
      return try contents(run([question.statement(self)])[0], table: table)
    }
  }
#endif
