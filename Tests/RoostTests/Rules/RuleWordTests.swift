import SwiftData
import Testing

@Model private final class Citizen {
  var name: String
  @Relationship(inverse: \Passport.owner) var passport: Passport?

  init(_ name: String) { self.name = name }
}

@Model private final class Passport {
  var number: Int
  var owner: Citizen

  init(_ number: Int, _ owner: Citizen) { (self.number, self.owner) = (number, owner) }
}

@Model private final class RuleLocker {
  #Unique<RuleLocker>([\.name], where: { $0.open == 2 })
  var name: String
  @Relationship(inverse: \RuleLockerKey.locker) var keys: [RuleLockerKey] = []
  @Derived(.count(\RuleLocker.keys)) var open: Int

  init(_ name: String) { self.name = name }
}

@Model private final class RuleLockerKey {
  var locker: RuleLocker?

  init(_ locker: RuleLocker) { self.locker = locker }
}

/// Errors of rules name the models and say what to do.
@Suite struct RuleWordTests {
  @Test func `a model without an identifier is named by its class`() throws {
    let context = ModelContext(try Vouchers.container())
    let error = #expect(throws: RoostError.self) { try context.insert(batch: [Voucher("x", stars: 9)]) }
    #expect(error?.description.hasPrefix("invalid: Voucher.stars: it is 9") == true, "\(String(describing: error))")
  }

  @Test func `a partner that two models need is named`() throws {
    let context = ModelContext(
      try ModelContainer(for: Citizen.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
    let citizen = Citizen("ann")
    context.insert(citizen)
    context.insert(Passport(1, citizen))
    try context.save()
    context.insert(Passport(2, citizen))
    let error = #expect(throws: RoostError.self) { try context.save() }
    #expect(error?.description.contains("unique value row") == false, "\(String(describing: error))")
    #expect(error?.faults.isEmpty == false)
  }

  @Test func `a derived value that two models may not share is named`() throws {
    let context = ModelContext(
      try ModelContainer(for: RuleLocker.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
    let (one, two) = (RuleLocker("a"), RuleLocker("a"))
    for locker in [one, two] {
      context.insert(locker)
      context.insert(RuleLockerKey(locker))
    }
    context.insert(RuleLockerKey(one))
    try context.save()
    context.insert(RuleLockerKey(two))
    let error = #expect(throws: RoostError.self) { try context.save() }
    #expect(error?.code == .notUnique)
    let fault = try #require(error?.faults.first)
    #expect(fault.model == two.persistentModelID && fault.others == [one.persistentModelID], "\(fault)")
    #expect(fault.detail.contains("give one of them another value"))
  }
}
