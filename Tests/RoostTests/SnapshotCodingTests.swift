import SwiftData
import Testing

/// A model and a later version of it.
private enum Old {
  @Model final class Note {
    var title: String
    var size: Int
    var dropped = "x"

    init(_ title: String, _ size: Int) {
      self.title = title
      self.size = size
    }
  }
}

private enum New {
  @Model final class Note {
    @Attribute(originalName: "title") var name: String
    var size: Double
    var added = 7
    var maybe: String?
    var needed: Grade

    init(_ name: String) {
      self.name = name
      size = 0
      needed = .poor
    }
  }
}

@Suite struct SnapshotCodingTests {
  @Test func `a list that an older program did not know is empty`() throws {
    let context = ModelContext(try makeContainer())
    let ella = Artist("Ella", born: .now, street: "Elm")
    context.insert(ella)
    try context.save()
    var object = try #require(
      try JSONSerialization.jsonObject(with: JSONEncoder().encode(ella.snapshot)) as? [String: Any])
    var values = try #require(object["values"] as? [String: Any])
    #expect(values.removeValue(forKey: "albums") != nil)
    object["values"] = values
    let older = try JSONDecoder().decode(
      ModelSnapshot<Artist>.self, from: JSONSerialization.data(withJSONObject: object))
    #expect(older.albums.isEmpty && !older.isLoaded(\.albums))
  }

  @Test func `a snapshot is encoded with the names of its properties`() throws {
    let context = ModelContext(try makeContainer())
    let ella = Artist("Ella", born: Date(timeIntervalSinceReferenceDate: 0.1), street: "Elm")
    let album = Album("A", genre: .folk, tags: ["x"], artist: ella)
    album.other = .rock
    album.grade = .best
    album.ratings = ["b": 1]
    context.insert(album)
    try context.save()
    let coded = try JSONEncoder().encode(album.snapshot)
    let object = try #require(try JSONSerialization.jsonObject(with: coded) as? [String: Any])
    let values = try #require(object["values"] as? [String: Any])
    #expect(object["model"] as? String == "Album" && values["title"] as? String == "A")
    #expect(values["genre"] as? String == "folk" && values["grade"] as? Int == 3 && values["note"] is NSNull)
    #expect((values["swapped"] as? [String: String])?.count == 2 && values["tags"] as? [String] == ["x"])
    #expect((values["artist"] as? [Any])?.first as? String == "Artist" && object["process"] == nil)
    #expect(try JSONDecoder().decode(ModelSnapshot<Album>.self, from: coded) == album.snapshot)
    let artist = try JSONEncoder().encode(ella.snapshot)
    #expect(try JSONDecoder().decode(ModelSnapshot<Artist>.self, from: artist) == ella.snapshot)
    let list = try PropertyListEncoder().encode([album.snapshot])
    #expect(try PropertyListDecoder().decode([ModelSnapshot<Album>].self, from: list) == [album.snapshot])
  }

  @Test func `removed properties are left out, and new ones are not loaded`() throws {
    var text = String(decoding: try JSONEncoder().encode(Old.Note("T", 4).snapshot), as: UTF8.self)
    let snapshot = try JSONDecoder().decode(ModelSnapshot<New.Note>.self, from: Data(text.utf8))
    #expect(snapshot.name == "T" && snapshot.size == 4 && !snapshot.isLoaded(\.added) && snapshot.isLoaded(\.size))
    #expect(snapshot.added == 7 && snapshot.maybe == nil && snapshot[\.needed] == .best)
    let container = try ModelContainer(
      for: New.Note.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let context = ModelContext(container)
    let error = #expect(throws: RoostError.self) { try context.apply(snapshot) }
    #expect(error?.detail.contains("Note.needed") == true && !context.hasChanges)
    text = text.replacing("\"dropped\"", with: "\"needed\":2,\"dropped\"")
    let whole = try JSONDecoder().decode(ModelSnapshot<New.Note>.self, from: Data(text.utf8))
    let made = try context.apply(whole)
    #expect(made.name == "T" && made.added == 7 && made.needed == .poor)
    text = text.replacing("\"needed\":2", with: "\"needed\":9")
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(ModelSnapshot<New.Note>.self, from: Data(text.utf8))
    }
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(ModelSnapshot<Artist>.self, from: Data(text.utf8))
    }
  }

  @Test func `temporary identifiers of this process mean nothing in another one`() throws {
    let context = ModelContext(try makeContainer())
    let ella = Artist("Ella")
    let coded = String(decoding: try JSONEncoder().encode(ella.snapshot), as: UTF8.self)
    context.insert(ella)
    let here = try JSONDecoder().decode(ModelSnapshot<Artist>.self, from: Data(coded.utf8))
    #expect(try context.apply(here) === ella)
    let elsewhere = coded.replacing(/"process":\d+/, with: "\"process\":1")
    let there = try JSONDecoder().decode(ModelSnapshot<Artist>.self, from: Data(elsewhere.utf8))
    #expect(try context.apply(there) !== ella)
  }
}
