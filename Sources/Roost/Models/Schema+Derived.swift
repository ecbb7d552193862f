internal import RoostGraph
internal import RoostRecords

extension Schema {
  /// A derived property, as `@Derived` declares it.
  public final class Derived: SchemaProperty, Hashable, Codable, CustomDebugStringConvertible, @unchecked Sendable {
    /// The name of the derived property.
    public var name: String
    /// Empty: a renamed derived property is computed again.
    public var originalName = ""
    /// Not used: the property's ``Attribute`` has its type.
    public var valueType: any Any.Type = Any.self
    /// False: derived values may be equal.
    public var isUnique: Bool { false }
    /// Called when the plan is needed. It resolves key paths with the models' types, which do not
    /// exist while the models describe themselves.
    private let make: () -> (plan: DerivedPlan, faults: [String])
    /// Computes the value of an object; nil if the engine computes it.
    let compute: ((AnyObject) -> Any?)?

    init(
      _ name: String, compute: ((AnyObject) -> Any?)? = nil, _ make: @escaping () -> (DerivedPlan, [String])
    ) {
      (self.name, self.compute, self.make) = (name, compute, make)
    }

    var plan: DerivedPlan { make().plan }
    /// The contradictions in the definition, as texts.
    var faults: [String] { make().faults }

    public var debugDescription: String { "Schema.Derived - name: \(name), \(plan.salt)" }

    public static func == (one: Derived, other: Derived) -> Bool { one.plan == other.plan }
    public func hash(into hasher: inout Hasher) { hasher.combine(plan) }

    public convenience init(from decoder: any Decoder) throws {
      let values = try decoder.container(keyedBy: CodingKeys.self)
      let name = try values.decode(String.self, forKey: .name)
      let plan = DerivedPlan(name, .computed, text: try values.decode(String.self, forKey: .text))
      self.init(name) { (plan, []) }
    }

    public func encode(to encoder: any Encoder) throws {
      var values = encoder.container(keyedBy: CodingKeys.self)
      try values.encode(name, forKey: .name)
      try values.encode(plan.text, forKey: .text)
    }

    private enum CodingKeys: CodingKey { case name, text }
  }
}

extension SchemaProperty {
  /// A container calls this for each property of its models. Comparing types is much faster than a
  /// cast.
  var asDerived: Schema.Derived? { Self.self == Schema.Derived.self ? self as? Schema.Derived : nil }
}
