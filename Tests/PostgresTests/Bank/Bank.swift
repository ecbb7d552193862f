#if Postgres
  import Foundation
  import RoostPostgres
  import SwiftData

  @Model final class Account {
    @Attribute(.unique) var number: Int
    /// The zone.
    var branch: String
    var balance: Int

    init(_ number: Int, branch: String, balance: Int) {
      (self.number, self.branch, self.balance) = (number, branch, balance)
    }
  }

  /// The process that makes transfers. Each transfer changes its row, so the version of the row orders them.
  @Model final class Teller {
    @Attribute(.unique) var number: Int
    /// The zone. It is also the zone of the teller's transfers.
    var name: String
    /// The number of the last transfer.
    var last = 0

    init(_ number: Int) {
      self.number = number
      name = "teller \(number)"
    }
  }

  @Model final class Transfer {
    /// The zone.
    var teller: String
    var number: Int
    var source: Int
    var target: Int
    var amount: Int

    init(teller: String, number: Int, from source: Int, to target: Int, amount: Int) {
      (self.teller, self.number, self.source, self.target, self.amount) = (teller, number, source, target, amount)
    }
  }

  /// A database of accounts that several processes move money between.
  ///
  /// Accounts, tellers and transfers are in different zones. On a cluster a transfer changes rows of several machines.
  struct Bank {
    let address: String
    let namespace: String

    static let accounts = 20
    static let branches = 4
    static let start = 1000

    static let schema = Schema([Account.self, Teller.self, Transfer.self])

    func open() throws -> ModelContainer {
      let zone = PostgresZone.properties(
        .property(\Account.branch), .property(\Teller.name), .property(\Transfer.teller))
      return try ModelContainer(
        for: Self.schema,
        configurations: [PostgresConfiguration(address, zone: zone, schema: Self.schema, namespace: namespace)])
    }

    func fill(tellers: Int) throws {
      try open().write { context in
        for number in 1...Self.accounts {
          context.insert(Account(number, branch: "branch \(number % Self.branches)", balance: Self.start))
        }
        for number in 1...tellers { context.insert(Teller(number)) }
      }
    }

    /// Moves a random amount between two random accounts, unless the teller's transfer with this
    /// number is stored already. `runs` counts the calls of the closure, which is called again
    /// after a conflict.
    static func transfer(_ number: Int, of teller: Int, in container: ModelContainer, runs: inout Int) throws {
      var count = 0
      defer { runs += count }
      try container.write { context in
        count += 1
        let tellers = try context.fetch(FetchDescriptor<Teller>(predicate: #Predicate { $0.number == teller }))
        guard let own = tellers.first else { throw CocoaError(.coderValueNotFound) }
        if own.last >= number { return }
        own.last = number
        let source = Int.random(in: 1...accounts)
        let target = (source + Int.random(in: 1..<accounts) - 1) % accounts + 1
        let pair = try context.fetch(
          FetchDescriptor<Account>(predicate: #Predicate { $0.number == source || $0.number == target }))
        guard let payer = pair.first(where: { $0.number == source }),
          let payee = pair.first(where: { $0.number == target })
        else { throw CocoaError(.coderValueNotFound) }
        let amount = Int.random(in: 1...100)
        payer.balance -= amount
        payee.balance += amount
        context.insert(Transfer(teller: own.name, number: number, from: source, to: target, amount: amount))
      }
    }

    // MARK: The audit

    /// The errors in the books. `acknowledged` are the numbers of the transfers whose saves
    /// returned, by teller.
    func complaints(acknowledged: [Int: [Int]]) throws -> [String] {
      let context = ModelContext(try open())
      let transfers = try context.fetch(FetchDescriptor<Transfer>())
      let balances = try context.fetch(FetchDescriptor<Account>())
      var complaints: [String] = []
      let sum = balances.reduce(0) { $0 + $1.balance }
      if sum != Self.accounts * Self.start { complaints.append("the sum of all balances is \(sum)") }
      var expected = Dictionary(uniqueKeysWithValues: (1...Self.accounts).map { ($0, Self.start) })
      for transfer in transfers {
        expected[transfer.source, default: 0] -= transfer.amount
        expected[transfer.target, default: 0] += transfer.amount
      }
      for account in balances where account.balance != expected[account.number] {
        complaints.append(
          "account \(account.number) has \(account.balance), its transfers say \(expected[account.number] ?? 0)")
      }
      for (teller, numbers) in acknowledged {
        let stored = Dictionary(grouping: transfers.filter { $0.teller == Teller(teller).name }, by: \.number)
        for (number, copies) in stored where copies.count > 1 {
          complaints.append("transfer \(number) of teller \(teller) is stored \(copies.count) times")
        }
        for number in numbers where stored[number] == nil {
          complaints.append("transfer \(number) of teller \(teller) was acknowledged and is not stored")
        }
      }
      return complaints
    }
  }
#endif
