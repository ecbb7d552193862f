#if Postgres
  public import Roost

  /// Divides the objects of a store into zones. Objects of one zone are stored together, on one
  /// machine of a cluster. Relationships stay within a zone.
  public struct PostgresZone: Hashable, Sendable {
    struct Rule: Hashable, Sendable {
      var model: String
      var property: String
    }

    let rules: [Rule]

    /// All objects are in one zone.
    public static let single = PostgresZone(rules: [])

    /// The zone of an object is the value of a property. If the property is a to-one relationship,
    /// it is the zone of the other object.
    ///
    /// Each model needs one of these rules. The value must be a text, an integer, a `Bool`, a
    /// `UUID` or a `URL`. An object stays in its zone once it is saved.
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
