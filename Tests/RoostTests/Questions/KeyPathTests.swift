import Foundation
import SwiftData
import Testing

@Model final class Seat {
  #Unique<Seat>([\.hall?.id, \.spot.row], [\.code])
  #Index<Seat>([\.spot.number])
  var code: String
  var spot: SeatSpot
  var hall: Hall?

  init(_ code: String, row: Int, number: Int, hall: Hall? = nil) {
    self.code = code
    spot = SeatSpot(row: row, number: number)
    self.hall = hall
  }
}

struct SeatSpot: Codable, Hashable {
  var row: Int
  var number: Int
}

@Model final class Hall {
  var name: String
  var city: City?
  var seats: [Seat] = []

  init(_ name: String, city: City? = nil) {
    self.name = name
    self.city = city
  }
}

@Model final class City {
  var name: String
  var halls: [Hall] = []

  init(_ name: String) { self.name = name }
}

@Model final class Wrong {
  #Unique<Wrong>([\.hall?.name])
  var hall: Hall?

  init() {}
}

/// Key paths longer than one property, in all declarations and calls.
@Suite struct KeyPathTests {
  private func context() throws -> ModelContext {
    ModelContext(
      try ModelContainer(
        for: Seat.self, Hall.self, City.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
  }

  @Test func `a constraint accepts references and parts of structs`() throws {
    let context = try context()
    let schema = Schema([Seat.self])
    let entity = try #require(schema.entitiesByName["Seat"])
    #expect(entity.uniquenessConstraints == [["hall", "spot.row"], ["code"]])
    #expect(entity.indices == [["spot.number"]])
    let hall = Hall("A")
    context.insert(Seat("a", row: 1, number: 5, hall: hall))
    try context.save()
    // Its hall and row are those of the stored seat, so it is merged into that.
    context.insert(Seat("b", row: 1, number: 7, hall: hall))
    context.insert(Seat("c", row: 1, number: 8))
    context.insert(Seat("d", row: 1, number: 9))
    try context.save()
    let all = try context.fetch(FetchDescriptor<Seat>(sortBy: [SortDescriptor(\.spot.number)]))
    #expect(all.map(\.code) == ["b", "c", "d"])
    let explanation = try context.explain(FetchDescriptor<Seat>(sortBy: [SortDescriptor(\.spot.number)]))
    #expect(explanation.sorting == .index && explanation.indexes == ["spot.number"])
  }

  @Test func `a constraint over another model's values is refused`() {
    #expect {
      try ModelContainer(for: Wrong.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    } throws: {
      "\($0)".contains(#"#Unique of Wrong names \.hall?.name"#)
    }
  }

  @Test func `a relationship of referenced models is prefetched too`() throws {
    let stored = try context()
    for number in 0..<30 {
      let hall = Hall("h\(number)", city: City("c\(number)"))
      stored.insert(Seat("s\(number)", row: 1, number: number, hall: hall))
    }
    try stored.save()
    let context = ModelContext(stored.container)
    var descriptor = FetchDescriptor<Seat>(sortBy: [SortDescriptor(\.spot.number)])
    descriptor.relationshipKeyPathsForPrefetching = [\.hall?.city]
    let seats = try context.fetch(descriptor)
    let before = context.statistics
    #expect(seats.map { $0.hall?.city?.name ?? "" } == (0..<30).map { "c\($0)" })
    #expect(context.statistics == before && before.faultsFilledTogether == 60)
  }
}
