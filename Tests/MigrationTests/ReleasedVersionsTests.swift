import Foundation
import Roost
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

/// A program of which three versions were released, as its author writes it by the guide.
@Suite struct ReleasedVersionsTests {
  private let folder: Folder

  init() throws { folder = try Folder() }

  private func open(
    _ version: any VersionedSchema.Type, plan: (any SchemaMigrationPlan.Type)? = nil, _ file: URL
  ) throws -> ModelContainer {
    try ModelContainer(
      for: Schema(versionedSchema: version), migrationPlan: plan, configurations: [ModelConfiguration(url: file)])
  }

  /// The data of someone who has the first version.
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

  private func check(_ container: ModelContainer, tags: [String]) throws {
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
    #expect(work.allSatisfy { $0.created == Date(timeIntervalSince1970: 1_000_000) && $0.due == nil })
    #expect(try container.parkedData().map(\.description) == ["Todo.tagText (15 models)", "Todo.weight (15 models)"])
    #expect(try container.verify().isSound)
  }

  @Test func `data goes through all versions, or over one of them`() throws {
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
}
