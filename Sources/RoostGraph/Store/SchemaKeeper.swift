internal import RoostPages
internal import RoostRecords

/// Brings a store's catalog to what the models ask for: it adds what is missing, and takes nothing away.
struct SchemaKeeper {
  let models: [ModelPlan]
  /// What the store holds, where changes that take more than one of the catalog are to be refused.
  private(set) var stored: RecordReader?

  init(_ models: [ModelPlan]) { self.models = models }

  /// The catalog as it is then. Where nothing is missing nothing is written.
  func settle(_ records: RecordStore, _ version: OpeningVersion? = nil) throws -> Catalog {
    let (now, wanted) = try records.read { reader in
      if let version, let known = reader.catalog.version { try refuseOlder(version, than: known) }
      try checkClasses(reader)
      return (reader.catalog, try catalog(over: reader, version))
    }
    if wanted == now { return now }
    if now.version == nil, version?.isWhole == false, wanted.version?.hasParked == false {
      // A program that says no version leaves a store without one as it is, unless it is to change.
      var same = wanted
      same.version = nil
      if same == now { return now }
    }
    // A store that is only read keeps the cases and the version that were written into it.
    if records.store.options.readOnly, wanted.storesRows(as: now) { return now }
    return try records.write { writer in
      // Another opening may have come first.
      try writer.change { catalog in
        try bring(&catalog)
        if let version { try note(version, in: &catalog) }
      }
      return writer.catalog
    }
  }

  /// What is stored, with what is missing.
  private func catalog(over reader: RecordReader, _ version: OpeningVersion?) throws -> Catalog {
    var keeper = self
    keeper.stored = reader
    var wanted = reader.catalog
    try keeper.bring(&wanted)
    if let version { try keeper.note(version, in: &wanted) }
    return wanted
  }

  func bring(_ catalog: inout Catalog) throws {
    for model in models where catalog.entity(model.type.root.name) == nil {
      try catalog.add(entity: model.type.root.name)
    }
    let newcomers = models.filter { catalog.entity($0.type.name) == nil }
    for model in models where model.type.superType != nil { try addClass(model, &catalog) }
    for model in models {
      try exchange(model, &catalog)
      try fields(model, newcomers.map(\.type), catalog: &catalog)
    }
    for model in models {
      let isNew = newcomers.contains { $0.type === model.type }
      for one in model.relationships { try relationship(one, model, isNew: isNew, catalog: &catalog) }
    }
    // They may be over references, so they come last.
    for model in models { try indexes(model, &catalog) }
  }

  // MARK: Classes

  /// Gives a subclass its number, and rows of the topmost class's entity a field that tells classes.
  private func addClass(_ model: ModelPlan, _ catalog: inout Catalog) throws {
    let root = model.type.root.name
    if catalog.entity(model.type.name) == nil { try catalog.add(entity: model.type.name) }
    guard let entity = catalog.entity(root), entity.field(Family.fieldName) == nil else { return }
    try catalog.change(entity: root) { (entity) throws(RecordFault) in
      // Rows that are there are of the topmost class.
      try entity.add(Family.fieldName, .uint32, initial: .uint(UInt64(entity.id.number)), isPreserved: true)
    }
    try catalog.add(index: Family.indexName, of: root, on: [Family.fieldName])
  }

  private func checkClasses(_ reader: RecordReader) throws {
    for model in models {
      guard let above = model.type.superType else { continue }
      guard models.contains(where: { $0.type === above }) else {
        throw RecordFault(
          .unknown, "\(above.name), from which it inherits, is not among the models", entity: model.type.name)
      }
      // A class that was none of a family has rows of its own, which would not be found any more.
      guard let entity = reader.catalog.entity(model.type.name), try reader.table(entity.id).count > 0 else { continue }
      throw RecordFault(
        .conflict,
        "the store has its objects in an entity of their own, not in that of \(model.type.root.name): that needs a migration",
        entity: model.type.name)
    }
  }

  // MARK: Fields

  private func fields(_ model: ModelPlan, _ newcomers: [_ModelType], catalog: inout Catalog) throws {
    let wanted = try model.type.neededFields()
    // No row that is there is of the class, so there is nothing initial to it.
    let isNew =
      model.type.superType != nil
      && models.allSatisfy { one in !one.type.isKind(of: model.type) || newcomers.contains { $0 === one.type } }
    if !isNew, var entity = try filled(model) {
      try rename(wanted, model, entity: &entity)
      try checkRequired(wanted, model, entity: entity)
    }
    try catalog.change(entity: model.type.root.name) { (entity) throws(RecordFault) in
      try rename(wanted, model, entity: &entity)
      for field in wanted where field.property >= model.type.first {
        try add(field, model, entity: &entity, initial: isNew ? nil : initial(field, model, entity: entity))
      }
    }
  }

