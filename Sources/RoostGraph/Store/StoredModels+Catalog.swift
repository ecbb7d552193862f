package import RoostRecords

/// Reads models from a catalog.
extension StoredModels {
  /// Reads the properties and constraints of a class.
  mutating func read(_ place: Int, _ catalog: Catalog) throws {
    var model = models[place]
    guard let entity = catalog.entity(root(model)) else { return }
    let parked = Set(catalog.version?.part(entity.name)?.parked ?? [])
    /// The name of a field or relationship without its class's name; nil if it belongs to another
    /// class or to none.
    func own(_ name: String) -> String? {
      guard name.hasPrefix(model.prefix), !name.hasPrefix("@") else { return nil }
      let own = name.dropFirst(model.prefix.count)
      let property = model.prefix + own.prefix { $0 != "." }
      return own.contains("/") || parked.contains(name) || parked.contains(property) ? nil : String(own)
    }
    for field in entity.fields {
      guard let name = own(field.name) else { continue }
      if case .reference = field.type { continue }
      let path = name.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
      let at = model.members.firstIndex { $0.name == path[0] } ?? model.members.endIndex
      if at == model.members.endIndex {
        model.members.append(Member(name: path[0], content: .value(StoredPart(path[0]))))
      }
      guard case .value(var part) = model.members[at].content else { continue }
      part.add(field, at: path.dropFirst(), isAdded: model.above != nil)
      model.members[at].content = .value(part)
      model.members[at].isPreserved = field.isPreserved
      model.members[at].hasDefault = part.hasInitial
    }
    for one in catalog.relationships(of: entity.id) where !one.isHidden {
      guard let name = own(one.name), let link = link(name, one, catalog: catalog) else { continue }
      model.members.append(Member(name: name, content: link))
    }
    for index in catalog.indexes(of: entity.id) where !index.name.hasPrefix("@") {
      let paths = index.parts.compactMap { part in entity.field(part.field).flatMap { own($0.name) ?? inherited($0) } }
      guard paths.count == index.parts.count, Self.owner(of: index, entity, catalog: catalog) == model.name else {
        continue
      }
      if index.isDefined(family: entity.field(Family.fieldName)?.id ?? FieldID(0)) {
        if let plan = definition(index, paths, path: { entity.field($0).flatMap { own($0.name) ?? inherited($0) } }) {
          model.definitions.append(plan)
        }
        continue
      }
      if index.isUnique { model.uniques.append(paths) } else { model.indexes.append(paths) }
    }
    for one in catalog.derivations(of: entity.id) {
      guard let name = entity.field(one.field).flatMap({ own($0.name) }) else { continue }
      let list = one.relationship.flatMap { catalog.relationship($0) }
      let target = list.flatMap { catalog.entity($0.target) }
      func field(_ id: FieldID?) -> String { id.flatMap { target?.field($0)?.name } ?? "" }
      model.derived.append(
        DerivedPlan(
          name, one.kind, list: list.map { own($0.name) ?? $0.name } ?? "", value: field(one.value),
          key: field(one.key), text: one.computation))
    }
    models[place] = model
    /// The path of a field of the root class, which a subclass may declare as unique.
    func inherited(_ field: Field) -> String? {
      let isParked = parked.contains(field.name) || parked.contains(String(field.name.prefix { $0 != "." }))
      return field.name.contains("/") || field.name.hasPrefix("@") || isParked ? nil : field.name
    }
  }

  /// An index as a class declares it; nil if its condition uses a field that no property has.
  private func definition(_ index: Index, _ paths: [String], path: (FieldID) -> String?) -> IndexPlan? {
    let parts = zip(index.parts, paths).map { part, path in
      IndexPlan.Part(path, form: part.form, isDescending: part.isDescending)
    }
    let tests = index.tests.compactMap { $0.plan(path) }
    return tests.count == index.tests.count ? IndexPlan(parts, where: tests, isUnique: index.isUnique) : nil
  }

  /// The class that declares an index.
  package static func owner(of index: Index, _ entity: Entity, catalog: Catalog) -> String {
    let family = entity.field(Family.fieldName)?.id
    for test in index.tests {
      if case .equals(let field, .uint(let number)) = test, field == family,
        let name = catalog.name(of: EntityID(UInt32(clamping: number)))
      {
        return name
      }
    }
    let names = index.parts.compactMap { entity.field($0.field)?.name }
    return names.compactMap { className($0) }.last ?? entity.name
  }

