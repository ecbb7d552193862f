import Foundation
import RoostImport
import RoostTestSupport
import SwiftData
import Testing

/// Imports of models and snapshots, and exports that are imported again.
@Suite struct ImportModelTests {
  private let container: ModelContainer

  init() throws { container = try ImportTests.container() }

  private struct Stop: Error {}

  @Test func `an imported model has no context, and is not the stored one`() throws {
    let item = Item(1, title: "a")
    #expect(try container.importer(for: Item.self).run(models: [item]).progress.inserted == 1)
    let context = ModelContext(container)
    let rack = Rack("s")
    context.insert(rack)
    rack.items = try context.fetch(FetchDescriptor<Item>())
    try context.save()
    item.title = "b"
    rack.items = [item]
    try context.save()
    #expect(try ImportTests.items(container)[1]?.title == "b")
  }

  // MARK: Models

  @Test func `models that a closure makes`() throws {
    var importer = try container.importer(for: Item.self)
    importer.options.chunk = 7
    let shelf = Rack("s")
    let report = try importer.run(0..<50) { number in
      let item = Item(number, title: "t\(number)")
      if number == 3 { item.shelf = shelf }
      return item
    }
    #expect(report.progress.inserted == 50 && report.progress.records == 50)
    #expect(try ImportTests.items(container)[3]?.shelf?.name == "s")
    #expect(throws: Stop.self) {
      try importer.run(50..<70) { number in
        if number == 60 { throw Stop() }
        return Item(number)
      }
    }
    // Whole chunks.
    #expect(try ImportTests.items(container).count == 57)
    importer.options.badRecords = .skip(upTo: 5)
    let left = try importer.run(57..<70) { number in
      if number == 60 { throw Stop() }
      return Item(number)
    }
    #expect(left.progress.bad == 1 && left.faults.first?.line == 4 && left.progress.inserted == 12)
    importer.options.conflict = .insert
    let again = try importer.run([Item(1), Item(200), Item(2)]) { $0 }
    #expect(again.progress.bad == 2 && again.faults.map(\.reason) == [.duplicate, .duplicate])
    importer.options.conflict = .skip
    #expect(try importer.run(models: [Item(1, title: "x"), Item(201)]).progress.kept == 1)
    importer.options.conflict = .update
    #expect(try importer.run(models: [Item(1, title: "x"), Item(202)]).progress.updated == 1)
    #expect(try ImportTests.items(container)[1]?.title == "x")
  }

  @Test func `an import with a name continues`() throws {
    var importer = try container.importer(for: Item.self)
    importer.options.chunk = 4
    importer.options.name = "numbers"
    #expect(throws: Stop.self) {
      try importer.run(0..<20) { number in
        if number == 10 { throw Stop() }
        return Item(number)
      }
    }
    #expect(try ImportTests.items(container).count == 8)
    var made: [Int] = []
    let report = try importer.run(0..<20) { number in
      made.append(number)
      return Item(number)
    }
    #expect(report.progress.resumed == 8 && report.progress.inserted == 20)
    // Earlier models are made again only if a later one may reference them: in a debug build models
    // are released late.
    #expect(Array(made.suffix(12)) == Array(8..<20))
    #expect(try ImportTests.items(container).count == 20)
  }

  // MARK: Snapshots

  @Test func `snapshots of another store`() throws {
    let other = ModelContext(try ImportTests.container())
    var random = SplitMix64(seed: 5)
    for number in 0..<40 { other.insert(ImportModelTests.item(number, &random)) }
    try other.save()
    let snapshots = try other.fetchSnapshots(FetchDescriptor<Item>(sortBy: [SortDescriptor(\.code)]))
    var importer = try container.importer(for: Item.self)
    importer.options.chunk = 9
    let report = try importer.run(snapshots: snapshots)
    #expect(report.progress.inserted == 40)
    let here = try ModelContext(container).fetchSnapshots(FetchDescriptor<Item>(sortBy: [SortDescriptor(\.code)]))
    #expect(here.map(\.plain) == snapshots.map(\.plain))
    for conflict in ImportOptions.Conflict.allCases {
      importer.options.conflict = conflict
      importer.options.badRecords = .skip(upTo: 100)
      if conflict == .throw {
        #expect(throws: RoostError.self) { try importer.run(snapshots: snapshots) }
        continue
      }
      let again = try importer.run(snapshots: snapshots)
      let progress = again.progress
      let wanted =
        switch conflict {
        case .update, .merge: (0, 40, 0, 0)
        case .skip: (0, 0, 40, 0)
        case .insert, .throw: (0, 0, 0, 40)
        }
      #expect((progress.inserted, progress.updated, progress.kept, progress.bad) == wanted, "\(conflict)")
    }
    let after = try ModelContext(container).fetchSnapshots(FetchDescriptor<Item>(sortBy: [SortDescriptor(\.code)]))
    #expect(after.map(\.plain) == snapshots.map(\.plain))
  }

  @Test func `snapshots of this store change its models`() throws {
    let context = ModelContext(container)
    let (item, shelf) = (Item(1, title: "a"), Rack("s"))
    item.price = 3
    context.insert(item)
    context.insert(shelf)
    context.insert(Sticker("p"))
    try context.save()
    let sticker = try #require(try context.fetch(FetchDescriptor<Sticker>()).first)
    item.title = "b"
    item.shelf = shelf
    item.price = nil
    item.stickers = [sticker]
    let snapshot = item.snapshot
    context.rollback()
    #expect(item.title == "a" && shelf.items.isEmpty)
    var importer = try container.importer(for: Item.self)
    importer.options.conflict = .merge
    #expect(try importer.run(snapshots: [snapshot]).progress.updated == 1)
    _ = try context.fetchCount(FetchDescriptor<Item>())
    #expect(item.title == "b" && item.price == 3 && item.shelf === shelf && shelf.items.map(\.code) == [1])
    #expect(item.stickers.map(\.text) == ["p"])
    importer.options.conflict = .update
    #expect(try importer.run(snapshots: [snapshot]).progress.updated == 1)
    _ = try context.fetchCount(FetchDescriptor<Item>())
    #expect(item.price == nil)
    // The snapshot of a deleted model makes a new one.
    context.delete(item)
    try context.save()
    #expect(try importer.run(snapshots: [snapshot]).progress.inserted == 1)
    #expect(try ImportTests.items(container)[1]?.shelf?.name == "s")
    context.delete(shelf)
    try context.save()
    // A model that it referenced is gone, and the report says so.
    let led = try importer.run(snapshots: [snapshot])
    #expect(led.progress.bad == 0 && led.progress.updated == 1)
    #expect(led.unresolved.map(\.property) == ["shelf"] && led.unresolved.first?.reason == .missing)
    #expect(try ImportTests.items(container).values.allSatisfy { $0.shelf == nil })
  }

  @Test func `snapshots reference each other and come one after the other`() async throws {
    let other = ModelContext(try ImportTests.container())
    let knots = (0..<30).map { Knot("k\($0)") }
    for (number, knot) in knots.enumerated() {
      knot.next = knots[(number + 11) % 30]
      other.insert(knot)
    }
    try other.save()
    let snapshots = try other.fetchSnapshots(FetchDescriptor<Knot>())
    let stream = AsyncStream<ModelSnapshot<Knot>> { told in
      for snapshot in snapshots { told.yield(snapshot) }
      told.finish()
    }
    var importer = try container.importer(for: Knot.self)
    importer.options.chunk = 4
    let report = try await importer.run(snapshots: stream)
    #expect(report.progress.inserted == 30 && report.unresolvedCount == 0)
    for knot in try ModelContext(container).fetch(FetchDescriptor<Knot>()) {
      #expect(knot.next?.name == "k\((Int(knot.name.dropFirst())! + 11) % 30)")
    }
    let numbers = AsyncStream<Int> { told in
      for number in 0..<20 { told.yield(number) }
      told.finish()
    }
    let made = try await container.importer(for: Item.self).run(numbers) { Item($0) }
    #expect(made.progress.inserted == 20)
    // References to another store are reported.
    let half = try again(snapshots.prefix(5))
    #expect(half.progress.updated == 5)
    let names = Set(snapshots.prefix(5).map(\.name))
    let strays = names.filter { !names.contains("k\((Int($0.dropFirst())! + 11) % 30)") }
    #expect(half.unresolvedCount == strays.count && !strays.isEmpty)
  }

  private func again(_ snapshots: ArraySlice<ModelSnapshot<Knot>>) throws -> ImportReport {
    try container.importer(for: Knot.self).run(snapshots: snapshots)
  }

  // MARK: Export and import

  static func item(_ number: Int, _ random: inout SplitMix64) -> Item {
    func text(_ random: inout SplitMix64) -> String {
      let letters: [Character] = ["a", "é", "\"", ",", "\n", "\r", "\t", " ", "'", "😀", "\\", "{", "0", "\u{1}", ";"]
      return String((0..<Int.random(in: 0...12, using: &random)).map { _ in letters.randomElement(using: &random)! })
    }
    let item = Item(number, title: text(&random))
    item.made = Date(timeIntervalSinceReferenceDate: Double.random(in: -1e9...1e9, using: &random))
    item.mark = UUID(
      uuid: unsafeBitCast((random.next(), random.next()), to: uuid_t.self))
    item.price = [nil, 0, -0.0, 1.5, .infinity, -.infinity, .leastNonzeroMagnitude, 1e300].randomElement(
      using: &random)!
    item.cost = Decimal(Int64(bitPattern: random.next())) / 1000
    item.isOld = Bool.random(using: &random)
    item.small = Int8.random(in: .min ... .max, using: &random)
    item.data = Data(
      (0..<Int.random(in: 0...20, using: &random)).map { _ in UInt8(truncatingIfNeeded: random.next()) })
    item.link = Bool.random(using: &random) ? URL(string: "https://a.b/\(number)?x=%20") : nil
    item.place =
      Bool.random(using: &random) ? Place(city: text(&random), zip: Bool.random(using: &random) ? number : nil) : nil
    item.home = Place(city: text(&random), zip: nil)
    item.tags = (0..<Int.random(in: 0...3, using: &random)).map { _ in text(&random) }
    for _ in 0..<Int.random(in: 0...3, using: &random) { item.counts[text(&random)] = number }
    item.media =
      [Media.none, .disc(number), .stream(url: text(&random), rate: -number)].randomElement(using: &random)!
    item.rank = Float.random(in: -1...1, using: &random)
    return item
  }

  /// An export in any format gives the same models when it is imported, with all relationships.
  @Test(arguments: 1...12) func `a round trip gives the same models`(_ seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let context = ModelContext(container)
    let shelves = (0..<4).map { Rack("shelf \($0)") }
    let stickers = (0..<5).map { Sticker("s\"\($0),") }
    for shelf in shelves { context.insert(shelf) }
    for sticker in stickers { context.insert(sticker) }
    for number in 0..<Int.random(in: 0...40, using: &random) {
      let item = Self.item(number, &random)
      context.insert(item)
      item.shelf = Bool.random(using: &random) ? shelves.randomElement(using: &random) : nil
      item.stickers = Array(stickers.shuffled(using: &random).prefix(Int.random(in: 0...3, using: &random)))
    }
    try context.save()
    let folder = try Folder()
    let other = try ImportTests.container()
    for ending in ["csv", "json", "jsonl.lz4", "tsv.lz4"] {
      let fresh = ending == "csv" ? other : try ImportTests.container()
      let all = FetchDescriptor<Item>(sortBy: [SortDescriptor(\.code)])
      func file(_ name: String) -> URL { folder.file(name + "." + ending) }
      let count = try container.export(all, to: .file(file("items")))
      #expect(try container.export(FetchDescriptor<Rack>(), to: .file(file("shelves"))) == 4)
      #expect(try container.export(FetchDescriptor<Sticker>(), to: .file(file("stickers"))) == 5)
      try fresh.importer(for: Rack.self).run(.file(file("shelves")))
      try fresh.importer(for: Sticker.self).run(.file(file("stickers")))
      var importer = try fresh.importer(for: Item.self)
      importer.options.chunk = Int.random(in: 1...20, using: &random)
      let report = try importer.run(.file(file("items")))
      #expect(report.progress.inserted == count && report.unresolvedCount == 0, "seed \(seed) \(ending)")
      let (here, there) = (try ModelContext(container).fetch(all), try ModelContext(fresh).fetch(all))
      #expect(here.map(\.snapshot.plain) == there.map(\.snapshot.plain), "seed \(seed) \(ending)")
      #expect(here.map { $0.shelf?.name } == there.map { $0.shelf?.name }, "seed \(seed) \(ending)")
      #expect(
        here.map { $0.stickers.map(\.text) } == there.map { $0.stickers.map(\.text) }, "seed \(seed) \(ending)")
    }
  }

  @Test func `an export of any fetch`() async throws {
    let context = ModelContext(container)
    for number in 0..<30 { context.insert(Item(number, title: "t\(number % 3)")) }
    try context.save()
    context.insert(Item(99))
    let folder = try Folder()
    let file = folder.file("some.csv")
    var some = FetchDescriptor<Item>(
      predicate: #Predicate { $0.title == "t1" }, sortBy: [SortDescriptor(\.code, order: .reverse)])
    some.fetchOffset = 1
    some.fetchLimit = 3
    let count = try await container.export(some, to: .file(file, .csv(columns: ["code", "title", "home.city"])))
    let text = try String(contentsOf: file, encoding: .utf8)
    #expect(count == 3 && text == "code,title,home.city\n25,t1,Oslo\n22,t1,Oslo\n19,t1,Oslo\n")
    // Predicates and orders that need models in memory.
    let limit = 3
    some.predicate = #Predicate { $0.tags.count + $0.code % 10 < limit }
    some.sortBy = []
    some.fetchOffset = nil
    some.fetchLimit = nil
    let tested = some
    #expect(try await container.export(tested, to: .file(file, .csv(columns: ["code"]))) == 9)
    // A failed export leaves the file unchanged.
    let before = try Data(contentsOf: file)
    let wrong = #expect(throws: RoostError.self) {
      try container.export(some, to: .file(file, .csv(columns: ["cod"])))
    }
    #expect(wrong?.importFault?.field == "cod")
    #expect(try Data(contentsOf: file) == before)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path()).count == 1)
    #expect(throws: RoostError.self) { try container.export(some, to: .file(folder.file("x.dat"))) }
    #expect(throws: RoostError.self) { try container.export(some, to: .file(folder.file("no/x.csv"))) }
    #expect(throws: RoostError.self) {
      try container.export(FetchDescriptor<Stranger>(), to: .file(folder.file("x.csv")))
    }
  }
}

extension ModelSnapshot<Item> {
  /// The values that do not depend on the store.
  fileprivate var plain: [String] {
    [
      "\(self.code)", self.title, "\(self.made.timeIntervalSinceReferenceDate)", "\(self.mark)",
      "\(String(describing: self.price))", "\(self.cost)",
      "\(self.isOld)", "\(self.small)", self.data.base64EncodedString(), "\(String(describing: self.link))",
      "\(String(describing: self.place))",
      "\(self.home)", "\(self.tags)", "\(self.counts.sorted { $0.key < $1.key })", "\(self.media)", "\(self.rank)",
    ]
  }
}
