import Foundation
import Roost
import RoostTestSupport
import Testing

@Model final class Mailbox {
  #Unique<Mailbox>([\.address], where: { $0.closed == nil })
  var address: String
  var owner: String
  var closed: Date?
  init(_ address: String, _ owner: String, closed: Date? = nil) {
    (self.address, self.owner, self.closed) = (address, owner, closed)
  }
}

/// `#Unique` with a condition.
@Suite struct ConditionalUniqueTests {
  private static func context() throws -> ModelContext {
    ModelContext(
      try ModelContainer(for: Mailbox.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
  }

  private static func owners(_ context: ModelContext) throws -> [String] {
    try ModelContext(context.container).fetch(FetchDescriptor<Mailbox>()).map(\.owner).sorted()
  }

  @Test func `objects outside the condition conflict with none`() throws {
    let context = try Self.context()
    context.insert(Mailbox("a@b", "Ann", closed: .distantPast))
    context.insert(Mailbox("a@b", "Bob", closed: .now))
    context.insert(Mailbox("a@b", "Cid"))
    try context.save()
    #expect(try Self.owners(context) == ["Ann", "Bob", "Cid"])
    // A second open mailbox is merged into the stored one.
    context.insert(Mailbox("a@b", "Dan"))
    try context.save()
    #expect(try Self.owners(context) == ["Ann", "Bob", "Dan"])
    context.insert(Mailbox("a@b", "Eve", closed: .now))
    try context.save()
    #expect(try Self.owners(context) == ["Ann", "Bob", "Dan", "Eve"])
  }

  @Test func `the values are free when their object leaves the condition`() throws {
    let context = try Self.context()
    let first = Mailbox("a@b", "Ann")
    context.insert(first)
    try context.save()
    #expect(try context.existingModel(like: Mailbox("a@b", "Bob")) === first)
    #expect(try context.existingModel(like: Mailbox("a@b", "Bob", closed: .now)) == nil)
    first.closed = .now
    #expect(try context.existingModel(like: Mailbox("a@b", "Bob")) == nil)
    try context.save()
    context.insert(Mailbox("a@b", "Bob"))
    try context.save()
    #expect(try Self.owners(context) == ["Ann", "Bob"])
    // The first fulfils the condition again, where the second is now.
    first.closed = nil
    #expect(throws: (any Error).self) { try context.save() }
    context.rollback()
    #expect(try Self.owners(context) == ["Ann", "Bob"])
  }

  @Test func `a refusing policy throws only inside the condition`() throws {
    let context = try Self.context()
    context.uniquePolicy = .throw
    context.insert(Mailbox("a@b", "Ann"))
    try context.save()
    context.insert(Mailbox("a@b", "Bob", closed: .now))
    try context.save()
    context.insert(Mailbox("a@b", "Cid"))
    #expect(throws: (any Error).self) { try context.save() }
  }

  @Test func `batches and bulk updates follow the rule`() throws {
    let context = try Self.context()
    try context.insert(batch: (0..<100).map { Mailbox("box \($0 % 10)", "\($0)", closed: $0 < 50 ? .now : nil) })
    #expect(try context.fetchCount(FetchDescriptor<Mailbox>()) == 60)
    #expect(throws: (any Error).self) { try context.update(model: Mailbox.self) { $0.closed = nil } }
    #expect(try context.fetchCount(FetchDescriptor<Mailbox>(predicate: #Predicate { $0.closed == nil })) == 10)
    let report = try context.container.verify()
    #expect(report.isSound, "\(report)")
  }

  @Test func `imports follow the rule`() throws {
    let container = try Self.context().container
    let report = try container.importer(for: Mailbox.self).run(0..<40) {
      Mailbox("\($0 % 4)", "\($0)", closed: $0 < 20 ? .now : nil)
    }
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Mailbox>()) == 24, "\(report)")
  }
}
