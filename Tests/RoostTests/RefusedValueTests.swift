import Foundation
import RoostFile
import RoostImport
import RoostTestSupport
import SwiftData
import Testing

/// Values that an older program stored, which knew other currencies.
enum BillBefore {
  struct Price: Codable {
    var currency: String
    var amount: Int
  }

  @Model final class Bill {
    @Attribute(.unique) var code: Int
    var currency: String
    var other: String?
    var tags: [String]
    var price: Price?
    var name: String
    var holder: Holder?

    init(_ code: Int, _ currency: String) {
      self.code = code
      self.currency = currency
      other = currency
      tags = [currency]
      price = Price(currency: currency, amount: code)
      name = "bill \(code)"
    }
  }

  @Model final class Holder {
    var name: String
    @Relationship(deleteRule: .cascade, inverse: \Bill.holder) var bills: [Bill] = []

    init(_ name: String) { self.name = name }
  }
}

enum BillCurrency: String, Codable, CaseIterable {
  case eur = "EUR"
  case usd = "USD"
}

enum BillAfter {
  struct Price: Codable, Equatable {
    var currency: BillCurrency
    var amount: Int
  }

  @Model @Snapshots final class Bill {
    @Attribute(.unique) var code: Int
    var currency: BillCurrency
    var other: BillCurrency?
    var tags: [BillCurrency]
    var price: Price?
    var name: String
    var holder: Holder?
    var shown: String { "\(currency)" }

    init(_ code: Int, _ currency: BillCurrency) {
      self.code = code
      self.currency = currency
      tags = []
      name = ""
    }
  }

  @Model final class Holder {
    var name: String
    @Relationship(deleteRule: .cascade, inverse: \Bill.holder) var bills: [Bill] = []

    init(_ name: String) { self.name = name }
  }
}

/// Regression: a row contained `GBP`, and the enum had only EUR and USD. Reading it silently gave
/// `eur`, and after that no save of the context succeeded. The row could not be changed, repaired
/// or deleted.
@Suite struct RefusedValueTests {
  private let folder: ScratchFolder
  private let container: ModelContainer
  private let context: ModelContext
  private let events = Events()

  private final class Events: @unchecked Sendable {
    private let lock = Lock()
    private var all: [TraceEvent] = []
    func add(_ event: TraceEvent) { lock.withLock { all.append(event) } }
    var defaults: [String] {
      lock.withLock { all }.filter { $0.kind == .defaultGiven }.map {
        "\($0.error.map { "\($0)" } ?? "")"
      }
    }
  }

  init() throws {
    folder = try ScratchFolder()
    do {
      let context = ModelContext(try Self.before(folder))
      let holder = BillBefore.Holder("h")
      context.insert(holder)
      for (code, currency) in [(1, "EUR"), (2, "GBP"), (3, "USD"), (4, "")] {
        let bill = BillBefore.Bill(code, currency)
        context.insert(bill)
        bill.holder = holder
      }
      try context.save()
    }
    let events = events
    var configuration = ModelConfiguration(url: URL(filePath: folder.file("bills")))
    configuration.trace = { events.add($0) }
    container = try ModelContainer(for: BillAfter.Holder.self, configurations: configuration)
    context = ModelContext(container)
  }

  private static func before(_ folder: ScratchFolder) throws -> ModelContainer {
    try ModelContainer(
      for: BillBefore.Holder.self,
      configurations: ModelConfiguration(url: URL(filePath: folder.file("bills"))))
  }

  private func bill(_ code: Int, _ context: ModelContext? = nil) throws -> BillAfter.Bill {
    try #require(
      try (context ?? self.context).fetch(
        FetchDescriptor<BillAfter.Bill>(predicate: #Predicate { $0.code == code })
      ).first)
  }

  /// The stored values in a program that accepts any text.
  private func stored() throws -> [Int: String] {
    var found: [Int: String] = [:]
    for line in try exported().split(separator: "\n") {
      let one = try #require(
        try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
      let price = (one["price"] as? [String: Any])?["currency"] ?? "-"
      let texts = [
        one["currency"] ?? "", one["other"] ?? "", (one["tags"] as? [String] ?? []).joined(), price,
        one["name"] ?? "",
      ]
      found[one["code"] as? Int ?? 0] = texts.map { "\($0)" }.joined(separator: " ")
    }
    return found
  }

  private func exported() throws -> String {
    let file = URL(filePath: folder.file("out.jsonl"))
    _ = try container.export(FetchDescriptor<BillAfter.Bill>(), to: .file(file))
    return try String(contentsOf: file, encoding: .utf8)
  }

