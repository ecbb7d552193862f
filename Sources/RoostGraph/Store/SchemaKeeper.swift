internal import RoostRecords

/// Brings a store's catalog to what the models ask for: it adds what is missing, and takes nothing away.
struct SchemaKeeper {
  private let models: [ModelPlan]

  init(_ models: [ModelPlan]) { self.models = models }

  /// The catalog as it is then. Where nothing is missing nothing is written.
  func settle(_ records: RecordStore) throws -> Catalog {
    let now = try records.read { $0.catalog }
    var wanted = now
    try bring(&wanted)
    if wanted == now { return now }
    return try records.write { writer in
      // Another opening may have come first.
      try writer.change { try bring(&$0) }
      return writer.catalog
    }
  }

  private func bring(_ catalog: inout Catalog) throws {
    for model in models where catalog.entity(model.type.name) == nil { try catalog.add(entity: model.type.name) }
    for model in models { try fields(model, &catalog) }
    for model in models { try indexes(model, &catalog) }
  }

  private func fields(_ model: ModelPlan, _ catalog: inout Catalog) throws {
    let name = model.type.name
    let wanted = model.type.neededFields
    try catalog.change(entity: name) { (entity) throws(RecordFault) in
      for field in wanted { try add(field, model, &entity) }
    }
  }

  private func add(
    _ wanted: _ModelType.NeededField, _ model: ModelPlan, _ entity: inout Entity
  ) throws(RecordFault) {
    if let before = model.originalNames[wanted.name], entity.field(wanted.name) == nil, entity.field(before) != nil {
      try entity.rename(before, to: wanted.name)
    }
    guard let field = entity.field(wanted.name) else {
      try entity.add(
        wanted.name, wanted.type, isOptional: wanted.isOptional, initial: model.initials[wanted.name],
        isPreserved: model.preserved.contains(wanted.name))
      return
    }
    guard field.type == wanted.type else {
      throw RecordFault(
        .wrongType, "the store holds \(field.type), the model wants \(wanted.type)",
        entity: entity.name, field: wanted.name)
    }
  }

  private func indexes(_ model: ModelPlan, _ catalog: inout Catalog) throws {
    for (fields, isUnique) in model.uniques.map({ ($0, true) }) + model.indexes.map({ ($0, false) }) {
      let name = (isUnique ? "unique " : "") + fields.joined(separator: ", ")
      guard let entity = catalog.entity(model.type.name) else { continue }
      if catalog.indexes(of: entity.id).contains(where: { $0.name == name }) { continue }
      try catalog.add(index: name, of: entity.name, on: fields, isUnique: isUnique)
    }
  }
}