  /// What rows that are there get in a new field.
  private func initial(
    _ field: _ModelType.NeededField, _ model: ModelPlan, entity: Entity
  ) throws(RecordFault) -> Value? {
    if entity.field(field.name) != nil { return nil }
    if let initial = model.initials[field.path] { return initial }
    if let part = try RowBlank.defaults(model.type, field.property)?[field.name] { return part }
    return field.isNeeded ? field.type.empty : nil
  }

  /// Gives fields the names that their properties have now. A name may become free only when its field gets another one.
  private func rename(
    _ wanted: [_ModelType.NeededField], _ model: ModelPlan, entity: inout Entity
  ) throws(RecordFault) {
    if model.originalNames.isEmpty { return }
    var isDone = false
    while !isDone {
      isDone = true
      for field in wanted where entity.field(field.name) == nil {
        let name = model.type.propertyName(field.property)
        guard let before = model.originalNames[name] else { continue }
        // Of a struct that is stored as its parts, each of them.
        let old = field.name.dropLast(field.path.count) + before + field.path.dropFirst(name.count)
        guard entity.field(String(old)) != nil else { continue }
        try entity.rename(String(old), to: field.name)
        isDone = false
      }
    }
  }

  private func add(
    _ wanted: _ModelType.NeededField, _ model: ModelPlan, entity: inout Entity, initial: Value?
  ) throws(RecordFault) {
    // Of a struct that is stored as its parts, all of them.
    let isPreserved = model.preserved.contains(model.type.propertyName(wanted.property))
    guard let field = entity.field(wanted.name) else {
      let id = try entity.add(
        wanted.name, wanted.type, isOptional: wanted.isOptional, initial: initial, isPreserved: isPreserved)
      entity.setCases(wanted.cases, of: id)
      return
    }
    guard field.type == wanted.type else {
      throw RecordFault(
        .wrongType, "the store has \(field.type), the model has \(wanted.type)",
        entity: model.type.name, field: wanted.path)
    }
    for place in entity.fields.indices where entity.fields[place].id == field.id {
      entity.fields[place].isPreserved = isPreserved
    }
    entity.setCases(wanted.cases, of: field.id)
  }

  // MARK: Indexes

  private func indexes(_ model: ModelPlan, _ catalog: inout Catalog) throws {
    let needed = Set(try model.type.neededFields().filter(\.isNeeded).map(\.name))
    for (paths, isUnique) in model.uniques.map({ ($0, true) }) + model.indexes.map({ ($0, false) }) {
      guard let entity = catalog.entity(model.type.root.name) else { continue }
      let fields = paths.map { model.type.fieldName(ofPath: $0) }
      if try !isIndexed(fields, isUnique, entity: entity) { continue }
      var name = (isUnique ? "unique " : "") + fields.joined(separator: ", ")
      var tests: [Index.Test] = []
      if isUnique, isNarrower(paths, model), let field = entity.field(Family.fieldName),
        let number = catalog.id(of: model.type.name)?.number
      {
        // Rows of other classes may have the same values.
        name += " of \(model.type.name)"
        tests = [.equals(field.id, .uint(UInt64(number)))]
      } else if let first = fields.first, needed.contains(first), let field = entity.field(first) {
        // Rows of other classes need not stand in it.
        tests = [.isNotNull(field.id)]
      }
      if catalog.indexes(of: entity.id).contains(where: { $0.name == name }) { continue }
      try catalog.add(index: name, of: entity.name, on: fields, isUnique: isUnique, tests: tests)
    }
  }

  /// Whether an index over fields is made: there is one over each reference already, and lists, and references that the other
  /// side holds, have no field that it could be over.
  private func isIndexed(_ fields: [String], _ isUnique: Bool, entity: Entity) throws -> Bool {
    if fields.isEmpty { return false }
    if let missing = fields.first(where: { entity.field($0) == nil }) {
      if !isUnique { return false }
      throw RecordFault(
        .conflict, "the other side stores this relationship, so it cannot be unique here", entity: entity.name,
        field: missing)
    }
    if !isUnique, fields.count == 1, case .reference? = entity.field(fields[0])?.type { return false }
    return true
  }

  /// Whether a subclass asks of inherited properties alone that they be unique among its objects.
  private func isNarrower(_ paths: [String], _ model: ModelPlan) -> Bool {
    var owner = model
    while let above = models.first(where: { $0.type === owner.type.superType }), above.uniques.contains(paths) {
      owner = above
    }
    if owner.type.superType == nil { return false }
    return paths.allSatisfy { path in owner.type.number(ofPath: path).map { $0 < owner.type.first } ?? false }
  }
}