  /// The name of the subclass that adds a property; nil if none does.
  private static func className(_ name: String) -> String? {
    name.firstIndex(of: "/").map { String(name[..<$0]) }
  }

  private func link(_ name: String, _ one: Relationship, catalog: Catalog) -> Member.Content? {
    guard var target = catalog.name(of: one.target) else { return nil }
    var inverse: String?
    if let other = catalog.inverse(of: one), !other.isHidden, !other.name.hasPrefix("@"), other.id != one.id,
      catalog.version?.part(target)?.parked.contains(other.name) != true
    {
      if let owner = Self.className(other.name) { target = owner }
      inverse = Self.className(other.name).map { String(other.name.dropFirst($0.count + 1)) } ?? other.name
    }
    var isOptional = true
    if case .one(let id) = one.shape, let field = catalog.field(id, of: one.entity) {
      isOptional = field.isOptional && !field.isNeeded
    }
    let plan = RelationshipPlan(
      name, to: target, isToMany: !one.isToOne, inverse: inverse, deleteRule: one.deleteRule)
    return .link(plan, isOptional: isOptional)
  }

  /// Finds the superclass of each subclass by the digest that the program left in the catalog.
  mutating func findSuperclasses(_ catalog: Catalog) throws {
    for root in models where root.above == nil {
      var waiting = models.filter { $0.above == root.name }
      if waiting.count < 2 { continue }
      models.removeAll { $0.above == root.name }
      var known = [root.name]
      var isDone = false
      while !isDone {
        isDone = true
        for (place, model) in waiting.enumerated() {
          guard let digest = catalog.version?.part(model.name)?.digest else { continue }
          let above = try known.first { name in
            var trial = self
            var heir = model
            heir.above = name
            trial.models.append(heir)
            return try trial.plans.last?.digest == digest
          }
          guard let above else { continue }
          models.append(model)
          models[models.count - 1].above = above
          known.append(model.name)
          waiting.remove(at: place)
          isDone = false
          break
        }
      }
      models += waiting
      unsure += waiting.map(\.name)
    }
  }
}

extension Index.Test {
  /// The test as a class declares it; nil if it uses a field that no property has.
  fileprivate func plan(_ path: (FieldID) -> String?) -> IndexPlan.Test? {
    if case .any(let tests) = self {
      let plans = tests.compactMap { $0.plan(path) }
      return plans.count == tests.count ? .any(plans) : nil
    }
    guard let path = fields.first.flatMap(path) else { return nil }
    switch self {
    case .isNull: return .isNull(path)
    case .isNotNull: return .isNotNull(path)
    case .equals(_, let value): return .equals(path, value)
    case .compares(_, let comparison, let value): return .compares(path, comparison, value)
    case .any: return nil
    }
  }
}

/// Finds the entities of a catalog that only number subclasses, and their root classes.
struct StoredFamilies {
  /// The name of the root class by the name of a subclass.
  var roots: [String: String] = [:]

  init(_ catalog: Catalog) {
    let tops = catalog.entities.filter { $0.field(Family.fieldName) != nil }
    for entity in catalog.entities where entity.fields.isEmpty && catalog.relationships(of: entity.id).isEmpty {
      let prefix = entity.name + "/"
      let owner = tops.first { top in
        top.fields.contains { $0.name.hasPrefix(prefix) }
          || catalog.relationships(of: top.id).contains { $0.name.hasPrefix(prefix) }
      }
      // A class without own properties has left only its number.
      roots[entity.name] = owner?.name ?? (tops.count == 1 ? tops[0].name : Self.marked(entity, tops, catalog: catalog))
    }
  }

  /// The root class of a class without own properties; found by an index for only that class.
  private static func marked(_ entity: Entity, _ tops: [Entity], catalog: Catalog) -> String? {
    tops.first { top in
      catalog.indexes(of: top.id).contains { index in
        index.tests.contains { test in
          if case .equals(let field, .uint(let number)) = test, field == top.field(Family.fieldName)?.id {
            number == UInt64(entity.id.number)
          } else {
            false
          }
        }
      }
    }?.name
  }
}
