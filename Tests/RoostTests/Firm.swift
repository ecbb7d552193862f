import SwiftData

@Model final class Firm {
  @Attribute(.unique) var name: String
  @Relationship(deleteRule: .deny, inverse: \Desk.firm) var desks: [Desk] = []
  @Relationship(deleteRule: .nullify, inverse: \Badgeholder.firm) var people: [Badgeholder] = []

  init(_ name: String) { self.name = name }
}

@Model final class Desk {
  var place: String
  var firm: Firm?

  init(_ place: String, _ firm: Firm? = nil) {
    self.place = place
    self.firm = firm
  }
}

/// Must belong to a firm.
@Model final class Badgeholder {
  var number: Int
  var firm: Firm

  init(_ number: Int, _ firm: Firm) {
    self.number = number
    self.firm = firm
  }
}

@Model final class Crew {
  #Unique<Crew>([\.town, \.code])
  var town: String
  var code: Int
  @Relationship(minimumModelCount: 2, maximumModelCount: 3, inverse: \Sailor.crew) var sailors: [Sailor] = []

  init(_ town: String, _ code: Int, sailors: Int = 0) {
    self.town = town
    self.code = code
    self.sailors = (0..<sailors).map { Sailor("\(town) \($0)") }
  }
}

@Model final class Sailor {
  var name: String
  var crew: Crew?
  var cabin: Cabin?
  @Relationship(inverse: \Medal.owner) var medal: Medal?

  init(_ name: String) { self.name = name }
}

/// Must belong to a sailor, who has no other one.
@Model final class Medal {
  var number: Int
  var owner: Sailor

  init(_ number: Int, _ owner: Sailor) {
    self.number = number
    self.owner = owner
  }
}

@Model final class Cabin {
  var number: Int
  @Relationship(inverse: \Sailor.cabin) var sailor: Sailor?

  init(_ number: Int) { self.number = number }
}

func makeFirms() throws -> ModelContainer {
  try ModelContainer(
    for: Firm.self, Desk.self, Badgeholder.self, Crew.self, Sailor.self, Cabin.self,
    configurations: ModelConfiguration(isStoredInMemoryOnly: true))
}
