import RoostRecords

/// The entities of a store as JSON, for programs.
struct SchemaFacts: Encodable {
  struct Field: Encodable {
    var name: String
    var type: String
    var isOptional: Bool
    var isUnique: Bool
    var isPreserved: Bool
    /// The definition of a derived field; nil for an ordinary field.
    var derived: String?
  }

  struct Relation: Encodable {
    var name: String
    var target: String
    var isToMany: Bool
    var isOrdered: Bool
    var deleteRule: String
    var inverse: String?
  }

  struct Index: Encodable {
    var name: String
    var fields: [String]
    var isUnique: Bool
    /// The indexed form of each field, if any part has another form than the value.
    var forms: [String]?
    /// The condition of its rows.
    var condition: String?
  }

  struct Entity: Encodable {
    var name: String
    var number: UInt32
    var layouts: Int
    var fields: [Field]
    var relationships: [Relation]
    var indexes: [Index]
    var fullTexts: [FullText]
  }

  struct FullText: Encodable {
    var fields: [String]
    var options: [String]
  }

  var entities: [Entity]

  init(_ catalog: Catalog) {
    let text = SchemaText(catalog)
    entities = catalog.entities.filter { !$0.name.hasPrefix("@") }.map { entity in
      let indexes = catalog.indexes(of: entity.id)
      return Entity(
        name: entity.name, number: entity.id.number, layouts: entity.layouts.count,
        fields: entity.fields.map { field in
          Field(
            name: field.name, type: text.type(field.type), isOptional: field.isOptional,
            isUnique: indexes.contains {
              $0.isUnique && $0.tests.isEmpty && $0.parts.count == 1 && $0.parts[0].field == field.id
            },
            isPreserved: field.isPreserved,
            derived: catalog.derivation(of: field.id, in: entity.id).map { _ in
              SchemaText.derivedAttribute(field, entity, catalog: catalog).trimmingPrefix("@").description
            })
        },
        relationships: catalog.relationships(of: entity.id).filter { !$0.isHidden }.map { one in
          let inverse = catalog.inverse(of: one)
          return Relation(
            name: one.name, target: catalog.name(of: one.target) ?? "?", isToMany: !one.isToOne,
            isOrdered: one.isOrdered, deleteRule: "\(one.deleteRule)",
            inverse: inverse?.isHidden == false ? inverse?.name : nil)
        },
        indexes: indexes.map { index in
          Index(
            name: index.name, fields: index.parts.compactMap { entity.field($0.field)?.name },
            isUnique: index.isUnique, forms: index.hasForms ? index.parts.map(\.form.word) : nil,
            condition: index.tests.isEmpty ? nil : SchemaText.condition(index, entity))
        },
        fullTexts: catalog.textIndexes(of: entity.id).map { index in
          FullText(fields: index.fields.compactMap { entity.field($0)?.name }, options: index.options)
        })
    }
  }
}
