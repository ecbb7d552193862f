/// Why something cannot be done with objects. It names what, where, and what to do.
package struct GraphFault: Error, Hashable, Sendable, CustomStringConvertible {
  package enum Code: String, Sendable {
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
  }

  package var code: Code
  package var detail: String
  package var entity: String?
  package var row: UInt64?
  package var property: String?

  package init(
    _ code: Code, _ detail: String, entity: String? = nil, row: UInt64? = nil, property: String? = nil
  ) {
    self.code = code
    self.detail = detail
    self.entity = entity
    self.row = row
    self.property = property
  }

  package var description: String {
    var place = entity ?? ""
    if let row { place += " \(row)" }
    if let property { place += ".\(property)" }
    return place.isEmpty ? "\(code.rawValue): \(detail)" : "\(code.rawValue): \(place): \(detail)"
  }
}
