import SwiftData

/// Slips that the delete rules of two owners include.
@Model final class Drawer {
  var name: String
  @Relationship(deleteRule: .cascade, inverse: \Leaflet.drawer) var slips: [Leaflet] = []

  init(_ name: String) { self.name = name }
}

@Model final class Topic {
  var name: String
  @Relationship(deleteRule: .cascade, inverse: \Leaflet.topic) var slips: [Leaflet] = []

  init(_ name: String) { self.name = name }
}

@Model final class Leaflet {
  @Attribute(.unique) var number: Int
  var drawer: Drawer?
  var topic: Topic?

  init(_ number: Int, _ drawer: Drawer? = nil, _ topic: Topic? = nil) {
    self.number = number
    self.drawer = drawer
    self.topic = topic
  }
}

/// Always references a card, and deletes it with itself.
@Model final class Borrower {
  var name: String
  @Relationship(deleteRule: .cascade) var card: BorrowerCard

  init(_ name: String, _ card: BorrowerCard) {
    self.name = name
    self.card = card
  }
}

@Model final class BorrowerCard {
  var number: Int

  init(_ number: Int) { self.number = number }
}

func makeDrawers() throws -> ModelContainer {
  try ModelContainer(
    for: Drawer.self, Topic.self, Leaflet.self, Borrower.self, BorrowerCard.self,
    configurations: ModelConfiguration(isStoredInMemoryOnly: true))
}
