import Foundation
import Roost
import RoostTestSupport
import Testing

private enum V1: VersionedSchema {
  static let versionIdentifier = Schema.Version(1, 0, 0)
  static var models: [any PersistentModel.Type] { [Board.self, Todo.self] }

  @Model final class Board {
    var name: String
    @Relationship(deleteRule: .cascade, inverse: \Todo.board) var todos: [Todo] = []
    init(name: String) { self.name = name }
  }

  @Model final class Todo {
    var title: String
    var done = false
    var tagText: String
    var weight: Int
    var created: Date
    var board: Board?

    init(_ title: String, tags: String, weight: Int) {
      (self.title, tagText, self.weight) = (title, tags, weight)
      created = Date(timeIntervalSince1970: 1_000_000)
    }
  }
}
private enum Priority: String, Codable { case low, normal, high }
private enum V2: VersionedSchema {
  static let versionIdentifier = Schema.Version(2, 0, 0)
  static var models: [any PersistentModel.Type] { [Board.self, Todo.self, Tag.self] }

  @Model final class Board {
    var name: String
    @Relationship(deleteRule: .cascade, inverse: \Todo.board) var todos: [Todo] = []
    init(name: String) { self.name = name }
  }

  @Model final class Todo {
    var title: String
    @Attribute(originalName: "done") var isDone = false
    var weight: Int
    var created: Date
    var due: Date?
    var board: Board?
    var tags: [Tag] = []

    init(_ title: String, weight: Int) {
      (self.title, self.weight) = (title, weight)
      created = .now
    }
  }

  @Model final class Tag {
    @Attribute(.unique) var name: String
    @Relationship(inverse: \Todo.tags) var todos: [Todo] = []
    init(_ name: String) { self.name = name }
  }
}
private enum V3: VersionedSchema {
  static let versionIdentifier = Schema.Version(3, 0, 0)
  static var models: [any PersistentModel.Type] { [Board.self, Todo.self, Tag.self, Person.self] }

  @Model final class Board {
    @Attribute(.unique) var name: String
    @Relationship(deleteRule: .cascade, inverse: \Todo.board) var todos: [Todo] = []
    var owner: Person?
    init(name: String) { self.name = name }
  }

  @Model final class Todo {
    var title: String
    var isDone = false
    var priority: Priority
    var created: Date
    var due: Date?
    var board: Board?
    var tags: [Tag] = []

    init(_ title: String, priority: Priority) {
      (self.title, self.priority) = (title, priority)
      created = .now
    }
  }

  @Model final class Tag {
    @Attribute(.unique) var name: String
    @Relationship(inverse: \Todo.tags) var todos: [Todo] = []
    init(_ name: String) { self.name = name }
  }

  @Model final class Person {
    @Attribute(.unique) var email: String
    @Relationship(inverse: \Board.owner) var boards: [Board] = []
    init(_ email: String) { self.email = email }
  }
}
private enum Plan: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [V1.self, V2.self, V3.self] }
  static var stages: [MigrationStage] {
    [
      .transform(from: V1.Todo.self, in: V2.self) { old, context in
        guard let new: V2.Todo = try context.existingModel(for: old.persistentModelID) else { return }
        for name in old.tagText.split(separator: ",").map(String.init) {
          let known = try context.fetch(FetchDescriptor<V2.Tag>(predicate: #Predicate { $0.name == name })).first
          let tag = known ?? V2.Tag(name)
          if known == nil { context.insert(tag) }
          new.tags.append(tag)
        }
      },
      .removeDuplicates(of: V2.Board.self, by: \.name, policy: .keepExisting),
      .transform(from: V2.Todo.self, to: V3.Todo.self) { old, new in
        new.priority = old.weight > 5 ? .high : old.weight > 2 ? .normal : .low
      },
      .custom(
        fromVersion: V2.self, toVersion: V3.self, willMigrate: nil,
        didMigrate: { context in
          let person = V3.Person("me@example.org")
          context.insert(person)
          for board in try context.fetch(FetchDescriptor<V3.Board>()) { board.owner = person }
          try context.save()
        }),
    ]
  }
}

/// The plan of the program's second version.
private enum SecondPlan: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [V1.self, V2.self] }
  static var stages: [MigrationStage] { [Plan.stages[0]] }
}

/// A program with three released versions, written by the guide.
@Suite struct ReleasedVersionsTests {
  private let folder: Folder

  init() throws { folder = try Folder() }

