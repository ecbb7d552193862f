import Foundation
import SwiftData
import Testing

// Three released versions of an address book.

private enum BookV1: VersionedSchema {
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

private enum BookV2: VersionedSchema {
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

private enum BookV3: VersionedSchema {
  static let versionIdentifier = Schema.Version(3, 0, 0)
  static var models: [any PersistentModel.Type] { [Person.self, City.self, Note.self] }
  @Model final class Person {
    var first: String = ""
    @Attribute(.unique) var last: String = ""
    var home: City?
    init(_ last: String) { self.last = last }
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

private struct Refusal: Error {}

/// Counts the calls of stages, and what they saw.
private final class Watch: @unchecked Sendable {
  // Unchecked because the tests of one serialized suite use it one after the other.
  static let shared = Watch()
  var calls: [String] = []
  var steps: [MigrationProgress] = []
  /// The call that must throw.
  var failing: String?
  var keepsBackup = false
  var during: (() throws -> Void)?

  func call(_ name: String) throws {
    calls.append(name)
    try during?()
    if failing == name { throw Refusal() }
  }

  func reset() {
    (calls, steps, failing, keepsBackup, during) = ([], [], nil, false, nil)
  }
}

private enum BookPlan: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [BookV1.self, BookV2.self, BookV3.self] }
  static var stages: [MigrationStage] { [split, unique] }

  static let split = MigrationStage.custom(
    fromVersion: BookV1.self, toVersion: BookV2.self,
    willMigrate: { context in
      let people = try context.fetch(FetchDescriptor<BookV1.Person>(sortBy: [SortDescriptor(\.name)]))
      try Watch.shared.call("will 2 " + people.map(\.name).joined(separator: ","))
      // Changes that a stage does not save are saved.
      for person in people where person.name == "Nobody" { context.delete(person) }
    },
    didMigrate: { context in
      for person in try context.fetch(FetchDescriptor<BookV2.Person>()) {
        let parts = person.name.split(separator: " ")
        (person.first, person.last) = (String(parts[0]), String(parts[1]))
      }
      try context.save()
      try Watch.shared.call("did 2")
    })

  static let unique = MigrationStage.custom(
    fromVersion: BookV2.self, toVersion: BookV3.self,
    willMigrate: { context in
      var seen: Set<String> = []
      for person in try context.fetch(FetchDescriptor<BookV2.Person>(sortBy: [SortDescriptor(\.name)])) {
        if !seen.insert(person.last).inserted { context.delete(person) }
      }
      try Watch.shared.call("will 3")
    },
    didMigrate: { context in
      context.insert(BookV3.Note("migrated"))
      try Watch.shared.call("did 3")
    })

  static var keepsBackup: Bool { Watch.shared.keepsBackup }
  static func report(_ progress: MigrationProgress) { Watch.shared.steps.append(progress) }
}

@Suite(.serialized) struct MigrationPlanTests {
  private let folder: Folder

  init() throws {
    folder = try Folder()
    Watch.shared.reset()
  }

  private func open(
    _ version: any VersionedSchema.Type, _ plan: (any SchemaMigrationPlan.Type)? = nil, allowsSave: Bool = true
  ) throws -> ModelContext {
    ModelContext(
      try ModelContainer(
        for: Schema(versionedSchema: version), migrationPlan: plan,
        configurations: [ModelConfiguration(url: folder.file(), allowsSave: allowsSave)]))
  }

  private func makeFirst() throws {
    let context = try open(BookV1.self)
    let city = BookV1.City("London")
    for name in ["Ada Byron", "Ann Byron", "Eve Jones", "Nobody"] {
      let person = BookV1.Person(name)
      context.insert(person)
      person.home = city
    }
    try context.save()
    try context.container.close()
  }

  private func people(_ context: ModelContext) throws -> [String] {
    try context.fetch(FetchDescriptor<BookV3.Person>(sortBy: [SortDescriptor(\.last)])).map {
      "\($0.first) \($0.last) \($0.home?.name ?? "-")"
    }
  }

