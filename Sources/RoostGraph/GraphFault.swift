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
  }

  package var code: Code
  package var detail: String
  package var entity: String?
  package var row: UInt64?
  package var property: String?
  /// The other objects that it is about.
  package var others: [ObjectName] = []

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

/// Everything that keeps a save from being done. Nothing was written.
package struct SaveRefusal: Error, Hashable, Sendable, CustomStringConvertible {
  package var faults: [GraphFault]

  package var description: String { faults.map(\.description).joined(separator: "; ") }
}

extension GraphFault: CataloguedError {
  package var entry: ErrorEntry? { ErrorCatalogue.entry(.objects, code.rawValue) }
}
