internal import RoostGraph
internal import RoostRecords

/// Makes entities of classes, and of the classes that their relationships reference.
struct SchemaReflection {
  private(set) var entities: [Schema.Entity] = []
  private(set) var models: [any PersistentModel.Type] = []
  private(set) var faults: [SchemaFault] = []
  private var byType: [ObjectIdentifier: Schema.Entity] = [:]

  init(_ types: [any PersistentModel.Type]) {
    var waiting = types[...]
    while let type = waiting.popFirst() {
      if byType[ObjectIdentifier(type)] != nil { continue }
      if let superclass = Self.superclass(type) { waiting.append(superclass) }
      let entity = Schema.Entity(type._$type.name)
      byType[ObjectIdentifier(type)] = entity
      entities.append(entity)
      models.append(type)
      for property in type._$type.properties {
        switch property.storage {
        case .toOne(let link), .toMany(let link):
          if let model = link.model as? any PersistentModel.Type { waiting.append(model) }
        case .value, .none: continue
        }
      }
    }
    var names: Set<String> = []
    for entity in entities where !names.insert(entity.name).inserted {
      faults.append(SchemaFault("two models have the name \(entity.name): rename one of them"))
    }
    for (type, entity) in zip(models, entities) { fill(entity, type) }
    for (type, entity) in zip(models, entities) { inherit(entity, type) }
    for entity in entities { checkFullTexts(entity) }
    faults += InverseSearch(zip(models, entities).map { ($0, $1) }).faults
  }

  /// A family of classes has one index of each kind, because a fetch of a superclass finds the objects of all.
  private mutating func checkFullTexts(_ entity: Schema.Entity) {
    var above = entity.superentity
    while let one = above {
      if entity.fullTexts.contains(where: { text in one.fullTexts.contains { $0.isOfParts == text.isOfParts } }) {
        faults.append(
          SchemaFault(
            "\(entity.name) declares #FullText, and so does its superclass \(one.name): name the properties in one of the two"
          ))
        return
      }
      above = one.superentity
    }
  }

  private static func superclass(_ type: any PersistentModel.Type) -> (any PersistentModel.Type)? {
    type._$type.superType?.model as? any PersistentModel.Type
  }

  /// Adds the properties that the class itself declares.
  private mutating func fill(_ entity: Schema.Entity, _ type: any PersistentModel.Type) {
    let metadata = type.schemaMetadata
    let modelType = type._$type
    for property in metadata {
      if let constraint = property.metadata?.asConstraint {
        faults += constraint.faults.map { SchemaFault($0) }
        entity.indexDefinitions += constraint.definitions.filter { !entity.indexDefinitions.contains($0) }
        if constraint.isUnique {
          entity.uniquenessConstraints += constraint.names.filter { !$0.isEmpty }
        } else {
          entity.indices += constraint.names.filter { !$0.isEmpty && !entity.indices.contains($0) }
        }
        continue
      }
      if let text = property.metadata?.asFullText {
        faults += text.faults.map { SchemaFault($0) }
        entity.fullTexts.append(text.fullText)
        continue
      }
      if let derived = property.metadata?.asDerived {
        faults += derived.faults.map { SchemaFault($0) }
        entity.derived.append(derived)
        continue
      }
      let valueType = Swift.type(of: property.keypath).valueType
      if let attribute = property.metadata?.asAttribute, attribute.isTransient {
        attribute.name = property.name
        if attribute.originalName.isEmpty { attribute.originalName = property.name }
        (attribute.valueType, attribute.defaultValue) = (valueType, property.defaultValue)
        entity.storedProperties.append(attribute)
        continue
      }
      guard let number = modelType.number(of: property.keypath) else { continue }
      switch modelType.properties[number].storage {
      case .toOne(let link):
        add(relationship(property, valueType, link: link, isToMany: false), to: entity)
      case .toMany(let link):
        add(relationship(property, valueType, link: link, isToMany: true), to: entity)
      case .value(let coder):
        guard let coder = coderOrFault(coder, "\(entity.name).\(property.name)") else { continue }
        let attribute = attribute(property, valueType, coder: coder)
        faults += coder.faults(of: attribute.rules).map { SchemaFault("\(entity.name).\(property.name): \($0)") }
        if attribute.isUnique { entity.uniquenessConstraints.append([property.name]) }
        if attribute.isIndexed, !attribute.isUnique, !entity.indices.contains([property.name]) {
          entity.indices.append([property.name])
        }
        entity.storedProperties.append(attribute)
      case .none:
        faults.append(
          SchemaFault(
            "\(entity.name).\(property.name) cannot be stored, because \(valueType) is not Codable: make it Codable, or mark the property @Transient"
          ))
      }
    }
  }

