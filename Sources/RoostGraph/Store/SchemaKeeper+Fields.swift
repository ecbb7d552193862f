internal import RoostQuery
internal import RoostRecords

/// Adds and changes the fields of values.
extension SchemaKeeper {
  mutating func fields(_ model: ModelPlan, _ newcomers: [_ModelType], catalog: inout Catalog) throws {
    let wanted = try needed(model).filter { $0.property >= model.type.first }
    guard let entity = catalog.entity(model.type.root.name) else { return }
    // No existing row is of the class, so the field needs no initial value.
    let isNew =
      model.type.superType != nil
      && models.allSatisfy { one in !one.type.isKind(of: model.type) || newcomers.contains { $0 === one.type } }
    var known: Set<Int> = []
    for (property, fields) in differing(wanted, model, entity: entity) {
      if try !dropDerived(fields, property, model: model, catalog: &catalog) {
        try checkType(fields, property, model: model, catalog: &catalog)
      }
      let isThere = fields.contains { catalog.entity(model.type.root.name)?.field($0.name) != nil }
      if !isThere, !isNew { try checkRequired(property, model) }
      try presence(fields, property, model: model, isThere: isThere, catalog: &catalog)
      for field in fields { try flip(field, model, all: fields, catalog: &catalog) }
      if isThere { known.insert(property) }
    }
    // Rows of other classes would also have the default of a new unique property, and be
    // duplicates.
    let isApart = { (field: _ModelType.NeededField) in
      model.type.superType != nil && model.uniques.contains { $0.contains(field.path) }
    }
    var apart: [(field: _ModelType.NeededField, value: Value)] = []
    // All fields at once, because each change makes a layout.
    try catalog.change(entity: model.type.root.name) { (entity) throws(RecordFault) in
      let names = Set(entity.fields.map(\.name))
      for field in wanted {
        // A default is the program's code, and is not run for an existing field.
        let isOld = isNew || names.contains(field.name)
        var initial = isOld ? nil : try initial(field, model, isPart: known.contains(field.property))
        if let value = initial, isApart(field) {
          apart.append((field, value))
          initial = nil
        }
        try add(field, model, entity: &entity, initial: initial)
      }
    }
    for (field, value) in apart where try hasRows(model.type.root.name) {
      try checkAlone(field, value, of: model)
      guard let entity = catalog.entity(model.type.root.name), let id = entity.field(field.name)?.id else { continue }
      work.fill(
        entity.id, id, with: [id: value], where: isOf(model, entity.name, catalog: catalog), found: .after,
        written: .after)
    }
  }

  /// The properties whose fields an entity lacks or has otherwise, with their fields. Mostly there
  /// are none, so that an opening need not examine each property.
  private func differing(
    _ wanted: [_ModelType.NeededField], _ model: ModelPlan, entity: Entity
  ) -> [(property: Int, fields: [_ModelType.NeededField])] {
    let known = Dictionary(entity.fields.map { ($0.name, $0) }) { first, _ in first }
    let names = Set(wanted.map(\.name))
    let prefix = Self.prefix(model.type)
    // A struct that was optional has one field more than a required one.
    let hasMore = entity.fields.contains { field in
      field.type == .presence && !names.contains(field.name) && field.name.hasPrefix(prefix)
        && !field.name.hasPrefix("@") && !(prefix.isEmpty && field.name.contains("/"))
    }
    func isMet(_ field: _ModelType.NeededField) -> Bool {
      known[field.name].map {
        $0.type == field.type && $0.isOptional == field.isOptional && $0.isNeeded == field.isNeeded
      } ?? false
    }
    if !hasMore, wanted.allSatisfy(isMet) { return [] }
    return Dictionary(grouping: wanted, by: \.property).sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }

  /// The value of a new field in older rows.
  private func initial(
    _ field: _ModelType.NeededField, _ model: ModelPlan, isPart: Bool
  ) throws(RecordFault) -> Value? {
    // An optional struct that was required is present in all rows.
    if isPart, field.type == .presence { return field.type.empty }
    return try value(field, model) ?? (field.isNeeded ? field.type.empty : nil)
  }

  /// The value of a field in the property's default; nil if there is none.
  private func value(_ field: _ModelType.NeededField, _ model: ModelPlan) throws(RecordFault) -> Value? {
    if model.isDerived(field.path) { return field.isOptional && !field.isNeeded ? nil : field.type.empty }
    if let initial = model.initials[field.path] { return initial }
    return try RowBlank.defaults(model.type, field.property)?[field.name]
  }

  private func add(
    _ wanted: _ModelType.NeededField, _ model: ModelPlan, entity: inout Entity, initial: Value?
  ) throws(RecordFault) {
    // All parts of a struct are preserved with it.
    let isPreserved = model.preserved.contains(model.type.propertyName(wanted.property))
    if let field = entity.field(wanted.name) {
      for place in entity.fields.indices where entity.fields[place].id == field.id {
        entity.fields[place].isPreserved = isPreserved
      }
      entity.setCases(wanted.cases, of: field.id)
      entity.setNeeded(wanted.isNeeded, of: field.id)
      return
    }
    let id = try entity.add(
      wanted.name, wanted.type, isOptional: wanted.isOptional, initial: initial, isPreserved: isPreserved)
    entity.setCases(wanted.cases, of: id)
    entity.setNeeded(wanted.isNeeded, of: id)
  }

