import SwiftData
import Testing

// Everything in here belongs to the main actor by default, as in a new app.

nonisolated enum Mood: String, Codable { case calm, wild }

nonisolated struct Place: Codable, Equatable {
  var street: String
  var number: Int?
}

@Model final class House {
  @Attribute(.unique) var name: String
  var when = Date.now
  var mood: Mood = .calm
  var place: Place?
  var tags: [String] = []
  @Relationship(deleteRule: .cascade, inverse: \Room.house) var rooms: [Room] = []

  init(name: String) { self.name = name }
}

@Model class Room {
  var house: House?
  var size = 1.5

  init(size: Double) { self.size = size }
}

@Model final class Kitchen: Room {
  var hasStove: Bool

  init(hasStove: Bool) {
    self.hasStove = hasStove
    super.init(size: 2)
  }
}

enum HouseSchema: VersionedSchema {
  static let versionIdentifier = Schema.Version(1, 0, 0)
  static var models: [any PersistentModel.Type] { [House.self, Room.self, Kitchen.self] }
}

enum HousePlan: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [HouseSchema.self] }
  static var stages: [MigrationStage] { [] }
}

/// A type of the main actor's own, which uses models.
final class Builder {
  var houses: [House] = []

  func build() -> House {
    let house = House(name: "h\(houses.count)")
    house.rooms.append(Kitchen(hasStove: true))
    house.tags.append("new")
    houses.append(house)
    return house
  }
}

@Suite struct MainActorTests {
  @Test func `models under the main actor`() {
    let house = Builder().build()
    house.place = Place(street: "s", number: nil)
    house.mood = .wild
    #expect(house.rooms.count == 1 && (house.rooms[0] as? Kitchen)?.hasStove == true && house.tags == ["new"])
    #expect(Schema([House.self, Kitchen.self]).entities.map(\.name).sorted() == ["House", "Kitchen", "Room"])
  }

  @Test nonisolated func `a model's own functions run anywhere`() async {
    let names = await Task.detached { House.schemaMetadata.count }.value
    #expect(names == 6)
  }

  /// Such types could not be sent from one actor to another.
  @Test nonisolated func `a versioned schema and its plan are used anywhere`() async throws {
    let schema: any VersionedSchema.Type = HouseSchema.self
    let plan: any SchemaMigrationPlan.Type = HousePlan.self
    let names = try await Task.detached {
      let container = try ModelContainer(
        for: Schema(versionedSchema: schema), migrationPlan: plan,
        configurations: ModelConfiguration(isStoredInMemoryOnly: true))
      return container.schema.entities.map(\.name).sorted()
    }.value
    #expect(names == ["House", "Kitchen", "Room"])
  }
}
