internal import RoostRecords
internal import RoostText

/// A full text index that the models declare.
struct AskedText: Hashable {
  var entity: EntityID
  var name: String
  var fields: [FieldID]
  var analyzer: TextAnalyzer

  func isMet(by index: FullTextIndex) -> Bool {
    index.entity == entity && index.name == name && index.fields == fields && index.analyzer == analyzer
  }
}

extension SchemaKeeper {
  /// Adds the full text indexes that the models declare, and removes those that they no longer
  /// declare. Indexes of classes that the program does not name stay.
  mutating func bringTexts(_ catalog: inout Catalog) throws {
    askedTexts = []
    for model in models {
      guard let entity = catalog.entity(model.type.root.name) else { continue }
      for plan in model.texts {
        let fields = try plan.paths.map { path in
          let name = model.type.fieldName(ofPath: path)
          guard let field = entity.field(name) else {
            throw RecordFault(.unknown, "there is no such field", entity: entity.name, field: name)
          }
          return field.id
        }
        let one = AskedText(entity: entity.id, name: plan.name, fields: fields, analyzer: plan.analyzer)
        if !askedTexts.contains(one) { askedTexts.append(one) }
      }
    }
    if isReadOnly { return }
    let modes = TextAnalyzer.Mode.allCases
    for model in models {
      guard let entity = catalog.entity(model.type.root.name) else { continue }
      for name in modes.map({ TextPlan.name($0, of: model.type.name) }) {
        guard let index = catalog.textIndex(name, of: entity.name), !askedTexts.contains(where: { $0.isMet(by: index) })
        else { continue }
        try catalog.remove(textIndex: name, of: entity.name)
      }
    }
    for one in askedTexts
    where catalog.entity(one.entity).map({ catalog.textIndex(one.name, of: $0.name) }) == .some(nil) {
      guard let entity = catalog.entity(one.entity) else { continue }
      try catalog.add(
        textIndex: one.name, of: entity.name, on: one.fields.compactMap { entity.field($0)?.name },
        analyzer: one.analyzer)
    }
  }
}
