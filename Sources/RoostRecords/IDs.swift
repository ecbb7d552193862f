/// An entity's number in its store; no other entity ever gets it.
package struct EntityID: Hashable, Sendable, Comparable {
  package let number: UInt32

  package init(_ number: UInt32) { self.number = number }

  package static func < (one: EntityID, other: EntityID) -> Bool { one.number < other.number }
}

/// A field's number in its entity; no other field of it ever gets it, whatever its name.
package struct FieldID: Hashable, Sendable, Comparable {
  package let number: UInt16

  package init(_ number: UInt16) { self.number = number }

  package static func < (one: FieldID, other: FieldID) -> Bool { one.number < other.number }
}

/// A row's number in its entity, from 1 on; no other row ever gets it.
@usableFromInline package struct RowID: Hashable, Sendable, Comparable {
  @usableFromInline package let number: UInt64

  @inlinable
  package init(_ number: UInt64) { self.number = number }

  @inlinable package static func < (one: RowID, other: RowID) -> Bool { one.number < other.number }
}

/// An index's number in its store; no other index ever gets it.
package struct IndexID: Hashable, Sendable {
  package let number: UInt32

  package init(_ number: UInt32) { self.number = number }
}

/// A relationship's number in its store; no other one ever gets it.
package struct RelationshipID: Hashable, Sendable, Comparable {
  package let number: UInt32

  package init(_ number: UInt32) { self.number = number }

  package static func < (one: RelationshipID, other: RelationshipID) -> Bool { one.number < other.number }
}

/// A row by its entity and number.
package struct RowName: Hashable, Sendable, Comparable {
  package let entity: EntityID
  package let row: RowID

  package init(_ entity: EntityID, _ row: RowID) {
    self.entity = entity
    self.row = row
  }

  package static func < (one: RowName, other: RowName) -> Bool {
    one.entity == other.entity ? one.row < other.row : one.entity < other.entity
  }
}
