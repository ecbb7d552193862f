/// Calls an object's own `validate`, and returns what it refused.
///
/// It runs code of the program, which may read and change everything.
package typealias ObjectJudge = @Sendable (_ object: any _ModelObject, ObjectChange) -> [OwnFault]

/// What a save is about to do with an object.
package enum ObjectChange: Sendable, CaseIterable {
  case insert, update, delete
}

/// What an object's own `validate` refused.
package struct OwnFault {
  package var detail: String
  package var property: String?
  /// What it threw.
  package var cause: (any Error)?

  package init(_ detail: String, property: String? = nil, cause: (any Error)? = nil) {
    (self.detail, self.property, self.cause) = (detail, property, cause)
  }
}
