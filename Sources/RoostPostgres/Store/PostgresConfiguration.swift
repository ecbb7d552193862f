#if Postgres
  public import Roost

  /// A store in a PostgreSQL database: the same models, contexts and predicates, on a server.
  ///
  /// ```swift
  /// let container = try ModelContainer(for: Order.self, configurations: PostgresConfiguration("postgresql:///shop"))
  /// ```
  public struct PostgresConfiguration: DataStoreConfiguration, CustomStringConvertible, CustomReflectable {
    public typealias Store = PostgresStore

    public var schema: Schema?
    /// The schema of the database in which the tables are.
    public let namespace: String
    public let zone: PostgresZone
    /// It may have a password, so nothing prints it.
    let address: String

    public var name: String { "PostgreSQL \(namespace)" }

    /// - Parameters:
    ///   - address: as `libpq` reads it: `postgresql://user@host/database`, or `host=… dbname=…`.
    ///   - zone: how objects are divided into parts that live together; without it they are all in one.
    ///   - schema: the models that are kept there; without it all of the container.
    ///   - namespace: the schema of the database in which the tables are. It is made if it is not there.
    public init(
      _ address: String, zone: PostgresZone = .single, schema: Schema? = nil, namespace: String = "public"
    ) {
      self.address = address
      self.zone = zone
      self.schema = schema
      self.namespace = namespace
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

  /// How the objects of a store are divided into zones. Objects of one zone are kept together, on one machine of a cluster, and relationships
  /// stay within a zone.
  public struct PostgresZone: Hashable, Sendable {
    struct Rule: Hashable, Sendable {
      var model: String
      var property: String
    }

    let rules: [Rule]

    /// All objects are in one zone.
    public static let single = PostgresZone(rules: [])

    /// The zone of an object is the value of a property; of a relationship to one it is the zone of the other object.
    ///
    /// Each model needs one of these. The property may not change once the object is saved.
    public static func property<Model: PersistentModel>(_ path: PartialKeyPath<Model>) -> PostgresZone {
      let number = Model._$type.number(of: path)
      return PostgresZone(
        rules: [Rule(model: Model._$type.name, property: number.map { Model._$type.propertyName($0) } ?? "")])
    }

    /// Rules for several models.
    public static func properties(_ zones: PostgresZone...) -> PostgresZone {
      PostgresZone(rules: zones.flatMap(\.rules))
    }
  }
#endif
