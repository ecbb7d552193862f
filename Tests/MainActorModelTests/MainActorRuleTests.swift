import Swift5Export
import Testing

@Model final class Ferry {
  @Validate(.range(1...)) var seats: Int
  var passengers = 0

  init(seats: Int) { self.seats = seats }
}

extension Ferry: Validatable {
  func validate(_ validation: Validation) throws {
    if passengers > seats { validation.refuse("it is overfull", at: \Ferry.passengers) }
  }
}

@Model nonisolated final class Barge {
  var load = 0

  init() {}
}

nonisolated extension Barge: Validatable {
  func validate(_ validation: Validation) throws {
    if load > 10 { validation.refuse("it would sink", at: \Barge.load) }
  }
}

/// Rules of models in a program that puts everything on the main actor.
@Suite struct MainActorRuleTests {
  @Test func `models of the main actor and of none have rules`() throws {
    let container = try ModelContainer(
      for: Ferry.self, Barge.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let context = container.mainContext
    let (ferry, barge) = (Ferry(seats: 0), Barge())
    (ferry.passengers, barge.load) = (3, 11)
    context.insert(ferry)
    context.insert(barge)
    let error = #expect(throws: RoostError.self) { try context.save() }
    #expect(Set(error?.faults.compactMap(\.property) ?? []) == ["passengers", "load", "seats"])
    (ferry.seats, barge.load) = (4, 1)
    try context.save()
    #expect(!context.hasChanges)
  }
}
