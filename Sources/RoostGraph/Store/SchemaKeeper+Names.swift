internal import RoostRecords

/// A property of a class, by names.
struct PropertyName: Hashable {
  var entity: String
  var property: String
}

/// Handles properties that have another name in the store, or are stored under another class.
extension SchemaKeeper {
  /// Gives fields and relationships the present names of their properties.
  mutating func names(_ model: ModelPlan, _ catalog: inout Catalog) throws {
    if !model.originalNames.isEmpty { try renamed(model, &catalog) }
    try moved(model, &catalog)
  }

  private mutating func renamed(_ model: ModelPlan, _ catalog: inout Catalog) throws {
    let root = model.type.root.name
    let circle = model.exchangedNames
    guard let entity = catalog.entity(root) else { return }
    var renamed: [String: String] = [:]
    if !circle.isEmpty {
      // Names do not tell whether the properties have exchanged them already, so the catalog
      // records it.
      let mark = "@exchanged " + model.type.name + " " + circle.joined(separator: " ")
      if entity.field(mark) == nil {
        for name in circle { if let before = model.originalNames[name] { renamed[before] = name } }
        try catalog.change(entity: root) { (entity) throws(RecordFault) in
          try entity.add(mark, .presence, isOptional: true)
        }
      }
    }
    try makeRoom(model, &catalog)
    let known = catalog.entity(root).map { Self.properties(of: model, $0, catalog: catalog) } ?? []
    // A name may become free only when its property gets another one.
    var isDone = false
    while !isDone {
      isDone = true
      for (name, before) in model.originalNames.sorted(by: { $0.key < $1.key }) where !circle.contains(name) {
        let isFree = !known.contains(name) || renamed[name] != nil
        guard isFree, known.contains(before), renamed[before] == nil, !renamed.values.contains(name) else { continue }
        renamed[before] = name
        isDone = false
      }
    }
    renamed = renamed.filter { known.contains($0.key) }
    // The store may have only one of two properties that exchange names.
    renamed = renamed.filter { !known.contains($0.value) || renamed[$0.value] != nil }
    try rename(renamed, model, to: model.type, catalog: &catalog)
  }

  /// Parks a property whose name another one gets, when a version follows an older one. In the same
  /// version, and if the older version has the same former name, both names mean that the property
  /// was renamed before.
  private mutating func makeRoom(_ model: ModelPlan, _ catalog: inout Catalog) throws {
    guard let version, version.isWhole, let noted = catalog.version, let entity = catalog.entity(model.type.root.name),
      OpeningVersion.isOlder(noted.number, than: version.number), let part = noted.part(model.type.name)
    else { return }
    let known = Self.properties(of: model, entity, catalog: catalog)
    let declared = Set(model.type.properties[model.type.first...].map(\.name))
    for (name, before) in model.originalNames.sorted(by: { $0.key < $1.key }) {
      // If the store has the name of another declared property, the data belongs to that one.
      guard known.contains(name), known.contains(before), !declared.contains(before),
        !model.originalNames.values.contains(name), part.formerNames[name] != before
      else { continue }
      try park(Self.prefix(model.type) + name, of: model.type.root.name, catalog: &catalog)
    }
  }

  /// Finds properties that another class of the family declared before.
  private mutating func moved(_ model: ModelPlan, _ catalog: inout Catalog) throws {
    let family = models.filter { $0.type.root === model.type.root && $0.type !== model.type }
    guard !family.isEmpty, let entity = catalog.entity(model.type.root.name) else { return }
    let known = Self.properties(of: model, entity, catalog: catalog)
    for property in model.type.first..<model.type.properties.count {
      let name = model.type.propertyName(property)
      if known.contains(name) { continue }
      var isFound = false
      for other in family where other.type.isKind(of: model.type) || model.type.isKind(of: other.type) {
        guard let entity = catalog.entity(model.type.root.name) else { return }
        let stored = Self.properties(of: other, entity, catalog: catalog)
        // Its name may have changed at the same time.
        let before = [model.originalNames[name], name].compactMap { $0 }.first { one in
          stored.contains(one) && !other.type.properties[other.type.first...].contains { $0.name == one }
        }
        guard let before else { continue }
        if !isFound {
          try rename([before: name], other, to: model.type, catalog: &catalog)
        } else if before == name {
          try join(name, of: other, with: model, catalog: &catalog)
        }
        isFound = true
      }
    }
  }

  /// Moves the values of a property that a second subclass declared before to the superclass.
  private mutating func join(
    _ name: String, of other: ModelPlan, with model: ModelPlan, catalog: inout Catalog
  ) throws {
    guard let entity = catalog.entity(model.type.root.name) else { return }
    let (before, after) = (Self.prefix(other.type) + name, Self.prefix(model.type) + name)
    let relationships = catalog.relationships(of: entity.id).filter { !$0.isHidden }.map(\.name)
    for field in entity.fields where field.name == before || field.name.hasPrefix(before + ".") {
      let to = entity.field(after + field.name.dropFirst(before.count))
      guard let to, to.type == field.type, !relationships.contains(before) else {
        throw MigrationFault(
          model.type.name, name,
          detail:
            "several classes had a property of this name, and their types differ or they are relationships: give it a new name, and "
            + "copy the values in a custom stage of a migration plan")
      }
      for index in catalog.indexes(of: entity.id) where index.fields.contains(field.id) {
        try catalog.remove(index: index.name, of: entity.name)
      }
      work.moves.append(RowWork.Move(entity: entity.id, from: field.id, to: to.id))
    }
  }