  private var files: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: folder.url.path()).sorted() }
  }

  // MARK: Stages

  @Test func `stages run from the first version to the last, each over its own models`() throws {
    try makeFirst()
    let context = try open(BookV3.self, BookPlan.self)
    #expect(try people(context) == ["Ada Byron London", "Eve Jones London"])
    #expect(Watch.shared.calls == ["will 2 Ada Byron,Ann Byron,Eve Jones,Nobody", "did 2", "will 3", "did 3"])
    #expect(Watch.shared.steps.map(\.step) == [1, 2] && Watch.shared.steps.allSatisfy { $0.steps == 2 })
    #expect(Watch.shared.steps.last?.to == Schema.Version(3, 0, 0))
    #expect(try context.fetch(FetchDescriptor<BookV3.Note>()).map(\.text) == ["migrated"])
    #expect(try context.fetch(FetchDescriptor<BookV3.City>()).map { $0.people.count } == [2])
    #expect(try context.container.verify().findings.isEmpty)
    try context.container.close()
    #expect(try files == ["store.roost"])
    // Nothing is left to do.
    Watch.shared.reset()
    #expect(try people(open(BookV3.self, BookPlan.self)).count == 2 && Watch.shared.calls.isEmpty)
  }

  @Test func `a store begins with the version that it has`() throws {
    let context = try open(BookV2.self)
    for name in ["a", "b"] {
      let person = BookV2.Person(name)
      (person.first, person.last) = ("x", "same")
      context.insert(person)
    }
    try context.save()
    try context.container.close()
    #expect(try people(open(BookV3.self, BookPlan.self)) == ["x same -"])
    #expect(Watch.shared.calls == ["will 3", "did 3"])
  }

  @Test(arguments: ["will 2 Ada Byron,Ann Byron,Eve Jones,Nobody", "did 2", "will 3", "did 3"])
  func `a stage that throws leaves the store as it was`(call: String) throws {
    try makeFirst()
    Watch.shared.failing = call
    let error = #expect(throws: SwiftDataError.self) { try open(BookV3.self, BookPlan.self) }
    #expect(error == .loadIssueModelContainer && error?.underlyingError is Refusal)
    #expect(error?.description.contains("the store is as it was") == true)
    #expect(try files == ["store.roost"])
    let old = try open(BookV1.self)
    #expect(try old.fetchCount(FetchDescriptor<BookV1.Person>()) == 4)
    try old.container.close()
    Watch.shared.reset()
    #expect(try people(open(BookV3.self, BookPlan.self)).count == 2)
  }

  @Test func `identifiers and the history continue`() throws {
    try makeFirst()
    let before = try open(BookV1.self)
    let eve = try #require(
      try before.fetch(FetchDescriptor<BookV1.Person>(predicate: #Predicate { $0.name == "Eve Jones" })).first)
    let identifier = eve.persistentModelID
    try before.container.close()
    let context = try open(BookV3.self, BookPlan.self)
    let same = try #require(context.model(for: identifier) as? BookV3.Person)
    #expect(same.last == "Jones")
    #expect(try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).count > 2)
  }

  @Test func `a backup stays until it is discarded`() throws {
    try makeFirst()
    Watch.shared.keepsBackup = true
    let context = try open(BookV3.self, BookPlan.self)
    #expect(try people(context).count == 2)
    let backup = try #require(context.container.migrationBackups.first)
    let old = try ModelContainer(
      for: Schema(versionedSchema: BookV1.self), configurations: [ModelConfiguration(url: backup)])
    #expect(try ModelContext(old).fetchCount(FetchDescriptor<BookV1.Person>()) == 4)
    try old.close()
    try context.container.discardMigrationBackups()
    #expect(context.container.migrationBackups.isEmpty)
    try context.container.close()
    #expect(try files == ["store.roost"])
  }

  @Test func `a read-only container does not migrate, and says so`() throws {
    try makeFirst()
    let error = #expect(throws: SwiftDataError.self) { try open(BookV3.self, BookPlan.self, allowsSave: false) }
    #expect(error == .loadIssueModelContainer && error?.description.contains("allows saves") == true)
    #expect(Watch.shared.calls.isEmpty)
    _ = try open(BookV3.self, BookPlan.self).container.close()
    #expect(try people(open(BookV3.self, BookPlan.self, allowsSave: false)).count == 2)
  }

  @Test func `the code of a stage cannot open the store that is being migrated`() throws {
    try makeFirst()
    let url = folder.file()
    Watch.shared.during = {
      _ = try ModelContainer(for: Schema(versionedSchema: BookV3.self), configurations: [ModelConfiguration(url: url)])
    }
    let error = #expect(throws: SwiftDataError.self) { try open(BookV3.self, BookPlan.self) }
    #expect(error?.description.contains("use the context that it gets") == true, "\(String(describing: error))")
  }

  @Test func `a cancelled task leaves the store as it was`() async throws {
    try makeFirst()
    let url = folder.file()
    let task = Task {
      Watch.shared.during = { withUnsafeCurrentTask { $0?.cancel() } }
      _ = try ModelContainer(
        for: Schema(versionedSchema: BookV3.self), migrationPlan: BookPlan.self,
        configurations: [ModelConfiguration(url: url)])
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    Watch.shared.reset()
    #expect(try files == ["store.roost"])
    #expect(try people(open(BookV3.self, BookPlan.self)).count == 2)
  }

  // MARK: Versions

  @Test func `the error of an older program names the version that wrote the store`() throws {
    try makeFirst()
    try open(BookV3.self, BookPlan.self).container.close()
    for plan in [nil, BookPlan.self] as [(any SchemaMigrationPlan.Type)?] {
      let error = #expect(throws: SwiftDataError.self) { try open(BookV2.self, plan) }
      #expect(
        error == .backwardMigration && error?.description.contains("3.0.0") == true, "\(String(describing: error))")
    }
    #expect(try people(open(BookV3.self)).count == 2)
  }

  @Test func `a store of no version is refused, and the error names the differences`() throws {
    let stranger = try ModelContainer(
      for: Odd.Person.self, configurations: ModelConfiguration(url: folder.file()))
    let context = ModelContext(stranger)
    context.insert(Odd.Person())
    try context.save()
    try stranger.close()
    let error = #expect(throws: SwiftDataError.self) { try open(BookV3.self, BookPlan.self) }
    let text = error?.description ?? ""
    #expect(error == .loadIssueModelContainer)
    for part in ["none of the versions", "1.0.0, 2.0.0, 3.0.0", "Person", "+ age: int64"] {
      #expect(text.contains(part), "\(part): \(text)")
    }
    #expect(Watch.shared.calls.isEmpty)
    #expect(
      try ModelContext(
        ModelContainer(for: Odd.Person.self, configurations: ModelConfiguration(url: folder.file()))
      ).fetch(FetchDescriptor<Odd.Person>()).map(\.age) == [7])
  }

  @Test func `versions with the same models are distinguished by their numbers`() throws {
    let first = try open(Same.V1.self)
    first.insert(Same.V1.Item())
    try first.save()
    try first.container.close()
    for _ in 0..<2 {
      let context = try open(Same.V2.self, Same.Plan.self)
      #expect(try context.fetch(FetchDescriptor<Same.V2.Item>()).map(\.count) == [2])
      try context.container.close()
    }
  }

  @Test func `a plan whose stages do not fit its versions is refused`() throws {
    try makeFirst()
    for plan in [Misfit.Missing.self, Misfit.Twice.self, Misfit.Backward.self] as [any SchemaMigrationPlan.Type] {
      let error = #expect(throws: SwiftDataError.self) { try open(BookV2.self, plan) }
      #expect(error == .loadIssueModelContainer && error?.description.contains("the migration plan") == true)
    }
    let unordered = #expect(throws: SwiftDataError.self) { try open(BookV2.self, Misfit.Unordered.self) }
    #expect(unordered?.description.contains("do not ascend") == true)
    let other = #expect(throws: SwiftDataError.self) { try open(BookV3.self, Misfit.Missing.self) }
    #expect(other?.description.contains("none of the versions") == true, "\(String(describing: other))")
  }

  @Test func `a transform to a class of another name is refused`() throws {
    let context = try open(Shop.V1.self)
    context.insert(Shop.V1.Item("item", price: "1"))
    try context.save()
    try context.container.close()
    let error = #expect(throws: SwiftDataError.self) { try open(Shop.V2.self, Shop.Astray.self) }
    #expect(error?.description.contains("transform(from:in:)") == true, "\(String(describing: error))")
  }

  @Test func `a value that equals the empty one counts as set`() throws {
    let context = try open(Typed.V1.self)
    context.insert(Typed.V1.Item("0"))
    try context.save()
    try context.container.close()
    let new = try open(Typed.V2.self, Typed.Zero.self)
    #expect(try new.fetch(FetchDescriptor<Typed.V2.Item>()).map(\.price) == [0])
  }

  @Test func `steps without code are one change`() throws {
    let context = try open(Chain.V1.self)
    for _ in 0..<2 { context.insert(Chain.V1.Item("same")) }
    try context.save()
    try context.container.close()
    let error = #expect(throws: SwiftDataError.self) { try open(Chain.V3.self, Chain.Plan.self) }
    #expect(error?.description.contains("Item.third") == true, "\(String(describing: error))")
    let old = try open(Chain.V1.self)
    let items = try old.fetch(FetchDescriptor<Chain.V1.Item>())
    #expect(items.map(\.first) == ["same", "same"])
    items[0].first = "other"
    try old.save()
    try old.container.close()
    let new = try open(Chain.V3.self, Chain.Plan.self)
    #expect(try new.fetch(FetchDescriptor<Chain.V3.Item>()).map(\.third).sorted() == ["other", "same"])
  }

  @Test func `a program that names some of the models leaves the others to the plan`() throws {
    try makeFirst()
    // It migrates only cities to the second version.
    let some = try ModelContainer(for: Partly.Note.self, configurations: ModelConfiguration(url: folder.file()))
    let context = ModelContext(some)
    context.insert(Partly.Note())
    try context.save()
    try some.close()
    #expect(try people(open(BookV3.self, BookPlan.self)).count == 2)
  }

  // MARK: Added and removed models

  @Test func `a model that the newest version lacks does not stop its stores`() throws {
    // A new store, opened twice.
    for round in 0..<2 {
      let context = try open(Went.V3.self, Went.Plan.self)
      #expect(try context.fetchCount(FetchDescriptor<Went.V3.Note>()) == round)
      context.insert(Went.V3.Note("new"))
      try context.save()
      try context.container.close()
    }
  }

  @Test func `a stage sees a model that only its version has`() throws {
    let context = try open(Went.V1.self)
    let (note, folder) = (Went.V1.Note("a"), Went.V1.Folder("f"))
    context.insert(note)
    note.folder = folder
    try context.save()
    try context.container.close()
    let new = try open(Went.V3.self, Went.Plan.self)
    #expect(try new.fetch(FetchDescriptor<Went.V3.Note>()).map(\.text) == ["a f 1"])
    #expect(try new.container.verify().findings.isEmpty)
  }

  @Test func `a property takes the name of a removed one`() throws {
    let context = try open(Heir.V1.self)
    context.insert(Heir.V1.Item())
    try context.save()
    try context.container.close()
    for _ in 0..<2 {
      let new = try open(Heir.V2.self)
      #expect(try new.fetch(FetchDescriptor<Heir.V2.Item>()).map(\.title) == ["name"])
      #expect(try new.container.parkedData().map(\.property) == ["@parked title"])
      try new.container.close()
    }
  }

  @Test func `a class that loses its superclass is refused`() throws {
    let context = try open(Child.V1.self)
    context.insert(Child.V1.Leaf())
    try context.save()
    try context.container.close()
    let error = #expect(throws: SwiftDataError.self) { try open(Child.V2.self) }
    #expect(error?.description.contains("as a subclass of Base") == true, "\(String(describing: error))")
    #expect(try open(Child.V1.self).fetchCount(FetchDescriptor<Child.V1.Leaf>()) == 1)
  }

  // MARK: Parking

  @Test func `unnamed data is parked, restored by naming it, and discarded on demand`() throws {
    let first = try open(Parked.V1.self)
    let box = Parked.V1.Box("a", size: 3)
    first.insert(box)
    first.insert(Parked.V1.Box("b", size: nil))
    first.insert(Parked.V1.Lid(box))
    try first.save()
    #expect(try first.container.parkedData().isEmpty)
    try first.container.close()
    for round in 0..<2 {
      let second = try open(Parked.V2.self)
      let parked = try second.container.parkedData()
      #expect(Set(parked.map { "\($0)" }) == ["Lid (1 model)", "Box.size (1 model)", "Box.lids (2 models)"])
      #expect(throws: SwiftDataError.self) { try ModelContainer.discard(parked, at: folder.file()) }
      try second.container.close()
      if round == 0 {
        let again = try open(Parked.V3.self)
        #expect(
          try again.fetch(FetchDescriptor<Parked.V3.Box>(sortBy: [SortDescriptor(\.name)])).map(\.size) == [3, nil])
        #expect(try again.fetch(FetchDescriptor<Parked.V3.Lid>()).map { $0.box?.name } == ["a"])
        #expect(try again.container.parkedData().isEmpty)
        let lid = try #require(try again.fetch(FetchDescriptor<Parked.V3.Lid>()).first)
        #expect(lid.box?.lids.count == 1)
        try again.container.close()
        // An older version does not open a newer store that it would change.
        try FileManager.default.removeItem(at: folder.file())
        let other = try open(Parked.V1.self)
        let box = Parked.V1.Box("a", size: 3)
        for model in [box, Parked.V1.Box("b", size: nil)] { other.insert(model) }
        other.insert(Parked.V1.Lid(box))
        try other.save()
        try other.container.close()
      } else {
        let lid = try #require(parked.filter { $0.property == nil }.first)
        try ModelContainer.discard([lid], at: folder.file())
        #expect(throws: (any Error).self) { try ModelContainer.discard([lid], at: folder.file()) }
        let left = try open(Parked.V2.self)
        let size = try left.container.parkedData()
        #expect(size.map { "\($0)" } == ["Box.size (1 model)"])
        #expect(try left.container.verify().findings.isEmpty)
        try left.container.close()
        try ModelContainer.discard(size, at: folder.file())
        let last = try open(Parked.V3.self)
        #expect(try last.fetch(FetchDescriptor<Parked.V3.Box>()).map(\.size) == [nil, nil])
        #expect(try last.fetchCount(FetchDescriptor<Parked.V3.Lid>()) == 0 && last.container.verify().findings.isEmpty)
      }
    }
  }

  // MARK: One program

  @Test func `the next version is opened while the last one is open`() throws {
    let before = try open(BookV1.self)
    before.insert(BookV1.Person("Ada Byron"))
    try before.save()
    let kept = try #require(try before.fetch(FetchDescriptor<BookV1.Person>()).first)
    let context = try open(BookV3.self, BookPlan.self)
    #expect(try people(context) == ["Ada Byron -"])
    let error = #expect(throws: RoostError.self) { try before.fetch(FetchDescriptor<BookV1.Person>()) }
    #expect(error?.code == .closed && error?.detail.contains("other models") == true)
    #expect(throws: RoostError.self) { try before.save() }
    #expect(kept.name == "Ada Byron")
  }

  @Test func `a version that cannot be opened does not close the one that is open`() throws {
    let context = try open(BookV3.self)
    context.insert(BookV3.Person("one"))
    #expect(throws: SwiftDataError.self) { try open(BookV1.self) }
    #expect(throws: SwiftDataError.self) { try open(BookV2.self, BookPlan.self) }
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<BookV3.Person>()) == 1)
  }

  @Test func `a container with some of the models shares the store`() throws {
    let whole = try open(BookV3.self)
    let part = try ModelContainer(
      for: BookV3.Note.self, configurations: ModelConfiguration(url: folder.file()))
    let context = ModelContext(part)
    context.insert(BookV3.Note("one"))
    try context.save()
    whole.insert(BookV3.Person("two"))
    try whole.save()
    #expect(try whole.fetchCount(FetchDescriptor<BookV3.Note>()) == 1)
    #expect(try context.fetch(FetchDescriptor<BookV3.Note>()).map(\.text) == ["one"])
    #expect(throws: (any Error).self) { try context.fetch(FetchDescriptor<BookV3.Person>()) }
    #expect(try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).count == 2)
  }

  // MARK: Transforms

  @Test func `a transform sees both versions of each model, in batches`() throws {
    let context = try open(Shop.V1.self)
    for number in 0..<25 { context.insert(Shop.V1.Item("item \(number)", price: "\(number).50")) }
    try context.save()
    try context.container.close()
    let new = try open(Shop.V2.self, Shop.Plan.self)
    let items = try new.fetch(FetchDescriptor<Shop.V2.Item>(sortBy: [SortDescriptor(\.cents)]))
    // The transform deletes number 3.
    #expect(items.map(\.cents) == (0..<25).filter { $0 != 3 }.map { $0 * 100 + 50 })
    #expect(items.first?.name == "item 0")
    // The second transform made one for each object.
    #expect(try new.fetchCount(FetchDescriptor<Shop.V2.Label>()) == 25)
    #expect(Watch.shared.steps.map(\.models) == [0, 0, 10, 20, 0] && Watch.shared.steps.last?.total == 25)
    #expect(try new.container.verify().findings.isEmpty)
    try new.container.close()
    #expect(try files == ["store.roost"])
  }

  @Test func `each transform sees the result of the previous one`() throws {
    let context = try open(Shop.V1.self)
    for number in 0..<3 { context.insert(Shop.V1.Item("item \(number)", price: "\(number).50")) }
    try context.save()
    try context.container.close()
    let new = try open(Shop.V3.self, Shop.LongPlan.self)
    #expect(
      try new.fetch(FetchDescriptor<Shop.V3.Item>(sortBy: [SortDescriptor(\.cents)])).map { "\($0.name) \($0.cents)" }
        == [
          "ITEM 0 51", "ITEM 1 151", "ITEM 2 251",
        ])
    try new.container.close()
    #expect(try files == ["store.roost"])
  }

  @Test func `a property gets another type, and a new one has no default`() throws {
    try makeTyped()
    let context = try open(Typed.V2.self, Typed.Plan.self)
    let all = try context.fetch(FetchDescriptor<Typed.V2.Item>(sortBy: [SortDescriptor(\.price)]))
    #expect(all.map(\.price) == [0, 1, 2, 3] && all.map(\.kind.rawValue) == ["even", "odd", "even", "odd"])
    #expect(all.map(\.box.number) == [10, 11, 12, 13] && all.allSatisfy { $0.note == "n" })
    #expect(try context.fetchCount(FetchDescriptor<Typed.V2.Item>(predicate: #Predicate { $0.price > 1 })) == 2)
    #expect(try context.container.verify().findings.isEmpty)
    try context.container.close()
    #expect(try open(Typed.V2.self, Typed.Plan.self).fetchCount(FetchDescriptor<Typed.V2.Item>()) == 4)
  }

  @Test func `unique values and indexes are added and removed`() throws {
    for round in 0..<2 {
      let context = try open(Ruled.V1.self)
      for _ in 0..<2 { context.insert(Ruled.V1.Item("same \(round)")) }
      try context.save()
      #expect(try context.fetchCount(FetchDescriptor<Ruled.V1.Item>()) == round + 1)
      try context.container.close()
      let free = try ModelContainer(for: Ruled.Free.Item.self, configurations: ModelConfiguration(url: folder.file()))
      let other = ModelContext(free)
      let extra = Ruled.Free.Item("same \(round)")
      other.insert(extra)
      try other.save()
      #expect(try other.fetchCount(FetchDescriptor<Ruled.Free.Item>()) == round + 2)
      let doubled = #expect(throws: SwiftDataError.self) { try open(Ruled.V1.self) }
      #expect(doubled?.description.contains("Item.name") == true, "\(String(describing: doubled))")
      let again = ModelContext(
        try ModelContainer(for: Ruled.Free.Item.self, configurations: ModelConfiguration(url: folder.file())))
      let rows = try again.fetch(FetchDescriptor<Ruled.Free.Item>())
      again.delete(try #require(rows.last))
      try again.save()
      try again.container.close()
    }
  }

  @Test func `a value that no code sets is reported`() throws {
    try makeTyped()
    let error = #expect(throws: SwiftDataError.self) { try open(Typed.V2.self, Typed.Lazy.self) }
    let text = error?.description ?? ""
    for part in ["Item.price", "2 objects have no value", "rows 2, 4", "didMigrate"] {
      #expect(text.contains(part), "\(part): \(text)")
    }
    #expect(try Typed.Lazy.dryRun(url: folder.file()).isPossible == false)
    #expect(
      try open(Typed.V1.self).fetch(FetchDescriptor<Typed.V1.Item>()).map(\.price).sorted() == ["0", "1", "2", "3"])
    #expect(try files.filter { !$0.hasSuffix("-log") } == ["store.roost"])
  }

  private func makeTyped() throws {
    let context = try open(Typed.V1.self)
    for number in 0..<4 { context.insert(Typed.V1.Item("\(number)")) }
    try context.save()
    try context.container.close()
  }

  @Test func `a dry run reports what would happen, and changes nothing`() throws {
    let context = try open(Shop.V1.self)
    for number in 0..<25 {
      context.insert(Shop.V1.Item("item \(number)", price: number == 7 ? "seven" : "\(number).50"))
    }
    try context.save()
    // The store may be in use.
    let report = try Shop.Plan.dryRun(url: folder.file())
    #expect(report.from == Schema.Version(1, 0, 0) && report.to == Schema.Version(2, 0, 0))
    let item = try #require(report.entities.first { $0.name == "Item" })
    #expect(item.before == 25 && item.after == 24)
    #expect(item.changes == ["+ cents: int64", "- price: string"])
    #expect(report.entities.first { $0.name == "Label" }?.before == nil)
    #expect(report.failureCount == 1 && !report.isPossible && report.error == nil)
    #expect(report.failures.first?.reason.contains("Refusal") == true)
    #expect("\(report)".contains("Item, row 8"), "\(report)")
    #expect(try context.fetchCount(FetchDescriptor<Shop.V1.Item>()) == 25)
    try context.container.close()
    let error = #expect(throws: SwiftDataError.self) { try open(Shop.V2.self, Shop.Plan.self) }
    #expect(error?.underlyingError is Refusal && error?.description.contains("Item, row 8") == true)
    #expect(try files == ["store.roost"])
    #expect(try open(Shop.V1.self).fetchCount(FetchDescriptor<Shop.V1.Item>()) == 25)
  }

  @Test func `a dry run of a store that cannot be migrated says why`() throws {
    try makeFirst()
    Watch.shared.failing = "did 3"
    let report = try BookPlan.dryRun(url: folder.file())
    #expect(!report.isPossible && "\(report)".contains("2.0.0 to 3.0.0 failed"), "\(report)")
    #expect(throws: (any Error).self) { try BookPlan.dryRun(url: folder.file("missing.roost")) }
    Watch.shared.reset()
    let other = try BookPlan.dryRun(url: folder.file())
    #expect(other.isPossible && other.entities.first { $0.name == "Person" }?.after == 2)
  }
}

