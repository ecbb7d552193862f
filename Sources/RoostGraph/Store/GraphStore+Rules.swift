package import RoostRecords

/// The rules of models for their values.
extension GraphStore {
  /// The rules of a class, ready to test its rows; nil if it has none. Throws if a rule does not
  /// fit its property.
  static func check(_ map: EntityMap, _ model: ModelPlan) throws -> RuleCheck? {
    if model.rules.isEmpty { return nil }
    var entries: [RuleCheck.Entry] = []
    for (name, rules) in model.rules.sorted(by: { $0.key < $1.key }) where !rules.isEmpty {
      guard let property = map.type.properties.firstIndex(where: { $0.name == name }), let field = map.field(property),
        let slot = map.newest.layout.members.firstIndex(where: { $0.id == field.id })
      else {
        throw RecordFault(
          .wrongType, "a rule needs a property that is stored as one value", entity: map.type.name, field: name)
      }
      if model.derived.contains(where: { $0.property == name && $0.kind != .computed }) {
        throw RecordFault(
          .wrongType, "a value that is derived from a list cannot have a rule: give the list or its models one",
          entity: map.type.name, field: name)
      }
      var compiled: [CompiledRule] = []
      for rule in rules {
        do { compiled.append(try CompiledRule(rule, for: field.type)) } catch {
          throw RecordFault(.wrongType, error.description, entity: map.type.name, field: name)
        }
      }
      entries.append(
        RuleCheck.Entry(
          property, bit: _ModelState.bit(property), field: field.id, slot: map.newest.layout.slots[slot],
          rules: compiled))
    }
    return RuleCheck(entries.sorted { $0.property < $1.property })
  }

  /// By field name, a function that returns the error for a value; for rows that are made without
  /// objects.
  package func fieldRules(_ map: EntityMap) -> [String: @Sendable (Value) -> String?] {
    var found: [String: @Sendable (Value) -> String?] = [:]
    for entry in checks[map.number]?.entries ?? [] {
      guard let name = map.entity.field(entry.field)?.name else { continue }
      found[name] = { value in entry.rules.lazy.compactMap { $0.shownFault(value) }.first }
    }
    return found
  }
}
