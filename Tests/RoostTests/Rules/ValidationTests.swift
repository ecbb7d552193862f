import Foundation
import SwiftData
import Testing

/// Rules of values at a save.
@Suite struct ValidationTests {
  private let container: ModelContainer
  private let context: ModelContext

  init() throws {
    container = try Vouchers.container()
    context = ModelContext(container)
  }

  private func stored() throws -> [Voucher] {
    try ModelContext(container).fetch(FetchDescriptor<Voucher>(sortBy: [SortDescriptor(\.code)]))
  }

  @Test func `all errors of a save are in one error, and nothing is written`() throws {
    let bad = Vouchers.bad("bad")
    context.insert(Voucher("good"))
    context.insert(bad)
    let error = try #require(throws: RoostError.self) { try context.save() }
    #expect(error.code == .invalid && error.reference == "E0518" && error.faultCount == 8)
    #expect(error.faults.map(\.property) == Vouchers.badProperties)
    #expect(error.faults.allSatisfy { $0.model == bad.persistentModelID && $0.code == .invalid && $0.rule != nil })
    let first = error.faults[0]
    #expect(first.value == "6" && first.rule == .range(1...5) && first.rule?.description == "range(1...5)")
    #expect(first.detail == "it is 6, and must be in 1...5")
    #expect(error.faults[1].detail == "a price is not negative, and below 100" && error.faults[1].value == "-1")
    #expect(error.faults[2].detail == "it is \"A1\", and must match [A-Z]{2}[0-9]+")
    #expect(error.faults[3].detail == "it has only white space, and must have a text")
    #expect(error.faults[4].detail == "it is \"green\", and must be one of \"red\", \"blue\"")
    #expect(error.faults[5].detail == "it has 0 bytes, and must have 1...4")
    #expect(error.faults[6].detail == "it has 4 elements, and must have 0...3")
    #expect(try stored().isEmpty && context.hasChanges && context.insertedModelsArray.count == 2)
    // The context keeps its changes, so they can be corrected.
    (bad.stars, bad.price, bad.tag, bad.title, bad.tint) = (5, 99.99, "AB1", "x", .blue)
    (bad.payload, bad.words, bad.day) = (Data([1]), [], Date(timeIntervalSinceReferenceDate: 0))
    try context.save()
    #expect(try stored().map(\.code) == ["bad", "good"])
  }

  @Test func `a catch of SwiftData's error catches it`() throws {
    context.insert(Voucher("a", stars: 0))
    do {
      try context.save()
      Issue.record("it was saved")
    } catch SwiftDataError.modelValidationFailure { context.rollback() }
    #expect(!context.hasChanges)
  }

  @Test func `nil fulfils every rule`() throws {
    context.insert(Voucher("a"))
    try context.save()
    #expect(try stored()[0].tag == nil)
  }

  @Test func `an update checks the properties that it sets`() throws {
    let voucher = Voucher("a")
    context.insert(voucher)
    try context.save()
    voucher.note = "fine"
    try context.save()
    voucher.stars = 9
    voucher.note = "lost"
    #expect(throws: RoostError.self) { try context.save() }
    #expect(try stored()[0].stars == 3 && stored()[0].note == "fine")
    voucher.stars = 1
    try context.save()
    #expect(try stored()[0].stars == 1 && stored()[0].note == "lost")
  }

  @Test func `rules, unique values and counts are reported together`() throws {
    context.uniquePolicy = .throw
    context.insert(Voucher("a"))
    try context.save()
    let full = Voucher("b", stars: 7)
    context.insert(full)
    full.stamps = [VoucherMark("1"), VoucherMark("2"), VoucherMark("3")]
    let error = try #require(throws: RoostError.self) { try context.save() }
    #expect(error.faults.map(\.code) == [.invalid, .count] && error.faults.map(\.property) == ["stars", "stamps"])
    #expect(error.faults[1].detail == "two marks at most")
    context.insert(Voucher("a", title: ""))
    let both = try #require(throws: RoostError.self) { try context.save() }
    #expect(both.faults.contains { $0.property == "title" } && both.faults.contains { $0.property == "stars" })
  }

  @Test func `a length of a relationship is its count`() throws {
    let relationship = try #require(container.schema.entitiesByName["Voucher"]?.relationshipsByName["stamps"])
    #expect(relationship.maximumModelCount == 2 && relationship.minimumModelCount == 0)
    let attribute = try #require(container.schema.entitiesByName["Voucher"]?.attributesByName["title"])
    #expect(attribute.rules.map(\.description) == ["notEmpty", "length(0...10)"])
    #expect(attribute.rules.map(\.message) == [nil, "at most 10"])
  }