private enum Odd {
  @Model final class Person {
    var age = 7
    init() {}
  }
}

private enum Same {
  enum V1: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] { [Item.self] }
    @Model final class Item {
      var count = 1
      init() {}
    }
  }
  enum V2: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static var models: [any PersistentModel.Type] { [Item.self] }
    @Model final class Item {
      var count = 1
      init() {}
    }
  }
  enum Plan: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [V1.self, V2.self] }
    static var stages: [MigrationStage] {
      [.transform(from: V1.Item.self, to: V2.Item.self) { old, new in new.count = old.count + 1 }]
    }
  }
}

private enum Misfit {
  enum Unordered: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [BookV2.self, BookV1.self] }
    static var stages: [MigrationStage] { [] }
  }
  enum Missing: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [BookV1.self, BookV2.self] }
    static var stages: [MigrationStage] { [BookPlan.split, BookPlan.unique] }
  }
  enum Twice: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [BookV1.self, BookV2.self] }
    static var stages: [MigrationStage] { [BookPlan.split, BookPlan.split] }
  }
  enum Backward: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [BookV1.self, BookV2.self] }
    static var stages: [MigrationStage] { [.lightweight(fromVersion: BookV2.self, toVersion: BookV1.self)] }
  }
}

private enum Went {
  enum V1: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] { [Note.self, Folder.self] }
    @Model final class Note {
      var text: String
      var folder: Folder?
      init(_ text: String) { self.text = text }
    }
    @Model final class Folder {
      var name: String
      @Relationship(inverse: \Note.folder) var notes: [Note] = []
      init(_ name: String) { self.name = name }
    }
  }
  enum V2: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static var models: [any PersistentModel.Type] { [Note.self, Word.self] }
    @Model final class Note {
      var text: String
      init(_ text: String) { self.text = text }
    }
    @Model final class Word {
      var text: String
      init(_ text: String) { self.text = text }
    }
  }
  enum V3: VersionedSchema {
    static let versionIdentifier = Schema.Version(3, 0, 0)
    static var models: [any PersistentModel.Type] { [Note.self] }
    @Model final class Note {
      var text: String
      var isShort = true
      init(_ text: String) { self.text = text }
    }
  }
  enum Plan: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [V1.self, V2.self, V3.self] }
    static var stages: [MigrationStage] {
      [
        .transform(from: V1.Note.self, to: V2.Note.self) { old, new in
          new.text += " " + (old.folder?.name ?? "")
          new.modelContext?.insert(V2.Word(old.text))
        },
        .custom(
          fromVersion: V2.self, toVersion: V3.self,
          willMigrate: { context in
            let count = try context.fetchCount(FetchDescriptor<V2.Word>())
            for note in try context.fetch(FetchDescriptor<V2.Note>()) { note.text += " \(count)" }
          }, didMigrate: nil),
      ]
    }
  }
}

