/// A field in the rows of every layout of its entity, for whoever reads it often.
package struct FieldAccess: Sendable {
  package let field: Field
  /// By version of the layout.
  package let places: [FieldPlace]
  /// What rows hold whose layout does not have the field, and those that say nil although it may not be nil now.
  package let initial: Value

  init(_ field: Field, _ layouts: [Layout]) {
    self.field = field
    places = layouts.map { layout in
      guard let at = layout.members.firstIndex(where: { $0.id == field.id && $0.type == field.type }) else {
        return .missing
      }
      return FieldPlace(layout.slots[at], in: layout)
    }
    initial = field.initial ?? (field.isOptional ? .null : field.type.empty)
  }

  package func place(_ row: Row) -> FieldPlace { places[row.version] }
}
