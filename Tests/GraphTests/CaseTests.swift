import Roost
import RoostPages
import RoostRecords
import RoostTestSupport
import Testing

@testable import RoostGraph

private enum Money: String, Codable, CaseIterable { case euro = "EUR", dollar = "USD" }
private enum Grade: Int, Codable, CaseIterable { case low = -1, high = 7 }
/// An enum that does not list its cases.
private enum Closed: String, Codable { case one, two }
/// An enum that lists only some of its cases.
private enum Partly: String, Codable, CaseIterable {
  case shown, hidden
  static var allCases: [Partly] { [.shown] }
}
/// Not an enum: any text is valid.
private struct Word: RawRepresentable, Codable, CaseIterable {
  var rawValue: String
  static var allCases: [Word] { [Word(rawValue: "a")] }
}

@Model final class Purse {
  fileprivate var money: Money = Money.euro
  fileprivate var other: Money?
  fileprivate var grades: [Grade] = []
  fileprivate var closed: Closed = Closed.one
  fileprivate var partly: Partly = Partly.shown
  fileprivate var word: Word = Word(rawValue: "")

  init() {}
}

private enum MoreMoney: String, Codable, CaseIterable { case euro = "EUR", dollar = "USD", pound = "GBP" }

private enum Later {
  @Model final class Purse {
    fileprivate var money: MoreMoney = MoreMoney.euro

    init() {}
  }
}

/// The catalog stores the cases of enums, so that the tool, which does not have the types, can
/// check imports.
@Suite struct CaseTests {
  private func cases(_ field: String, _ catalog: Catalog) -> [Value]? { catalog.entity("Purse")?.field(field)?.cases }

  @Test func `the catalog has the cases of enums that list all of them`() throws {
    let store = try GraphStore(inMemory: StoreOptions(), [ModelPlan(Purse._$type)])
    let catalog = try store.records.read { $0.catalog }
    #expect(cases("money", catalog) == [.string("EUR"), .string("USD")])
    #expect(cases("other", catalog) == [.string("EUR"), .string("USD")])
    #expect(cases("grades", catalog) == [.int(-1), .int(7)])
    for field in ["closed", "partly", "word"] { #expect(cases(field, catalog) == nil) }
  }

  /// Regression: a program with one more case could not open a store for reading, because the
  /// catalog would have to change.
  @Test func `a new case is stored by an opening for writing, and does not prevent one for reading`() throws {
    let folder = try ScratchFolder()
    let path = folder.file("purses")
    let (before, later) = ([ModelPlan(Purse._$type)], [ModelPlan(Later.Purse._$type)])
    let old: [Value] = [.string("EUR"), .string("USD")]
    try GraphStore(path, before).records.close()
    var reading = StoreOptions()
    reading.readOnly = true
    for (models, options, expected) in [
      (later, reading, old), (later, StoreOptions(), old + [.string("GBP")]), (before, reading, old + [.string("GBP")]),
      (before, StoreOptions(), old),
    ] {
      let store = try GraphStore(path, models, options: options)
      #expect(try store.records.read { cases("money", $0.catalog) } == expected)
      try store.records.close()
    }
  }
}