private enum Heir {
  enum V1: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] { [Item.self] }
    @Model final class Item {
      var title = "title"
      var name = "name"
      init() {}
    }
  }
  enum V2: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static var models: [any PersistentModel.Type] { [Item.self] }
    @Model final class Item {
      @Attribute(originalName: "name") var title = "new"
      init() {}
    }
  }
}

private enum Child {
  enum V1: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] { [Base.self, Leaf.self] }
    @Model class Base {
      var number = 1
      init() {}
    }
    @Model final class Leaf: Base {
      var extra = 2
      override init() { super.init() }
    }
  }
  enum V2: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static var models: [any PersistentModel.Type] { [Leaf.self] }
    @Model final class Leaf {
      var number = 1
      var extra = 2
      init() {}
    }
  }
}

private enum Partly {
  @Model final class Note {
    var text = "before"
    init() {}
  }
}

private enum Chain {
  enum V1: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] { [Item.self] }
    @Model final class Item {
      var first: String
      init(_ text: String) { first = text }
    }
  }
  enum V2: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static var models: [any PersistentModel.Type] { [Item.self] }
    @Model final class Item {
      @Attribute(originalName: "first") var second: String
      init(_ text: String) { second = text }
    }
  }
  enum V3: VersionedSchema {
    static let versionIdentifier = Schema.Version(3, 0, 0)
    static var models: [any PersistentModel.Type] { [Item.self] }
    @Model final class Item {
      @Attribute(.unique, originalName: "second") var third: String
      init(_ text: String) { third = text }
    }
  }
  enum Plan: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [V1.self, V2.self, V3.self] }
    static var stages: [MigrationStage] { [.lightweight(fromVersion: V1.self, toVersion: V2.self)] }
  }
}

