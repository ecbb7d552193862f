internal import RoostRecords

/// Random indexes with forms, of elements and with conditions.
extension ValuePool {
  mutating func addDefined(_ name: String, _ catalog: inout Catalog, generator: inout SplitMix64) throws {
    guard let entity = catalog.entity(name) else { return }
    for number in 0..<generator.below(4) {
      var parts: [Index.Part] = []
      for _ in 0...generator.below(2) {
        let field = generator.pick(entity.fields)
        let forms = Index.Form.allCases.filter { $0.type(of: field.type) != nil }
        guard !forms.isEmpty, !parts.contains(where: { $0.field == field.id }) else { continue }
        let part = Index.Part(field.id, isDescending: generator.chance(1, in: 3), form: generator.pick(forms))
        // Two long texts make a key that is too long for a tree, and an index can have the elements
        // or keys of one collection only.
        let isText = part.form.type(of: field.type)?.width == nil
        if isText, parts.contains(where: { hasText($0, entity) }) { continue }
        if part.form.isMany, parts.contains(where: { $0.form.isMany }) { continue }
        parts.append(part)
      }
      if parts.isEmpty { continue }
      var tests: [Index.Test] = []
      if generator.chance(1, in: 2), let test = test(entity, &generator) { tests.append(test) }
      if generator.chance(1, in: 4), let one = test(entity, &generator), let other = test(entity, &generator) {
        tests.append(.any([one, other]))
      }
      try catalog.add(index: "d\(catalog.indexes.count)-\(number)", of: name, parts: parts, tests: tests)
    }
  }

  private func hasText(_ part: Index.Part, _ entity: Entity) -> Bool {
    entity.field(part.field).flatMap { part.form.type(of: $0.type) }.map { $0.width == nil } ?? false
  }

  private mutating func test(_ entity: Entity, _ generator: inout SplitMix64) -> Index.Test? {
    let field = generator.pick(entity.fields.filter { ConditionStage.isOrdered($0.type) })
    let value = draw(field.type, &generator)
    switch generator.below(4) {
    case 0: return field.isOptional ? .isNotNull(field.id) : .equals(field.id, value)
    case 1: return .equals(field.id, value)
    default:
      let comparison = generator.pick(Index.Comparison.allCases)
      let test = Index.Test.compares(field.id, comparison, value)
      return test.complaint(in: entity) == nil ? test : nil
    }
  }
}
