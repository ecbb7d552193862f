import Foundation
import SwiftData
import Testing

@Suite struct ContainerTests {
  @Test func `a container is made from types, a schema, or a versioned schema`() throws {
    let schema = Schema([Garden.self, Bed.self, Gardener.self, Hut.self], version: Schema.Version(1, 2, 3))
    let memory = ModelConfiguration("named", schema: schema, isStoredInMemoryOnly: true)
    let one = try ModelContainer(for: schema, configurations: [memory])
    #expect(one.schema.entitiesByName.keys.sorted() == ["Bed", "Garden", "Gardener", "Hut"])
    #expect(one.schema.version == Schema.Version(1, 2, 3) && one.configurations.first?.name == "named")
    let two = try ModelContainer(for: Bed.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    #expect(Set(two.schema.entities.map(\.name)) == ["Bed", "Garden", "Gardener", "Hut"])
    #expect(one != two && one.migrationPlan == nil)
    let three = try ModelContainer(
      for: Schema(versionedSchema: GardenSchema.self), migrationPlan: GardenPlan.self,
      configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    #expect(three.schema.version == Schema.Version(2, 0, 0) && three.migrationPlan is GardenPlan.Type)
  }

  @Test func `models stay in a file`() throws {
    let file = freshFile()
    defer { try? FileManager.default.removeItem(at: file.deletingLastPathComponent()) }
    let identifier: PersistentIdentifier
    do {
      let container = try ModelContainer(for: Garden.self, Hut.self, configurations: ModelConfiguration(url: file))
      let context = ModelContext(container)
      let garden = Garden(name: "Kew", season: .winter)
      garden.visit = .often(times: 3, reason: nil)
      context.insert(garden)
      try context.save()
      identifier = garden.persistentModelID
      #expect(container.configurations.first?.url == file)
    }
    let container = try ModelContainer(for: Garden.self, Hut.self, configurations: ModelConfiguration(url: file))
    let context = ModelContext(container)
    let garden = try #require(context.model(for: identifier) as? Garden)
    #expect(garden.name == "Kew" && garden.season == .winter && garden.visit == .often(times: 3, reason: nil))
    let text = try JSONEncoder().encode(identifier)
    #expect(try JSONDecoder().decode(PersistentIdentifier.self, from: text) == identifier)
  }

  @Test func `each model is stored where a configuration names it`() throws {
    let whole = Schema([Garden.self, Bed.self, Gardener.self, Hut.self, Diary.self])
    let gardens = ModelConfiguration(
      "gardens", schema: Schema([Garden.self, Bed.self, Gardener.self, Hut.self]), isStoredInMemoryOnly: true)
    let diaries = ModelConfiguration("diaries", schema: Schema([Diary.self]), isStoredInMemoryOnly: true)
    let context = ModelContext(try ModelContainer(for: whole, configurations: [gardens, diaries]))
    context.insert(Garden(name: "a"))
    context.insert(Diary("b"))
    try context.save()
    let stores = [
      try context.all(Garden.self).first?.persistentModelID.storeIdentifier,
      try context.all(Diary.self).first?.persistentModelID.storeIdentifier,
    ]
    #expect(Set(stores.compactMap { $0 }).count == 2)
  }

  @Test func `the properties of a configuration`() {
    let plain = ModelConfiguration("plain", isStoredInMemoryOnly: true, allowsSave: false)
    #expect(plain.name == "plain" && plain.isStoredInMemoryOnly && !plain.allowsSave && plain.schema == nil)
    let group = ModelConfiguration("group", groupContainer: .none, cloudKitDatabase: .none)
    #expect(group.cloudKitContainerIdentifier == nil && group.groupAppContainerIdentifier == nil)
    let typed = ModelConfiguration(for: Hut.self, isStoredInMemoryOnly: true)
    #expect(typed.schema?.entitiesByName["Hut"] != nil)
    #expect(Set([plain, typed]).count == 2)
  }

  @Test func `erasing removes all models`() throws {
    let container = try makeContainer()
    let context = ModelContext(container)
    context.insert(Garden(name: "a"))
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<Garden>()) == 1)
    try container.erase()
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Garden>()) == 0)
  }
}

@Model
final class Diary {
  var text: String
  init(_ text: String) { self.text = text }
}

enum GardenSchemaBefore: VersionedSchema {
  static let versionIdentifier = Schema.Version(1, 0, 0)
  static var models: [any PersistentModel.Type] { [Tool.self] }

  @Model
  final class Tool {
    var name: String
    init(name: String) { self.name = name }
  }
}

enum GardenSchema: VersionedSchema {
  static let versionIdentifier = Schema.Version(2, 0, 0)
  static var models: [any PersistentModel.Type] { [Tool.self] }

  @Model
  final class Tool {
    @Attribute(originalName: "name") var title: String
    var weight = 1
    init(title: String) { self.title = title }
  }
}

enum GardenPlan: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [GardenSchemaBefore.self, GardenSchema.self] }
  static var stages: [MigrationStage] { [step] }

  static let step = MigrationStage.lightweight(
    fromVersion: GardenSchemaBefore.self, toVersion: GardenSchema.self)
}