private enum Parked {
  enum V1: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] { [Box.self, Lid.self] }
    @Model final class Box {
      var name: String
      var size: Int?
      @Relationship(inverse: \Lid.box) var lids: [Lid] = []
      init(_ name: String, size: Int?) {
        self.name = name
        self.size = size
      }
    }
    @Model final class Lid {
      var box: Box?
      init(_ box: Box) { self.box = box }
    }
  }
  enum V2: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static var models: [any PersistentModel.Type] { [Box.self] }
    @Model final class Box {
      var name: String
      init(_ name: String) { self.name = name }
    }
  }
  enum V3: VersionedSchema {
    static let versionIdentifier = Schema.Version(3, 0, 0)
    static var models: [any PersistentModel.Type] { [Box.self, Lid.self] }
    @Model final class Box {
      var name: String
      var size: Int?
      @Relationship(inverse: \Lid.box) var lids: [Lid] = []
      init(_ name: String) { self.name = name }
    }
    @Model final class Lid {
      var box: Box?
      init(_ box: Box) { self.box = box }
    }
  }
}

private enum Ruled {
  enum V1: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] { [Item.self] }
    @Model final class Item {
      #Index<Item>([\.count])
      @Attribute(.unique) var name: String
      var count = 1
      init(_ name: String) { self.name = name }
    }
  }
  enum Free {
    @Model final class Item {
      var name: String
      var count = 1
      init(_ name: String) { self.name = name }
    }
  }
}

