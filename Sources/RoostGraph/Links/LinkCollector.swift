/// Collects the objects that an object without a context references.
struct LinkCollector: _SlotVisitor {
  var found: [any _ModelObject] = []

  mutating func _visit<Model: _ModelObject>(_ property: Int, _ slot: inout _ToOne<Model>) {
    if let object = slot.object { found.append(object) }
  }

  mutating func _visit<Model: _ModelObject>(_ property: Int, _ slot: inout _ToMany<Model>) {
    for member in slot.members ?? [] { found.append(member) }
  }
}
