/// What wins where this context and another one changed the same property of an object.
package enum MergePolicy: Sendable {
  /// Nobody: the save is refused.
  case error
  /// What is stored already.
  case storeWins
  /// What was changed here.
  case objectWins
  /// The object as it is here, with all its properties.
  case overwrite
}

/// What becomes of a new object whose unique values a row has already.
package enum UniqueChoice: Sendable {
  /// The row takes the object's values.
  case upsert
  /// The row stays as it is.
  case keepExisting
  /// The row takes the object's values that are not nil.
  case mergeNonNil
  /// The save is refused.
  case refuse
}

/// How that is decided, for the objects of a class.
package enum UniquePolicy {
  case always(UniqueChoice)
  /// The row takes the object's values unless what this one says of it is older than what it says of the row's.
  case newest(String, (_ inserted: any _ModelObject, _ existing: any _ModelObject) -> Bool)
  /// The row takes the object's values of these properties.
  case fields([Int])
  /// Asked, with no lock held: the new object comes first, then the one that has its unique values.
  case asks((_ inserted: any _ModelObject, _ existing: any _ModelObject) throws -> UniqueChoice)

  /// Whether a row has all values of an object that was merged into it.
  func takesAll(_ choice: UniqueChoice) -> Bool {
    if case .fields = self { return false }
    return choice == .upsert
  }

  /// For a report.
  func name(_ type: _ModelType) -> String {
    switch self {
    case .always(let choice): choice.name
    case .newest(let property, _): "newest(by: \(property))"
    case .fields(let fields): "fields(\(fields.map(type.propertyName).joined(separator: ", ")))"
    case .asks: "resolve"
    }
  }
}

extension UniqueChoice {
  var name: String {
    switch self {
    case .upsert: "upsert"
    case .keepExisting: "keepExisting"
    case .mergeNonNil: "mergeNonNil"
    case .refuse: "throw"
    }
  }
}

/// What a save did that was not asked for word by word.
package struct SaveOutcome: Sendable {
  /// A property that two contexts changed.
  package struct Conflict: Sendable {
    package var object: ObjectName
    package var property: String
    package var before: String
    package var here: String
    package var stored: String
    /// The commit that this context had seen, and the newest one.
    package var seen: UInt64
    package var newest: UInt64
    package var keepsStored: Bool
  }

  /// A new object that became that of a row.
  package struct Merge: Sendable {
    package var inserted: ObjectName
    package var existing: ObjectName
    package var choice: UniqueChoice
    /// What decided, in words.
    package var policy: String
    /// The properties of the row that have another value now.
    package var fields: [String]
    /// Whether that row is of a new object, too.
    package var isAmongNew = false
  }

  package var conflicts: [Conflict] = []
  package var merges: [Merge] = []
  /// How many there were: of a bulk write only the first ones are told.
  package var mergeCount = 0
  package static let mostMerges = 10_000
  /// Objects whose changes were given up, because another context had deleted them.
  package var dropped: [ObjectName] = []

  package init() {}
}

extension GraphFault {
  /// The error of an object whose owner another context deleted with a rule that takes members along.
  static func orphan(
    _ member: ObjectName, _ property: String?, of owner: ObjectName, policy: MergePolicy
  ) -> GraphFault {
    GraphFault(
      policy == .error ? .conflict : .deleted,
      "another context deleted its owner, \(owner): give it another owner, delete it too, or save with the merge "
        + "policy .storeWins, which stores it without an owner", name: member, property: property, others: [owner])
  }
}