  /// Renames properties of a class, including parts of structs, and moves them to a class of its
  /// family.
  private func rename(
    _ properties: [String: String], _ model: ModelPlan, to type: _ModelType, catalog: inout Catalog
  ) throws {
    guard !properties.isEmpty, let entity = catalog.entity(model.type.root.name) else { return }
    var names: [String: String] = [:]
    let (before, after) = (Self.prefix(model.type), Self.prefix(type))
    func add(_ name: String) {
      guard name.hasPrefix(before) else { return }
      let path = name.dropFirst(before.count)
      guard let new = properties[String(path.prefix { $0 != "." })] else { return }
      names[name] = after + new + path.drop { $0 != "." }
    }
    for field in entity.fields { add(field.name) }
    for one in catalog.relationships(of: entity.id) where !one.isHidden { add(one.name) }
    try catalog.rename(names, of: entity.name)
  }

  /// The prefix of the names of a class's own fields.
  static func prefix(_ type: _ModelType) -> String { type.superType == nil ? "" : type.name + "/" }

  /// The own properties of a class that an entity has.
  static func properties(of model: ModelPlan, _ entity: Entity, catalog: Catalog) -> Set<String> {
    let prefix = prefix(model.type)
    let names = entity.fields.map(\.name) + catalog.relationships(of: entity.id).filter { !$0.isHidden }.map(\.name)
    var found: Set<String> = []
    for name in names where name.hasPrefix(prefix) && !name.hasPrefix("@") {
      let own = name.dropFirst(prefix.count)
      if !own.contains("/") { found.insert(String(own.prefix { $0 != "." })) }
    }
    return found
  }

  // MARK: Parking

  /// Keeps the stored data of a property under a name that no property has, because the property's
  /// type changed.
  mutating func park(
    _ name: String, of entityName: String, as kind: String = "@parked", catalog: inout Catalog
  ) throws {
    guard let entity = catalog.entity(entityName) else { return }
    let relationships = catalog.relationships(of: entity.id).filter { !$0.isHidden }.map(\.name)
    let taken = Set(entity.fields.map(\.name) + relationships)
    let parts = taken.filter { $0 == name || $0.hasPrefix(name + ".") }
    var new = kind + " " + name
    var number = 2
    while taken.contains(where: { $0 == new || $0.hasPrefix(new + ".") }) {
      new = "\(kind) \(name) \(number)"
      number += 1
    }
    // A unique index belongs to the property that has the name now, and is made anew.
    for index in catalog.indexes(of: entity.id) where !index.name.hasPrefix("@") {
      if catalog.relationships.contains(where: { $0.index == index.id }) { continue }
      if index.fields.contains(where: { id in entity.field(id).map { parts.contains($0.name) } == true }) {
        try catalog.remove(index: index.name, of: entityName)
      }
    }
    try catalog.rename(
      Dictionary(parts.map { ($0, new + $0.dropFirst(name.count)) }) { first, _ in first }, of: entityName)
  }

  /// Makes fields optional that the models do not name, so that rows written meanwhile store no
  /// value.
  mutating func park(_ catalog: inout Catalog) throws {
    for root in Set(models.map(\.type.root.name)).sorted() {
      let wanted = try named(root)
      for field in catalog.entity(root)?.fields ?? [] where !field.isOptional && !wanted.contains(field.name) {
        if field.name.hasPrefix(Self.retired) { continue }
        try allowNil(field, of: root, catalog: &catalog)
      }
    }
  }

  /// The fields of all values of a model, computed once.
  mutating func needed(_ model: ModelPlan) throws -> [_ModelType.NeededField] {
    if let known = neededFields[ObjectIdentifier(model.type)] { return known }
    let needed = try model.type.neededFields()
    neededFields[ObjectIdentifier(model.type)] = needed
    return needed
  }

  /// The fields of an entity that the models name.
  mutating func named(_ root: String) throws -> Set<String> {
    if let known = namedFields[root] { return known }
    var named: Set<String> = [Family.fieldName]
    for model in models where model.type.root.name == root {
      for field in try needed(model) { named.insert(field.name) }
      for one in model.relationships {
        if let number = model.type.number(ofPath: one.name) { named.insert(model.type.fieldName(number)) }
      }
    }
    namedFields[root] = named
    return named
  }

  /// The prefix of the names of relationships that are removed after their members are copied.
  static let retired = "@retired "
}

extension ModelPlan {
  /// Properties that exchange names in a cycle: the original name of each is the name of another
  /// one. Sorted.
  fileprivate var exchangedNames: [String] {
    originalNames.keys.filter { name in
      var next = originalNames[name]
      for _ in originalNames {
        if next == name { return true }
        next = next.flatMap { originalNames[$0] }
      }
      return false
    }.sorted()
  }
}
