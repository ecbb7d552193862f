#if Postgres
  import Foundation
  import RoostPostgres
  import SwiftData

  // Three released versions of an address book.

  enum BookV1: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] { [Person.self, City.self] }
    @Model final class Person {
      var name: String
      var home: City?
      init(_ name: String) { self.name = name }
    }
    @Model final class City {
      var name: String
      @Relationship(inverse: \Person.home) var people: [Person] = []
      init(_ name: String) { self.name = name }
    }
  }

  enum BookV2: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static var models: [any PersistentModel.Type] { [Person.self, City.self] }
    @Model final class Person {
      var name: String
      var first: String = ""
      var last: String = ""
      var home: City?
      init(_ name: String) { self.name = name }
    }
    @Model final class City {
      var name: String
      @Relationship(inverse: \Person.home) var people: [Person] = []
      init(_ name: String) { self.name = name }
    }
  }

  enum BookV3: VersionedSchema {
    static let versionIdentifier = Schema.Version(3, 0, 0)
    static var models: [any PersistentModel.Type] { [Person.self, City.self, Note.self] }
    @Model final class Person {
      var first: String = ""
      @Attribute(.unique) var last: String = ""
      var age: Int
      var home: City?
      init(_ last: String, age: Int) { (self.last, self.age) = (last, age) }
    }
    @Model final class City {
      var name: String
      @Relationship(inverse: \Person.home) var people: [Person] = []
      init(_ name: String) { self.name = name }
    }
    @Model final class Note {
      var text: String
      init(_ text: String) { self.text = text }
    }
  }

  /// The error of a stage.
  struct StageRefusal: Error {}

  /// The behaviour of the stages, and their observations.
  final class StageWatch: @unchecked Sendable {
    // `@unchecked Sendable`: the tests of one serialized suite use it, and one program at a time
    // migrates.
    static let shared = StageWatch()
    var calls: [String] = []
    var steps: [MigrationProgress] = []
    /// The call that throws.
    var failing: String?
    /// Whether the last stage leaves a value out.
    var leavesAge = false
    var during: ((String) throws -> Void)?

    func call(_ name: String) throws {
      calls.append(name)
      try during?(name)
      if failing == name { throw StageRefusal() }
    }

    func reset() { (calls, steps, failing, leavesAge, during) = ([], [], nil, false, nil) }
  }

  enum BookPlan: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [BookV1.self, BookV2.self, BookV3.self] }
    static var stages: [MigrationStage] { [split, unique] }

    static let split = MigrationStage.custom(
      fromVersion: BookV1.self, toVersion: BookV2.self,
      willMigrate: { context in
        let people = try context.fetch(FetchDescriptor<BookV1.Person>(sortBy: [SortDescriptor(\.name)]))
        try StageWatch.shared.call("will 2")
        // Unsaved changes of a stage are saved.
        for person in people where person.name == "Nobody" { context.delete(person) }
      },
      didMigrate: { context in
        for person in try context.fetch(FetchDescriptor<BookV2.Person>()) {
          let parts = person.name.split(separator: " ")
          (person.first, person.last) = (String(parts[0]), String(parts[1]))
        }
        try context.save()
        try StageWatch.shared.call("did 2")
      })

    static let unique = MigrationStage.custom(
      fromVersion: BookV2.self, toVersion: BookV3.self,
      willMigrate: { context in
        var seen: Set<String> = []
        for person in try context.fetch(FetchDescriptor<BookV2.Person>(sortBy: [SortDescriptor(\.name)])) {
          if !seen.insert(person.last).inserted { context.delete(person) }
        }
        try StageWatch.shared.call("will 3")
      },
      didMigrate: { context in
        context.insert(BookV3.Note("migrated"))
        for person in try context.fetch(FetchDescriptor<BookV3.Person>()) where !StageWatch.shared.leavesAge {
          // A value that equals the empty one counts as set.
          person.age = 0
        }
        try StageWatch.shared.call("did 3")
      })

    static func report(_ progress: MigrationProgress) { StageWatch.shared.steps.append(progress) }
  }

  /// A program that does not know the third version.
  enum OlderBookPlan: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [BookV1.self, BookV2.self] }
    static var stages: [MigrationStage] { [BookPlan.split] }
  }

  /// Steps without code.
  enum PlainBookPlan: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [BookV1.self, BookV2.self] }
    static var stages: [MigrationStage] {
      [.lightweight(fromVersion: BookV1.self, toVersion: BookV2.self)]
    }
  }

  /// Models that the plan does not have.
  enum OddBook {
    @Model final class Person {
      var age: Int = 7
      init() {}
    }
  }

  // Prices as texts, and as numbers of cents.

  enum PriceV1: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] { [Item.self, Shelf.self] }
    @Model final class Item {
      var name: String
      var price: String
      var sizes: [Int] = [1, 2]
      var shelf: Shelf?
      var bestOf: Shelf?
      init(_ name: String, price: String) { (self.name, self.price) = (name, price) }
    }
    @Model final class Shelf {
      var label: String
      @Relationship(inverse: \Item.shelf) var items: [Item] = []
      @Relationship(inverse: \Item.bestOf) var best: [Item] = []
      init(_ label: String) { self.label = label }
    }
  }

  enum PriceV2: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static var models: [any PersistentModel.Type] { [Item.self, Shelf.self, Label.self] }
    @Model final class Item {
      var name: String
      var price: Int
      var sizes: [String]
      var shelf: Shelf?
      var bestOf: Shelf?
      init(_ name: String, price: Int) { (self.name, self.price, sizes) = (name, price, []) }
    }
    @Model final class Shelf {
      @Relationship(inverse: \Item.shelf) var items: [Item] = []
      @Relationship(inverse: \Item.bestOf) var best: Item?
      var code: Int
      init(_ code: Int) { self.code = code }
    }
    @Model final class Label {
      var text: String
      var shelf: Shelf?
      init(_ text: String) { self.text = text }
    }
  }

  enum PricePlan: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [PriceV1.self, PriceV2.self] }
    static var stages: [MigrationStage] { [prices, shelves, labels] }

    static let prices = MigrationStage.transform(from: PriceV1.Item.self, to: PriceV2.Item.self, batchSize: 2) {
      old, new in
      guard let price = Int(old.price) else { throw StageRefusal() }
      new.price = price
      new.sizes = old.sizes.map { "\($0)" }
      if old.name == "gone" { new.modelContext?.delete(new) }
    }
    static let shelves = MigrationStage.transform(from: PriceV1.Shelf.self, to: PriceV2.Shelf.self) { old, new in
      new.code = old.items.count
      if let best = old.best.first { new.best = try new.modelContext?.existingModel(for: best.persistentModelID) }
    }
    static let labels = MigrationStage.transform(from: PriceV1.Shelf.self, in: PriceV2.self) { old, context in
      let label = PriceV2.Label(old.label)
      context.insert(label)
      label.shelf = try context.existingModel(for: old.persistentModelID)
    }

    static func report(_ progress: MigrationProgress) { StageWatch.shared.steps.append(progress) }
  }

  // Tenants in separate zones, whose parcels have weights as texts and as numbers.

  enum ZonedV1: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] { [Tenant.self, Parcel.self] }
    @Model final class Tenant {
      var name: String
      @Relationship(deleteRule: .deny, inverse: \Parcel.tenant) var parcels: [Parcel] = []
      init(_ name: String) { self.name = name }
    }
    @Model final class Parcel {
      var weight: String
      var tenant: Tenant?
      init(_ weight: String) { self.weight = weight }
    }
  }

  enum ZonedV2: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static var models: [any PersistentModel.Type] { [Tenant.self, Parcel.self] }
    @Model final class Tenant {
      var name: String
      @Relationship(deleteRule: .deny, inverse: \Parcel.tenant) var parcels: [Parcel] = []
      init(_ name: String) { self.name = name }
    }
    @Model final class Parcel {
      var weight: Int
      var tenant: Tenant?
      init(_ weight: Int) { self.weight = weight }
    }
  }

  enum ZonedPlan: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [ZonedV1.self, ZonedV2.self] }
    static var stages: [MigrationStage] {
      [
        .custom(
          fromVersion: ZonedV1.self, toVersion: ZonedV2.self,
          willMigrate: { context in
            let other = ModelContext(context.container)
            let bad = ZonedV1.Parcel("bad")
            other.insert(bad)
            bad.tenant = try other.fetch(FetchDescriptor<ZonedV1.Tenant>()).first
            // The server refuses it. The rest of the stage continues.
            do { try other.save() } catch let error as PostgresError { try StageWatch.shared.call(error.code.rawValue) }
            for tenant in try context.fetch(FetchDescriptor<ZonedV1.Tenant>()) {
              let parcel = ZonedV1.Parcel("100")
              context.insert(parcel)
              parcel.tenant = tenant
            }
          }, didMigrate: nil),
        .transform(from: ZonedV1.Parcel.self, to: ZonedV2.Parcel.self, batchSize: 1) { old, new in
          new.weight = (Int(old.weight) ?? 0) + (old.tenant?.parcels.count ?? 0)
        },
      ]
    }
  }

  // Items in a database, and notes in a file.

  enum SplitV1: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] { [Item.self, Note.self] }
    @Model final class Item {
      var name: String
      init(_ name: String) { self.name = name }
    }
    @Model final class Note {
      var text: String
      init(_ text: String) { self.text = text }
    }
  }

  enum SplitV2: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static var models: [any PersistentModel.Type] { [Item.self, Note.self] }
    @Model final class Item {
      var name: String
      var price: Int
      init(_ name: String, price: Int) { (self.name, self.price) = (name, price) }
    }
    @Model final class Note {
      var text: String
      var size: Int
      init(_ text: String) { (self.text, size) = (text, text.count) }
    }
  }

  enum SplitPlan: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [SplitV1.self, SplitV2.self] }
    static var stages: [MigrationStage] {
      [
        .custom(
          fromVersion: SplitV1.self, toVersion: SplitV2.self, willMigrate: nil,
          didMigrate: { context in
            // A stage sees the models of one store.
            let names = Set(context.container.schema.entities.map(\.name))
            try StageWatch.shared.call(names.sorted().joined(separator: " "))
            if names.contains("Item") {
              for item in try context.fetch(FetchDescriptor<SplitV2.Item>()) { item.price = 5 }
            } else {
              for note in try context.fetch(FetchDescriptor<SplitV2.Note>()) { note.size = note.text.count }
            }
          })
      ]
    }
  }

  /// A stage whose import the server refuses.
  enum ImportingPlan: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [SplitV1.self, SplitV2.self] }
    static var stages: [MigrationStage] {
      [
        .custom(
          fromVersion: SplitV1.self, toVersion: SplitV2.self,
          willMigrate: { context in
            let items = (0..<10).map { SplitV1.Item("imported \($0)") }
            do { try context.container.importer(for: SplitV1.Item.self).run(models: items) } catch let error
              as PostgresError
            {
              try StageWatch.shared.call(error.code.rawValue)
            }
            context.insert(SplitV1.Note("after"))
          },
          didMigrate: { context in
            for item in try context.fetch(FetchDescriptor<SplitV2.Item>()) { item.price = 5 }
            for note in try context.fetch(FetchDescriptor<SplitV2.Note>()) { note.size = note.text.count }
          })
      ]
    }
  }
#endif
