internal import RoostQuery
package import RoostRecords

/// The models that a store was made for, read from its catalog, for a program that does not have their classes.
///
/// They serve to compare and to check: ``GraphStore/prospect(_:_:_:)`` infers from their ``plans`` what it infers from those of
/// classes. No object can be made of them. Parked entities and properties are left out.
///
/// A catalog does not have all that a class says:
/// - original names and `hashModifier`. The caller may give original names with ``rename(_:of:from:)``;
/// - a default of a subclass that is an empty value: see ``setDefault(_:of:)``;
/// - relationships to a subclass, which are stored as ones to its topmost class.
package struct StoredModels {
  /// A property of one class.
  struct Member {
    var name: String
    var content: Content
    var isPreserved = false
    var hasDefault = false

    enum Content {
      case value(StoredPart)
      case link(RelationshipPlan, isOptional: Bool)
    }
  }

  /// One class.
  struct Model {
    var name: String
    /// The class that it inherits from.
    var above: String?
    var members: [Member] = []
    var uniques: [[String]] = []
    var indexes: [[String]] = []
    var originalNames: [String: String] = [:]

    var prefix: String { above == nil ? "" : name + "/" }
  }

  /// Classes follow those that they inherit from.
  private(set) var models: [Model] = []
  /// Classes whose superclass is one of several, and the catalog does not tell which. They are taken to inherit from the topmost one.
  package private(set) var unsure: [String] = []

  package init(_ catalog: Catalog) throws {
    let families = StoredFamilies(catalog)
    let named = catalog.entities.filter { entity in
      !entity.name.hasPrefix("@") && catalog.version?.parked.contains(entity.name) != true
    }
    for entity in named where families.roots[entity.name] == nil {
      models.append(Model(name: entity.name))
      for other in named where families.roots[other.name] == entity.name {
        models.append(Model(name: other.name, above: entity.name))
      }
    }
    for place in models.indices { try read(place, catalog) }
    try findSuperclasses(catalog)
  }

  /// The topmost class of a class.
  private func root(_ model: Model) -> String {
    var model = model
    while let above = model.above, let next = models.first(where: { $0.name == above }) { model = next }
    return model.name
  }

  // MARK: Reading a catalog

  private mutating func read(_ place: Int, _ catalog: Catalog) throws {
    var model = models[place]
    guard let entity = catalog.entity(root(model)) else { return }
    let parked = Set(catalog.version?.part(entity.name)?.parked ?? [])
    /// The name of a field or relationship without that of its class; nil where it belongs to another class, or to none.
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
      guard let name = own(one.name), let link = link(name, one, catalog) else { continue }
      model.members.append(Member(name: name, content: link))
    }
    for index in catalog.indexes(of: entity.id) where !index.name.hasPrefix("@") {
      let paths = index.parts.compactMap { part in entity.field(part.field).flatMap { own($0.name) ?? inherited($0) } }
      guard paths.count == index.parts.count, owner(of: index, entity, catalog) == model.name else { continue }
      if index.isUnique { model.uniques.append(paths) } else { model.indexes.append(paths) }
    }
    models[place] = model
    /// The path of a field of the topmost class, of which a subclass may say that it is unique.
    func inherited(_ field: Field) -> String? {
      let isParked = parked.contains(field.name) || parked.contains(String(field.name.prefix { $0 != "." }))
      return field.name.contains("/") || field.name.hasPrefix("@") || isParked ? nil : field.name
    }
  }

  /// The class that an index belongs to.
  private func owner(of index: Index, _ entity: Entity, _ catalog: Catalog) -> String {
    for test in index.tests {
      if case .equals(_, .uint(let number)) = test, let name = catalog.name(of: EntityID(UInt32(clamping: number))) {
        return name
      }
    }
    let names = index.parts.compactMap { entity.field($0.field)?.name }
    return names.compactMap { Self.className($0) }.last ?? entity.name
  }

  /// The name of the subclass that adds a property; nil if none does.
  private static func className(_ name: String) -> String? {
    name.firstIndex(of: "/").map { String(name[..<$0]) }
  }

  private func link(_ name: String, _ one: Relationship, _ catalog: Catalog) -> Member.Content? {
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
  private mutating func findSuperclasses(_ catalog: Catalog) throws {
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

  // MARK: Changing

  /// Whether a class inherits from another one.
  package func inherits(_ name: String) -> Bool { models.first { $0.name == name }?.above != nil }

  private func place(of property: String, _ entity: String) -> (model: Int, member: Int)? {
    guard let model = models.firstIndex(where: { $0.name == entity }),
      let member = models[model].members.firstIndex(where: { $0.name == property })
    else { return nil }
    return (model, member)
  }

  /// Says what a property was called before, as `@Attribute(originalName:)` does; false if there is no such property.
  package mutating func rename(_ property: String, of entity: String, from former: String) -> Bool {
    guard let place = place(of: property, entity) else { return false }
    models[place.model].originalNames[property] = former
    return true
  }

  /// Says that a property has a default; false if there is no such property, or it is a relationship.
  package mutating func setDefault(_ property: String, of entity: String) -> Bool {
    guard let place = place(of: property, entity), case .value = models[place.model].members[place.member].content
    else { return false }
    models[place.model].members[place.member].hasDefault = true
    return true
  }

  /// Leaves out what a fault is about, so that the next one can be found; false if it is about a whole entity.
  package mutating func drop(_ fault: MigrationFault) -> Bool {
    guard let property = fault.property else { return false }
    let family = models.first { $0.name == fault.entity }.map(root)
    let places = models.indices.filter { models[$0].name == fault.entity || root(models[$0]) == family }
    for place in places {
      let model = models[place]
      // Such a fault names all fields.
      let rule = model.uniques.firstIndex { paths in
        paths.joined(separator: ", ") == property
          || paths.map { owned($0, model) }.joined(separator: ", ") == property
      }
      guard let rule else { continue }
      models[place].uniques.remove(at: rule)
      return true
    }
    let name = String(property.drop { $0 != "/" }.dropFirst().prefix { $0 != "." })
    let plain = name.isEmpty ? String(property.prefix { $0 != "." }) : name
    let ordered = places.filter { models[$0].name == fault.entity } + places.filter { models[$0].name != fault.entity }
    guard let place = ordered.first(where: { models[$0].members.contains { $0.name == plain } }) else { return false }
    remove(plain, of: place)
    return true
  }

  /// The name of a property's field.
  private func owned(_ path: String, _ model: Model) -> String {
    model.members.contains { $0.name == path.prefix { $0 != "." } } ? model.prefix + path : path
  }

  private mutating func remove(_ property: String, of place: Int) {
    let owner = models[place].name
    models[place].members.removeAll { $0.name == property }
    models[place].originalNames[property] = nil
    for other in models.indices {
      let isOver = { (paths: [String]) in paths.contains { $0.prefix { $0 != "." } == property } }
      if other == place {
        models[other].uniques.removeAll(where: isOver)
        models[other].indexes.removeAll(where: isOver)
      }
      for member in models[other].members.indices {
        guard case .link(var plan, let isOptional) = models[other].members[member].content, plan.target == owner,
          plan.inverse == property
        else { continue }
        plan.inverse = nil
        models[other].members[member].content = .link(plan, isOptional: isOptional)
      }
    }
  }

  // MARK: Plans

  /// What an opening compares the store with.
  package var plans: [ModelPlan] {
    var types: [String: _ModelType] = [:]
    return models.map { model in
      let type = _ModelType(
        StoredModel.self, name: model.name, superType: model.above.flatMap { types[$0] },
        own: model.members.map(\.property))
      types[model.name] = type
      return ModelPlan(
        type, uniques: model.uniques, indexes: model.indexes.filter { !model.uniques.contains($0) },
        relationships: model.members.compactMap { member in
          if case .link(let plan, _) = member.content { plan } else { nil }
        },
        originalNames: model.originalNames, preserved: Set(model.members.filter(\.isPreserved).map(\.name)))
    }
  }
}

extension StoredModels.Member {
  fileprivate var property: _ModelType.Property {
    let keyPath = \StoredModel._$box
    switch content {
    case .value(let part):
      let coder = part.coder
      var property = _ModelType.Property(
        name: name, keyPath: keyPath, storage: .value(_Coder { () throws(RecordFault) in coder }))
      if hasDefault, let bytes = try? part.initial.elementBytes(as: coder.form.element) {
        property.initial = { bytes }
      }
      return property
    case .link(let plan, let isOptional):
      let link = _ModelType.Link(StoredModel.self, isOptional: isOptional)
      return _ModelType.Property(
        name: name, keyPath: keyPath, storage: plan.isToMany ? .toMany(link) : .toOne(link))
    }
  }
}

/// Which entities of a catalog are the numbers of subclasses, and of which topmost class.
private struct StoredFamilies {
  /// By the name of a subclass, that of its topmost class.
  var roots: [String: String] = [:]

  init(_ catalog: Catalog) {
    let tops = catalog.entities.filter { $0.field(Family.fieldName) != nil }
    for entity in catalog.entities where entity.fields.isEmpty && catalog.relationships(of: entity.id).isEmpty {
      let prefix = entity.name + "/"
      let owner = tops.first { top in
        top.fields.contains { $0.name.hasPrefix(prefix) }
          || catalog.relationships(of: top.id).contains { $0.name.hasPrefix(prefix) }
      }
      // A class without properties of its own has left nothing but its number.
      roots[entity.name] = owner?.name ?? (tops.count == 1 ? tops[0].name : Self.marked(entity, tops, catalog))
    }
  }

  /// The topmost class under which a class without properties was noted; found by its digest.
  private static func marked(_ entity: Entity, _ tops: [Entity], _ catalog: Catalog) -> String? {
    tops.first { top in
      catalog.indexes(of: top.id).contains { index in
        index.tests.contains { test in
          if case .equals(_, .uint(let number)) = test { number == UInt64(entity.id.number) } else { false }
        }
      }
    }?.name
  }
}
