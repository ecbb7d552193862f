package import RoostFile

/// Why something cannot be done with objects. It names what, where, and what to do.
package struct GraphFault: Error, Hashable, Sendable, CustomStringConvertible {
  package enum Code: String, Sendable, CaseIterable {
    /// The type is not among the store's models.
    case unknownModel
    /// The object belongs to another context.
    case foreign
    /// The object, or the row it stands for, is deleted.
    case deleted
    /// The context or its store is closed.
    case closed
    /// No value could be read.
    case unreadable
    /// A relationship does not lead to models of this class.
    case wrongModel
    /// Another context changed the same property.
    case conflict
    /// Two threads used one context at the same time.
    case twoThreads
    /// A loop read its objects one by one, in a strict context.
    case readOneByOne
    /// Another object has the same values, and only one may.
    case notUnique
    /// A delete rule, or a relationship that must lead somewhere, forbids a deletion.
    case denied
    /// A value is missing, or cannot be stored.
    case badValue
    /// A relationship leads to fewer objects than it must, or to more than it may.
    case count
    /// Something waits to be saved that stands in the way.
    case pendingChanges
    /// A value breaks a rule of its property, or the object one of its class.
    case invalid
  }

  package var code: Code
  package var detail: String
  package var entity: String?
  package var row: UInt64?
  package var property: String?
  /// The other objects that it is about.
  package var others: [ObjectName] = []
  /// The rule that is broken; nil for all other faults.
  package var breach: RuleBreach?

  package init(
    _ code: Code, _ detail: String, entity: String? = nil, row: UInt64? = nil, property: String? = nil,
    others: [ObjectName] = []
  ) {
    self.code = code
    self.detail = detail
    self.entity = entity
    self.row = row
    self.property = property
    self.others = others
  }

  package init(
    _ code: Code, _ detail: String, name: ObjectName, property: String? = nil, others: [ObjectName] = []
  ) {
    self.init(code, detail, entity: name.entity, row: name.row, property: property, others: others)
  }

  /// What a rule says that forbids a deletion.
  static func denied(_ object: ObjectName, _ property: String?, others: [ObjectName]) -> GraphFault {
    let some = others.prefix(3).map(\.description).joined(separator: ", ")
    return GraphFault(
      .denied,
      "it cannot be deleted while it references \(some)\(others.count > 3 ? " and others" : ""): delete them too, or "
        + "remove them from the relationship first", name: object, property: property, others: others)
  }

  /// What is said of a reference that must lead somewhere, to an object that goes.
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

/// An object, whether there is one in memory or not.
package struct ObjectName: Hashable, Sendable, CustomStringConvertible {
  package var entity: String
  package var row: UInt64

  package init(_ entity: String, _ row: UInt64) {
    self.entity = entity
    self.row = row
  }

  package var description: String { "\(entity) \(row)" }
}

/// What a fault with the code `invalid` says of the rule.
///
/// A class, so that other faults stay small. Unchecked, because an error need not be `Sendable`; it is only handed on.
package final class RuleBreach: Hashable, @unchecked Sendable {
  /// Nil where the class's own `validate` found the fault.
  package let rule: ValueRule?
  /// The value for a sentence, of a long text the beginning.
  package let value: String?
  /// What the class's own `validate` threw.
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

/// Everything that keeps a save from being done. Nothing was written.
package struct SaveRefusal: Error, Hashable, Sendable, CustomStringConvertible {
  package var faults: [GraphFault]
  /// How many there are, if more than ``faults`` has.
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