  // MARK: Types

  /// Throws if the store has a property with another type. In stages it is parked, and the property
  /// begins empty.
  private mutating func checkType(
    _ fields: [_ModelType.NeededField], _ property: Int, model: ModelPlan, catalog: inout Catalog
  ) throws {
    let (root, name) = (model.type.root.name, model.type.fieldName(property))
    guard let entity = catalog.entity(root) else { return }
    var (has, wants): (String?, String) = (nil, fields[0].name == name ? catalog.word(fields[0].type) : "a struct")
    for field in fields {
      if let known = entity.field(field.name), known.type != field.type {
        (has, wants) = (Self.text(known.type, catalog), catalog.word(field.type))
      }
    }
    if !fields.contains(where: { $0.name == name }), let plain = entity.field(name), plain.type != .presence {
      has = Self.text(plain.type, catalog)
    }
    if fields.count == 1, fields[0].name == name, entity.field(name) == nil,
      entity.fields.contains(where: { $0.name.hasPrefix(name + ".") })
    {
      has = "a struct"
    }
    if catalog.relationships(of: entity.id).contains(where: { $0.name == name && !$0.isHidden }) {
      has = "a relationship"
    }
    if let has {
      try changedType(
        model, model.type.propertyName(property), has: has, wants: wants, parked: [(name, root)], catalog: &catalog)
    }
  }

  static func text(_ type: FieldType, _ catalog: Catalog) -> String {
    if case .reference(let id) = type { return "a relationship to \(catalog.name(of: id) ?? "another model")" }
    return catalog.word(type)
  }

  /// Throws if a property's type changes. In stages the stored values are kept under names that no
  /// property has.
  mutating func changedType(
    _ model: ModelPlan, _ property: String, has: String, wants: String, parked: [(name: String, entity: String)] = [],
    catalog: inout Catalog
  ) throws {
    guard isStaged else {
      throw MigrationFault(
        model.type.name, property,
        detail:
          "the store has \(has) for it, the model has \(wants): keep the type, or change it in a migration plan, with a "
          + "transform or a custom stage")
    }
    for one in parked { try park(one.name, of: one.entity, catalog: &catalog) }
    note(model, property)
  }

  /// Records a property that the code of a migration plan must set.
  mutating func note(_ model: ModelPlan, _ property: String) {
    if !pending.contains(where: { $0 == (model.type.name, property) }) { pending.append((model.type.name, property)) }
  }

  // MARK: Nil

  /// Throws if a new property is required and stored rows have no value for it.
  private mutating func checkRequired(_ property: Int, _ model: ModelPlan) throws {
    if model.isDerived(model.type.propertyName(property)) { return }
    guard try filled(model) != nil, try RowBlank.defaults(model.type, property) == nil,
      try !RowBlank.required(model.type, property).isEmpty
    else { return }
    let name = model.type.propertyName(property)
    if isStaged { return note(model, name) }
    throw MigrationFault(
      model.type.name, name,
      detail:
        "the property is new, and the store has objects without a value for it: give it a default value, make it optional, "
        + "or fill it in a custom stage of a migration plan")
  }

  /// Makes an existing field optional or required, as the model declares.
  private mutating func flip(
    _ field: _ModelType.NeededField, _ model: ModelPlan, all: [_ModelType.NeededField], catalog: inout Catalog
  ) throws {
    let root = model.type.root.name
    guard let known = catalog.entity(root)?.field(field.name) else { return }
    if known.isOptional == field.isOptional, known.isNeeded || !field.isNeeded { return }
    let isLoosened = field.isOptional && !known.isOptional
    // A store opened for reading may stay as it is, unless a row would show a default.
    if isReadOnly, try isLoosened || rows(without: known, model) == 0 { return }
    if isLoosened { return try allowNil(known, of: root, catalog: &catalog) }
    let value = try value(field, model)
    // The parts of an optional struct that is nil have no meaning.
    let isCovered = all.contains { $0.type == .presence && field.name.hasPrefix($0.name + ".") }
    // A single part of a struct begins empty, as a new part does.
    let isPart = all.contains { other in
      other.name != field.name && !other.isOptional && catalog.entity(root)?.field(other.name)?.isOptional == false
    }
    var initial = value
    if field.isNeeded {
      // Rows of other classes stay without a value.
      if try isCovered || rows(without: known, model) == 0 { return }
      guard let value else {
        if !isPart { try checkNil(known, model, property: model.type.propertyName(field.property)) }
        return
      }
      return try work.fill(
        entity(root, catalog), known.id, with: [known.id: value], where: isOfStored(model),
        found: .before, written: .before)
    }
    if value == nil, try rows(without: known, model) > 0 {
      if !isPart, !isCovered { try checkNil(known, model, property: model.type.propertyName(field.property)) }
      initial = field.type.empty
    }
    if let older = known.initial, let filling = initial, older != filling {
      try work.fill(entity(root, catalog), known.id, with: [known.id: filling], found: .before, written: .before)
      initial = older
    }
    try catalog.set(field: known.id, of: root, isOptional: false, initial: known.initial ?? initial)
  }

