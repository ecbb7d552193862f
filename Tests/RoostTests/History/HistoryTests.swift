import SwiftData
import Testing

/// The history's description of commits, with the names of models.
@Suite struct HistoryTests {
  @Test func `each commit of each context is recorded with its author`() throws {
    let container = try makeHarbor()
    let (one, other) = (ModelContext(container), ModelContext(container))
    let start = try container.latestHistoryToken
    one.author = "one"
    other.author = "other"
    let ship = Ship("a")
    one.insert(ship)
    try one.save()
    let found = try #require(try other.fetch(FetchDescriptor<Ship>()).first)
    found.name = "Ada"
    found.berth.pier = "C"
    try other.save()
    one.author = nil
    one.delete(ship)
    try one.save()
    let told = try one.after(start)
    #expect(told.map(\.author) == ["one", "other", nil])
    #expect(told.map { $0.changes.map(\.line) } == [["+Ship"], ["~Ship name,berth"], ["-Ship"]])
    #expect(told.allSatisfy { $0.storeIdentifier == ship.persistentModelID.storeIdentifier })
    #expect(told.map(\.changeCount) == [1, 1, 1])
    let identifiers = told.flatMap(\.changes).map(\.changedPersistentIdentifier)
    #expect(identifiers == Array(repeating: ship.persistentModelID, count: 3))
    #expect(told.map(\.id) == told.map(\.transactionIdentifier) && Set(told.map(\.id)).count == 3)
    #expect(told.map(\.timestamp) == told.map(\.timestamp).sorted())
    #expect(abs(told[0].timestamp.timeIntervalSinceNow) < 60)
    #expect(Set(told).count == 3 && told[0] == told[0] && told[0] != told[1])
    #expect(told.last?.token == (try container.latestHistoryToken))
  }

  @Test func `an update names properties and both ends of relationships`() throws {
    let container = try makeHarbor()
    let context = ModelContext(container)
    let (ship, harbor, cargo, convoy) = (Ship("a"), Harbor("NO", "Oslo"), Cargo("tea"), Convoy("north"))
    for model in [ship, harbor, cargo, convoy] as [any PersistentModel] { context.insert(model) }
    let boats = [Boat(1), Boat(2)]
    for boat in boats { context.insert(boat) }
    try context.save()
    var token = try container.latestHistoryToken
    func told() throws -> Set<String> {
      try context.save()
      let found = try context.after(token)
      token = try container.latestHistoryToken
      return Set(found.flatMap(\.changes).map(\.line))
    }
    ship.home = harbor
    #expect(try told() == ["~Ship home", "~Harbor ships"])
    ship.cargoes = [cargo]
    #expect(try told() == ["~Ship cargoes", "~Cargo ships"])
    ship.boats = boats
    #expect(try told() == ["~Ship boats", "~Boat ship"])
    // The ship has no property for it, so it did not change.
    convoy.ships = [ship]
    #expect(try told() == ["~Convoy ships"])
    ship.plan.place = 7
    #expect(try told() == ["~Ship plan"])
    ship.plan.place = 7
    #expect(try told().isEmpty)
    ship.boats = []
    ship.home = nil
    ship.tons = 4
    #expect(try told() == ["~Ship tons,home,boats", "~Harbor ships", "~Boat ship"])
  }

  @Test func `changes have the models' classes, as a program requests them`() throws {
    let container = try makeHarbor()
    let context = ModelContext(container)
    let start = try container.latestHistoryToken
    let ship = Ship("a", "Ada", tons: 3)
    context.insert(ship)
    try context.save()
    ship.name = "Eve"
    try context.save()
    context.delete(ship)
    try context.save()
    var seen: [String] = []
    for transaction in try context.after(start) {
      for change in transaction.changes {
        switch change {
        case .insert(_ as DefaultHistoryInsert<Ship>): seen.append("insert")
        case .update(let update as DefaultHistoryUpdate<Ship>):
          #expect(update.updatedAttributes.contains(\.name) && !update.updatedAttributes.contains(\.tons))
          #expect(update.transactionIdentifier == transaction.transactionIdentifier && update.changeIdentifier == 1)
          #expect(update.values == nil)
          seen.append("update")
        case .delete(let delete as DefaultHistoryDelete<Ship>):
          #expect(delete.tombstone[\.name] as? String == "Eve")
          seen.append("delete")
        default: Issue.record("\(change)")
        }
      }
    }
    #expect(seen == ["insert", "update", "delete"])
  }

