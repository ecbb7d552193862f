import Foundation
import SwiftData
import Testing

@Model final class Voucher {
  #Index<Voucher>([\.total])
  var number: Int
  @Relationship(deleteRule: .cascade, inverse: \VoucherLine.voucher) var lines: [VoucherLine] = []
  @Derived(.count(\Voucher.lines)) var lineCount: Int
  @Derived(.sum(\Voucher.lines, \.price)) var total: Decimal
  @Derived(.maximum(\Voucher.lines, \.price)) var dearest: Decimal?
  @Derived(.latest(\Voucher.lines, of: \.note, by: \.day)) var lastNote: String?

  init(number: Int) { self.number = number }
}

@Model final class VoucherLine {
  var price: Decimal
  var note: String
  var day: Int
  var voucher: Voucher?

  init(_ price: Decimal, note: String, day: Int, of voucher: Voucher) {
    (self.price, self.note, self.day, self.voucher) = (price, note, day, voucher)
  }
}

@Model final class Author {
  #Index<Author>([\.key])
  var name: String
  var folded: String { name.lowercased() }
  @Derived(\Author.folded) var key: String

  init(_ name: String) { self.name = name }
}

@Suite struct DerivedValuesGuideTests {
  private let context: ModelContext

  init() throws {
    context = ModelContext(
      try ModelContainer(
        for: Voucher.self, VoucherLine.self, Author.self,
        configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
    for number in 1...3 {
      let voucher = Voucher(number: number)
      context.insert(voucher)
      for line in 0..<number {
        context.insert(VoucherLine(Decimal(40 + line), note: "line \(line)", day: line, of: voucher))
      }
    }
    try context.save()
  }

  @Test func `a fetch by derived values`() throws {
    let large = #Predicate<Voucher> { $0.total > 100 && $0.lineCount > 1 }
    let vouchers = try context.fetch(
      FetchDescriptor(predicate: large, sortBy: [SortDescriptor(\.total, order: .reverse)]))
    #expect(vouchers.map(\.number) == [3])
    #expect(vouchers[0].total == 123 && vouchers[0].dearest == 42 && vouchers[0].lastNote == "line 2")
  }

  @Test func `a save changes them`() throws {
    let vouchers = try context.fetch(FetchDescriptor<Voucher>(sortBy: [SortDescriptor(\.number)]))
    let voucher = vouchers[0]
    context.insert(VoucherLine(60, note: "freight", day: 5, of: voucher))
    let before = voucher.total
    try context.save()
    print(before, voucher.total)
    #expect(before == 40 && voucher.total == 100 && voucher.lineCount == 2 && voucher.lastNote == "freight")
  }

  @Test func `values of the object itself`() throws {
    context.insert(Author("Ann"))
    try context.save()
    let found = try context.fetch(FetchDescriptor<Author>(predicate: #Predicate { $0.key == "ann" }))
    #expect(found.map(\.name) == ["Ann"])
  }
}
