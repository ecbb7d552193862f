import Foundation
import SwiftData
import Testing

@testable import Roost

@Suite struct SchemaTests {
  @Test func `entities of classes, and of the classes that they reference`() throws {
    let schema = Schema([Artist.self])
    #expect(schema.entities.map(\.name).sorted() == ["Album", "Artist"])
    let artist = try #require(schema.entity(for: Artist.self))
    #expect(artist.attributesByName.keys.sorted() == ["address", "born", "name", "since"])
    #expect(artist.uniquenessConstraints == [["name"]])
    let albums = try #require(artist.relationshipsByName["albums"])
    #expect(albums.destination == "Album" && albums.inverseName == "artist" && albums.deleteRule == .cascade)
    #expect(!albums.isToOneRelationship)
    let album = try #require(schema.entitiesByName["Album"])
    #expect(album.relationshipsByName["artist"]?.inverseName == "albums")
    #expect(album.indices == [["title"], ["year", "title"]])
    let address = try #require(artist.attributesByName["address"] as? Schema.CompositeAttribute)
    #expect(address.properties.map(\.name) == ["street", "number"])
    #expect(schema.faults.isEmpty)
  }

  @Test func `inheritance`() throws {
    let schema = Schema(LiveAlbum.self)
    let live = try #require(schema.entity(for: LiveAlbum.self))
    let album = try #require(schema.entity(for: Album.self))
    #expect(live.superentity === album && album.subentities == [live] && live.superentityName == "Album")
    #expect(live.storedProperties.map(\.name) == ["place", "guests"])
    #expect(live.inheritedPropertiesByName["title"] != nil && live.properties.count == album.properties.count + 2)
  }

  @Test func `options, names and defaults`() throws {
    let everything = try #require(Schema([Everything.self]).entity(for: Everything.self))
    let renamed = try #require(everything.attributesByName["renamed"])
    #expect(renamed.originalName == "old" && renamed.defaultValue as? String == "")
    #expect(everything.attributesByName["big"]?.options == [.externalStorage, .spotlight])
    #expect(everything.attributesByName["big"]?.isOptional == true)
    #expect(everything.attributesByName["levels"]?.defaultValue as? [Level] == [.low])
    let subscriber = try #require(Schema([Subscriber.self]).entity(for: Subscriber.self))
    #expect(subscriber.uniquenessConstraints == [["id"], ["email"], ["first", "last"]])
    #expect(subscriber.indices == [["email"], ["first", "last"]])
  }

  @Test func `an unnamed pair of relationships is found, also within one entity`() throws {
    let node = try #require(Schema([Node.self]).entity(for: Node.self))
    #expect(node.relationshipsByName["parent"]?.inverseName == "children")
    #expect(node.relationshipsByName["children"]?.inverseName == "parent")
    let holder = try #require(Schema([Holder.self]).entity(for: Holder.self))
    #expect(holder.relationshipsByName["coded"]?.inverseName == nil)
  }

  @Test func `an ambiguous pair is named`() {
    let faults = Schema([Flight.self]).faults.map(\.description)
    #expect(
      faults == [
        "Flight.from, Flight.to and Airport.arrivals, Airport.departures can be paired in several ways: "
          + "write @Relationship(inverse:) on one side of each pair"
      ])
  }

  @Test func `an inverse that two relationships name belongs to the first`() throws {
    let schema = Schema([Stage.self])
    #expect(schema.faults.isEmpty)
    let stage = try #require(schema.entity(for: Stage.self))
    #expect(stage.relationshipsByName["left"]?.inverseName == "stage")
    #expect(stage.relationshipsByName["right"]?.inverseName == nil)
    #expect(schema.entity(for: Lamp.self)?.relationshipsByName["stage"]?.inverseName == "left")
    // A relationship without a named inverse does not get it either.
    #expect(schema.entity(for: Lamp.self)?.relationshipsByName["store"]?.inverseName == nil)
  }

  @Test func `errors name what cannot be stored`() {
    let faults = Schema([Mistaken.self]).faults.map(\.description)
    #expect(
      faults == [
        "the inverse of Mistaken.friends is not a relationship: Mistaken.name; name one that references Mistaken"
      ])
  }

  /// A store keeps only one nil, so the other one would be lost silently.
  @Test func `an optional of an optional is refused`() {
    let advice = "can be nil in two ways, and a store keeps one: declare it with one question mark"
    #expect(
      Schema([NilTwice.self]).faults.map(\.description) == [
        "NilTwice.number cannot be stored: Optional<Optional<Int>> \(advice)",
        "NilTwice.text cannot be stored: Optional<Optional<String>> \(advice)",
      ])
    #expect(throws: (any Error).self) {
      try ModelContainer(for: NilTwice.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    }
  }

  @Test func `a schema is kept in a file`() throws {
    let schema = Schema([Artist.self, LiveAlbum.self, Everything.self], version: Schema.Version(2, 1, 0))
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("schema-\(UUID()).json")
    defer { try? FileManager.default.removeItem(at: url) }
    try schema.save(to: url)
    let again = try Schema.load(from: url)
    #expect(again.version == schema.version && again.entitiesByName.keys == schema.entitiesByName.keys)
    for (name, entity) in schema.entitiesByName where name != "Everything" {
      let other = try #require(again.entitiesByName[name])
      #expect(other.attributes.map(\.name).sorted() == entity.attributes.map(\.name).sorted())
      #expect(other.relationshipsByName.mapValues(\.inverseName) == entity.relationshipsByName.mapValues(\.inverseName))
      #expect(other.superentity?.name == entity.superentity?.name && other.indices == entity.indices)
      #expect(
        other.relationshipsByName.mapValues(\.isToOneRelationship)
          == entity.relationshipsByName.mapValues(\.isToOneRelationship))
    }
    #expect(schema.entities.contains { $0.relationships.contains { !$0.isToOneRelationship } })
  }

  @Test func `versions`() {
    #expect(Schema.Version(1, 2, 3) < Schema.Version(1, 3, 0) && Schema.Version(1, 0, 0).description == "1.0.0")
    #expect(Schema(versionedSchema: SchemaV1.self).version == Schema.Version(1, 0, 0))
  }

  @Test func `the mirror of a property`() {
    let labels = Mirror(reflecting: Artist.schemaMetadata[0]).children.map(\.label)
    #expect(labels == ["name", "keypath", "defaultValue", "metadata"])
  }
}

@Model final class Flight {
  var from: Airport?
  var to: Airport?

  init() {}
}

@Model final class Airport {
  var departures: [Flight] = []
  var arrivals: [Flight] = []

  init() {}
}

@Model final class NilTwice {
  var number: Int??
  var text: String??

  init() {}
}

@Model final class Mistaken {
  var name = ""
  @Relationship(inverse: \Mistaken.name) var friends: [Mistaken] = []

  init() {}
}
