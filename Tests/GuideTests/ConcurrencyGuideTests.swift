import Foundation
import SwiftData
import Testing

@Model final class Wallet {
  @Attribute(.unique) var name: String
  var balance = 0
  var logins = 0

  init(_ name: String) { self.name = name }
}

private enum TransferError: Error, Equatable {
  case unknownWallet
  case tooLittle(Int)
}

@ModelActor actor Treasury {
  func deposit(_ amount: Int, _ name: String) throws {
    let found = try modelContext.fetch(FetchDescriptor<Wallet>(predicate: #Predicate { $0.name == name }))
    found.first?.balance += amount
    try modelContext.save()
  }
}

extension Treasury {
  func rich(_ letters: String) async throws -> [String] {
    try await modelContext.withCancellation {
      try modelContext.select(
        Wallet.self, \.name, where: #Predicate { $0.name.localizedStandardContains(letters) && $0.balance > 1_000_000 })
    }
  }
}

@Suite struct ConcurrencyGuideTests {
  private let container: ModelContainer

  init() throws {
    container = try ModelContainer(for: Wallet.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
  }

  private func all() throws -> [Wallet] {
    try ModelContext(container).fetch(FetchDescriptor<Wallet>(sortBy: [SortDescriptor(\.name)]))
  }

  func login(_ name: String, in container: ModelContainer) throws {
    try container.write { context in
      let wallet = try context.fetch(FetchDescriptor<Wallet>(predicate: #Predicate { $0.name == name }))[0]
      wallet.logins += 1
    }
  }

  func wallet(named name: String, in container: ModelContainer) throws -> PersistentIdentifier {
    try container.write { context in
      let known = try context.fetch(FetchDescriptor<Wallet>(predicate: #Predicate { $0.name == name }))
      if let wallet = known.first { return wallet.persistentModelID }
      let wallet = Wallet(name)
      context.insert(wallet)
      return wallet.persistentModelID
    }
  }

  @Test func `no count of a task is lost`() async throws {
    func login(_ name: String, _ container: ModelContainer) throws {
      let context = ModelContext(container)
      let wallet = try context.fetch(FetchDescriptor<Wallet>(predicate: #Predicate { $0.name == name }))[0]
      wallet.logins += 1
      try context.save()
    }
    let container = container
    try await withThrowingTaskGroup(of: PersistentIdentifier.self) { group in
      for _ in 0..<20 {
        group.addTask {
          let identifier = try wallet(named: "Ada", in: container)
          try self.login("Ada", in: container)
          return identifier
        }
      }
      var found: Set<PersistentIdentifier> = []
      for try await identifier in group { found.insert(identifier) }
      #expect(found.count == 1)
    }
    try login("Ada", container)
    #expect(try all().map(\.logins) == [21])
  }

  @Test func `money is neither made nor lost`() async throws {
    func transfer(_ amount: Int, from giver: String, to taker: String, in container: ModelContainer) async throws -> Int
    {
      try await container.write { context in
        let wallets = try context.fetch(FetchDescriptor<Wallet>())
        guard let from = wallets.first(where: { $0.name == giver }),
          let to = wallets.first(where: { $0.name == taker })
        else {
          throw TransferError.unknownWallet
        }
        guard from.balance >= amount else { throw TransferError.tooLittle(from.balance) }
        from.balance -= amount
        to.balance += amount
        return from.balance
      }
    }
    func payInterest(_ container: ModelContainer) throws {
      try ModelContext(container).update(model: Wallet.self) { $0.balance += $0.balance / 100 }
    }
    let treasury = Treasury(modelContainer: container)
    try await container.write { for name in ["Ada", "Bob"] { $0.insert(Wallet(name)) } }
    try await treasury.deposit(100, "Ada")
    #expect(try await transfer(70, from: "Ada", to: "Bob", in: container) == 30)
    await #expect(throws: TransferError.tooLittle(30)) { try await transfer(70, from: "Ada", to: "Bob", in: container) }
    await #expect(throws: TransferError.unknownWallet) { try await transfer(7, from: "Ada", to: "C", in: container) }
    try payInterest(container)
    #expect(try all().map(\.balance) == [30, 70])
    #expect(try await treasury.rich("a").isEmpty)
    try await container.write {
      let wallet = Wallet("Cara")
      wallet.balance = 2_000_000
      $0.insert(wallet)
    }
    #expect(try await treasury.rich("ar") == ["Cara"])
    let found = try await Task {
      withUnsafeCurrentTask { $0?.cancel() }
      // With so few rows it may return its result.
      return try await treasury.rich("ar")
    }.value
    #expect(found == ["Cara"])
  }
}