  private func open(
    _ version: any VersionedSchema.Type, plan: (any SchemaMigrationPlan.Type)? = nil, _ file: URL
  ) throws -> ModelContainer {
    try ModelContainer(
      for: Schema(versionedSchema: version), migrationPlan: plan, configurations: [ModelConfiguration(url: file)])
  }

  /// Makes the data of a user of the first version.
  private func fill(_ file: URL) throws {
    let container = try open(V1.self, file)
    let context = ModelContext(container)
    for name in ["home", "work", "home"] {
      let board = V1.Board(name: name)
      context.insert(board)
      for number in 0..<5 {
        let todo = V1.Todo("\(name) \(number)", tags: number % 2 == 0 ? "a,b" : "c", weight: number * 2)
        context.insert(todo)
        (todo.board, todo.done) = (board, number == 1)
      }
    }
    try context.save()
    try container.close()
  }

  /// Adds equal data as a user of the second version has it.
  private func fillSecond(_ file: URL) throws {
    let container = try open(V2.self, file)
    let context = ModelContext(container)
    let tags = ["a", "b", "c"].map { V2.Tag($0) }
    for tag in tags { context.insert(tag) }
    for name in ["home", "work", "home"] {
      let board = V2.Board(name: name)
      context.insert(board)
      for number in 0..<5 {
        let todo = V2.Todo("\(name) \(number)", weight: number * 2)
        context.insert(todo)
        (todo.board, todo.isDone, todo.created) = (board, number == 1, Date(timeIntervalSince1970: 1_000_000))
        todo.tags = number % 2 == 0 ? [tags[0], tags[1]] : [tags[2]]
        if number == 3 { todo.due = Date(timeIntervalSince1970: 2_000_000) }
      }
    }
    try context.save()
    try container.close()
  }

  /// Adds equal data as a user of the third version has it.
  private func fillThird(_ file: URL) throws {
    let container = try open(V3.self, file)
    let context = ModelContext(container)
    let person = V3.Person("me@example.org")
    context.insert(person)
    let tags = ["a", "b", "c"].map { V3.Tag($0) }
    for tag in tags { context.insert(tag) }
    for (name, count) in [("home", 10), ("work", 5)] {
      let board = V3.Board(name: name)
      context.insert(board)
      board.owner = person
      for number in 0..<count {
        let priority: Priority = number < 2 ? .low : number < 3 ? .normal : .high
        let todo = V3.Todo("\(name) \(number)", priority: priority)
        context.insert(todo)
        (todo.board, todo.isDone, todo.created) = (board, number == 1, Date(timeIntervalSince1970: 1_000_000))
        todo.tags = number % 2 == 0 ? [tags[0], tags[1]] : [tags[2]]
        if number == 3 { todo.due = Date(timeIntervalSince1970: 2_000_000) }
      }
    }
    try context.save()
    try container.close()
  }

