/// An entity: its present fields, and all layouts of its stored rows.
package struct Entity: Hashable, Sendable {
  package var id: EntityID
  package var name: String
  package var fields: [Field]
  /// All layouts that the entity ever had. A row's version is the index of its layout; new rows get
  /// the last one.
  package private(set) var layouts: [[Layout.Member]]
  private(set) var nextField: UInt16

  package init(_ id: EntityID, _ name: String) {
    self.id = id
    self.name = name
    fields = []
    layouts = [[]]
    nextField = 1
  }

  init(_ id: EntityID, _ name: String, fields: [Field], layouts: [[Layout.Member]], nextField: UInt16) {
    self.id = id
    self.name = name
    self.fields = fields
    self.layouts = layouts
    self.nextField = nextField
  }

  package func field(_ name: String) -> Field? { fields.first { $0.name == name } }
  package func field(_ id: FieldID) -> Field? {
    // Searches by position, so no other field is copied.
    for place in fields.indices where fields[place].id == id { return fields[place] }
    return nil
  }
  package var layoutVersion: UInt16 { UInt16(layouts.count - 1) }

  /// Adds a field. Existing rows show `initial`.
  @discardableResult
  package mutating func add(
    _ name: String, _ type: FieldType, isOptional: Bool = false, initial: Value? = nil, isPreserved: Bool = false
  ) throws(RecordFault) -> FieldID {
    guard !name.isEmpty, field(name) == nil else {
      throw RecordFault(
        .conflict, "there already is a field of this name, or the name is empty", entity: self.name, field: name)
    }
    guard nextField < .max, fields.count < Self.mostFields else {
      throw RecordFault(.conflict, "an entity has at most \(Self.mostFields) fields", entity: self.name)
    }
    let id = FieldID(nextField)
    nextField += 1
    fields.append(
      Field(id, name, type: type, isOptional: isOptional, initial: initial, isPreserved: isPreserved))
    return id
  }

  /// Sets the values that the type of a field knows.
  package mutating func setCases(_ cases: [Value]?, of id: FieldID) {
    for place in fields.indices where fields[place].id == id { fields[place].cases = cases }
  }

  /// Sets whether objects of the subclass that adds a field must have a value.
  package mutating func setNeeded(_ isNeeded: Bool, of id: FieldID) {
    for place in fields.indices where fields[place].id == id { fields[place].isNeeded = isNeeded }
  }

  package static let mostFields = 4000
  package static let mostLayouts = 60_000

  package mutating func remove(_ name: String) throws(RecordFault) {
    guard let index = fields.firstIndex(where: { $0.name == name }) else {
      throw RecordFault(.unknown, "there is no such field", entity: self.name, field: name)
    }
    fields.remove(at: index)
  }

  package mutating func rename(_ name: String, to new: String) throws(RecordFault) {
    guard let index = fields.firstIndex(where: { $0.name == name }) else {
      throw RecordFault(.unknown, "there is no such field", entity: self.name, field: name)
    }
    guard !new.isEmpty, name == new || field(new) == nil else {
      throw RecordFault(
        .conflict, "there already is a field of this name, or the name is empty", entity: self.name, field: new)
    }
    fields[index].name = new
  }

  /// Whether every field has one type in all layouts, so that its bytes mean the same in all rows.
  static func typesStay(in layouts: [[Layout.Member]]) -> Bool {
    var types: [FieldID: FieldType] = [:]
    for member in layouts.joined() {
      if let known = types.updateValue(member.type, forKey: member.id), known != member.type { return false }
    }
    return true
  }

  /// Appends a layout if the fields differ from the last one.
  package mutating func settle() throws(RecordFault) {
    let now = fields.map(\.member)
    if layouts[layouts.count - 1] == now { return }
    guard Self.typesStay(in: layouts + [now]) else {
      throw RecordFault(.conflict, "a field's type never changes: add another field", entity: name)
    }
    guard layouts.count < Self.mostLayouts else {
      throw RecordFault(.conflict, "the entity's fields changed \(Self.mostLayouts) times", entity: name)
    }
    layouts.append(now)
  }
}

/// An index of an entity: its rows in the order of some of their fields.
package struct Index: Hashable, Sendable {
  package struct Part: Hashable, Sendable {
    package var field: FieldID
    package var form: Form
    package var isDescending: Bool

    package init(_ field: FieldID, isDescending: Bool = false, form: Form = .value) {
      self.field = field
      self.form = form
      self.isDescending = isDescending
    }
  }

  package var id: IndexID
  package var entity: EntityID
  package var name: String
  package var parts: [Part]
  package var isUnique: Bool
  /// The conditions that a row must all fulfil to have an entry.
  package var tests: [Test]
  /// While the index is built: it contains the rows below this one. Nil once it is complete. Plans
  /// use no unfinished index.
  package var builtBelow: RowID?

  /// The number of bytes after which a text is cut, so that a key of several parts fits into an
  /// entry.
  package var textBytes: Int { parts.count == 1 ? KeyCoding.textBytes : min(KeyCoding.textBytes, 940 / parts.count) }

  /// The fields whose change may move, add or remove the entry of a row.
  package var fields: Set<FieldID> { Set(parts.map(\.field)).union(tests.flatMap(\.fields)) }

  /// Normalizes parts, so that equivalent indexes have equal parts.
  ///
  /// An index is read in both directions, so (a descending, b) and (a, b descending) are
  /// equivalent. The first part always ascends. Then rows with equal keys are sorted by their
  /// numbers in its direction.
  package static func normal(_ parts: [Part]) -> [Part] {
    guard parts.first?.isDescending == true else { return parts }
    var parts = parts
    for number in parts.indices { parts[number].isDescending.toggle() }
    return parts
  }

  package init(
    _ id: IndexID, of entity: EntityID, _ name: String, parts: [Part], isUnique: Bool = false, tests: [Test] = []
  ) {
    self.id = id
    self.entity = entity
    self.name = name
    self.parts = parts
    self.isUnique = isUnique
    self.tests = tests
  }
}
