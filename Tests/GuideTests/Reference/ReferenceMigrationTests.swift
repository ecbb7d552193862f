import Foundation
import SwiftData
import Testing

/// The versions of the examples in the comments of migrations.
enum ReferenceLibrary {
  enum LibraryV1: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] { [Book.self] }

    @Model final class Book {
      var title: String

      init(title: String) { self.title = title }
    }
  }

  enum LibraryV2: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static var models: [any PersistentModel.Type] { [Book.self] }

    @Model final class Book {
      var title: String
      var pages = 0

      init(title: String) { self.title = title }
    }
  }

  enum LibraryPlan: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [LibraryV1.self, LibraryV2.self] }
    static var stages: [MigrationStage] {
      [
        .custom(fromVersion: LibraryV1.self, toVersion: LibraryV2.self, willMigrate: nil) { context in
          for book in try context.fetch(FetchDescriptor<LibraryV2.Book>()) { book.title = book.title.capitalized }
        }
      ]
    }
  }
}

/// The versions of the examples of transforms.
enum ReferenceTransforms {
  enum LibraryV1: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] { [Book.self, Person.self] }

    @Model final class Book {
      var title: String
      var year: String

      init(title: String, year: String) { (self.title, self.year) = (title, year) }
    }

    @Model final class Person {
      var name: String

      init(name: String) { self.name = name }
    }
  }

  enum LibraryV2: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static var models: [any PersistentModel.Type] { [Book.self, Author.self] }

    @Model final class Book {
      var title: String
      var year: Int

      init(title: String, year: Int) { (self.title, self.year) = (title, year) }
    }

    @Model final class Author {
      var name: String

      init(name: String) { self.name = name }
    }
  }

  enum Plan: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [LibraryV1.self, LibraryV2.self] }
    static var stages: [MigrationStage] {
      let years: MigrationStage =
        .transform(from: LibraryV1.Book.self, to: LibraryV2.Book.self) { old, new in
          new.year = Int(old.year) ?? 0
        }
      let authors: MigrationStage =
        .transform(from: LibraryV1.Person.self, in: LibraryV2.self) { person, context in
          context.insert(LibraryV2.Author(name: person.name))
        }
      return [years, authors]
    }
  }
}

/// The versions of the example that removes duplicates.
enum ReferenceDuplicates {
  enum ShopV1: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] { [Item.self] }

    @Model final class Item {
      var name: String
      var changed: Date

      init(name: String, changed: Date) { (self.name, self.changed) = (name, changed) }
    }
  }

  enum ShopV2: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static var models: [any PersistentModel.Type] { [Item.self] }

    @Model final class Item {
      @Attribute(.unique) var name: String
      var changed: Date

      init(name: String, changed: Date) { (self.name, self.changed) = (name, changed) }
    }
  }

  enum Plan: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [ShopV1.self, ShopV2.self] }
    static var stages: [MigrationStage] {
      let unique: MigrationStage =
        .removeDuplicates(of: ShopV1.Item.self, by: \.name, policy: .newest(by: \.changed))
      return [unique]
    }
  }
}

@Suite struct ReferenceMigrationTests {
  private let file = FileManager.default.temporaryDirectory.appending(path: "roost-reference-\(UUID()).roost")

  private func clean() { try? FileManager.default.removeItem(at: file) }

  private func begin(_ version: any VersionedSchema.Type, _ models: [any PersistentModel]) throws {
    let container = try ModelContainer(
      for: Schema(versionedSchema: version), configurations: ModelConfiguration(url: file))
    let context = ModelContext(container)
    for model in models { context.insert(model) }
    try context.save()
    try container.close()
  }

  private func context(_ plan: any SchemaMigrationPlan.Type) throws -> ModelContext {
    ModelContext(
      try ModelContainer(
        for: Schema(versionedSchema: plan.schemas[1]), migrationPlan: plan,
        configurations: ModelConfiguration(url: file)))
  }

  private func print(_ words: Any...) {}

  @Test func `a plan, and a dry run of it`() throws {
    defer { clean() }
    typealias LibraryPlan = ReferenceLibrary.LibraryPlan
    try begin(ReferenceLibrary.LibraryV1.self, [ReferenceLibrary.LibraryV1.Book(title: "ubik")])
    let report = try LibraryPlan.dryRun(url: file)
    print(report)
    #expect(report.isPossible)
    let books = try context(LibraryPlan.self).fetch(FetchDescriptor<ReferenceLibrary.LibraryV2.Book>())
    #expect(books.map(\.title) == ["Ubik"])
  }

  @Test func `transforms, and data that no model names`() throws {
    defer { clean() }
    typealias LibraryV1 = ReferenceTransforms.LibraryV1
    try begin(LibraryV1.self, [LibraryV1.Book(title: "Ubik", year: "1969"), LibraryV1.Person(name: "Dick")])
    let context = try context(ReferenceTransforms.Plan.self)
    #expect(try context.fetch(FetchDescriptor<ReferenceTransforms.LibraryV2.Book>()).map(\.year) == [1969])
    #expect(try context.fetch(FetchDescriptor<ReferenceTransforms.LibraryV2.Author>()).map(\.name) == ["Dick"])

    let container = context.container
    let parked = try container.parkedData()
    try container.close()
    try ModelContainer.discard(parked, at: file)
    #expect(parked.contains { $0.entity == "Person" })
  }

  @Test func `duplicates`() throws {
    defer { clean() }
    typealias Item = ReferenceDuplicates.ShopV1.Item
    try begin(
      ReferenceDuplicates.ShopV1.self,
      [Item(name: "pen", changed: .distantPast), Item(name: "pen", changed: .distantFuture)])
    let items = try context(ReferenceDuplicates.Plan.self).fetch(FetchDescriptor<ReferenceDuplicates.ShopV2.Item>())
    #expect(items.map(\.changed) == [.distantFuture])
  }
}
