extension _ToOne {
  /// Stands for no object, in one that a context has: it must ask, because the other side may have been changed.
  package static var nothing: UInt64 { .max - 1 }
}

/// Reads where a reference leads, and what it holds itself.
struct ReferenceReader: _SlotVisitor {
  var row: UInt64 = 0
  var object: (any _ModelObject)?

  mutating func _visit<Model: _ModelObject>(_ property: Int, _ slot: inout _ToOne<Model>) {
    row = slot.row
    object = slot.object
  }

  mutating func _visit<Model: _ModelObject>(_ property: Int, _ slot: inout _ToMany<Model>) {}
}

/// Makes a reference lead to a row.
struct ReferenceWriter: _SlotVisitor {
  let row: UInt64

  mutating func _visit<Model: _ModelObject>(_ property: Int, _ slot: inout _ToOne<Model>) {
    slot.object = nil
    slot.row = row
  }

  mutating func _visit<Model: _ModelObject>(_ property: Int, _ slot: inout _ToMany<Model>) {}
}

/// Reads a list's members, all or from a place on; nil where it is not loaded, or moved out.
struct ListReader: _SlotVisitor {
  var members: [any _ModelObject]?

  mutating func _visit<Model: _ModelObject>(_ property: Int, _ slot: inout _ToOne<Model>) {}

  mutating func _visit<Model: _ModelObject>(_ property: Int, _ slot: inout _ToMany<Model>) {
    members = slot.members.map { $0.map { $0 as any _ModelObject } }
  }
}

/// Finds what was added to a list, where the rows that it had are still its first ones.
struct TailReader: _SlotVisitor {
  let rows: [UInt64]
  /// Nil where something else happened.
  var tail: [any _ModelObject]?

  mutating func _visit<Model: _ModelObject>(_ property: Int, _ slot: inout _ToOne<Model>) {}

  mutating func _visit<Model: _ModelObject>(_ property: Int, _ slot: inout _ToMany<Model>) {
    guard let members = slot.members, members.count >= rows.count else { return }
    for at in rows.indices where members[at]._$state.row != rows[at] { return }
    tail = members[rows.count...].map { $0 as any _ModelObject }
  }
}

/// Looks at the end of a list that a user changed, which tells what is done most: adding there, or taking away.
struct EndReader: _SlotVisitor {
  /// How many members there were, and the row of the last one.
  let count: Int
  let last: UInt64?
  /// The row that was at the place of the member that is the last one now, if there are fewer.
  let rowBefore: (Int) -> UInt64
  /// The members that came in behind the others; nil where something else happened.
  var added: [any _ModelObject]?

  mutating func _visit<Model: _ModelObject>(_ property: Int, _ slot: inout _ToOne<Model>) {}

  mutating func _visit<Model: _ModelObject>(_ property: Int, _ slot: inout _ToMany<Model>) {
    guard let members = slot.members else { return added = [] }
    if members.count > count {
      if let last, members[count - 1]._$state.row != last { return }
      added = members[count...].map { $0 as any _ModelObject }
    } else if members.count < count, members.last.map({ $0._$state.row == rowBefore(members.count - 1) }) ?? true {
      added = []
    }
  }
}

/// Makes a list what it is given, which is of its type; nil unloads it.
struct ListWriter: _SlotVisitor {
  let members: [any _ModelObject]?

  mutating func _visit<Model: _ModelObject>(_ property: Int, _ slot: inout _ToOne<Model>) {}

  mutating func _visit<Model: _ModelObject>(_ property: Int, _ slot: inout _ToMany<Model>) {
    slot.members = members.map { $0.map { unsafeDowncast($0, to: Model.self) } }
  }
}

/// Moves a list's members out of its slot, or back.
struct ListMover: _SlotVisitor {
  var members: Any?

  mutating func _visit<Model: _ModelObject>(_ property: Int, _ slot: inout _ToOne<Model>) {}

  mutating func _visit<Model: _ModelObject>(_ property: Int, _ slot: inout _ToMany<Model>) {
    if let members {
      slot.members = members as? [Model]
    } else {
      members = slot.members
      slot.members = nil
    }
  }
}

/// Adds a member to a list in its slot, or takes one out.
struct ListEditor: _SlotVisitor {
  let member: any _ModelObject
  let adds: Bool

  mutating func _visit<Model: _ModelObject>(_ property: Int, _ slot: inout _ToOne<Model>) {}

  mutating func _visit<Model: _ModelObject>(_ property: Int, _ slot: inout _ToMany<Model>) {
    // Moved out, so that it is changed where it is.
    guard var members = slot.takeMembers() else { return }
    if adds {
      members.append(unsafeDowncast(member, to: Model.self))
    } else if let at = members.firstIndex(where: { $0 === member }) {
      members.remove(at: at)
    }
    slot.members = members
  }
}

/// Finds everything that an object leads to by itself, before a context has it.
struct LinkCollector: _SlotVisitor {
  var found: [any _ModelObject] = []

  mutating func _visit<Model: _ModelObject>(_ property: Int, _ slot: inout _ToOne<Model>) {
    if let object = slot.object { found.append(object) }
  }

  mutating func _visit<Model: _ModelObject>(_ property: Int, _ slot: inout _ToMany<Model>) {
    for member in slot.members ?? [] { found.append(member) }
  }
}
