#if Postgres
  import Foundation
  import RoostPostgres
  import SwiftData
  import Testing

  private enum Alone {
    @Model final class Shelf {
      var name: String
      init(_ name: String) { self.name = name }
    }
    @Model final class Book {
      var title: String
      init(_ title: String) { self.title = title }
    }
  }
  /// A list without an inverse.
  private enum Links {
    @Model final class Shelf {
      var name: String
      var books: [Book] = []
      init(_ name: String) { self.name = name }
    }
    @Model final class Book {
      var title: String
      init(_ title: String) { self.title = title }
    }
  }
  /// A list with a to-one inverse.
  private enum Owned {
    @Model final class Shelf {
      var name: String
      @Relationship(deleteRule: .cascade, inverse: \Book.shelf) var books: [Book] = []
      init(_ name: String) { self.name = name }
    }
    @Model final class Book {
      var title: String
      var shelf: Shelf?
      init(_ title: String) { self.title = title }
    }
  }
  /// Like ``Owned``, with another rule.
  private enum Guarded {
    @Model final class Shelf {
      var name: String
      @Relationship(deleteRule: .deny, inverse: \Book.shelf) var books: [Book] = []
      init(_ name: String) { self.name = name }
    }
    @Model final class Book {
      var title: String
      var shelf: Shelf?
      init(_ title: String) { self.title = title }
    }
  }
  /// Like ``Owned``, and each book must have a shelf.
  private enum Needed {
    @Model final class Shelf {
      var name: String
      @Relationship(deleteRule: .cascade, inverse: \Book.shelf) var books: [Book] = []
      init(_ name: String) { self.name = name }
    }
    @Model final class Book {
      var title: String
      var shelf: Shelf
      init(_ title: String, _ shelf: Shelf) { (self.title, self.shelf) = (title, shelf) }
    }
  }
  /// Like ``Owned``, with other names.
  private enum Renamed {
    @Model final class Shelf {
      var name: String
      @Relationship(deleteRule: .cascade, originalName: "books", inverse: \Book.place) var items: [Book] = []
      init(_ name: String) { self.name = name }
    }
    @Model final class Book {
      var title: String
      @Relationship(originalName: "shelf") var place: Shelf?
      init(_ title: String) { self.title = title }
    }
  }
  /// Both sides are lists.
  private enum Many {
    @Model final class Shelf {
      var name: String
      @Relationship(inverse: \Book.shelf) var books: [Book] = []
      init(_ name: String) { self.name = name }
    }
    @Model final class Book {
      var title: String
      var shelf: [Shelf] = []
      init(_ title: String) { self.title = title }
    }
  }
  /// The reference is the only side.
  private enum Pointing {
    @Model final class Shelf {
      var name: String
      init(_ name: String) { self.name = name }
    }
    @Model final class Book {
      var title: String
      var shelf: Shelf?
      init(_ title: String) { self.title = title }
    }
  }
  /// The list became a to-one relationship.
  private enum Single {
    @Model final class Shelf {
      var name: String
      @Relationship(inverse: \Book.shelf) var books: Book?
      init(_ name: String) { self.name = name }
    }
    @Model final class Book {
      var title: String
      var shelf: Shelf?
      init(_ title: String) { self.title = title }
    }
  }
  private enum Valued {
    @Model final class Shelf {
      var name: String
      init(_ name: String) { self.name = name }
    }
    @Model final class Book {
      var title: String
      var shelf: String?
      init(_ title: String) { self.title = title }
    }
  }

  @Suite(.server) struct RelationshipShapeTests {
    private let ground: Ground

    init() throws { ground = try Ground() }

    /// Two shelves: the first one with the books c, a, b.
    private func fillOwned() throws {
      let context = try ground.open(Owned.Shelf.self, Owned.Book.self)
      let (one, two) = (Owned.Shelf("one"), Owned.Shelf("two"))
      context.insert(one)
      context.insert(two)
      one.books = ["c", "a", "b"].map { Owned.Book($0) }
      try context.save()
    }

    private func fillLinks() throws -> ModelContext {
      let context = try ground.open(Links.Shelf.self, Links.Book.self)
      let (one, two) = (Links.Shelf("one"), Links.Shelf("two"))
      context.insert(one)
      context.insert(two)
      one.books = ["c", "a", "b"].map { Links.Book($0) }
      two.books = [Links.Book("d")]
      try context.save()
      return context
    }

    @Test func `new relationships begin empty, with keys and indexes`() throws {
      try ground.save(ground.open(Alone.Shelf.self, Alone.Book.self), [Alone.Shelf("one"), Alone.Book("a")])
      let context = try ground.open(Owned.Shelf.self, Owned.Book.self)
      let book = try #require(try context.fetch(FetchDescriptor<Owned.Book>()).first)
      #expect(book.shelf == nil)
      book.shelf = try context.fetch(FetchDescriptor<Owned.Shelf>()).first
      try context.save()
      #expect(try ground.rules("book") == ["book_pkey", "book_shelf_fkey", "book_shelf_idx"])
      let error = refusal { _ = try ground.open(Needed.Shelf.self, Needed.Book.self) }
      #expect(error == nil)
    }

    @Test func `a new required relationship is refused if there are rows`() throws {
      try ground.save(ground.open(Alone.Shelf.self, Alone.Book.self), [Alone.Shelf("one"), Alone.Book("a")])
      let error = refusal { _ = try ground.open(Needed.Shelf.self, Needed.Book.self) }
      #expect(error?.code == .needsMigration)
      #expect(error?.detail.contains("Book.shelf") == true)
      #expect(error?.detail.contains("1 row") == true)
    }

    @Test func `a reference becomes required and optional again`() throws {
      try fillOwned()
      _ = try ground.open(Needed.Shelf.self, Needed.Book.self)
      #expect(try ground.isNullable("book", "shelf") == false)
      let context = try ground.open(Guarded.Shelf.self, Guarded.Book.self)
      #expect(try ground.isNullable("book", "shelf") == true)
      try ground.save(context, [Guarded.Book("free")])
      let error = refusal { _ = try ground.open(Needed.Shelf.self, Needed.Book.self) }
      // These models are older, and the rows do not fit them.
      #expect(error?.code == .needsMigration)
      #expect(error?.detail.contains("1 row") == true)
    }

    @Test func `a changed delete rule replaces the key`() throws {
      try fillOwned()
      func rule() throws -> String? {
        try ground.value(
          "SELECT pg_get_constraintdef(oid)::text FROM pg_constraint WHERE conname = 'book_shelf_fkey' "
            + "AND conrelid = '@.book'::regclass")
      }
      #expect(try rule()?.contains("ON DELETE CASCADE") == true)
      let context = try ground.open(Guarded.Shelf.self, Guarded.Book.self)
      #expect(try rule()?.contains("ON DELETE") == false)
      for shelf in try context.fetch(FetchDescriptor<Guarded.Shelf>()) where shelf.name == "one" {
        context.delete(shelf)
      }
      #expect(throws: (any Error).self) { try context.save() }
    }

    @Test func `a renamed relationship keeps its members and their order`() throws {
      try fillOwned()
      let context = try ground.open(Renamed.Shelf.self, Renamed.Book.self)
      let shelves = try context.fetch(FetchDescriptor<Renamed.Shelf>(sortBy: [.init(\.name)]))
      #expect(shelves.map { $0.items.map(\.title) } == [["c", "a", "b"], []])
      let key = try ground.isCluster() ? "book_shelf_fkey" : "book_place_fkey"
      #expect(try ground.rules("book") == ["book_pkey", key, "book_place_idx"])
      #expect(try ground.isNullable("book", "place_place") == true)
      shelves[1].items = Array(shelves[0].items.reversed())
      try context.save()
      let later = try ground.open(Renamed.Shelf.self, Renamed.Book.self)
      let again = try later.fetch(FetchDescriptor<Renamed.Shelf>(sortBy: [.init(\.name)]))
      #expect(again.map { $0.items.map(\.title) } == [[], ["b", "a", "c"]])
    }

    @Test func `a removed relationship stays as a column without rules, and comes back`() throws {
      try fillOwned()
      let between = try ground.open(Alone.Shelf.self, Alone.Book.self)
      #expect(try ground.rules("book").contains("book_shelf_fkey") == false)
      #expect(try ground.isNullable("book", "shelf") == true)
      // The row that books reference is deleted, and no rule updates the books.
      for shelf in try between.fetch(FetchDescriptor<Alone.Shelf>()) where shelf.name == "two" { between.delete(shelf) }
      try between.save()
      try ground.sql("UPDATE @.book SET shelf = '00000000-0000-4000-8000-000000000000' WHERE title = 'a'")
      let context = try ground.open(Guarded.Shelf.self, Guarded.Book.self)
      let shelf = try #require(try context.fetch(FetchDescriptor<Guarded.Shelf>()).first)
      #expect(shelf.books.map(\.title) == ["c", "b"])
      #expect(try ground.rules("book").contains("book_shelf_fkey"))
    }

    @Test func `a list gets an inverse if no member is in two lists`() throws {
      _ = try fillLinks()
      #expect(try ground.value("SELECT count(*)::text FROM @.shelf_books") == "4")
      let context = try ground.open(Owned.Shelf.self, Owned.Book.self)
      let shelves = try context.fetch(FetchDescriptor<Owned.Shelf>(sortBy: [.init(\.name)]))
      #expect(shelves.map { $0.books.map(\.title) } == [["c", "a", "b"], ["d"]])
      #expect(shelves[0].books.allSatisfy { $0.shelf === shelves[0] })
      #expect(try ground.value("SELECT to_regclass('@.shelf_books')::text") == nil)
    }

    @Test func `a list does not get an inverse while a member is in two lists`() throws {
      let context = try fillLinks()
      let shelves = try context.fetch(FetchDescriptor<Links.Shelf>(sortBy: [.init(\.name)]))
      shelves[1].books.append(shelves[0].books[1])
      try context.save()
      let error = refusal { _ = try ground.open(Owned.Shelf.self, Owned.Book.self) }
      #expect(error?.code == .needsMigration)
      #expect(error?.detail.contains("1 object") == true)
      #expect(error?.detail.contains("Book.shelf") == true)
    }

    @Test func `a list loses its inverse`() throws {
      try fillOwned()
      let context = try ground.open(Links.Shelf.self, Links.Book.self)
      let shelves = try context.fetch(FetchDescriptor<Links.Shelf>(sortBy: [.init(\.name)]))
      #expect(shelves.map { $0.books.map(\.title) } == [["c", "a", "b"], []])
    }

    @Test func `a to-one relationship becomes a list`() throws {
      try fillOwned()
      let context = try ground.open(Many.Shelf.self, Many.Book.self)
      let shelves = try context.fetch(FetchDescriptor<Many.Shelf>(sortBy: [.init(\.name)]))
      #expect(shelves.map { $0.books.map(\.title) } == [["c", "a", "b"], []])
      #expect(shelves[0].books.allSatisfy { $0.shelf.map(\.name) == ["one"] })
      shelves[1].books = shelves[0].books
      try context.save()
      // The order of the models does not matter.
      let turned = try ground.open(Many.Book.self, Many.Shelf.self)
      let books = try turned.fetch(FetchDescriptor<Many.Book>(sortBy: [.init(\.title)]))
      #expect(books.map { Set($0.shelf.map(\.name)) } == [["one", "two"], ["one", "two"], ["one", "two"]])
      #expect(refusal { _ = try ground.open(Owned.Shelf.self, Owned.Book.self) }?.code != nil)
    }

    @Test func `a new or removed inverse keeps the reference`() throws {
      try fillOwned()
      let pointing = try ground.open(Pointing.Shelf.self, Pointing.Book.self)
      #expect(try pointing.fetch(FetchDescriptor<Pointing.Book>()).allSatisfy { $0.shelf?.name == "one" })
      let context = try ground.open(Guarded.Shelf.self, Guarded.Book.self)
      let shelves = try context.fetch(FetchDescriptor<Guarded.Shelf>(sortBy: [.init(\.name)]))
      #expect(shelves.map { $0.books.map(\.title) } == [["c", "a", "b"], []])
    }

    @Test func `a list does not become a to-one relationship or a value`() throws {
      try fillOwned()
      let single = refusal { _ = try ground.open(Single.Shelf.self, Single.Book.self) }
      #expect(single?.code == .needsMigration)
      #expect(single?.detail.contains("Shelf.books") == true)
      let valued = refusal { _ = try ground.open(Valued.Shelf.self, Valued.Book.self) }
      #expect(valued?.code == .needsMigration)
      #expect(valued?.detail.contains("Book.shelf") == true)
    }

    @Test func `a value does not become a relationship`() throws {
      try ground.save(ground.open(Valued.Shelf.self, Valued.Book.self), [Valued.Book("a")])
      let error = refusal { _ = try ground.open(Owned.Shelf.self, Owned.Book.self) }
      #expect(error?.code == .needsMigration)
      #expect(error?.detail.contains("Book.shelf") == true)
    }
  }
#endif