private enum Typed {
  enum Kind: String, Codable { case odd, even }
  struct Box: Codable { var number: Int }
  enum V1: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] { [Item.self] }
    @Model final class Item {
      var price: String
      var kind: Int
      var box: Int
      var note: String?
      init(_ price: String) {
        self.price = price
        (kind, box, note) = (Int(price)! % 2, Int(price)! + 10, price == "2" ? nil : "n")
      }
    }
  }
  enum V2: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static var models: [any PersistentModel.Type] { [Item.self] }
    @Model final class Item {
      @Attribute(.unique) var price: Int
      var kind: Kind
      var box: Box
      var note: String
      init(_ price: Int) {
        self.price = price
        (kind, box, note) = (.odd, Box(number: 0), "")
      }
    }
  }
  enum Plan: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [V1.self, V2.self] }
    static var stages: [MigrationStage] {
      [
        .transform(from: V1.Item.self, to: V2.Item.self) { old, new in
          new.price = Int(old.price)!
          new.kind = old.kind == 1 ? .odd : .even
          new.box = Box(number: old.box)
          new.note = old.note ?? "n"
        }
      ]
    }
  }
  enum Zero: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [V1.self, V2.self] }
    static var stages: [MigrationStage] {
      [
        .transform(from: V1.Item.self, to: V2.Item.self) { old, new in
          new.price = 0
          new.kind = .odd
          new.box = Box(number: 0)
          new.note = ""
        }
      ]
    }
  }
  enum Lazy: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [V1.self, V2.self] }
    static var stages: [MigrationStage] {
      [
        .custom(fromVersion: V1.self, toVersion: V2.self, willMigrate: nil) { context in
          for (place, item) in try context.fetch(FetchDescriptor<V2.Item>()).enumerated() where place % 2 == 0 {
            item.price = place
            item.kind = .even
            item.box = Box(number: 1)
            item.note = "x"
          }
        }
      ]
    }
  }
}

