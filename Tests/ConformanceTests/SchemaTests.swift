import Foundation
import SwiftData
import Testing

@Suite struct SchemaTests {
  private let schema = Schema([Garden.self])

  @Test func `a schema from a class`() throws {
    let garden = try #require(schema.entity(for: Garden.self))
    #expect(garden.name == "Garden" && Schema.entityName(for: Garden.self) == "Garden")
    #expect(garden.attributesByName["name"]?.isUnique == true && garden.uniquenessConstraints == [["name"]])
    #expect(garden.attributesByName["note"]?.originalName == "remark")
    #expect(garden.attributesByName["note"]?.isOptional == true)
    #expect(garden.attributesByName["plan"]?.options == [.externalStorage])
    #expect(garden.attributesByName["isShown"] == nil && garden.attributesByName["title"] == nil)
    let beds = try #require(garden.relationshipsByName["beds"])
    #expect(beds.deleteRule == .cascade && beds.inverseName == "garden" && beds.destination == "Bed")
    #expect(!beds.isToOneRelationship && beds.isRelationship && !beds.isAttribute)
    #expect(garden.superentity == nil && garden.subentities.isEmpty)
  }

  @Test func `constraints and indexes`() throws {
    let hut = try #require(schema.entitiesByName["Hut"])
    #expect(hut.uniquenessConstraints == [["street", "number"]])
    #expect(hut.indices == [["street"], ["number", "street"]])
  }

  @Test func `a schema from parts`() {
    let name = Schema.Attribute(name: "name", options: [.unique], valueType: String.self)
    let entity = Schema.Entity("Thing", properties: name)
    let made = Schema(entity, version: Schema.Version(3, 0, 0))
    #expect(made.entities.map(\.name) == ["Thing"] && made.entitiesByName["Thing"]?.attributes == [name])
    #expect(Schema().entities.isEmpty)
  }

  @Test func `a schema in a file`() throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "schema-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: file) }
    try schema.save(to: file)
    let again = try Schema.load(from: file)
    #expect(again.entities.map(\.name).sorted() == schema.entities.map(\.name).sorted())
    #expect(again.version == schema.version)
  }

  @Test func `the metadata of the macro`() {
    // One entry is for its indexes.
    #expect(Bed.schemaMetadata.count == 4)
    let first = Mirror(reflecting: Bed.schemaMetadata[0]).children
    #expect(first.first { $0.label == "name" }?.value as? String == "number")
    #expect(first.first { $0.label == "keypath" }?.value as? AnyKeyPath == \Bed.number)
  }
}
