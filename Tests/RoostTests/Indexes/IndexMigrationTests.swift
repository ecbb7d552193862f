import Foundation
import Roost
import RoostTestSupport
import Testing

private enum Plainly {
  @Model final class Parcel {
    var code: String
    var weight: Int
    var sent: Date?
    init(_ code: String, _ weight: Int, sent: Date? = nil) {
      (self.code, self.weight, self.sent) = (code, weight, sent)
    }
  }
}

private enum Indexed {
  @Model final class Parcel {
    #Index<Parcel>([\.weight], where: { $0.sent == nil })
    #Index<Parcel>([.lowercased(\.code)])
    #Unique<Parcel>([\.code], where: { $0.sent == nil && $0.weight > 10 })
    var code: String
    var weight: Int
    var sent: Date?
    init(_ code: String, _ weight: Int, sent: Date? = nil) {
      (self.code, self.weight, self.sent) = (code, weight, sent)
    }
  }
}

private enum Otherwise {
  @Model final class Parcel {
    #Index<Parcel>([\.weight], where: { $0.sent != nil })
    #Unique<Parcel>([\.code], where: { $0.weight > 1_000 })
    var code: String
    var weight: Int
    var sent: Date?
    init(_ code: String, _ weight: Int, sent: Date? = nil) {
      (self.code, self.weight, self.sent) = (code, weight, sent)
    }
  }
}

private enum Renamed {
  @Model final class Parcel {
    #Index<Parcel>([\.mass], where: { $0.sent == nil })
    #Index<Parcel>([.lowercased(\.code)])
    var code: String
    @Attribute(originalName: "weight") var mass: Int
    var sent: Date?
    init(_ code: String, _ mass: Int) { (self.code, self.mass) = (code, mass) }
  }
}

/// Indexes with conditions and forms, when models change.
@Suite struct IndexMigrationTests {
  private let folder: ScratchFolder
  private let configuration: ModelConfiguration

  init() throws {
    folder = try ScratchFolder()
    configuration = ModelConfiguration(url: URL(filePath: folder.file("parcels.roost")))
  }

  private func fill(_ body: (ModelContext) throws -> Void = { _ in }) throws {
    let container = try ModelContainer(for: Plainly.Parcel.self, configurations: configuration)
    let context = ModelContext(container)
    for number in 0..<100 {
      context.insert(Plainly.Parcel("Code \(number % 40)", number % 40, sent: number >= 40 ? .now : nil))
    }
    try body(context)
    try context.save()
    try container.close()
  }

  @Test func `indexes are added, changed and removed without a plan`() throws {
    try fill()
    let second = try ModelContainer(for: Indexed.Parcel.self, configurations: configuration)
    let light = FetchDescriptor<Indexed.Parcel>(predicate: #Predicate { $0.sent == nil && $0.weight < 5 })
    let context = ModelContext(second)
    #expect(try context.fetch(light).count == 5 && context.explain(light).indexes == ["weight where sent == nil"])
    let named = FetchDescriptor<Indexed.Parcel>(predicate: #Predicate { $0.code.lowercased() == "code 7" })
    #expect(try context.fetch(named).count == 3 && context.explain(named).indexes == ["lowercased of code"])
    #expect(try second.verify().isSound)
    try second.close()

    let third = try ModelContainer(for: Otherwise.Parcel.self, configurations: configuration)
    let sent = FetchDescriptor<Otherwise.Parcel>(predicate: #Predicate { $0.sent != nil && $0.weight == 5 })
    #expect(try ModelContext(third).explain(sent).indexes == ["weight where sent != nil"])
    let open = FetchDescriptor<Otherwise.Parcel>(predicate: #Predicate { $0.sent == nil && $0.weight == 5 })
    #expect(try ModelContext(third).explain(open).indexes == [])
    #expect(try third.verify().isSound)
    try third.close()

    let last = try ModelContainer(for: Plainly.Parcel.self, configurations: configuration)
    try ModelContext(last).insert(batch: [Plainly.Parcel("Code 39", 39), Plainly.Parcel("Code 39", 39)])
    #expect(try ModelContext(last).fetchCount(FetchDescriptor<Plainly.Parcel>()) == 102)
    #expect(try last.verify().isSound)
    try last.close()
  }

  @Test func `duplicates inside the condition prevent the opening, those outside do not`() throws {
    try fill { context in
      context.insert(Plainly.Parcel("Code 20", 5))
      context.insert(Plainly.Parcel("Code 20", 50, sent: .now))
    }
    try ModelContainer(for: Indexed.Parcel.self, configurations: configuration).close()
    let again = try ModelContainer(for: Plainly.Parcel.self, configurations: configuration)
    let context = ModelContext(again)
    context.insert(Plainly.Parcel("Code 20", 50))
    try context.save()
    try again.close()
    let error = #expect(throws: (any Error).self) {
      _ = try ModelContainer(for: Indexed.Parcel.self, configurations: configuration)
    }
    let text = error.map { "\($0)" } ?? ""
    #expect(text.contains("code") && text.contains("a group of objects has"), "\(text)")
  }

  @Test func `a renamed property keeps its indexes`() throws {
    try fill()
    try ModelContainer(for: Indexed.Parcel.self, configurations: configuration).close()
    let container = try ModelContainer(for: Renamed.Parcel.self, configurations: configuration)
    let light = FetchDescriptor<Renamed.Parcel>(predicate: #Predicate { $0.sent == nil && $0.mass < 5 })
    #expect(try ModelContext(container).fetch(light).count == 5)
    #expect(try ModelContext(container).explain(light).indexes == ["mass where sent == nil"])
    #expect(try container.verify().isSound)
    try container.close()
  }
}
