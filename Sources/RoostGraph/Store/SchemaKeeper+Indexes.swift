package import RoostRecords

/// An index that the models declare.
struct AskedIndex: Hashable {
  var entity: EntityID
  var name: String
  var parts: [Index.Part]
  var isUnique: Bool
  var tests: [Index.Test]

  /// Compares the definition, because the index's name may have been that of another property.
  func isMet(by index: Index) -> Bool {
    isAlike(index) && index.tests == tests && !index.name.hasPrefix("@")
  }

  func isAlike(_ index: Index) -> Bool {
    index.entity == entity && index.isUnique == isUnique && index.parts == parts
  }
}

extension Index {
  /// Whether it has a definition: a condition, a form or its own order.
  package func isDefined(in entity: Entity) -> Bool {
    isDefined(family: entity.field(Family.fieldName)?.id ?? FieldID(0))
  }

  /// Whether it has a definition and is not a list of properties: it has a condition, a form or its
  /// own order.
  func isDefined(family: FieldID) -> Bool {
    if parts.contains(where: { $0.form != .value || $0.isDescending }) { return true }
    return tests.contains { test in
      switch test {
      // Indexes of subclasses without a condition also leave out the objects of other classes.
      case .equals(family, _): false
      case .isNotNull(let field): field != parts[0].field
      default: true
      }
    }
  }
}

extension SchemaKeeper {
  /// Records the indexes that a model declares.
  mutating func ask(_ model: ModelPlan, _ catalog: Catalog) throws {
    let needed = Set(try needed(model).filter(\.isNeeded).map(\.name))
    for (paths, isUnique) in model.uniques.map({ ($0, true) }) + model.indexes.map({ ($0, false) }) {
      guard let entity = catalog.entity(model.type.root.name) else { continue }
      var fields = paths.map { model.type.fieldName(ofPath: $0) }
      // SwiftData accepts a part whose values have no order, such as an array. It helps no fetch. Lists,
      // and references that the other side stores, have no field.
      if !isUnique { fields.removeAll { entity.field($0)?.hasOrder != true } }
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
        // Rows of other classes need no entries.
        tests = [.isNotNull(field.id)]
      }
      let one = AskedIndex(
        entity: entity.id, name: name, parts: fields.compactMap { entity.field($0).map { Index.Part($0.id) } },
        isUnique: isUnique, tests: tests)
      if !asked.contains(one) { asked.append(one) }
    }
  }

  func addIndexes(_ catalog: inout Catalog) throws {
    for one in asked where !catalog.indexes.contains(where: { one.isMet(by: $0) }) {
      guard let entity = catalog.entity(one.entity) else { continue }
      // The code of a stage may first have to set values or remove duplicates.
      if one.isUnique, isStaged, try hasRows(entity.name) { continue }
      try catalog.add(
        index: Self.freeName(one.name, entity, in: catalog), of: entity.name, parts: one.parts, isUnique: one.isUnique,
        tests: one.tests)
    }
  }

  /// The name of a new index. A renamed property may have left an index with this name.
  private static func freeName(_ name: String, _ entity: Entity, in catalog: Catalog) -> String {
    let taken = Set(catalog.indexes(of: entity.id).map(\.name))
    var free = name
    var number = 2
    while taken.contains(free) {
      free = "\(name) \(number)"
      number += 1
    }
    return free
  }

  /// Removes unique indexes and indexes with definitions that the models no longer declare, and
  /// others that an index with the same fields replaces. Indexes over properties that the program
  /// does not name stay.
  mutating func removeIndexes(_ catalog: inout Catalog) throws {
    for root in Set(models.map(\.type.root.name)).sorted() {
      guard let entity = catalog.entity(root) else { continue }
      let named = try named(root)
      let family = entity.field(Family.fieldName)?.id ?? FieldID(0)
      let classes = models.compactMap { catalog.id(of: $0.type.name)?.number }
      for index in catalog.indexes(of: entity.id) where !index.name.hasPrefix("@") {
        let isOfStranger = index.tests.contains { test in
          guard case .equals(family, .uint(let number)) = test else { return false }
          return !classes.contains { UInt64($0) == number }
        }
        let isReplaced = asked.contains { $0.isAlike(index) }
        guard !asked.contains(where: { $0.isMet(by: index) }), !isOfStranger,
          index.isUnique || isReplaced || index.isDefined(family: family),
          index.fields.allSatisfy({ id in entity.field(id).map { named.contains($0.name) } ?? false }),
          !catalog.relationships.contains(where: { $0.index == index.id })
        else { continue }
        try catalog.remove(index: index.name, of: root)
      }
    }
  }

  /// Whether to make an index over fields. Each reference has one already.
  private func isIndexed(_ fields: [String], _ isUnique: Bool, entity: Entity) throws -> Bool {
    if fields.isEmpty { return false }
    if let missing = fields.first(where: { entity.field($0) == nil }) {
      if let part = entity.fields.first(where: { $0.name.hasPrefix(missing + ".") }) {
        throw RecordFault(
          .conflict, "the parts of its value are stored one by one: name them, as in #Unique([\\.\(part.name), …])",
          entity: entity.name, field: missing)
      }
      throw RecordFault(
        .conflict, "the other side stores this relationship, so it cannot be unique here", entity: entity.name,
        field: missing)
    }
    if !isUnique, fields.count == 1, case .reference? = entity.field(fields[0])?.type { return false }
    return true
  }

  /// Whether a subclass declares inherited properties as unique among its own objects.
  private func isNarrower(_ paths: [String], _ model: ModelPlan) -> Bool {
    var owner = model
    while let above = models.first(where: { $0.type === owner.type.superType }), above.uniques.contains(paths) {
      owner = above
    }
    if owner.type.superType == nil { return false }
    return paths.allSatisfy { path in owner.type.number(ofPath: path).map { $0 < owner.type.first } ?? false }
  }

  // MARK: Definitions

  /// Records an index with a condition or with forms.
  mutating func ask(_ plan: IndexPlan, of model: ModelPlan, _ catalog: Catalog) throws {
    guard let entity = catalog.entity(model.type.root.name) else { return }
    func field(_ path: String) throws -> FieldID {
      guard let field = entity.field(model.type.fieldName(ofPath: path)) else {
        throw RecordFault(
          .conflict, "an index needs a property that the object's own row has", entity: model.type.name, field: path)
      }
      return field.id
    }
    let parts = try plan.parts.map { part in
      Index.Part(try field(part.path), isDescending: part.isDescending, form: part.form)
    }
    let index = Index(
      IndexID(0), of: entity.id, "", parts: Index.normal(parts), isUnique: plan.isUnique,
      tests: try plan.tests.map { try $0.test(field) })
    let one = AskedIndex(
      entity: entity.id, name: index.definition(in: entity), parts: index.parts, isUnique: index.isUnique,
      tests: index.tests)
    if let fault = index.complaint(in: entity) {
      throw RecordFault(.conflict, "the index \(plan.text) \(fault)", entity: model.type.name)
    }
    if !asked.contains(one) { asked.append(one) }
  }
}

extension IndexPlan.Test {
  func test(_ field: (String) throws -> FieldID) throws -> Index.Test {
    switch self {
    case .isNull(let path): .isNull(try field(path))
    case .isNotNull(let path): .isNotNull(try field(path))
    case .equals(let path, let value): .equals(try field(path), value)
    case .compares(let path, let comparison, let value): .compares(try field(path), comparison, value)
    case .any(let tests): .any(try tests.map { try $0.test(field) })
    }
  }
}