  @Test func `a tombstone has preserved and unique values`() throws {
    let container = try makeHarbor()
    let context = ModelContext(container)
    let (one, other, harbor) = (Ship("a", "Ada", tons: 3), Ship("b"), Harbor("NO", "Oslo"))
    one.berth = Berth(pier: "Z", place: 9)
    for model in [one, other, harbor] as [any PersistentModel] { context.insert(model) }
    one.home = harbor
    try context.save()
    let token = try container.latestHistoryToken
    // The tombstone has the values that were stored before.
    one.name = "changed and gone"
    for model in [one, other, harbor] as [any PersistentModel] { context.delete(model) }
    try context.save()
    let transaction = try #require(try context.after(token).first)
    let ships = transaction.changes(of: Ship.self).compactMap { change -> DefaultHistoryDelete<Ship>? in
      if case .delete(let delete as DefaultHistoryDelete<Ship>) = change { delete } else { nil }
    }
    #expect(ships.count == 2)
    let (first, second) = (ships[0].tombstone, ships[1].tombstone)
    let (sign, name, tons): (String?, String?, Int?) = (first[\.sign], first[\.name], first[\.tons])
    #expect(sign == "a" && name == "Ada" && tons == 3)
    #expect(first[\.berth] as? Berth == Berth(pier: "Z", place: 9))
    let berth: Berth? = first[\.berth]
    #expect(berth?.pier == "Z")
    #expect(first[\.note] == nil && first[\.plan] == nil && first[\.home] == nil && first[\.boats] == nil)
    #expect(first.attributes == [\Ship.sign, \Ship.name, \Ship.tons, \Ship.berth])
    #expect(Array(first).count == 4 && first.compactMap { $0 as? String } == ["a", "Ada"])
    #expect(second[\.tons] == nil && second[\.sign] as? String == "b")
    let none: Int? = second[\.tons]
    #expect(none == nil)
    guard case .delete(let gone as DefaultHistoryDelete<Harbor>)? = transaction.changes(of: Harbor.self).first else {
      Issue.record("\(transaction.changes.map(\.line))")
      return
    }
    #expect(gone.tombstone.compactMap { $0 as? String } == ["NO", "Oslo"])
  }

  @Test func `a value that is too large is not in the tombstone, and others are`() throws {
    let container = try makeHarbor()
    let context = ModelContext(container)
    let ship = Ship("a", String(repeating: "x", count: 5000), tons: 1)
    context.insert(ship)
    try context.save()
    context.delete(ship)
    try context.save()
    guard case .delete(let delete as DefaultHistoryDelete<Ship>)? = try context.all().last?.changes.last else {
      Issue.record("no deletion")
      return
    }
    #expect(delete.tombstone[\.name] == nil && delete.tombstone[\.tons] as? Int == 1)
    #expect(delete.tombstone.attributes == [\Ship.sign, \Ship.tons, \Ship.berth])
  }

  @Test func `a hundred thousand models of one commit stay a run until each is read`() throws {
    let container = try makeHarbor()
    let context = ModelContext(container)
    let start = try container.latestHistoryToken
    for number in 0..<20_000 { context.insert(Boat(number)) }
    context.insert(Cargo("tea"))
    try context.save()
    let transaction = try #require(try context.after(start).first)
    #expect(transaction.changeCount == 20_001)
    #expect(transaction.touches(Boat.self) && transaction.touches(Cargo.self) && !transaction.touches(Ship.self))
    struct Enough: Error {}
    var count = 0
    #expect(throws: Enough.self) {
      try transaction.forEachChange { change in
        #expect(change.line == "+Boat" || change.line == "+Cargo")
        count += 1
        if count == 10 { throw Enough() }
      }
    }
    #expect(count == 10 && transaction.changes.count == 20_001)
    let cargo = transaction.changes(of: Cargo.self)
    #expect(cargo.map(\.line) == ["+Cargo"])
    guard case .insert(let insert as DefaultHistoryInsert<Cargo>)? = cargo.first else {
      Issue.record("\(cargo)")
      return
    }
    // A change keeps its number, however it is read.
    let place = transaction.changes.firstIndex { $0.line == "+Cargo" }
    #expect(place.map { Int64($0) + 1 } == insert.changeIdentifier)
  }

  @Test func `full history has the new values`() throws {
    let container = try ModelContainer(
      for: Ship.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true, history: .full))
    let context = ModelContext(container)
    let (ship, harbor) = (Ship("a", "Ada", tons: 3), Harbor("NO", "Oslo"))
    context.insert(ship)
    context.insert(harbor)
    try context.save()
    let token = try container.latestHistoryToken
    ship.name = "Eve"
    ship.home = harbor
    try context.save()
    guard
      case .insert(let insert as DefaultHistoryInsert<Ship>)? = try context.all().flatMap({ $0.changes(of: Ship.self) })
        .first
    else {
      Issue.record("no insertion")
      return
    }
    let values = try #require(insert.values)
    #expect(
      values[\.name] as? String == "Ada" && values[\.tons] as? Int == 3 && values[\.berth] as? Berth == ship.berth)
    #expect(values[\.home] == nil)
    guard
      case .update(let update as DefaultHistoryUpdate<Ship>)? = try context.after(token).first?.changes(of: Ship.self)
        .first
    else {
      Issue.record("no update")
      return
    }
    #expect(update.values?[\.name] as? String == "Eve" && update.values?[\.tons] == nil)
    #expect(update.values?[\.home] as? PersistentIdentifier == harbor.persistentModelID)
  }

  @Test func `an author that is too long is refused at the save, and nothing is written`() throws {
    let container = try makeHarbor()
    let context = ModelContext(container)
    let start = try container.latestHistoryToken
    context.author = String(repeating: "x", count: 1025)
    context.insert(Ship("a"))
    let error = #expect(throws: RoostError.self) { try context.save() }
    #expect(error?.code == .badValue && error?.detail.contains("1024") == true)
    #expect(try context.after(start).isEmpty)
    context.editingState.author = String(repeating: "x", count: 1024)
    try context.save()
    #expect(try context.after(start).first?.author?.count == 1024)
  }

  @Test func `erasing is recorded too`() throws {
    let container = try makeHarbor()
    let context = ModelContext(container)
    context.insert(Ship("a"))
    context.insert(Cargo("tea"))
    try context.save()
    let token = try container.latestHistoryToken
    try container.erase()
    #expect(Set(try context.after(token).flatMap(\.changes).map(\.line)) == ["-Ship", "-Cargo"])
  }
}