  @Test func `a transaction and a write are checked`() throws {
    #expect(throws: RoostError.self) { try context.transaction { context.insert(Voucher("a", stars: 0)) } }
    context.rollback()
    #expect(throws: RoostError.self) { try container.write { $0.insert(Voucher("a", stars: 0)) } }
    #expect(try stored().isEmpty)
  }

  @Test func `a child is checked when it saves into its parent`() throws {
    let child = try ModelContext(parent: context)
    let voucher = Voucher("a", stars: 0)
    child.insert(voucher)
    let error = try #require(throws: RoostError.self) { try child.save() }
    #expect(error.faults.first?.property == "stars" && context.insertedModelsArray.isEmpty && child.hasChanges)
    voucher.stars = 2
    try child.save()
    #expect(context.insertedModelsArray.count == 1)
    try context.save()
    #expect(try stored()[0].stars == 2)
  }

  @Test func `errors can be read without a save`() throws {
    let bad = Vouchers.bad("a")
    // It has no context.
    #expect(try context.faults(of: bad).map(\.property) == Vouchers.badProperties)
    #expect(bad.modelContext == nil)
    context.insert(bad)
    #expect(try context.faults(of: bad).count == 8)
    let error = try #require(throws: RoostError.self) { try context.validate() }
    #expect(error.faults.count == 8 && context.hasChanges)
    context.rollback()
    try context.validate()
    let good = Voucher("b")
    context.insert(good)
    try context.validate()
    try context.save()
    #expect(try context.faults(of: good).isEmpty)
    good.stamps = [VoucherMark("1"), VoucherMark("2"), VoucherMark("3")]
    #expect(try context.faults(of: good).map(\.code) == [.count])
  }

  @Test func `many errors are counted, and the first ones are listed`() throws {
    for number in 0..<600 { context.insert(Voucher("\(number)", stars: 0, title: "")) }
    let error = try #require(throws: RoostError.self) { try context.save() }
    #expect(error.faultCount == 1200 && error.faults.count == 1000)
    #expect(error.detail.hasSuffix("and 1100 more") && error.detail.utf8.count < 20_000)
    let quiet = try #require(throws: RoostError.self) { try context.validate() }
    #expect(quiet.faultCount == 1200 && quiet.faults.count == 1000)
  }

  @Test func `a long value is shortened in the error`() throws {
    context.insert(Voucher("a", tag: String(repeating: "x", count: 100_000)))
    let error = try #require(throws: RoostError.self) { try context.save() }
    #expect(error.faults[0].detail.hasPrefix("it has 100000 bytes"))
    #expect(error.faults[0].value?.count == 63 && error.detail.utf8.count < 400)
  }

  @Test func `rules of a schema that a program changes`() throws {
    let schema = Schema([Voucher.self, VoucherMark.self, Lodging.self, Roomer.self])
    schema.entitiesByName["Voucher"]?.attributesByName["note"]?.rules = [.length(...3)]
    let other = ModelContext(try Vouchers.container(schema))
    let voucher = Voucher("a")
    voucher.note = "four"
    other.insert(voucher)
    let error = try #require(throws: RoostError.self) { try other.save() }
    #expect(error.faults.map(\.property) == ["note"])
    schema.entitiesByName["Voucher"]?.attributesByName["note"]?.rules = [.pattern("[")]
    #expect(throws: (any Error).self) { try Vouchers.container(schema) }
  }

  @Test func `a rule that does not fit is an error of the container`() throws {
    let error = #expect(throws: SwiftDataError.self) {
      try ModelContainer(for: Misfit.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    }
    let text = error?.description ?? ""
    for part in [
      "Misfit.text: pattern(\"[\") is not a regular expression", "Misfit.flag: range(0...1) is for numbers and dates",
      "Misfit.amount: range(\"a\"...\"b\") has a String as a bound", "Misfit.pair:", "Misfit.none: oneOf([])",
      "Misfit.other is a relationship, which cannot have the rule notEmpty",
    ] {
      #expect(text.contains(part), "\(part) in \(text)")
    }
  }
}

typealias MisfitFlag = Bool
typealias MisfitAmount = Int
struct MisfitPair: Codable { var one = 1 }

/// Each rule here is wrong in a way that the macro cannot detect.
@Model final class Misfit {
  @Validate(.pattern("[")) var text = ""
  @Validate(.range(0...1)) var flag: MisfitFlag = false
  @Validate(.range("a"..."b")) var amount: MisfitAmount = 0
  @Validate(.length(1...)) var pair: MisfitPair = MisfitPair()
  @Validate(.oneOf([String]())) var none = ""
  @Validate(.notEmpty) var other: Misfit?

  init() {}
}