private enum Shop {
  enum V1: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] { [Item.self] }
    @Model final class Item {
      var name: String
      var price: String
      init(_ name: String, price: String) {
        self.name = name
        self.price = price
      }
    }
  }
  enum V2: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static var models: [any PersistentModel.Type] { [Item.self, Label.self] }
    @Model final class Item {
      var name: String
      var cents: Int = 0
      init(_ name: String) { self.name = name }
    }
    @Model final class Label {
      var text: String
      init(_ text: String) { self.text = text }
    }
  }
  enum V3: VersionedSchema {
    static let versionIdentifier = Schema.Version(3, 0, 0)
    static var models: [any PersistentModel.Type] { [Item.self] }
    @Model final class Item {
      var name: String
      var cents: Int = 0
      var size: Int = 0
      init(_ name: String) { self.name = name }
    }
  }
  static let cents = MigrationStage.transform(from: V1.Item.self, to: V2.Item.self, batchSize: 10) { old, new in
    guard let price = Double(old.price) else { throw Refusal() }
    new.cents = Int(price * 100)
    if old.name == "item 3" { new.modelContext?.delete(new) }
  }
  enum Plan: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [V1.self, V2.self] }
    static var stages: [MigrationStage] {
      [cents, .transform(from: V1.Item.self, in: V2.self) { old, context in context.insert(V2.Label(old.name)) }]
    }
    static func report(_ progress: MigrationProgress) { Watch.shared.steps.append(progress) }
  }
  enum Astray: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [V1.self, V2.self] }
    static var stages: [MigrationStage] {
      [.transform(from: V1.Item.self, to: V2.Label.self) { old, new in new.text = old.name }]
    }
  }
  enum LongPlan: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [V1.self, V2.self, V3.self] }
    static var stages: [MigrationStage] {
      [
        cents,
        .transform(from: V2.Item.self, to: V3.Item.self) { old, new in
          new.name = old.name.uppercased()
          new.cents = old.cents + 1
        },
      ]
    }
  }
}
