import Foundation
import SwiftData
import Testing

@Model final class Dog {
  @Attribute(.unique) var chip: Int
  var name: String
  var owners: [Owner] = []

  init(chip: Int, name: String) {
    self.chip = chip
    self.name = name
  }
}

@Model final class Owner {
  var name: String
  @Relationship(inverse: \Dog.owners) var dogs: [Dog] = []

  init(name: String) { self.name = name }
}

@Suite struct ComingFromRealmGuideTests {
  @Test func `dogs are written, found and sent`() async throws {
    let container = try ModelContainer(for: Dog.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let context = ModelContext(container)
    let owner = Owner(name: "Ada")
    let rex = Dog(chip: 7, name: "Rex")
    owner.dogs.append(rex)
    context.insert(owner)
    try context.save()
    #expect(rex.owners.map(\.name) == ["Ada"])

    let dogs = try context.fetch(
      FetchDescriptor<Dog>(predicate: #Predicate { $0.name.starts(with: "R") }, sortBy: [SortDescriptor(\.name)]))
    #expect(dogs.map(\.chip) == [7])

    let identifier = rex.persistentModelID
    let name = try await Task.detached { try container.snapshot(for: identifier, as: Dog.self)?.name }.value
    #expect(name == "Rex")
  }
}
