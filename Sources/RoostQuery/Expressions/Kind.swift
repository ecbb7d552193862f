package import RoostRecords

/// The kind of value that an expression yields.
package enum Kind: Hashable, Sendable {
  /// One value; never a collection, because collections have their own cases.
  case plain(FieldType)
  indirect case optional(Kind)
  indirect case array(Kind)
  indirect case set(Kind)
  indirect case dictionary(Kind, Kind)
  case structure([ElementType.Part])
  /// The rows of a relationship, perhaps filtered.
  case rows(EntityID)

  package static let bool = Kind.plain(.bool)
  package static let int = Kind.plain(.int64)
  package static let double = Kind.plain(.double)
  package static let string = Kind.plain(.string)
  package static let date = Kind.plain(.date)

  package init(_ type: FieldType) {
    switch type {
    case .array(let element): self = .array(Kind(element))
    case .set(let element): self = .set(Kind(element))
    case .dictionary(let key, let value): self = .dictionary(Kind(key), Kind(value))
    default: self = .plain(type)
    }
  }

  package init(_ type: ElementType) {
    switch type {
    case .plain(let type): self = Kind(type)
    case .optional(let type): self = .optional(Kind(type))
    case .structure(let parts): self = .structure(parts)
    }
  }

  package init(_ field: Field) {
    self = field.isOptional ? .optional(Kind(field.type)) : Kind(field.type)
  }

  package var isOptional: Bool { if case .optional = self { true } else { false } }

  /// The kind without optionality.
  package var whole: Kind { if case .optional(let inner) = self { inner } else { self } }

  /// The optional kind; an optional kind is returned unchanged.
  package var optional: Kind { isOptional ? self : .optional(self) }

  /// The entity of the row; nil if the value is no row.
  package var entity: EntityID? { if case .plain(.reference(let entity)) = whole { entity } else { nil } }

  package var isText: Bool { self == .plain(.string) || self == .plain(.url) }

  /// The kind of its elements, if it is a collection.
  package var element: Kind? {
    switch self {
    case .array(let element), .set(let element): element
    case .rows(let entity): .plain(.reference(entity))
    default: nil
    }
  }

  /// Whether `<` is defined for it.
  package var isComparable: Bool {
    guard case .plain(let type) = self else { return false }
    switch type {
    case .int8, .int16, .int32, .int64, .uint8, .uint16, .uint32, .uint64, .float, .double, .decimal, .string, .date,
      .uuid:
      return true
    default: return false
    }
  }

  /// Whether rows can be sorted by it. More kinds can than have `<`: false sorts before true, nil
  /// first.
  package var isSortable: Bool {
    guard case .plain(let type) = whole else { return false }
    return KeyCoding.isOrdered(type)
  }

  package var isInteger: Bool {
    guard case .plain(let type) = self else { return false }
    switch type {
    case .int8, .int16, .int32, .int64, .uint8, .uint16, .uint32, .uint64: return true
    default: return false
    }
  }

  package var isFloating: Bool { self == .plain(.float) || self == .plain(.double) }
}

extension Kind: CustomStringConvertible {
  package var description: String {
    switch self {
    case .plain(.reference(let entity)): "a row of entity \(entity.number)"
    case .plain(.presence): "a struct"
    case .plain(let type): "\(type)".capitalizedFirst
    case .optional(let inner): "\(inner)?"
    case .array(let element): "[\(element)]"
    case .set(let element): "Set<\(element)>"
    case .dictionary(let key, let value): "[\(key): \(value)]"
    case .structure(let parts): "(" + parts.map(\.name).joined(separator: ", ") + ")"
    case .rows(let entity): "rows of entity \(entity.number)"
    }
  }
}

extension String {
  fileprivate var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}
