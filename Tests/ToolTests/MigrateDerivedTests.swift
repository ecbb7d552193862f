import Foundation
import Roost
import RoostTestSupport
import Testing

@testable import RoostTool

private enum Ledger1: VersionedSchema {
  static let versionIdentifier = Schema.Version(1, 0, 0)
  static var models: [any PersistentModel.Type] { [Account.self, Posting.self] }

  @Model final class Account {
    var name: String
    @Relationship(inverse: \Posting.account) var postings: [Posting] = []
    var balance: Int = 0
    @Derived(.count(\Account.postings)) var size: Int
    @Derived(\Account.folded) var key: String
    @Derived(.maximum(\Account.postings, \.amount)) var most: Int?
    var folded: String { name.lowercased() }

    init(_ name: String) { self.name = name }
  }

  @Model final class Posting {
    var amount: Int
    var fee: Int
    var account: Account?
    init(_ amount: Int, in account: Account) { (self.amount, fee, self.account) = (amount, 1, account) }
  }
}

private enum Ledger2: VersionedSchema {
  static let versionIdentifier = Schema.Version(2, 0, 0)
  static var models: [any PersistentModel.Type] { [Account.self, Posting.self] }

  @Model final class Account {
    var name: String
    @Relationship(inverse: \Posting.account) var postings: [Posting] = []
    @Derived(.sum(\Account.postings, \.amount)) var balance: Int
    var size: Int = 0
    @Derived(\Account.folded, version: 2) var key: String
    @Derived(.maximum(\Account.postings, \.fee)) var most: Int?
    @Derived(.latest(\Account.postings, of: \.amount, by: \.fee)) var last: Int?
    var folded: String { name.uppercased() }

    init(_ name: String) { self.name = name }
  }

  @Model final class Posting {
    var amount: Int
    var fee: Int
    var account: Account?
    init(_ amount: Int, in account: Account) { (self.amount, fee, self.account) = (amount, 1, account) }
  }
}

/// `migrate --dry-run` where properties are derived.
@Suite struct MigrateDerivedTests {
  private func make(_ version: any VersionedSchema.Type, _ path: String, _ fill: (ModelContext) -> Void = { _ in })
    throws
  {
    let container = try ModelContainer(
      for: Schema(versionedSchema: version), configurations: ModelConfiguration(url: URL(fileURLWithPath: path)))
    let context = ModelContext(container)
    fill(context)
    try context.save()
    try container.close()
  }

  @Test func `definitions that change are printed`() throws {
    let folder = try ScratchFolder()
    let (path, next) = (folder.file("ledger.roost"), folder.file("next.roost"))
    try make(Ledger1.self, path) { context in
      let account = Ledger1.Account("Ann")
      context.insert(account)
      context.insert(Ledger1.Posting(5, in: account))
    }
    try make(Ledger2.self, next)
    let found = Transcript.run(["migrate", path, "--to", next, "--dry-run"])
    #expect(
      found.output == """
        version 1.0.0 → 2.0.0
        Account: 1 row
          + last: int64?
          ~ balance is derived: sum of postings.amount
          ~ key is derived: computed from folded, version 2; it was computed from folded, version 1
          ~ last is derived: latest of postings.amount by fee
          ~ most is derived: maximum of postings.fee; it was maximum of postings.amount
          ~ size is not derived any more, and keeps its values
        possible  the opening writes rows too, in one transaction

        """, "\(found)")
    let json = Transcript.run(["migrate", path, "--to", next, "--dry-run", "--json"]).output
    for text in ["\"kind\":\"derived\"", "\"kind\":\"notDerived\"", "\"becomes\":\"sum of postings.amount\""] {
      #expect(json.filter { $0 != " " }.contains(text.filter { $0 != " " }), "\(text)\n\(json)")
    }
    try make(Ledger2.self, path)
    #expect(
      Transcript.run(["migrate", path, "--to", next, "--dry-run"]).output.hasSuffix(
        "possible  no change of the models\n"))
  }
}
