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

/// What a save did that was not asked for word by word.
package struct SaveSummary: Sendable {
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
  }

  package var conflicts: [Conflict] = []
  package var merges: [Merge] = []
  /// Objects whose changes were given up, because another context had deleted them.
  package var dropped: [ObjectName] = []

  package init() {}
}