  @Test func `a read returns a default, is reported once, and prevents no save`() throws {
    let (one, two, four) = (try bill(1), try bill(2), try bill(4))
    #expect(events.defaults.isEmpty)
    #expect(
      one.currency == .eur && one.tags == [.eur]
        && one.price == BillAfter.Price(currency: .eur, amount: 1))
    #expect(
      two.currency == .eur && two.other == nil && two.tags == [] && two.price == nil
        && two.name == "bill 2")
    #expect(four.currency == .eur && two.holder?.name == "h")
    // One report for each property, whichever row and context came first.
    #expect(try bill(4, ModelContext(container)).tags == [])
    #expect(events.defaults.count == 4)
    let told = try #require(events.defaults.first)
    for part in ["Bill 2", "currency", "GBP", "BillCurrency"] {
      #expect(told.contains(part), "\(told)")
    }
    try context.save()
    one.name = "new"
    four.name = "empty"
    try context.save()
    #expect(try stored()[1] == "EUR EUR EUR EUR new" && stored()[4] == "    empty")
    #expect(try stored()[2] == "GBP GBP GBP GBP bill 2")
  }

  @Test(arguments: [false, true], ModelContext.MergePolicy.allCases)
  func `another property is changed, and the stored value stays`(
    isRead: Bool, policy: ModelContext.MergePolicy
  ) throws {
    let two = try bill(2)
    if isRead { #expect(two.currency == .eur && two.tags == []) }
    context.mergePolicy = policy
    context.automaticallyMergesChanges = false
    two.name = "mine"
    let other = ModelContext(container)
    try bill(2, other).code = 20
    try other.save()
    try context.save()
    let code = policy == .overwrite ? 2 : 20
    #expect(try stored()[code] == "GBP GBP GBP GBP mine")
    #expect(try bill(code).name == "mine" && bill(code).currency == .eur)
  }

  @Test(arguments: [false, true]) func `setting a property repairs it`(isRead: Bool) throws {
    let two = try bill(2)
    if isRead { #expect(two.currency == .eur && two.tags == []) }
    two.currency = .usd
    #expect(two.currency == .usd)
    try context.save()
    #expect(try stored()[2] == "USD GBP GBP GBP bill 2")
    two.tags.append(.usd)
    two.other = .eur
    two.price = BillAfter.Price(currency: .usd, amount: 9)
    try context.save()
    #expect(try stored()[2] == "USD EUR USD USD bill 2")
    #expect(two.currency == .usd && two.tags == [.usd] && two.snapshot.currency == .usd)
    try context.load(two)
  }

  @Test(arguments: [false, true]) func `a row is deleted, alone and by a delete rule`(isRead: Bool)
    throws
  {
    let two = try bill(2)
    if isRead { #expect(two.currency == .eur) }
    context.delete(two)
    try context.save()
    #expect(two.isDeleted && two.name == "bill 2")
    for holder in try context.fetch(FetchDescriptor<BillAfter.Holder>()) { context.delete(holder) }
    try context.save()
    #expect(try stored().isEmpty)
  }

  @Test func `a rollback, another context and an undo leave it unchanged`() throws {
    let two = try bill(2)
    let manager = UndoManager()
    context.undoManager = manager
    two.name = "mine"
    context.processPendingChanges()
    #expect(two.currency == .eur)
    manager.undo()
    #expect(two.name == "bill 2")
    two.currency = .usd
    context.rollback()
    #expect(two.currency == .eur && two.name == "bill 2")
    let other = ModelContext(container)
    try bill(2, other).currency = .usd
    try other.save()
    _ = try bill(1)
    #expect(two.currency == .usd)
    try context.save()
    #expect(try stored()[2] == "USD GBP GBP GBP bill 2")
  }

  @Test func `a snapshot throws if the property is read`() throws {
    let two = try bill(2)
    #expect(two.currency == .eur)
    let snapshot = two.snapshot
    #expect(snapshot.name == "bill 2" && !snapshot.isLoaded(\.currency))
    let error = #expect(throws: RoostError.self) { try snapshot.value(of: \.currency) }
    #expect(error?.code == .unreadable && error?.description.contains("GBP") == true)
    #expect(error?.description.components(separatedBy: "unreadable").count == 2, "\(error as Any)")
    #expect(throws: RoostError.self) { try snapshot.value(of: \.shown) }
    #expect(throws: RoostError.self) { try JSONEncoder().encode(snapshot) }
    let loading = #expect(throws: RoostError.self) { try context.load(try bill(4)) }
    #expect(loading?.code == .unreadable)
    try context.save()
  }

  /// Regression: a fetch of snapshots threw for all rows if one value of one row was rejected.
  @Test(arguments: [false, true])
  func `a fetch of snapshots returns all rows, and only rejected properties throw`(waits: Bool) throws {
    let two = try bill(2)
    if waits { two.name = "bill 2!" }
    let byCode = FetchDescriptor<BillAfter.Bill>(sortBy: [SortDescriptor(\.code)])
    let all = try context.fetchSnapshots(byCode)
    #expect(all.map(\.code) == [1, 2, 3, 4] && all[1].name == (waits ? "bill 2!" : "bill 2"))
    #expect(try all[0].value(of: \.currency) == .eur && all[2].value(of: \.tags) == [.usd])
    for snapshot in [all[1], try #require(try context.snapshot(for: two.persistentModelID))] {
      let refused: [PartialKeyPath<BillAfter.Bill>] = [\.currency, \.other, \.tags, \.price]
      #expect(!refused.contains { snapshot.isLoaded($0) } && snapshot.isLoaded(\.name))
      let error = #expect(throws: RoostError.self) { try snapshot.value(of: \.currency) }
      #expect(error?.code == .unreadable)
      for part in ["Bill 2", "currency", "GBP", "BillCurrency"] {
        #expect(error?.description.contains(part) == true, "\(String(describing: error))")
      }
      #expect(throws: RoostError.self) { try snapshot.value(of: \.other) }
      #expect(throws: RoostError.self) { try snapshot.value(of: \.price) }
      #expect(snapshot.holder == two.holder?.persistentModelID)
    }
    #expect(throws: RoostError.self) { try all.values(of: \.currency) }
    #expect(try all.values(of: \.code) == [1, 2, 3, 4])
    if !waits {
      #expect(try container.fetchSnapshots(byCode) == all)
      #expect(two.snapshot == all[1])
    }
  }

  @Test func `a struct of a snapshot needs all values`() throws {
    let byCode = FetchDescriptor<BillAfter.Bill>(sortBy: [SortDescriptor(\.code)])
    let error = #expect(throws: RoostError.self) {
      try context.fetchSnapshots(byCode, as: BillAfter.Bill.Snapshot.self)
    }
    #expect(error?.description.contains("Bill 2.currency") == true, "\(String(describing: error))")
    let good = try context.fetchSnapshots(byCode).compactMap { try? BillAfter.Bill.Snapshot(checking: $0) }
    #expect(good.map(\.code) == [1, 3] && good.map(\.currency) == [.eur, .usd])
  }

  /// An optional property of the new model would silently be nil.
  @Test func `a snapshot with a rejected value changes its model, and makes no new one`() throws {
    var snapshot = try #require(try context.snapshot(for: bill(2).persistentModelID, as: BillAfter.Bill.self))
    try snapshot.set(\.name, to: "applied")
    try context.apply(snapshot)
    try context.save()
    #expect(try stored()[2] == "GBP GBP GBP GBP applied")
    let other = try ModelContainer(
      for: BillAfter.Holder.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    try snapshot.set(\.holder, to: nil)
    let (empty, copy) = (ModelContext(other), snapshot)
    let error = #expect(throws: RoostError.self) { try empty.apply(copy) }
    #expect(error?.code == .unreadable && error?.description.contains("GBP") == true)
    #expect(!empty.hasChanges)
    var options = ImportOptions()
    options.badRecords = .skip(upTo: 1)
    let importer = try other.importer(for: BillAfter.Bill.self, options: options)
    let report = try importer.run(snapshots: [copy])
    #expect(report.progress.inserted == 0 && report.faults.first?.detail.contains("GBP") == true, "\(report)")
  }

  @Test func `it is reported on standard error`() async throws {
    let result = try await #require(processExitsWith: .success, observing: [\.standardErrorContent]) {
      let tests = try RefusedValueTests()
      for bill in try tests.context.fetch(FetchDescriptor<BillAfter.Bill>()) { _ = bill.currency }
    }
    let said = String(decoding: result.standardErrorContent, as: UTF8.self)
    let lines = said.split(separator: "\n").filter { $0.contains("Bill") }
    #expect(
      lines.count == 1 && lines.first?.contains("GBP") == true
        && lines.first?.contains("currency") == true)
  }
}
