import Foundation
import SwiftData
import Testing

@Model final class Account {
  @Attribute(.unique) var owner: String
  var cents: Int

  init(_ owner: String, cents: Int) {
    self.owner = owner
    self.cents = cents
  }
}

struct Bank {
  let context: ModelContext

  func move(_ cents: Int, from payer: Account, to payee: Account) throws {
    payer.cents -= cents
    payee.cents += cents
    do { try context.save() } catch {
      // The money must not look moved where it is not.
      context.rollback()
      throw error
    }
  }
}

@Suite struct TestingGuideTests {
  func makeBank() throws -> Bank {
    let configuration = ModelConfiguration(isStoredInMemoryOnly: true)
    return Bank(context: ModelContext(try ModelContainer(for: Account.self, configurations: configuration)))
  }

  @Test func `money moves`() throws {
    let bank = try makeBank()
    let (ada, grace) = (Account("Ada", cents: 1_000), Account("Grace", cents: 0))
    bank.context.insert(ada)
    bank.context.insert(grace)
    try bank.context.save()

    try bank.move(500, from: ada, to: grace)
    #expect(ada.cents == 500 && grace.cents == 500)
  }

  @Test(arguments: 0..<20) func `stores in memory are independent`(number: Int) throws {
    let bank = try makeBank()
    bank.context.insert(Account("Ada", cents: number))
    try bank.context.save()
    #expect(try bank.context.fetch(FetchDescriptor<Account>()).map(\.cents) == [number])
  }

  @Test func `a disk fails on demand`() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "guide-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let faults = StoreFaults()
    var configuration = ModelConfiguration(url: folder.appending(path: "bank.roost"))
    configuration.faults = faults
    let bank = Bank(context: ModelContext(try ModelContainer(for: Account.self, configurations: configuration)))

    let (ada, grace) = (Account("Ada", cents: 1_000), Account("Grace", cents: 0))
    bank.context.insert(ada)
    bank.context.insert(grace)
    try bank.context.save()

    faults.fail(.diskFull)
    #expect(throws: RoostError.self) { try bank.move(500, from: ada, to: grace) }
    #expect(ada.cents == 1_000)

    faults.heal()
    try bank.move(500, from: ada, to: grace)
    #expect(ada.cents == 500)

    let total = 1_000
    for count in 0..<20 {
      faults.fail(.diskFull, after: count)
      try? bank.move(1, from: ada, to: grace)
      faults.heal()
      #expect(ada.cents + grace.cents == total)
    }
    let stored = try ModelContext(bank.context.container).fetch(FetchDescriptor<Account>())
    #expect(stored.reduce(0) { $0 + $1.cents } == total && faults.refusals > 0)
  }

  @Test func `a context can be strict`() throws {
    let configuration = ModelConfiguration(isStoredInMemoryOnly: true)
    let context = ModelContext(try ModelContainer(for: Account.self, configurations: configuration))
    context.isStrict = true
    #expect(context.isStrict)
  }
}
