package import RoostGraph

extension Schema {
  /// An index with a condition, with forms of properties, or with a sort order for each property,
  /// as `#Index` or `#Unique` declares it.
  ///
  /// Indexes that are only lists of properties are in ``Entity/indices`` and ``Entity/uniquenessConstraints``.
  public struct IndexDefinition: Hashable, Codable, Sendable, CustomStringConvertible {
    /// The form of a property in an index.
    public enum Form: String, Hashable, Codable, Sendable, CaseIterable {
      /// The value itself.
      case value
      /// The text as `lowercased()` returns it.
      case lowercased
      /// The text as `uppercased()` returns it.
      case uppercased
      /// The number of a text's characters or of a collection's elements.
      case count
      /// Each element of an array or a set.
      case elements
      /// The text as `folded` has it.
      case folded
      /// Each key of a dictionary.
      case keys
      /// The year of a date in UTC.
      case year
      /// The month of a date in UTC.
      case month
      /// The day of the month of a date in UTC.
      case day
      /// The day of the week of a date in UTC.
      case weekday
      /// The hour of a date in UTC.
      case hour
    }

    /// A property of an index, its form and its direction.
    public struct Part: Hashable, Codable, Sendable {
      /// The name of a property, or of a struct's property after a dot.
      public var property: String
      /// The form of the property in the index.
      public var form: Form
      /// Whether the greatest values come first.
      public var isDescending: Bool

      /// Makes a part of an index by the name of its property.
      public init(_ property: String, form: Form = .value, isDescending: Bool = false) {
        (self.property, self.form, self.isDescending) = (property, form, isDescending)
      }
    }

    /// The parts, in the order of their declaration.
    public var parts: [Part]
    /// The condition of the objects in the index, in Swift; nil if the index has all objects.
    public let condition: String?
    /// Whether no two objects of the index may have the same values.
    public var isUnique: Bool
    /// The stored form of the condition. A schema that was read from JSON does not have it.
    private(set) var tests: [IndexPlan.Test] = []

    init(_ parts: [Part], where tests: [IndexPlan.Test], isUnique: Bool) {
      (self.parts, self.tests, self.isUnique) = (parts, tests, isUnique)
      condition = tests.isEmpty ? nil : tests.map { $0.text { $0 } }.joined(separator: " && ")
    }

    private enum CodingKeys: CodingKey { case parts, condition, isUnique }

    public var description: String { plan.text }

    package var plan: IndexPlan {
      IndexPlan(
        parts.map { IndexPlan.Part($0.property, form: $0.form.stored, isDescending: $0.isDescending) }, where: tests,
        isUnique: isUnique)
    }

    public static func == (one: IndexDefinition, other: IndexDefinition) -> Bool {
      one.parts == other.parts && one.condition == other.condition && one.isUnique == other.isUnique
    }

    public func hash(into hasher: inout Hasher) {
      hasher.combine(parts)
      hasher.combine(condition)
    }
  }
}
