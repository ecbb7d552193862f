/// Calls an object's own `validate` and returns its errors.
///
/// It runs code of the program, which may read and change everything.
package typealias ObjectJudge = @Sendable (_ object: any _ModelObject, ObjectChange) -> [OwnFault]

/// The change that a save is about to make to an object.
package enum ObjectChange: Sendable, CaseIterable {
  case insert, update, delete
}

/// An error of an object's own `validate`.
package struct OwnFault {
  package var detail: String
  package var property: String?
  /// The error that it threw.
  package var cause: (any Error)?

  package init(_ detail: String, property: String? = nil, cause: (any Error)? = nil) {
    (self.detail, self.property, self.cause) = (detail, property, cause)
  }
}