  private func entity(_ root: String, _ catalog: Catalog) throws -> EntityID {
    guard let id = catalog.id(of: root) else { throw RecordFault(.unknown, "there is no such entity", entity: root) }
    return id
  }

  /// Makes a field optional. Rows without a value of their own keep the value that they show.
  mutating func allowNil(_ field: Field, of root: String, catalog: inout Catalog) throws {
    let layouts = catalog.entity(root)?.layouts ?? []
    // Rows that stored nil when the field was optional before have shown its initial value since
    // then.
    if let initial = field.initial, layouts.contains(where: { $0.contains { $0.id == field.id && $0.isOptional } }) {
      try work.fill(entity(root, catalog), field.id, with: [field.id: initial], found: .after, written: .after)
    }
    let isOlder = layouts.contains { !$0.contains { $0.id == field.id } }
    try catalog.set(
      field: field.id, of: root, isOptional: true, initial: field.initial ?? (isOlder ? field.type.empty : nil))
  }

  /// The number of a model's rows with nil in a field.
  func rows(without field: Field, _ model: ModelPlan) throws -> Int {
    let name = storedName(model.type.root.name)
    guard let stored, let known = stored.catalog.entity(name)?.field(field.id), known.isOptional else { return 0 }
    // Values of another class are moved into it.
    let others = work.moves.filter { $0.to == field.id }.compactMap { stored.catalog.entity(name)?.field($0.from) }
    let tests = ([known] + others).map { RowWork.isNil($0) } + (isOfStored(model).map { [$0] } ?? [])
    return try Planner(stored).count(Query(name, where: tests.count == 1 ? tests[0] : .and(tests)))
  }

  /// Throws if a property becomes required while rows have nil. In stages it is set later.
  mutating func checkNil(
    _ field: Field, _ model: ModelPlan, property: String, cure: String = "give it a default value"
  )
    throws
  {
    let count = try rows(without: field, model)
    if count == 0 { return }
    if isStaged { return note(model, property) }
    throw MigrationFault(
      model.type.name, property,
      detail:
        "the model requires a value, and \(count) \(count == 1 ? "object has" : "objects have") none in the store: \(cure), "
        + "make it optional, or fill it in a custom stage of a migration plan")
  }

  // MARK: Optional structs

  /// Adds or removes the presence field of a struct that is stored as its parts: an optional struct
  /// has one. If it becomes required, the field is removed, and rows that stored nil get the
  /// default.
  private mutating func presence(
    _ fields: [_ModelType.NeededField], _ property: Int, model: ModelPlan, isThere: Bool, catalog: inout Catalog
  ) throws {
    let (root, name) = (model.type.root.name, model.type.fieldName(property))
    if !isThere { return }
    for field in fields where field.type == .presence && catalog.entity(root)?.field(field.name) == nil {
      try addPresence(field, fields, of: model, catalog: &catalog)
    }
    for known in catalog.entity(root)?.fields ?? [] where known.type == .presence {
      guard known.name == name || known.name.hasPrefix(name + "."), !fields.contains(where: { $0.name == known.name }),
        fields.contains(where: { $0.name.hasPrefix(known.name + ".") })
      else { continue }
      let values = try RowBlank.defaults(model.type, property) ?? [:]
      if isReadOnly, try rows(without: known, model) == 0 { continue }
      if values.isEmpty {
        try checkNil(known, model, property: model.type.propertyName(property))
      } else {
        var filled: [FieldID: Value] = [:]
        for (name, value) in values where name.hasPrefix(known.name + ".") {
          if let part = catalog.entity(root)?.field(name) { filled[part.id] = value }
        }
        if try rows(without: known, model) > 0 {
          try work.fill(
            entity(root, catalog), known.id, with: filled, where: isOfStored(model), found: .before,
            written: .before)
        }
      }
      try catalog.change(entity: root) { (entity) throws(RecordFault) in try entity.remove(known.name) }
    }
  }

  /// Adds the presence field of a struct that was required: it is present in all rows, except in
  /// rows that a program wrote that did not name the struct.
  private mutating func addPresence(
    _ field: _ModelType.NeededField, _ fields: [_ModelType.NeededField], of model: ModelPlan, catalog: inout Catalog
  ) throws {
    let root = model.type.root.name
    let parked = fields.lazy.compactMap { [catalog] part in
      part.isOptional || !part.name.hasPrefix(field.name + ".")
        ? nil : catalog.entity(root)?.field(part.name).flatMap { $0.isOptional ? $0 : nil }
    }.first
    var added: FieldID?
    try catalog.change(entity: root) { (entity) throws(RecordFault) in
      added = try entity.add(field.name, .presence, isOptional: true, initial: field.type.empty)
    }
    if let parked, let added, try rows(without: parked, model) > 0 {
      try work.fill(
        entity(root, catalog), parked.id, with: [added: .null], where: isOfStored(model),
        found: .before, written: .after)
    }
  }
}
