#if Postgres
  public import Roost

  /// A store in a PostgreSQL database: the same models, contexts and predicates, on a server.
  ///
  /// ```swift
  /// let container = try ModelContainer(for: Order.self, configurations: PostgresConfiguration("postgresql:///shop"))
  /// ```
  public struct PostgresConfiguration: DataStoreConfiguration, CustomStringConvertible, CustomReflectable {
    public typealias Store = PostgresStore

    /// The models that the database stores; nil for those that no other configuration of the
    /// container names.
    public var schema: Schema?
    /// The schema of the database that contains the tables.
    public let namespace: String
    /// How objects are divided into parts that are stored together, such as one for each tenant.
    public let zone: PostgresZone
    let address: ServerAddress
    /// The number of days for which the database keeps the history of saves. Changes that a
    /// consumer has not read are kept longer. Nil keeps no history.
    public var historyDays: Int? = 30
    /// Whether contexts show other programs' saves as soon as the server reports them. This needs a
    /// second connection, and a history.
    public var followsOthers = true

    /// How long a call waits for an answer of the server. Nil waits forever.
    ///
    /// If the server has not answered in time, Roost cancels the call on the server and throws a
    /// ``PostgresError`` with the code `timedOut`. This may take three seconds longer. The
    /// container can be used for the next call.
    ///
    /// The time applies to each connection attempt, query and save, and to each change of a table
    /// when a container is made. Choose more time than the longest of them needs. A fetch waits
    /// this long for its first row, and again for each further row.
    ///
    /// ```swift
    /// configuration.patience = .seconds(30)
    /// ```
    public var patience: Duration?

    /// The name in errors and traces: `PostgreSQL` and the namespace.
    public var name: String { "PostgreSQL \(namespace)" }

    /// Makes the configuration of a store.
    ///
    /// - Parameters:
    ///   - address: a connection string of `libpq`: `postgresql://user@host/database`, or
    ///     `host=… dbname=…`.
    ///   - zone: how objects are divided into parts that are stored together. By default there is
    ///     one part.
    ///   - schema: the models that the database stores. By default it stores all models of the
    ///     container.
    ///   - namespace: the schema of the database that contains the tables. It is created if it does
    ///     not exist.
    public init(
      _ address: String, zone: PostgresZone = .single, schema: Schema? = nil, namespace: String = "public"
    ) {
      self.address = ServerAddress(address)
      self.zone = zone
      self.schema = schema
      self.namespace = namespace
    }

    /// The configuration for a store of a migration, which does not follow other programs.
    func of(_ namespace: String) -> PostgresConfiguration {
      var own = PostgresConfiguration(address, zone: zone, namespace: namespace)
      (own.historyDays, own.patience) = (historyDays, patience)
      own.followsOthers = false
      return own
    }

    private init(_ address: ServerAddress, zone: PostgresZone, namespace: String) {
      (self.address, self.zone, self.namespace) = (address, zone, namespace)
    }

    /// The channel of notices is named `roost_` and the namespace, and the server takes 63 bytes.
    private static let longestNamespace = 57

    /// Checks that a schema of a database can have the name ``namespace``.
    ///
    /// - Throws: `RoostError` with the code `badValue` if it is empty, has more than 57 bytes, or has
    ///   a NUL character.
    public func validate() throws {
      if (1...Self.longestNamespace).contains(namespace.utf8.count), !namespace.utf8.contains(0) { return }
      throw RoostError(
        .badValue,
        "the namespace of a PostgresConfiguration must have 1 to \(Self.longestNamespace) bytes, and no NUL character")
    }

    public var description: String { name }
    public var customMirror: Mirror { Mirror(self, children: ["namespace": namespace]) }

    public static func == (one: PostgresConfiguration, other: PostgresConfiguration) -> Bool {
      one.address == other.address && one.namespace == other.namespace && one.zone == other.zone
    }

    public func hash(into hasher: inout Hasher) {
      hasher.combine(address)
      hasher.combine(namespace)
    }
  }
#endif
