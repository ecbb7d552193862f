package import RoostRecords

/// What an expression yields.
package enum Kind: Hashable, Sendable {
  /// One value; never one of the collections, which have cases of their own here.
  case plain(FieldType)
  indirect case optional(Kind)
  indirect case array(Kind)
  indirect case set(Kind)
  indirect case dictionary(Kind, Kind)
  case structure([ElementType.Part])
  /// Rows that a relationship leads to, perhaps filtered.
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

  /// The kind without the chance of nil.
  package var whole: Kind { if case .optional(let inner) = self { inner } else { self } }

  /// The same with a chance of nil; there is no nil within nil.
  package var optional: Kind { isOptional ? self : .optional(self) }

  /// The entity of the row that this is, or nil where it is none.
  package var entity: EntityID? { if case .plain(.reference(let entity)) = whole { entity } else { nil } }

  package var isText: Bool { self == .plain(.string) || self == .plain(.url) }

  /// What its elements are, if it is a collection.
  package var element: Kind? {
    switch self {
    case .array(let element), .set(let element): element
    case .rows(let entity): .plain(.reference(entity))
    default: nil
    }
  }

  /// Whether `<` means something.
  package var isComparable: Bool {
    guard case .plain(let type) = self else { return false }
    switch type {
    case .int8, .int16, .int32, .int64, .uint8, .uint16, .uint32, .uint64, .float, .double, .decimal, .string, .date,
      .uuid:
      return true
    default: return false
    }
  }

  /// Whether rows can be sorted by it. That is more than `<`: false before true, nil first.
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
