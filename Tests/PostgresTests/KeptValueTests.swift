#if Postgres
  import Foundation
  import RoostTestSupport
  import SwiftData
  import Testing

  import RoostPostgres

  @Model private final class Guest {
    @Validate(.notEmpty) @Validate(.length(...20)) var name: String
    @Validate(.range(1...5)) var stars: Int
    var folded: String { name.lowercased() }
    @Derived(\Guest.folded) var key: String

    init(_ name: String, stars: Int = 3) { (self.name, self.stars) = (name, stars) }
  }

  extension Guest: Validatable {
    func validate(_ validation: Validation) throws {
      if validation.change == .delete, stars == 5 { validation.refuse("a guest with five stars stays") }
    }
  }

  @Model private final class Inn {
    @Relationship(inverse: \Room.inn) var rooms: [Room] = []
    @Derived(.count(\Inn.rooms)) var size: Int

    init() {}
  }

  @Model private final class Room {
    var inn: Inn?
    init() {}
  }

  /// Rules for values, and derived values, on a server.
  @Suite struct KeptValueTests {
    private func rows(_ ground: Ground) throws -> [[String?]] {
      try ground.sql("SELECT name, key, stars::text FROM @.guest ORDER BY key")
    }

    @Test func `a save with a bad value sends nothing`() throws {
      let ground = try Ground()
      let context = try ground.open(Guest.self)
      let (one, two) = (Guest("Ann"), Guest(" ", stars: 6))
      context.insert(one)
      context.insert(two)
      let error = #expect(throws: RoostError.self) { try context.save() }
      #expect(error?.code == .invalid && error?.faults.map(\.property) == ["name", "stars"])
      #expect(try rows(ground).isEmpty && context.hasChanges)
      (two.name, two.stars) = ("Bob", 5)
      try context.save()
      #expect(try rows(ground) == [["Ann", "ann", "3"], ["Bob", "bob", "5"]])
      one.name = ""
      #expect(throws: RoostError.self) { try context.save() }
      one.name = "Cleo"
      context.delete(two)
      let refused = #expect(throws: RoostError.self) { try context.save() }
      #expect(refused?.code == .invalid && refused?.faults.count == 1)
      context.rollback()
      #expect(try rows(ground) == [["Ann", "ann", "3"], ["Bob", "bob", "5"]])
    }

    @Test func `an import leaves out records that break a rule`() throws {
      let ground = try Ground()
      let container = try ground.container(Schema([Guest.self]))
      var importer = try container.importer(for: Guest.self)
      importer.options.badRecords = .skip(upTo: 10)
      let report = try importer.run(0..<9) { Guest("G\($0)", stars: $0) }
      #expect(report.faults.map(\.reason) == [.invalid, .invalid, .invalid, .invalid])
      #expect(try rows(ground).map { $0[1] } == ["g1", "g2", "g3", "g4", "g5"])
    }

    @Test func `derived values can be used in queries to the server`() throws {
      let ground = try Ground()
      let context = try ground.open(Guest.self)
      try ground.save(context, [Guest("ANN"), Guest("Bob")])
      let guests = try ground.open(Guest.self).fetch(FetchDescriptor<Guest>(predicate: #Predicate { $0.key == "ann" }))
      #expect(guests.map(\.name) == ["ANN"])
    }

    @Test func `a value that is derived from a list is refused when the container is made`() throws {
      let ground = try Ground()
      let error = #expect(throws: (any Error).self) { try ground.open(Inn.self, Room.self) }
      #expect("\(error.map { "\($0)" } ?? "")".contains("size"))
    }
  }
#endif
