/// A property of an entity, or a part of a struct that one holds: its name is then a path, "address.city".
package struct Field: Hashable, Sendable {
  package var id: FieldID
  package var name: String
  package var type: FieldType
  package var isOptional: Bool
  /// What rows hold that were written before the field was there; nil stands for nil, zero or empty.
  package var initial: Value?
  /// Whether the history keeps the value when a row is deleted.
  package var isPreserved: Bool

  package init(
    _ id: FieldID, _ name: String, _ type: FieldType, isOptional: Bool = false, initial: Value? = nil,
    isPreserved: Bool = false
  ) {
    self.id = id
    self.name = name
    self.type = type
    self.isOptional = isOptional
    self.initial = initial
    self.isPreserved = isPreserved
  }

  var member: Layout.Member { Layout.Member(id, type, isOptional: isOptional) }
}
