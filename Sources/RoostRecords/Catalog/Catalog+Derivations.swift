/// Derived fields.
extension Catalog {
  package func derivations(of id: EntityID) -> [Derivation] {
    // Most catalogs have none.
    derivations.isEmpty ? [] : derivations.filter { $0.entity == id }
  }

  package func derivation(of field: FieldID, in id: EntityID) -> Derivation? {
    derivations.isEmpty ? nil : derivations.first { $0.entity == id && $0.field == field }
  }

  /// Makes a field derived. The values of all rows are computed when the catalog is set.
  package mutating func add(_ derivation: Derivation) throws(RecordFault) {
    guard let entity = entity(derivation.entity), let field = entity.field(derivation.field) else {
      throw RecordFault(.unknown, "there is no such field to derive")
    }
    func fault(_ detail: String) -> RecordFault {
      RecordFault(.conflict, detail, entity: entity.name, field: field.name)
    }
    if self.derivation(of: field.id, in: entity.id) != nil { throw fault("the field is derived already") }
    if let detail = complaint(derivation) { throw fault(detail) }
    derivations.append(derivation)
    derivations.sort { ($0.entity, $0.field.number) < ($1.entity, $1.field.number) }
    if hasDerivationCycle {
      derivations.removeAll { $0 == derivation }
      throw fault("the field would be derived from itself: derive it from fields that do not depend on it")
    }
  }

  /// Makes a derived field an ordinary one. The field keeps its values.
  package mutating func remove(derivationOf field: FieldID, in entity: EntityID) {
    derivations.removeAll { $0.field == field && $0.entity == entity }
  }

  /// Describes a derivation in words for error messages and reports.
  package func words(of one: Derivation) -> String {
    if one.kind == .computed {
      let parts = one.computation.split(separator: " ").map(String.init)
      return parts.count == 2 ? "computed from \(parts[0]), version \(parts[1])" : "computed from \(one.computation)"
    }
    let list = one.relationship.flatMap { relationship($0) }
    let target = list.flatMap { entity($0.target) }
    func name(_ id: FieldID?) -> String? { id.flatMap { target?.field($0)?.name } }
    let key = name(one.key).map { " by \($0)" } ?? ""
    return "\(one.kind.word) of \(list?.name ?? "?")\(name(one.value).map { "." + $0 } ?? "")\(key)"
  }

  /// Makes the program compute the values of computed fields for all rows at its next opening.
  /// Writers that change rows without the program call this.
  ///
  /// - Parameter entities: the entities of these rows; nil for all.
  package mutating func awaitComputed(of entities: Set<EntityID>? = nil) {
    for place in derivations.indices where derivations[place].kind == .computed && !derivations[place].isWaiting {
      if let entities, !entities.contains(derivations[place].entity) { continue }
      derivations[place].text = Derivation.waiting + derivations[place].text
    }
  }

  /// Whether computed fields may have wrong values after a writer changed rows without the program.
  package func hasComputed(of entities: Set<EntityID>? = nil) -> Bool {
    derivations.contains { $0.kind == .computed && !$0.isWaiting && entities?.contains($0.entity) != false }
  }

  /// Removes the derivations whose field, relationship or source field was removed.
  mutating func dropTornDerivations() {
    if derivations.isEmpty { return }
    derivations = derivations.filter { complaint($0) == nil }
  }

  /// Whether the derivations in a file keep their invariants.
  var derivationsAgree: Bool {
    Set(derivations.map { [UInt32($0.field.number), $0.entity.number] }).count == derivations.count
      && derivations.allSatisfy { complaint($0) == nil } && !hasDerivationCycle
  }

