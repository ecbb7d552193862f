package import RoostFile
internal import RoostText

/// Builds catalogs from the parts that a dump contains.
extension Catalog {
  /// The numbers that the next entity, index and relationship get.
  package var nextNumbers: (entity: UInt32, index: UInt32, relationship: UInt32) {
    (next.entity, next.index, next.relationship)
  }

  /// Makes a catalog of these parts. Throws `damaged` if they do not fit together.
  package init(
    entities: [Entity], indexes: [Index], relationships: [Relationship], textIndexes: [FullTextIndex],
    derivations: [Derivation], version: ModelVersion?, next: (entity: UInt32, index: UInt32, relationship: UInt32)
  ) throws(StoreError) {
    var numbers = Numbers()
    (numbers.entity, numbers.index, numbers.relationship) = (next.entity, next.index, next.relationship)
    var made = Catalog(entities, indexes, relationships: relationships, next: numbers)
    (made.textIndexes, made.derivations, made.version) = (textIndexes, derivations, version)
    // Reading the bytes checks everything.
    self = try Catalog(decoding: made.encoded)
  }

  /// The catalog without relationships and derivations. With it rows can be stored in any order,
  /// because no reference is checked.
  package var withoutRelationships: Catalog {
    var plain = self
    plain.relationships = []
    plain.derivations.removeAll(where: \.isKept)
    return plain
  }
}

extension Entity {
  /// The number that the next field gets.
  package var nextFieldNumber: UInt16 { nextField }

  /// Makes an entity with these fields and without former layouts.
  package init(_ id: EntityID, _ name: String, fields: [Field], nextField: UInt16) {
    self.init(id, name, fields: fields, layouts: [[], fields.map(\.member)], nextField: nextField)
  }
}

extension Relationship {
  /// The parts of a relationship, as its catalog stores them.
  package struct Parts {
    package var id: RelationshipID
    package var entity: EntityID
    package var name: String
    package var target: EntityID
    package var shape: Shape
    package var inverse: RelationshipID
    package var deleteRule: DeleteRule
    package var traits: Traits
    package var index: IndexID?

    package init(
      _ id: RelationshipID, _ name: String, entity: EntityID, target: EntityID, shape: Shape, inverse: RelationshipID,
      deleteRule: DeleteRule, traits: Traits, index: IndexID?
    ) {
      (self.id, self.name, self.entity, self.target) = (id, name, entity, target)
      (self.shape, self.inverse, self.deleteRule) = (shape, inverse, deleteRule)
      (self.traits, self.index) = (traits, index)
    }
  }

  package init(_ parts: Parts) {
    self.init(
      id: parts.id, entity: parts.entity, name: parts.name, target: parts.target, shape: parts.shape,
      inverse: parts.inverse, deleteRule: parts.deleteRule, traits: parts.traits, index: parts.index)
  }
}

extension FullTextIndex {
  /// The rules of the index as bytes.
  package var analyzerBytes: [UInt8] { analyzer.encode() }

  package init(
    _ id: IndexID, of entity: EntityID, _ name: String, fields: [FieldID], analyzerBytes: [UInt8]
  ) throws(StoreError) {
    self.init(id, of: entity, name, fields: fields, analyzer: try TextAnalyzer(decoding: analyzerBytes))
  }
}
