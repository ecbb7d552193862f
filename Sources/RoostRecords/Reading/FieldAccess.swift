/// The positions of a field in the rows of every layout of its entity, for callers that read it
/// often.
package struct FieldAccess: Sendable {
  package let field: Field
  /// By version of the layout.
  package let places: [FieldPlace]
  /// The value of rows whose layout lacks the field, and of rows in which it is nil although it is
  /// required now.
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