  /// Checks the data of the third version. It does not depend on the version where it began.
  private func check(
    _ container: ModelContainer, tags: [String],
    parked: [String] = ["Todo.tagText (15 models)", "Todo.weight (15 models)"],
    due: [String] = []
  ) throws {
    let context = ModelContext(container)
    let boards = try context.fetch(FetchDescriptor<V3.Board>(sortBy: [SortDescriptor(\.name)]))
    #expect(
      boards.map { "\($0.name) \($0.todos.count) \($0.owner?.email ?? "none")" }
        == ["home 10 me@example.org", "work 5 me@example.org"])
    #expect(try context.fetch(FetchDescriptor<V3.Tag>()).map(\.name).sorted() == tags)
    let work = try #require(boards.last).todos.sorted { $0.title < $1.title }
    #expect(
      work.map { "\($0.title) \($0.isDone) \($0.priority) \($0.tags.map(\.name).sorted())" }
        == [
          #"work 0 false low ["a", "b"]"#, #"work 1 true low ["c"]"#, #"work 2 false normal ["a", "b"]"#,
          #"work 3 false high ["c"]"#, #"work 4 false high ["a", "b"]"#,
        ])
    #expect(work.allSatisfy { $0.created == Date(timeIntervalSince1970: 1_000_000) })
    let timely = work.filter { $0.due != nil }
    #expect(timely.map(\.title) == due)
    #expect(timely.allSatisfy { $0.due == Date(timeIntervalSince1970: 2_000_000) })
    #expect(try container.parkedData().map(\.description) == parked)
    #expect(try container.verify().isSound)
  }

  @Test func `data is migrated through all versions, or skips one`() throws {
    let (file, late) = (folder.file(), folder.file("late.roost"))
    try fill(file)
    try FileManager.default.copyItem(at: file, to: late)
    let report = try Plan.dryRun(url: file)
    #expect(
      report.description == """
        version 1.0.0 → 3.0.0
        Board: 3 → 2; + owner: Person?, inverse boards; + unique name
        Person: none → 1
        Tag: none → 3
        Todo: 15 → 15; + due: date?; ~ done → isDone; + priority: string; - tagText: string; + tags: [Tag], inverse todos; - weight: int64
        """ && report.isPossible)
    let second = try open(V2.self, plan: SecondPlan.self, file)
    let context = ModelContext(second)
    #expect(try context.fetchCount(FetchDescriptor<V2.Tag>()) == 3)
    context.insert(V2.Tag("new"))
    try context.save()
    try second.close()
    #expect(try Plan.dryRun(url: file).from == Schema.Version(2, 0, 0))
    let container = try open(V3.self, plan: Plan.self, file)
    try check(container, tags: ["a", "b", "c", "new"])
    try container.close()
    let other = try open(V3.self, plan: Plan.self, late)
    try check(other, tags: ["a", "b", "c"])
    try other.close()
    #expect(throws: SwiftDataError.backwardMigration) { try open(V1.self, file) }
    #expect(try Plan.dryRun(url: file).description.hasPrefix("version 3.0.0: nothing to do"))
  }

  /// The golden stores, which programs of the released versions wrote, by version number.
  /// Docs/TESTING.md says how to make a new one.
  private static var released: [(fill: (Self) -> (URL) throws -> Void, parked: [String], due: [String], dryRun: String)]
  {
    [
      (
        Self.fill, ["Todo.tagText (15 models)", "Todo.weight (15 models)"], [],
        """
        version 1.0.0 → 3.0.0
        Board: 3 → 2; + owner: Person?, inverse boards; + unique name
        Person: none → 1
        Tag: none → 3
        Todo: 15 → 15; + due: date?; ~ done → isDone; + priority: string; - tagText: string; + tags: [Tag], inverse todos; - weight: int64
        """
      ),
      (
        Self.fillSecond, ["Todo.weight (15 models)"], ["work 3"],
        """
        version 2.0.0 → 3.0.0
        Board: 3 → 2; + owner: Person?, inverse boards; + unique name
        Person: none → 1
        Tag: 3 → 3
        Todo: 15 → 15; + priority: string; - weight: int64
        """
      ),
      (
        Self.fillThird, [], ["work 3"],
        """
        version 3.0.0: nothing to do
        Board: 2 → 2
        Person: 1 → 1
        Tag: 3 → 3
        Todo: 15 → 15
        """
      ),
    ]
  }

  @Test(arguments: 1...3) func `the store that a released version wrote opens with the newest one`(number: Int) throws {
    let (fill, parked, due, dryRun) = Self.released[number - 1]
    if ProcessInfo.processInfo.environment["ROOST_RELEASED"] == "write" {
      try Self.write(number) { try fill(self)($0) }
    }
    let golden = Bundle.module.bundleURL.appending(path: "Released/\(number).data")
    let packed = try #require(FileManager.default.contents(atPath: golden.path), "\(golden.path) is missing")
    let bytes = try #require(GoldenVersion.unpack([UInt8](packed)), "\(golden.path) cannot be unpacked")
    let file = folder.file("released.roost")
    try Data(bytes).write(to: file)
    let report = try Plan.dryRun(url: file)
    #expect(report.description == dryRun)
    #expect(report.isPossible)
    #expect(try Data(contentsOf: file) == Data(bytes), "a dry run changes nothing")
    let container = try open(V3.self, plan: Plan.self, file)
    try check(container, tags: ["a", "b", "c"], parked: parked, due: due)
    try container.close()
    #expect(try Plan.dryRun(url: file).description.hasPrefix("version 3.0.0: nothing to do"))
  }

  /// Writes the golden store of a version to the sources, unless it exists already.
  private static func write(_ number: Int, fill: (URL) throws -> Void) throws {
    let sources = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Released")
    let target = sources.appending(path: "\(number).data")
    if FileManager.default.fileExists(atPath: target.path) { return }
    let scratch = try Folder()
    try fill(scratch.file())
    let bytes = try [UInt8](Data(contentsOf: scratch.file()))
    try FileManager.default.createDirectory(at: sources, withIntermediateDirectories: true)
    try Data(GoldenVersion.pack(bytes)).write(to: target)
  }
}