  private mutating func add(_ relationship: Schema.Relationship, to entity: Schema.Entity) {
    faults += relationship.takeLengths("\(entity.name).\(relationship.name)")
    entity.storedProperties.append(relationship)
  }

  private func relationship(
    _ property: Schema.PropertyMetadata, _ valueType: Any.Type, link: _ModelType.Link, isToMany: Bool
  ) -> Schema.Relationship {
    let relationship = property.metadata?.asRelationship ?? Schema.Relationship()
    relationship.name = property.name
    if relationship.originalName.isEmpty { relationship.originalName = property.name }
    relationship.keypath = property.keypath
    relationship.valueType = valueType
    relationship.isToMany = isToMany
    relationship.destination = link.model._$type.name
    // Without @Relationship the macro treated it as an attribute.
    relationship.rules += property.metadata?.asAttribute?.rules ?? []
    return relationship
  }

  private mutating func coderOrFault(_ coder: _Coder, _ place: String) -> AnyCoder? {
    do { return try coder.coder() } catch {
      faults.append(SchemaFault("\(place) cannot be stored: \(error.detail)"))
      return nil
    }
  }

  private func attribute(_ property: Schema.PropertyMetadata, _ type: Any.Type, coder: AnyCoder) -> Schema.Attribute {
    let written = property.metadata?.asAttribute
    let original = written.flatMap { $0.originalName.isEmpty ? nil : $0.originalName }
    if coder.parts.isEmpty {
      let attribute = written ?? Schema.Attribute()
      attribute.name = property.name
      attribute.originalName = original ?? property.name
      attribute.valueType = type
      attribute.defaultValue = property.defaultValue
      return attribute
    }
    let composite = Schema.CompositeAttribute(
      name: property.name, originalName: original, options: written?.options ?? [], valueType: type,
      defaultValue: property.defaultValue, hashModifier: written?.hashModifier)
    composite.properties = Self.parts(coder)
    composite.rules = written?.rules ?? []
    return composite
  }

  private static func parts(_ coder: AnyCoder) -> [Schema.Attribute] {
    coder.parts.map { part in
      if part.coder.parts.isEmpty { return Schema.Attribute(name: part.name, valueType: part.coder.valueType) }
      let composite = Schema.CompositeAttribute(name: part.name, valueType: part.coder.valueType)
      composite.properties = parts(part.coder)
      return composite
    }
  }

  /// Adds the inherited properties.
  private func inherit(_ entity: Schema.Entity, _ type: any PersistentModel.Type) {
    guard let superclass = Self.superclass(type), let parent = byType[ObjectIdentifier(superclass)] else { return }
    entity.superentity = parent
    entity.superentityName = parent.name
    parent.subentities.insert(entity)
    var inherited: [any SchemaProperty] = []
    var next: Schema.Entity? = parent
    var above: (any PersistentModel.Type)? = superclass
    while let ancestor = next, let ancestorType = above {
      inherited = ancestor.storedProperties + inherited
      above = Self.superclass(ancestorType)
      next = above.flatMap { byType[ObjectIdentifier($0)] }
    }
    entity.inheritedProperties = inherited
  }
}
