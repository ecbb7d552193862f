import SwiftData
import Testing

/// Two programs with models of equal names; one program lacks a class.
private enum Full {
  @Model class Post {
    var text: String
    var wall: Wall?

    init(_ text: String) { self.text = text }
  }

  @Model final class Photo: Post {
    var width = 1

    override init(_ text: String) { super.init(text) }
  }

  @Model final class Wall {
    @Relationship(inverse: \Post.wall) var posts: [Post] = []
    var pins: [Post] = []

    init() {}
  }
}

private enum Partial {
  @Model class Post {
    var text: String
    var wall: Wall?

    init(_ text: String) { self.text = text }
  }

  @Model final class Note: Post {
    @Attribute(.unique) var number = 0

    override init(_ text: String) { super.init(text) }
  }

  @Model final class Wall {
    @Relationship(inverse: \Post.wall) var posts: [Post] = []
    var pins: [Post] = []

    init() {}
  }
}

/// Members of lists whose class the program does not know.
@Suite struct StrangerTests {
  private let folder: Folder

  init() throws {
    folder = try Folder()
    let context = ModelContext(try full())
    let wall = Full.Wall()
    wall.posts = [Full.Post("a"), Full.Photo("b"), Full.Post("c"), Full.Photo("d")]
    wall.pins = [wall.posts[1], wall.posts[0], wall.posts[3], wall.posts[2]]
    context.insert(wall)
    try context.save()
  }

  private func full() throws -> ModelContainer {
    try ModelContainer(
      for: Full.Wall.self, Full.Photo.self, configurations: ModelConfiguration(url: folder.file()))
  }

  private func partial() throws -> ModelContainer {
    try ModelContainer(
      for: Partial.Wall.self, Partial.Note.self, configurations: ModelConfiguration(url: folder.file()))
  }

  private func stored() throws -> [String] {
    let wall = try #require(try ModelContext(full()).fetch(FetchDescriptor<Full.Wall>()).first)
    return [wall.posts, wall.pins].map { $0.map(\.text).joined() }
  }

  /// Changes the lists in a program that does not know photos.
  private func change(_ body: (ModelContext, Partial.Wall) throws -> Void) throws {
    let context = ModelContext(try partial())
    let wall = try #require(try context.fetch(FetchDescriptor<Partial.Wall>()).first)
    #expect(wall.posts.map(\.text) == ["a", "c"] && wall.pins.map(\.text) == ["a", "c"])
    try body(context, wall)
    try context.save()
  }

  @Test func `they keep their place`() throws {
    try change { _, wall in
      wall.posts.insert(Partial.Post("x"), at: 1)
      wall.pins.swapAt(0, 1)
    }
    #expect(try stored() == ["abxcd", "bcad"])
  }

  @Test func `they keep their place if the one before them, or all others, are deleted`() throws {
    try change { context, wall in
      context.delete(wall.posts[0])
      wall.pins.removeAll()
    }
    let found = try stored()
    #expect(Set(found[0]) == ["b", "c", "d"] && Set(found[1]) == ["b", "d"])
  }

  @Test func `they keep their place if others change the list too`() throws {
    let container = try partial()
    let (context, other) = (ModelContext(container), ModelContext(container))
    context.automaticallyMergesChanges = false
    let wall = try #require(try context.fetch(FetchDescriptor<Partial.Wall>()).first)
    let theirs = try #require(try other.fetch(FetchDescriptor<Partial.Wall>()).first)
    wall.pins.append(Partial.Post("x"))
    wall.posts.swapAt(0, 1)
    theirs.pins.append(Partial.Post("y"))
    theirs.posts.removeLast()
    try other.save()
    try context.save()
    #expect(Set(wall.pins.map(\.text)) == ["a", "c", "x", "y"] && wall.posts.map(\.text) == ["a"])
  }

  @Test func `a unique rule of one class does not apply to another`() throws {
    let context = ModelContext(try partial())
    let note = Partial.Note("note")
    note.number = 1
    context.insert(note)
    try context.save()
    #expect(try context.existingModel(like: Partial.Post("note")) == nil)
    let same = Partial.Note("other")
    same.number = 1
    #expect(try context.existingModel(like: same) === note)
  }
}
