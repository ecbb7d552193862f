import SwiftData

/// Slips that two owners take along.
@Model final class Drawer {
  var name: String
  @Relationship(deleteRule: .cascade, inverse: \Slip.drawer) var slips: [Slip] = []

  init(_ name: String) { self.name = name }
}

@Model final class Topic {
  var name: String
  @Relationship(deleteRule: .cascade, inverse: \Slip.topic) var slips: [Slip] = []

  init(_ name: String) { self.name = name }
}

@Model final class Slip {
  @Attribute(.unique) var number: Int
  var drawer: Drawer?
  var topic: Topic?

  init(_ number: Int, _ drawer: Drawer? = nil, _ topic: Topic? = nil) {
    self.number = number
    self.drawer = drawer
    self.topic = topic
  }
}

/// Always leads to a card, and takes it along.
@Model final class Reader {
  var name: String
  @Relationship(deleteRule: .cascade) var card: ReaderCard

  init(_ name: String, _ card: ReaderCard) {
    self.name = name
    self.card = card
  }
}

@Model final class ReaderCard {
  var number: Int

  init(_ number: Int) { self.number = number }
}

func makeDrawers() throws -> ModelContainer {
  try ModelContainer(
    for: Drawer.self, Topic.self, Slip.self, Reader.self, ReaderCard.self,
    configurations: ModelConfiguration(isStoredInMemoryOnly: true))
}
