package import RoostRecords

/// The models for which a store was made, read from its catalog, for a program without their
/// classes.
///
/// They serve to compare and to check: ``GraphStore/prospect(_:_:version:)`` infers the same from
/// their ``plans`` as from those of classes. No object can be made of them. Parked entities and
/// properties are left out.
///
/// A catalog does not contain everything that a class declares:
/// - `hashModifier`;
/// - a subclass's default that is an empty value: see ``setDefault(_:of:)``;
/// - relationships to a subclass, which are stored as relationships to its root class.
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
    /// The superclass.
    var above: String?
    var members: [Member] = []
    var uniques: [[String]] = []
    var indexes: [[String]] = []
    var definitions: [IndexPlan] = []
    var originalNames: [String: String] = [:]
    var derived: [DerivedPlan] = []

    var prefix: String { above == nil ? "" : name + "/" }
  }

  /// Classes follow their superclasses.
  var models: [Model] = []
  /// Classes with several possible superclasses, which the catalog does not tell apart. The root
  /// class is assumed.
  package internal(set) var unsure: [String] = []

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
    for place in models.indices {
      models[place].originalNames = catalog.version?.part(models[place].name)?.formerNames ?? [:]
      try read(place, catalog)
    }
    try findSuperclasses(catalog)
  }

  /// The root class of a class.
  func root(_ model: Model) -> String {
    var model = model
    while let above = model.above, let next = models.first(where: { $0.name == above }) { model = next }
    return model.name
  }

  // MARK: Changing

  /// Whether a class has a superclass.
  package func inherits(_ name: String) -> Bool { models.first { $0.name == name }?.above != nil }

  private func place(of property: String, _ entity: String) -> (model: Int, member: Int)? {
    guard let model = models.firstIndex(where: { $0.name == entity }),
      let member = models[model].members.firstIndex(where: { $0.name == property })
    else { return nil }
    return (model, member)
  }

  /// Records that a property has a default; returns false if there is no such property, or if it is
  /// a relationship.
  package mutating func setDefault(_ property: String, of entity: String) -> Bool {
    guard let place = place(of: property, entity), case .value = models[place.model].members[place.member].content
    else { return false }
    models[place.model].members[place.member].hasDefault = true
    return true
  }

  /// Removes the property or index that an error concerns, so that the next error can be found;
  /// returns false if it concerns a whole entity.
  package mutating func drop(_ fault: MigrationFault) -> Bool {
    guard let property = fault.property else { return false }
    let family = models.first { $0.name == fault.entity }.map(root)
    let places = models.indices.filter { models[$0].name == fault.entity || root(models[$0]) == family }
    for place in places {
      let model = models[place]
      // Such an error names all fields.
      let defined = model.definitions.firstIndex { plan in
        plan.isUnique && plan.parts.map(\.path).joined(separator: ", ") == property
      }
      if let defined {
        models[place].definitions.remove(at: defined)
        return true
      }
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
    models[place].derived.removeAll { $0.property == property || $0.list == property }
    for other in models.indices {
      let isOver = { (paths: [String]) in paths.contains { $0.prefix { $0 != "." } == property } }
      if other == place {
        models[other].uniques.removeAll(where: isOver)
        models[other].indexes.removeAll(where: isOver)
        models[other].definitions.removeAll { isOver($0.paths) }
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

  /// The constraints of a class, then those of its superclasses.
  private func inherited(_ model: Model, _ kind: KeyPath<Model, [[String]]>) -> [[String]] {
    var all = model[keyPath: kind]
    var next = model.above
    while let name = next, let above = models.first(where: { $0.name == name }) {
      all += above[keyPath: kind].filter { !all.contains($0) }
      next = above.above
    }
    return all
  }

  /// The defined indexes of a class, then those of its superclasses.
  private func definitions(_ model: Model) -> [IndexPlan] {
    var all = model.definitions
    var next = model.above
    while let name = next, let above = models.first(where: { $0.name == name }) {
      all += above.definitions.filter { !all.contains($0) }
      next = above.above
    }
    return all
  }

  /// The plans with which an opening compares the store.
  package var plans: [ModelPlan] {
    var types: [String: _ModelType] = [:]
    return models.map { model in
      let type = _ModelType(
        StoredModel.self, name: model.name, superType: model.above.flatMap { types[$0] },
        own: model.members.map(\.property))
      types[model.name] = type
      let (uniques, indexes) = (inherited(model, \.uniques), inherited(model, \.indexes))
      var plan = ModelPlan(
        type, uniques: uniques, indexes: indexes.filter { !uniques.contains($0) },
        relationships: model.members.compactMap { member in
          if case .link(let plan, _) = member.content { plan } else { nil }
        },
        originalNames: model.originalNames, preserved: Set(model.members.filter(\.isPreserved).map(\.name)))
      plan.definitions = definitions(model)
      plan.derived = model.derived
      return plan
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
