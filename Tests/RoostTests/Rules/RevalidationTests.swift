import Foundation
import RoostImport
import SwiftData
import Testing

/// Models that `validate` changes are validated again.
@Suite struct RevalidationTests {
  private let container: ModelContainer
  private let context: ModelContext
  private let one = GalleryLedger("one")
  private let two = GalleryLedger("two")

  init() throws {
    container = try ModelContainer(
      for: GalleryLedger.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    context = ModelContext(container)
    context.insert(one)
    context.insert(two)
    try context.save()
    (one.calls, two.calls) = (0, 0)
  }

  private func amounts() throws -> [Int] {
    try ModelContext(container).fetch(FetchDescriptor<GalleryLedger>(sortBy: [SortDescriptor(\.name)])).map(\.amount)
  }

  @Test(arguments: [false, true]) func `a bad value that another model sets is refused`(isBackwards: Bool) throws {
    let (giver, taker) = isBackwards ? (two, one) : (one, two)
    taker.amount = 1
    (giver.gives, giver.other) = (13, taker)
    let error = #expect(throws: RoostError.self) { try context.save() }
    #expect(error?.faults.map(\.detail) == ["unlucky"] && error?.faults.first?.model == taker.persistentModelID)
    #expect(try amounts() == [0, 0])
    giver.gives = 12
    try context.save()
    #expect(try amounts().sorted() == [0, 12])
  }

  @Test func `a model that was not changed is validated too`() throws {
    (one.gives, one.other) = (13, two)
    let error = #expect(throws: RoostError.self) { try context.save() }
    #expect(error?.faults.map(\.detail) == ["unlucky"])
    #expect(try amounts() == [0, 0])
  }

  @Test(arguments: [false, true]) func `a fault that another model mends is none`(isBackwards: Bool) throws {
    let (giver, taker) = isBackwards ? (two, one) : (one, two)
    taker.amount = 13
    (giver.gives, giver.other) = (5, taker)
    try context.save()
    #expect(try amounts().sorted() == [0, 5])
  }

  @Test func `a value that does not change calls nothing again`() throws {
    two.amount = 4
    (one.gives, one.other) = (4, two)
    try context.save()
    #expect(one.calls == 1 && two.calls == 1)
    // A model that corrects itself is validated once more.
    one.gives = nil
    one.name = "pad it"
    try context.save()
    #expect(one.name == "pad" && one.calls == 3)
  }

  @Test func `an import stores what a record's validate changes`() throws {
    var importer = try container.importer(for: GalleryLedger.self)
    importer.options.badRecords = .skip(upTo: 9)
    // The second one would get the name of the first.
    let report = try importer.run(.text("name,amount\npad it,1\npad that,2\nplain,3\n", .csv))
    #expect(report.progress.bad == 1 && report.faults.map(\.reason) == [.duplicate])
    let context = ModelContext(container)
    let stored = try context.fetch(FetchDescriptor<GalleryLedger>(sortBy: [SortDescriptor(\.name)]))
    #expect(stored.map(\.name) == ["one", "pad", "plain", "two"] && stored[1].amount == 1)
  }

  @Test func `a validate that always changes its model is an error`() throws {
    let growing = GalleryLedger("growing")
    context.insert(growing)
    let error = #expect(throws: RoostError.self) { try context.save() }
    #expect(error?.code == .invalid && error?.detail.contains("100 rounds") == true)
    #expect(error?.faults.first?.model == growing.persistentModelID)
    #expect(try amounts() == [0, 0])
    growing.name = "grown"
    try context.save()
    #expect(try amounts().count == 3)
  }

  @Test func `of two models that set one property the last one wins`() throws {
    (one.gives, one.other) = (1, two)
    let third = GalleryLedger("three")
    (third.gives, third.other) = (2, two)
    context.insert(third)
    // Only the model that changed is validated again.
    try context.save()
    #expect([1, 2].contains(two.amount))
  }
}
