import Foundation
import Observation
import RoostTestSupport
import SwiftData
import Synchronization
import Testing

@Model final class Post {
  @Attribute(.unique) var title: String
  var words: Int?
  var day: Date
  var coin = Coin.euro
  var author: Author?
  @Relationship(inverse: \Note.post) var notes: [Note] = []

  init(_ title: String, author: Author? = nil) {
    self.title = title
    self.author = author
    day = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model final class Author {
  var name: String
  @Relationship(inverse: \Post.author) var posts: [Post] = []

  init(_ name: String) { self.name = name }
}

@Model final class Note {
  var text: String
  var post: Post?

  init(_ text: String) { self.text = text }
}

/// Regression: `print(model)` printed only `App.Person`, and `dump` no elements.
@Suite struct PrintTests {
  private let container: ModelContainer

  init() throws {
    container = try ModelContainer(
      for: Post.self, Author.self, Note.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
  }

  private func stored() throws -> ModelContext {
    let context = ModelContext(container)
    let post = Post("a \"b\"", author: Author("Ann"))
    post.notes = [Note("x"), Note("y")]
    context.insert(post)
    try context.save()
    return ModelContext(container)
  }

  @Test func `a new model shows its values`() {
    let post = Post("a \"b\"", author: Author("Ann"))
    post.notes = [Note("x")]
    #expect(
      "\(post)"
        == "Post(title: \"a \\\"b\\\"\", words: nil, day: 2001-01-01 00:00:00 +0000, coin: euro, author: Author, notes: [Note])"
    )
    post.notes = (0..<10).map { Note("\($0)") }
    #expect("\(post)".hasSuffix("Note, Note, and 2 more])"))
    post.title = String(repeating: "x", count: 500)
    #expect("\(post)".count < 400)
  }

  /// Before the fix, an identifier and the result of a bulk write showed the names of private types.
  @Test func `identifiers show the class and the row`() throws {
    let context = try stored()
    let note = try #require(try context.fetch(FetchDescriptor<Note>()).first)
    #expect("\(note.persistentModelID)" == "Note #1")
    #expect("\(Note("z").persistentModelID)".hasPrefix("Note (new "))
    let key = try PersistentIdentifier.identifier(for: "store", entityName: "Note", primaryKey: 17)
    #expect("\(key)" == "Note 17")
    let updated = try context.update(model: Note.self) { $0.text += "!" }
    #expect("\(updated)" == "[Note #1, Note #2]")
    let many = try context.insert(batch: (0..<12).map { Note("\($0)") })
    #expect("\(many)".hasSuffix("Note #12, and 2 more]"), "\(many)")
  }

  @Test func `printing loads nothing, and marks unloaded properties`() throws {
    let context = try stored()
    let post = try #require(try context.fetch(FetchDescriptor<Post>()).first)
    let before = context.statistics
    let text = "\(post)"
    #expect(text.contains("notes: <fault>") || text.hasSuffix("(<fault>)"), "\(text)")
    #expect(context.statistics == before)
    #expect(post.title == "a \"b\"")
    let read = context.statistics
    #expect(
      "\(post)".hasPrefix(
        "Post #1(title: \"a \\\"b\\\"\", words: nil, day: 2001-01-01 00:00:00 +0000, coin: euro, author: Author #"))
    #expect("\(post)".hasSuffix(", notes: <fault>)") && context.statistics == read)
    #expect(post.notes.count == 2)
    #expect("\(post)".contains(", notes: [Note #") && "\(post)".components(separatedBy: "Note #").count == 3)
    var dumped = ""
    dump(post, to: &dumped)
    for line in ["Post #1(title: ", "- title: \"a \\\"b\\\"\"", "- notes: [Note #"] {
      #expect(dumped.contains(line), "\(dumped)")
    }
  }

  /// Regression: a model that was unloaded by a rollback was printed with `author: nil` although it
  /// had an author.
  @Test func `a reference of an unloaded model is a fault, not nil`() throws {
    let context = try stored()
    let post = try #require(try context.fetch(FetchDescriptor<Post>()).first)
    post.title = "other"
    context.rollback()
    let text = "\(post)"
    #expect(text.contains("author: <fault>") || text.hasSuffix("(<fault>)"), "\(text)")
    #expect(post.title == "a \"b\"" && "\(post)".contains("author: Author #"), "\(post)")
    post.author = nil
    #expect("\(post)".contains("author: nil"), "\(post)")
  }

  @Test func `printing a model registers no observer and changes nothing`() throws {
    let context = try stored()
    let post = try #require(try context.fetch(FetchDescriptor<Post>()).first)
    _ = (post.title, post.notes.count)
    let told = Mutex(false)
    withObservationTracking {
      _ = "\(post)"
      var text = ""
      dump(post, to: &text)
    } onChange: {
      told.withLock { $0 = true }
    }
    #expect(!context.hasChanges)
    post.title = "other"
    #expect(!told.withLock { $0 } && "\(post)".contains("title: \"other\""))
    context.delete(post)
    try context.save()
    #expect("\(post)".hasPrefix("Post #1("))
  }

  @Test(arguments: [false, true]) func `a model that is being changed can be printed`(_ isManaged: Bool) throws {
    let (context, post) = (ModelContext(container), Post("a"))
    if isManaged {
      context.insert(post)
      try context.save()
    }
    func shout(_ text: inout String) { text = "\(post)" }
    shout(&post.title)
    #expect(post.title.hasPrefix("Post"))
    func grow(_ notes: inout [Note]) { notes.append(Note("\(post)")) }
    grow(&post.notes)
    #expect(post.notes.first?.text.hasPrefix("Post") == true)
  }

  /// Regression: a predicate on dates, and a conflict of dates, showed seconds since 2001.
  @Test func `dates are printed as dates`() throws {
    let context = try stored()
    let limit = Date(timeIntervalSinceReferenceDate: 736_259_400)
    let explained = try context.explain(FetchDescriptor<Post>(predicate: #Predicate { $0.day < limit })).description
    #expect(explained.contains("date(\"2024-05-01T12:30:00Z\")"), "\(explained)")
    let other = ModelContext(container)
    other.mergePolicy = .error
    let (mine, theirs) = (
      try #require(try other.fetch(FetchDescriptor<Post>()).first),
      try #require(try context.fetch(FetchDescriptor<Post>()).first)
    )
    _ = mine.day
    theirs.day = limit
    try context.save()
    mine.day = limit + 0.5
    let error = #expect(throws: RoostError.self) { try other.save() }
    #expect(error?.description.contains("2024-05-01T12:30:00Z") == true, "\(error as Any)")
    #expect(error?.description.contains("2024-05-01T12:30:00.5Z") == true, "\(error as Any)")
  }

  /// Regression: encoders write the members of an object in any order, so equal identifiers had
  /// different bytes each time.
  @Test func `an identifier is always encoded as the same bytes`() throws {
    let context = try stored()
    let post = try #require(try context.fetch(FetchDescriptor<Post>()).first)
    for identifier in [post.persistentModelID, Post("b").persistentModelID] {
      let bytes = try (0..<20).map { _ in try JSONEncoder().encode([identifier]) }
      #expect(Set(bytes).count == 1)
      #expect(try JSONDecoder().decode([PersistentIdentifier].self, from: bytes[0]) == [identifier])
      let list = try PropertyListEncoder().encode([identifier])
      #expect(try PropertyListDecoder().decode([PersistentIdentifier].self, from: list) == [identifier])
    }
    let token = try container.latestHistoryToken
    #expect(try Set((0..<20).map { _ in try JSONEncoder().encode(token) }).count == 1)
    let own = try PersistentIdentifier.identifier(for: "s", entityName: "E", primaryKey: "k")
    #expect(try JSONDecoder().decode(PersistentIdentifier.self, from: JSONEncoder().encode(own)) == own)
    // An older form.
    let old = Data("{\"entity\": \"E\", \"text\": \"k\", \"store\": \"s\"}".utf8)
    #expect(try JSONDecoder().decode(PersistentIdentifier.self, from: old) == own)
  }

  /// Regression: the error was Foundation's "The file doesn't exist." for a store that was to be
  /// made.
  @Test func `a folder that cannot be made is an error of Roost`() throws {
    let folder = try Folder()
    try Data("x".utf8).write(to: folder.file("file"))
    for path in [
      "/proc/nope/a.roost", folder.file("file").appending(path: "deeper/a.roost").path(percentEncoded: false),
    ] {
      let error = #expect(throws: RoostError.self) {
        try ModelContainer(for: Post.self, configurations: ModelConfiguration(url: URL(filePath: path)))
      }
      #expect(error?.code == .store && error?.storeError?.path?.isEmpty == false, "\(error as Any)")
      #expect(error?.description.contains("the folder of the store cannot be created") == true, "\(error as Any)")
    }
    let nowhere = folder.file("no/schema.json")
    let unwritten = #expect(throws: RoostError.self) { try Schema([Post.self]).save(to: nowhere) }
    #expect(unwritten?.storeError?.code == .notFound, "\(unwritten as Any)")
    let unread = #expect(throws: RoostError.self) { try Schema.load(from: nowhere) }
    #expect(unread?.storeError?.code == .notFound, "\(unread as Any)")
  }
}
