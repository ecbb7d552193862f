/// A field of an entity. It stores a property, or one part of a property of a struct type: then its
/// name is a path, "address.city".
package struct Field: Hashable, Sendable {
  package var id: FieldID
  package var name: String
  package var type: FieldType
  package var isOptional: Bool
  /// The value of rows that were written before the field was added; nil means nil, zero or empty.
  /// While the field is required, rows in which it is nil show this value too: they were written
  /// when it was optional.
  package var initial: Value?
  /// Whether the history keeps the value when a row is deleted.
  package var isPreserved: Bool
  /// Whether objects of the subclass that adds the field must have a value. Rows of other classes
  /// have none, so the field itself is optional.
  package var isNeeded = false
  /// The raw values that the type of the field, or of its elements, knows; nil if any value is
  /// allowed. A program checks values by its own type; the tool has only this list. Rows may still
  /// hold other values.
  package var cases: [Value]?

  package static let mostCases = 1000

  package init(
    _ id: FieldID, _ name: String, type: FieldType, isOptional: Bool = false, initial: Value? = nil,
    isPreserved: Bool = false
  ) {
    self.id = id
    self.name = name
    self.type = type
    self.isOptional = isOptional
    self.initial = initial
    self.isPreserved = isPreserved
  }

  /// The type of the raw values in `cases`.
  package var caseType: FieldType {
    switch type {
    case .array(let element), .set(let element): element.plainType ?? type
    default: type
    }
  }

  var member: Layout.Member { Layout.Member(id, type, isOptional: isOptional) }
}

extension ElementType {
  /// The type of a plain element, or of an optional plain one.
  fileprivate var plainType: FieldType? {
    switch self {
    case .plain(let type): type
    case .optional(let inner): inner.plainType
    case .structure: nil
    }
  }
}

extension Catalog {
  /// Whether any field has cases.
  var hasCases: Bool { entities.contains { $0.fields.contains { $0.cases != nil } } }

  /// Whether two catalogs store rows in the same way. They may differ in the cases of fields, in
  /// the fields that subclasses need, and in the version of the models.
  package func storesRows(as other: Catalog) -> Bool { plain == other.plain }

  private var plain: Catalog {
    var plain = self
    plain.forgetNotes()
    plain.version = nil
    return plain
  }
}
