package import RoostFile

/// An error of an operation on objects. It names the reason, the place and the remedy.
package struct GraphFault: Error, Hashable, Sendable, CustomStringConvertible {
  package enum Code: String, Sendable, CaseIterable {
    /// The type is not among the store's models.
    case unknownModel
    /// The object belongs to another context.
    case foreign
    /// The object or its row is deleted.
    case deleted
    /// The context or its store is closed.
    case closed
    /// A value could not be read.
    case unreadable
    /// A relationship does not reference models of this class.
    case wrongModel
    /// Another context changed the same property.
    case conflict
    /// Two threads used one context at the same time.
    case twoThreads
    /// A loop read objects one by one in a strict context.
    case readOneByOne
    /// Another object has the same values, which must be unique.
    case notUnique
    /// A delete rule or a required reference forbids the deletion.
    case denied
    /// A value is missing, or cannot be stored.
    case badValue
    /// A relationship references fewer objects than its minimum, or more than its maximum.
    case count
    /// Unsaved changes prevent the operation.
    case pendingChanges
    /// A value breaks a rule of its property, or the object a rule of its class.
    case invalid
  }

  package var code: Code
  package var detail: String
  package var entity: String?
  package var row: UInt64?
  package var property: String?
  /// The other objects that the error concerns.
  package var others: [ObjectName] = []
  /// The broken rule; nil for all other errors.
  package var breach: RuleBreach?

  package init(
    _ code: Code, _ detail: String, entity: String? = nil, row: UInt64? = nil, property: String? = nil,
    others: [ObjectName] = []
  ) {
    self.code = code
    self.detail = detail
    self.entity = entity
    self.row = row == ObjectName.noRow ? nil : row
    self.property = property
    self.others = others
  }

  package init(
    _ code: Code, _ detail: String, name: ObjectName, property: String? = nil, others: [ObjectName] = []
  ) {
    self.init(code, detail, entity: name.entity, row: name.row, property: property, others: others)
  }

  /// A delete rule forbids the deletion because the object references others.
  static func denied(_ object: ObjectName, _ property: String?, others: [ObjectName]) -> GraphFault {
    let some = others.prefix(3).map(\.description).joined(separator: ", ")
    return GraphFault(
      .denied,
      "it cannot be deleted while it references \(some)\(others.count > 3 ? " and others" : ""): delete them too, or "
        + "remove them from the relationship first", name: object, property: property, others: others)
  }

  /// A required reference of `object` would lose its target.
  static func needed(_ object: ObjectName, _ property: String?, other: ObjectName) -> GraphFault {
    GraphFault(
      .denied, "it must reference an object, and \(other) will be deleted: delete it too, or change the reference",
      name: object, property: property, others: [other])
  }

  package var description: String {
    var place = entity ?? ""
    if let row { place += " \(row)" }
    if let property { place += ".\(property)" }
    return place.isEmpty ? "\(code.rawValue): \(detail)" : "\(code.rawValue): \(place): \(detail)"
  }
}

/// Names an object, whether it is loaded or not.
package struct ObjectName: Hashable, Sendable, CustomStringConvertible {
  /// The row of a deleted object that never had one.
  static let noRow = UInt64.max / 2

  package var entity: String
  package var row: UInt64

  package init(_ entity: String, _ row: UInt64) {
    self.entity = entity
    self.row = row
  }

  package var description: String { row == Self.noRow ? entity : "\(entity) \(row)" }
}

/// The broken rule of an error with the code `invalid`.
///
/// A class, so that other errors stay small. Unchecked, because an error need not be `Sendable`;
/// this one is only passed on.
package final class RuleBreach: Hashable, @unchecked Sendable {
  /// Nil if the class's own `validate` threw the error.
  package let rule: ValueRule?
  /// The value as text for a message; a long text is shortened.
  package let value: String?
  /// The error that the class's own `validate` threw.
  package let cause: (any Error)?

  package init(rule: ValueRule? = nil, value: String? = nil, cause: (any Error)? = nil) {
    (self.rule, self.value, self.cause) = (rule, value, cause)
  }

  package static func == (one: RuleBreach, other: RuleBreach) -> Bool {
    one === other || (one.rule == other.rule && one.value == other.value && one.cause == nil && other.cause == nil)
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(rule)
    hasher.combine(value)
  }
}

/// All errors that prevent a save. Nothing was written.
package struct SaveRefusal: Error, Hashable, Sendable, CustomStringConvertible {
  package var faults: [GraphFault]
  /// The number of errors, which may be more than ``faults`` contains.
  package var count: Int

  package init(faults: [GraphFault], count: Int = 0) {
    self.faults = faults
    self.count = max(count, faults.count)
  }

  package var description: String {
    let told = faults.prefix(100).map(\.description).joined(separator: "; ")
    return count > 100 ? told + "; and \(count - min(100, faults.count)) more" : told
  }
}

extension GraphFault: CataloguedError {
  package var entry: ErrorEntry? { ErrorCatalogue.entry(.objects, code.rawValue) }
}