  /// The error in a derivation; nil if it is valid.
  func complaint(_ one: Derivation) -> String? {
    guard let field = entity(one.entity)?.field(one.field) else { return "there is no such field to derive" }
    if indexes.contains(where: { index in
      index.entity == one.entity && index.isUnique && index.parts.contains { $0.field == one.field }
    }) {
      return "a unique index covers the field, and a derived value cannot be unique"
    }
    if one.kind == .computed {
      return one.relationship == nil && one.value == nil && one.key == nil ? nil : "a computed field needs no others"
    }
    guard let relationship = one.relationship.flatMap({ self.relationship($0) }), relationship.entity == one.entity,
      one.text.isEmpty, let target = entity(relationship.target)
    else { return "the relationship that it is computed over does not exist" }
    if case .one = relationship.shape { return "the relationship holds one reference: derive over a list" }
    let value = one.value.flatMap { target.field($0) }
    let key = one.key.flatMap { target.field($0) }
    if (one.value != nil) != (value != nil) || (one.key != nil) != (key != nil) {
      return "a property that it is computed from does not exist"
    }
    return Self.complaint(one.kind, field, value: value, key: key)
  }

  private static func complaint(_ kind: Derivation.Kind, _ field: Field, value: Field?, key: Field?) -> String? {
    guard (value == nil) == (kind == .count), (key != nil) == (kind == .latest) else {
      return "it is computed from other properties than its kind needs"
    }
    switch kind {
    case .computed: return nil
    case .count: return field.type == .int64 ? nil : "a count is an Int"
    case .sum:
      guard let value, value.type.isSummable else { return "only numbers can be added" }
      let isWide = value.type.isInteger && field.type == .int64
      return field.type == value.type || isWide ? nil : "a sum has the type of the values that it adds"
    case .minimum, .maximum:
      guard let value, value.type.isRanked else { return "only numbers and dates are compared" }
      return field.type == value.type && field.isOptional
        ? nil : "it has the optional type of the values that it compares"
    case .latest:
      guard let value, let key, value.type.isCopied, key.type.isRanked else {
        return "the latest value is a plain value, found by a number or a date"
      }
      return field.type == value.type && field.isOptional ? nil : "it has the optional type of the value that it copies"
    }
  }

  /// Whether a derived field depends on itself. Each round removes the derivations that depend on
  /// no other remaining derivation.
  private var hasDerivationCycle: Bool {
    var left = derivations.filter(\.isKept)
    while !left.isEmpty {
      let names = Set(left.map { [UInt32($0.field.number), $0.entity.number] })
      let rest = left.filter { one in
        guard let target = one.relationship.flatMap({ self.relationship($0) })?.target else { return false }
        return [one.value, one.key].compactMap { $0 }.contains { names.contains([UInt32($0.number), target.number]) }
      }
      if rest.count == left.count { return true }
      left = rest
    }
    return false
  }
}

/// The bytes of derivations at the end of a catalog of form 5.
///
/// ## Layout
/// ```
/// list of: entity, field, u8 kind (0 count, 1 sum, 2 minimum, 3 maximum, 4 latest, 5 computed),
///   relationship, value + 1, key + 1 (0 for none), text
/// ```
extension Catalog {
  func encodeDerivations(_ out: inout ByteWriter) {
    out.list(derivations) { out, one in
      out.number(one.entity.number)
      out.number(one.field.number)
      out.byte(one.kind.rawValue)
      out.number(one.relationship.map { UInt64($0.number) + 1 } ?? 0)
      out.number(one.value.map { UInt64($0.number) + 1 } ?? 0)
      out.number(one.key.map { UInt64($0.number) + 1 } ?? 0)
      out.text(one.text)
    }
  }

  static func derivations(_ reader: inout ByteReader) throws -> [Derivation] {
    try reader.list { reader in
      let entity = EntityID(try reader.number())
      let field = FieldID(try reader.number())
      guard let kind = Derivation.Kind(rawValue: try reader.byte()) else { throw ByteReader.Unreadable() }
      func optional<Number: FixedWidthInteger>(_ type: Number.Type) throws -> Number? {
        let number: UInt64 = try reader.number()
        if number == 0 { return nil }
        guard let exact = Number(exactly: number - 1) else { throw ByteReader.Unreadable() }
        return exact
      }
      return Derivation(
        entity, field, kind: kind, relationship: try optional(UInt32.self).map { RelationshipID($0) },
        value: try optional(UInt16.self).map { FieldID($0) }, key: try optional(UInt16.self).map { FieldID($0) },
        text: try reader.text())
    }
  }
}
