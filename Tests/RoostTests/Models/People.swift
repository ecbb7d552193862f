import SwiftData

/// Relationships that are their own inverse.
@Model class Person {
  var name: String
  @Relationship(.mutual) var friends: [Person] = []
  @Relationship(.mutual) var spouse: Person?

  init(_ name: String) { self.name = name }
}

@Model final class Worker: Person {
  var wage: Int
  @Relationship(.mutual, deleteRule: .cascade) var helpers: [Worker] = []

  init(_ name: String, wage: Int = 1) {
    self.wage = wage
    super.init(name)
  }
}

@Model final class Lonely {
  @Relationship(.mutual) var other: Person?

  init() {}
}

enum Town {
  static func container() throws -> ModelContainer {
    try ModelContainer(for: Worker.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
  }
}
