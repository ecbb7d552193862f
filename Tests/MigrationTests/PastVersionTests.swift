import Foundation
import Roost
import Testing

private enum Old: VersionedSchema {
  static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
  static var models: [any PersistentModel.Type] { [Herb.self, Bed.self] }

  @Model class Herb {
    var name = ""
    var note = ""
    var bed: Bed?
    init(_ name: String, note: String) { (self.name, self.note) = (name, note) }
  }

  @Model class Bed {
    var place = ""
    @Relationship(inverse: \Herb.bed) var herbs: [Herb] = []
    init(_ place: String) { self.place = place }
  }
}

/// A property is added, one is removed, one is renamed, and there is another model.
private enum New: VersionedSchema {
  static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
  static var models: [any PersistentModel.Type] { [Herb.self, Bed.self, Tool.self] }

  @Model class Herb {
    @Attribute(originalName: "name") var title = ""
    var height = 7
    var bed: Bed?
    init(_ title: String) { self.title = title }
  }

  @Model class Bed {
    var place = ""
    @Relationship(inverse: \Herb.bed) var herbs: [Herb] = []
    init(_ place: String) { self.place = place }
  }

  @Model class Tool {
    var name = ""
    init(_ name: String) { self.name = name }
  }
}

/// A name becomes unique.
private enum Strict: VersionedSchema {
  static var versionIdentifier: Schema.Version { Schema.Version(3, 0, 0) }
  static var models: [any PersistentModel.Type] { [Herb.self, Bed.self] }

  @Model class Herb {
    @Attribute(.unique) var name = ""
    var bed: Bed?
    init(_ name: String) { self.name = name }
  }

  @Model class Bed {
    var place = ""
    @Relationship(inverse: \Herb.bed) var herbs: [Herb] = []
    init(_ place: String) { self.place = place }
  }
}

/// Earlier states of a store whose models have changed since.
@Suite struct PastVersionTests {
  private let folder: Folder

  init() throws { folder = try Folder() }

  private func open(_ schema: any VersionedSchema.Type) throws -> ModelContainer {
    var configuration = ModelConfiguration(url: folder.file())
    configuration.history = .full
    return try ModelContainer(for: Schema(versionedSchema: schema), configurations: [configuration])
  }

  /// Makes two states of the first version.
  private func fill() throws -> [DefaultHistoryToken] {
    let container = try open(Old.self)
    let context = ModelContext(container)
    let bed = Old.Bed("south")
    context.insert(bed)
    bed.herbs = [Old.Herb("dill", note: "a"), Old.Herb("mint", note: "b")]
    try context.save()
    var tokens = [try container.latestHistoryToken]
    bed.herbs[0].name = "basil"
    bed.herbs.removeLast()
    context.insert(Old.Herb("basil", note: "c"))
    try context.save()
    tokens.append(try container.latestHistoryToken)
    try container.close()
    return tokens
  }

  @Test func `the present models show states from before their change`() throws {
    let tokens = try fill()
    let container = try open(New.self)
    let context = ModelContext(container)
    for herb in try context.fetch(FetchDescriptor<New.Herb>()) { herb.height = 30 }
    context.insert(New.Tool("rake"))
    try context.delete(model: New.Bed.self)
    try context.save()
    func herbs(_ context: ModelContext) throws -> [String] {
      try context.fetch(FetchDescriptor<New.Herb>(sortBy: [SortDescriptor(\.title)])).map {
        "\($0.title) \($0.height) \($0.bed?.place ?? "none")"
      }
    }
    #expect(try herbs(context).sorted() == ["basil 30 none", "basil 30 none", "mint 30 none"])
    let first = try container.snapshot(at: tokens[0])
    #expect(try herbs(first) == ["dill 7 south", "mint 7 south"])
    #expect(try first.fetchCount(FetchDescriptor<New.Tool>()) == 0)
    let second = try container.snapshot(at: tokens[1])
    #expect(try herbs(second).sorted() == ["basil 7 none", "basil 7 south", "mint 7 none"])
    let bed = try #require(try second.fetch(FetchDescriptor<New.Bed>()).first)
    try context.restore(bed)
    try context.save()
    #expect(try herbs(ModelContext(container)).sorted() == ["basil 30 none", "basil 30 south", "mint 30 none"])
    try container.close()
  }

  @Test func `a state that the present models cannot show is refused`() throws {
    let tokens = try fill()
    let old = try open(Old.self)
    let context = ModelContext(old)
    try context.delete(model: Old.Herb.self)
    try context.save()
    try old.close()
    let container = try open(Strict.self)
    let error = #expect(throws: SwiftDataError.self) { try container.snapshot(at: tokens[1]) }
    #expect(error == .historyTokenExpired && "\(error as Any)".contains("the models changed"), "\(error as Any)")
    #expect(try container.snapshot(at: container.latestHistoryToken).fetchCount(FetchDescriptor<Strict.Herb>()) == 0)
    try container.close()
  }
}
