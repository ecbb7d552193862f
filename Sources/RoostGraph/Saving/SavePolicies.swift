/// Decides which change wins if this context and another one changed the same property of an
/// object.
package enum MergePolicy: Sendable {
  /// Neither: the save throws.
  case error
  /// The stored value.
  case storeWins
  /// The value that was set here.
  case objectWins
  /// The object as it is here, with all its properties.
  case overwrite
}

/// The treatment of a new object if a row has its unique values already.
package enum UniqueChoice: Sendable {
  /// The row takes the object's values.
  case upsert
  /// The row stays as it is.
  case keepExisting
  /// The row takes the object's values that are not nil.
  case mergeNonNil
  /// The save throws.
  case refuse
}

/// The policy for the objects of a class.
package enum UniquePolicy {
  case always(UniqueChoice)
  /// The row takes the object's values, unless the closure says that the object is older than the
  /// row's.
  case newest(String, (_ inserted: any _ModelObject, _ existing: any _ModelObject) -> Bool)
  /// The row takes the object's values of these properties.
  case fields([Int])
  /// A closure decides, without a lock. It gets the new object and the one with its unique values.
  case asks((_ inserted: any _ModelObject, _ existing: any _ModelObject) throws -> UniqueChoice)

  /// Whether the row takes all values of an object that is merged into it.
  func takesAll(_ choice: UniqueChoice) -> Bool {
    if case .fields = self { return false }
    return choice == .upsert
  }

  /// The policy's name for a report.
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

/// Decisions of a save that the program should know.
package struct SaveOutcome: Sendable {
  /// A property that two contexts changed.
  package struct Conflict: Sendable {
    package var object: ObjectName
    package var property: String
    package var before: String
    package var here: String
    package var stored: String
    /// The newest commit that this context had seen, and the newest of all.
    package var seen: UInt64
    package var newest: UInt64
    package var keepsStored: Bool
  }

  /// A new object that was merged into a row.
  package struct Merge: Sendable {
    package var inserted: ObjectName
    package var existing: ObjectName
    package var choice: UniqueChoice
    /// The name of the deciding policy.
    package var policy: String
    /// The properties of the row whose values changed.
    package var fields: [String]
    /// Whether the row also belongs to a new object.
    package var isAmongNew = false
  }

  package var conflicts: [Conflict] = []
  package var merges: [Merge] = []
  /// The number of merges; a bulk write lists only the first ones.
  package var mergeCount = 0
  package static let mostMerges = 10_000
  /// Objects whose changes were discarded, because another context had deleted them.
  package var dropped: [ObjectName] = []

  package init() {}
}

extension GraphFault {
  /// The error of an object whose owner another context deleted, if the delete rule includes
  /// members.
  static func orphan(
    _ member: ObjectName, _ property: String?, of owner: ObjectName, policy: MergePolicy
  ) -> GraphFault {
    GraphFault(
      policy == .error ? .conflict : .deleted,
      "another context deleted its owner, \(owner): give it another owner, delete it too, or save with the merge "
        + "policy .storeWins, which stores it without an owner", name: member, property: property, others: [owner])
  }
}
