import Foundation
import RoostImport
import SwiftData
import Testing

/// Rules of values in writes without a model for each row.
@Suite struct RuleBulkTests {
  private let container: ModelContainer
  private let context: ModelContext

  init() throws {
    container = try Vouchers.container()
    context = ModelContext(container)
    try context.insert(batch: (0..<4).map { Voucher("v\($0)", stars: $0 + 1) })
  }

  private func stars() throws -> [Int] {
    try ModelContext(container).fetch(FetchDescriptor<Voucher>(sortBy: [SortDescriptor(\.code)])).map(\.stars)
  }

  @Test func `an update reports all rows that break a rule, and changes none`() throws {
    let error = try #require(throws: RoostError.self) { try context.update(model: Voucher.self) { $0.stars += 2 } }
    #expect(error.code == .invalid && error.faults.map(\.value) == ["6"] && error.faultCount == 1)
    #expect(try stars() == [1, 2, 3, 4])
    try context.update(model: Voucher.self) { $0.stars += 1 }
    let both = try #require(throws: RoostError.self) { try context.update(model: Voucher.self) { $0.stars += 2 } }
    #expect(both.faults.count == 2 && Set(both.faults.compactMap(\.model)).count == 2)
    #expect(try stars() == [2, 3, 4, 5])
    // A property that is not set is not checked.
    try context.update(model: Voucher.self) { $0.note = "n" }
  }

  @Test func `a batch with an invalid model inserts nothing`() throws {
    let error = try #require(throws: RoostError.self) {
      try context.insert(batch: [Voucher("x"), Vouchers.bad("y"), Voucher("z")])
    }
    #expect(error.code == .invalid && error.faults.map(\.property) == Vouchers.badProperties)
    #expect(try stars().count == 4)
    let group = Voucher("g")
    group.stamps = [VoucherMark("1"), VoucherMark("2"), VoucherMark("3")]
    #expect(throws: RoostError.self) { try context.insert(batch: [group]) }
    #expect(try stars().count == 4)
  }

  @Test func `an invalid record of a text is reported`() throws {
    var importer = try container.importer(for: Voucher.self)
    let head = "code,stars,price,title,tint,tag\n"
    let error = #expect(throws: RoostError.self) {
      try importer.run(.text(head + "a,3,1,t,red,AB1\nb,9,1,t,red,AB1\n", .csv))
    }
    #expect(error?.importFault?.reason == .invalid)
    #expect(error?.importFault?.line == 3 && error?.importFault?.field == "stars")
    #expect(error?.importFault?.detail.contains("it is 9, and must be in 1...5") == true)
    importer.options.badRecords = .skip(upTo: 9)
    let text =
      head + "c,3,1,t,red,ab\nd,3,-1,t,red,\ne,3,1,,red,\nf,3,1,t,green,\ng,5,99.5,t,blue,XY77\nv0,7,1,t,red,\n"
    let report = try importer.run(.text(text, .csv))
    #expect(report.progress.bad == 5 && report.progress.inserted == 1)
    // An empty cell has no value.
    #expect(report.faults.map(\.reason) == [.invalid, .invalid, .missing, .invalid, .invalid])
    #expect(report.faults.map(\.field) == ["tag", "price", "title", "tint", "stars"])
    #expect(report.faults[1].detail.contains("a price is not negative"))
    #expect(try stars().prefix(1) == [5])
  }

  @Test func `an invalid model of an import is reported`() throws {
    var importer = try container.importer(for: Voucher.self)
    importer.options.badRecords = .skip(upTo: 9)
    let report = try importer.run(models: [Voucher("x"), Vouchers.bad("y"), Voucher("z", title: "")])
    #expect(report.progress.inserted == 1 && report.progress.bad == 2)
    #expect(report.faults.map(\.reason) == [.invalid, .invalid] && report.faults.map(\.line) == [2, 3])
    #expect(report.faults.map(\.field) == ["stars", "title"])
  }

  @Test func `an invalid snapshot of an import is reported`() throws {
    let good = try #require(try context.fetch(FetchDescriptor<Voucher>()).first)
    let bad = Vouchers.bad("y")
    var importer = try container.importer(for: Voucher.self)
    importer.options.badRecords = .skip(upTo: 9)
    importer.options.conflict = .update
    let report = try importer.run(snapshots: [ModelSnapshot(good), ModelSnapshot(bad)])
    #expect(report.progress.bad == 1 && report.faults.map(\.reason) == [.invalid])
    #expect(try stars() == [1, 2, 3, 4])
  }

  @Test func `validate is called for records of texts and snapshots`() throws {
    var importer = try container.importer(for: Lodging.self)
    importer.options.badRecords = .skip(upTo: 9)
    let report = try importer.run(.text("name,first,last\na,1,2\nb,3,2\nclosed,1,1\n", .csv))
    #expect(report.progress.inserted == 1 && report.progress.bad == 2)
    #expect(report.faults.map(\.reason) == [.invalid, .invalid] && report.faults[0].field == "last")
    importer.options.conflict = .update
    let again = try importer.run(.text("name,first,last\na,9,2\na,2,2\n", .csv))
    #expect(again.progress.bad == 1 && again.progress.updated == 1)
    let snapshots = try importer.run(
      snapshots: [ModelSnapshot(Lodging("s", first: 5)), ModelSnapshot(Lodging("t"))])
    #expect(snapshots.progress.bad == 1 && snapshots.progress.inserted == 1)
    let names = try ModelContext(container).fetch(FetchDescriptor<Lodging>(sortBy: [SortDescriptor(\.name)])).map(
      \.name)
    #expect(names == ["a", "t"])
  }
}
