import Foundation
import RoostImport
import RoostTestSupport
import SwiftData
import Synchronization
import Testing

enum Media: Codable, Hashable {
  case none
  case stream(url: String, rate: Int)
  case disc(Int)
}

struct Place: Codable, Hashable {
  var city: String
  var zip: Int?
}

@Model final class Rack {
  @Attribute(.unique) var name: String
  @Relationship(inverse: \Item.shelf) var items: [Item] = []

  init(_ name: String) { self.name = name }
}

@Model final class Sticker {
  @Attribute(.unique) var text: String

  init(_ text: String) { self.text = text }
}

@Model final class Item {
  @Attribute(.unique) var code: Int
  var title: String
  var made = Date.distantPast
  var mark = UUID()
  var price: Double?
  var cost: Decimal = 1
  var isOld = false
  var small: Int8 = 3
  var data = Data()
  var link: URL?
  var place: Place?
  var home = Place(city: "Oslo", zip: 1)
  var tags: [String] = []
  var counts: [String: Int] = [:]
  var media = Media.none
  var rank: Float = 0
  var shelf: Rack?
  var stickers: [Sticker] = []

  init(_ code: Int, title: String = "") {
    self.code = code
    self.title = title
  }
}

@Model final class Knot {
  @Attribute(.unique) var name: String
  var next: Knot?

  init(_ name: String, next: Knot? = nil) {
    self.name = name
    self.next = next
  }
}

@Model final class Eight {
  @Attribute(.unique) var name: String
  @Relationship(minimumModelCount: 1, maximumModelCount: 2, inverse: \Rower.crew) var sailors: [Rower] = []

  init(_ name: String) { self.name = name }
}

@Model final class Rower {
  @Attribute(.unique) var name: String
  var crew: Eight?

  init(_ name: String) { self.name = name }
}

/// Imports through the public interface.
@Suite struct ImportTests {
  static func container() throws -> ModelContainer {
    try ModelContainer(
      for: Item.self, Rack.self, Sticker.self, Knot.self, Owner.self, Dog.self, Eight.self, Rower.self,
      configurations: ModelConfiguration(isStoredInMemoryOnly: true))
  }

  static func items(_ container: ModelContainer) throws -> [Int: Item] {
    let found = try ModelContext(container).fetch(FetchDescriptor<Item>())
    return Dictionary(uniqueKeysWithValues: found.map { ($0.code, $0) })
  }

  private let container: ModelContainer

  init() throws { container = try Self.container() }

  // MARK: Texts

  @Test func `objects become models, with defaults`() throws {
    let importer = try container.importer(for: Item.self)
    let report = try importer.run(
      .text(
        """
        {"code": 1, "title": "a", "price": 2.5, "place": {"city": "Rome"}, "tags": ["x", "y"], "counts": {"p": 1}}
        {"code": 2, "title": "b", "place": null, "home": {"city": "Bergen"}, "link": "https://a.b/c", "isOld": true}
        """, .jsonLines))
    #expect(report.progress.inserted == 2 && report.progress.records == 2 && report.progress.fraction == 1)
    let items = try Self.items(container)
    let (one, two) = (try #require(items[1]), try #require(items[2]))
    #expect(one.title == "a" && one.price == 2.5 && one.place == Place(city: "Rome", zip: nil))
    #expect(one.home == Place(city: "Oslo", zip: 1) && one.tags == ["x", "y"] && one.counts == ["p": 1])
    #expect(one.made == .distantPast && one.small == 3 && one.cost == 1 && one.media == .none)
    #expect(two.place == nil && two.home.city == "Bergen" && two.link?.path() == "/c" && two.isOld)
    // A default that differs each time is made for each model.
    #expect(one.mark != two.mark)
  }

  @Test func `files by their names`() async throws {
    let folder = try Folder()
    let texts = [
      "items.csv": "code,title\n1,\"a, b\"\n", "items.tsv": "code\ttitle\n2\tb\n",
      "items.json": "[{\"code\": 3, \"title\": \"c\"}]", "items.ndjson": "{\"code\": 4, \"title\": \"d\"}\n",
    ]
    for (name, text) in texts { try Data(text.utf8).write(to: folder.file(name)) }
    let importer = try container.importer(for: Item.self)
    for name in texts.keys.sorted() {
      let report = try await importer.run(.file(folder.file(name)))
      #expect(report.progress.inserted == 1, "\(name)")
    }
    #expect(try Self.items(container).mapValues(\.title) == [1: "a, b", 2: "b", 3: "c", 4: "d"])
    #expect(throws: RoostError.self) { try importer.run(.file(folder.file("items.txt"))) }
    let missing = #expect(throws: RoostError.self) { try importer.run(.file(folder.file("no.csv"))) }
    #expect(missing?.code == .store)
    // Compressed under any name; and through a pipe.
    _ = try await container.export(FetchDescriptor<Item>(), to: .file(folder.file("packed.json.lz4")))
    let other = try Self.container()
    let report = try await other.importer(for: Item.self).run(.file(folder.file("packed.json.lz4")))
    #expect(report.progress.inserted == 4 && report.progress.fraction == 1)
    let pipe = Pipe()
    try pipe.fileHandleForWriting.write(contentsOf: Data("{\"code\": 9, \"title\": \"p\"}".utf8))
    try pipe.fileHandleForWriting.close()
    let piped = try await other.importer(for: Item.self).run(.handle(pipe.fileHandleForReading, .jsonLines))
    #expect(piped.progress.inserted == 1 && piped.progress.remaining == .zero)
  }

  @Test func `contexts and the history get the changes`() throws {
    let context = ModelContext(container)
    let shelf = Rack("s")
    context.insert(shelf)
    context.insert(Item(1, title: "old"))
    try context.save()
    let other = ModelContext(container)
    let seen = try #require(try other.fetch(FetchDescriptor<Item>()).first)
    let list = try #require(try other.fetch(FetchDescriptor<Rack>()).first)
    #expect(seen.title == "old" && list.items.isEmpty && shelf.items.isEmpty)
    let posted = Atomic(0)
    let watcher = NotificationCenter.default.addObserver(
      forName: ModelContainer.remoteChange, object: container, queue: nil
    ) { _ in posted.add(1, ordering: .relaxed) }
    defer { NotificationCenter.default.removeObserver(watcher) }
    var importer = try container.importer(for: Item.self)
    importer.options.author = "import"
    importer.options.chunk = 2
    let text = (1...5).map { "{\"code\": \($0), \"title\": \"new \($0)\", \"shelf\": \"s\"}" }.joined(separator: "\n")
    let report = try importer.run(.text(text, .jsonLines))
    #expect(report.progress.inserted == 4 && report.progress.updated == 1)
    #expect(posted.load(ordering: .relaxed) >= 3)
    _ = try other.fetchCount(FetchDescriptor<Item>())
    #expect(seen.title == "new 1" && seen.shelf === list && list.items.count == 5)
    _ = try context.fetchCount(FetchDescriptor<Item>())
    #expect(shelf.items.count == 5)
    let changes = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
      .filter { $0.author == "import" }.flatMap(\.changes)
    let inserted = changes.filter { if case .insert = $0 { true } else { false } }
    #expect(inserted.count == 4 && changes.contains { if case .update = $0 { true } else { false } })
  }

  @Test(arguments: ImportOptions.Conflict.allCases)
  func `records whose models exist`(_ conflict: ImportOptions.Conflict) throws {
    let importer = try container.importer(for: Item.self)
    try importer.run(.text("code,title,price\n1,a,5\n", .csv))
    var again = importer
    again.options.conflict = conflict
    let text = "code,title,price\n2,c,\n1,b,\n"
    if conflict == .insert || conflict == .throw {
      let error = #expect(throws: RoostError.self) { try again.run(.text(text, .csv)) }
      #expect(error?.code == (conflict == .throw ? .notUnique : .badInput))
      if conflict == .insert {
        #expect(error?.importFault?.reason == .duplicate && error?.importFault?.line == 3)
      }
      #expect(try Self.items(container).count == 1)
      return
    }
    let report = try again.run(.text(text, .csv))
    #expect(report.progress.inserted == 1)
    let one = try #require(try Self.items(container)[1])
    #expect(one.title == (conflict == .skip ? "a" : "b"))
    #expect(one.price == (conflict == .update ? nil : 5))
    #expect((report.progress.updated, report.progress.kept) == (conflict == .skip ? (0, 1) : (1, 0)))
  }

  @Test func `invalid records are reported with their places, and can be imported again`() throws {
    let folder = try Folder()
    var importer = try container.importer(for: Item.self)
    let text = "code,title\n1,a\nx,b\n3,c\n4\n5,e\n"
    let error = #expect(throws: RoostError.self) { try importer.run(.text(text, .csv)) }
    #expect(error?.code == .badInput && error?.importFault?.line == 3 && error?.importFault?.field == "code")
    #expect(error?.importFault?.reason == .wrongType && error?.importFault?.column == 1)
    #expect(try Self.items(container).isEmpty)
    importer.options.badRecords = .skip(upTo: 2)
    importer.options.rejects = folder.file("rejects.csv")
    let report = try importer.run(.text(text, .csv))
    #expect(report.progress.bad == 2 && report.faults.map(\.reason) == [.wrongType, .columns])
    #expect(report.faults.map(\.line) == [3, 5] && report.progress.inserted == 3)
    let rejected = try String(contentsOf: folder.file("rejects.csv"), encoding: .utf8)
    #expect(rejected == "code,title\nx,b\n4\n")
    let mended = rejected.replacingOccurrences(of: "x,", with: "2,").replacingOccurrences(of: "4", with: "4,d")
    #expect(try importer.run(.text(mended, .csv)).progress.inserted == 2)
    #expect(try Self.items(container).count == 5)
    importer.options.badRecords = .skip(upTo: 1)
    #expect(throws: RoostError.self) { try importer.run(.text(text, .csv)) }
    let missing = try importer.run(.text("{\"code\": 7}", .json))
    #expect(missing.faults.map(\.reason) == [.missing] && missing.faults[0].field == "title")
  }

  @Test func `bad use`() throws {
    struct Wrong { var change: (inout ImportOptions) -> Void }
    let wrong: [(inout ImportOptions) -> Void] = [
      { $0.chunk = 0 }, { $0.badRecords = .skip(upTo: -1) }, { $0.name = "" }, { $0.mostDepth = 0 },
      { $0.mostDepth = 1 << 40 }, { $0.mostReported = -1 }, { $0.rejects = URL(string: "https://a.b") },
      { $0.mostRecordBytes = 0 },
    ]
    for change in wrong {
      var importer = try container.importer(for: Item.self)
      change(&importer.options)
      let error = #expect(throws: RoostError.self) { try importer.run(.text("", .csv)) }
      #expect(error?.code == .badValue)
      #expect(throws: RoostError.self) { try importer.start(.text("", .csv)) }
      #expect(throws: RoostError.self) { try importer.run(models: [Item(1)]) }
    }
    let stranger = #expect(throws: RoostError.self) { try container.importer(for: Stranger.self) }
    #expect(stranger?.code == .unknownModel)
    #expect(throws: RoostError.self) { try container.importer(forEntity: "@import") }
    let importer = try container.importer(for: Item.self)
    for delimiter in ["\"", "é", "\n"] as [Character] {
      #expect(throws: RoostError.self) { try importer.run(.text("a", .csv(delimiter: delimiter))) }
    }
    #expect(throws: RoostError.self) { try importer.run(.text("a", .csv(columns: []))) }
    #expect(throws: RoostError.self) { try importer.run(.file(URL(string: "https://a.b/c.csv")!)) }
    let column = #expect(throws: RoostError.self) { try importer.run(.text("code,titel\n1,a", .csv)) }
    #expect(column?.importFault?.reason == .unknown && column?.importFault?.detail.contains("'title'") == true)
    // A model that has a context cannot be imported.
    let context = ModelContext(container)
    let item = Item(1)
    context.insert(item)
    #expect(throws: RoostError.self) { try importer.run(models: [item]) }
  }

  @Test func `columns with other names`() throws {
    var importer = try container.importer(for: Item.self)
    importer.options.columns = ["Nr": "code", "Name": "title", "x": nil]
    let report = try importer.run(.text("Nr,Name,x\n1,a,7\n", .csv))
    #expect(report.progress.inserted == 1)
    importer.options.ignoresUnknown = true
    #expect(try importer.run(.text("Nr;Name;y\n2;b;7\n", .csv(delimiter: ";"))).progress.inserted == 1)
    #expect(try importer.run(.text("3,c\n", .csv(columns: ["Nr", "Name"]))).progress.inserted == 1)
    #expect(try Self.items(container).mapValues(\.title) == [1: "a", 2: "b", 3: "c"])
  }

  @Test func `relationships by unique values, in any order`() throws {
    let items = try container.importer(for: Item.self)
    // The shelf comes later: at the end of this import it does not exist, which is reported.
    let early = try items.run(
      .text("{\"code\": 1, \"title\": \"a\", \"shelf\": \"s\", \"stickers\": [\"p\", \"q\"]}", .json))
    #expect(early.unresolvedCount == 3 && Set(early.unresolved.map(\.property)) == ["shelf", "stickers"])
    try container.importer(forEntity: "Rack").run(.text("name\ns\n", .csv))
    try container.importer(for: Sticker.self).run(.text("text\np\nq\n", .csv))
    let late = try items.run(
      .text("{\"code\": 1, \"title\": \"a\", \"shelf\": \"s\", \"stickers\": [\"q\", \"p\"]}", .json))
    #expect(late.unresolvedCount == 0 && late.progress.updated == 1)
    let item = try #require(try Self.items(container)[1])
    #expect(item.shelf?.name == "s" && item.stickers.map(\.text) == ["q", "p"])
    // Models of one text may reference each other.
    let knots = (0..<20).map { "{\"name\": \"k\($0)\", \"next\": \"k\(($0 + 7) % 20)\"}" }.joined(separator: "\n")
    var importer = try container.importer(for: Knot.self)
    importer.options.chunk = 3
    #expect(try importer.run(.text(knots, .jsonLines)).unresolvedCount == 0)
    for knot in try ModelContext(container).fetch(FetchDescriptor<Knot>()) {
      #expect(knot.next?.name == "k\((Int(knot.name.dropFirst())! + 7) % 20)")
    }
  }

  @Test func `classes that inherit`() throws {
    let dogs = try container.importer(for: Dog.self)
    try dogs.run(.text("name,tricks\nRex,3\n", .csv))
    let lacking = #expect(throws: RoostError.self) { try dogs.run(.text("name\nBob\n", .csv)) }
    #expect(lacking?.importFault?.reason == .missing)
    let animals = try container.importer(for: Animal.self)
    try animals.run(
      .text(
        """
        {"name": "Cow"}
        {"@class": "Dog", "name": "Ace", "Dog/tricks": 4}
        """, .jsonLines))
    #expect(throws: RoostError.self) { try animals.run(.text("{\"@class\": \"Item\", \"name\": \"x\"}", .json)) }
    #expect(throws: RoostError.self) { try dogs.run(.text("{\"@class\": \"Animal\", \"name\": \"x\"}", .json)) }
    let context = ModelContext(container)
    let found = try context.fetch(FetchDescriptor<Dog>(sortBy: [SortDescriptor(\.tricks)]))
    #expect(found.map(\.name) == ["Rex", "Ace"] && found.map(\.tricks) == [3, 4])
    #expect(try context.fetchCount(FetchDescriptor<Animal>()) == 3)
    // Exported and imported again.
    let folder = try Folder()
    #expect(try container.export(FetchDescriptor<Animal>(), to: .file(folder.file("a.jsonl"))) == 3)
    #expect(try container.export(FetchDescriptor<Dog>(), to: .file(folder.file("d.csv"))) == 2)
    let other = try Self.container()
    try other.importer(for: Animal.self).run(.file(folder.file("a.jsonl")))
    #expect(try ModelContext(other).fetchCount(FetchDescriptor<Dog>()) == 2)
    try other.importer(for: Dog.self).run(.file(folder.file("d.csv")))
    #expect(try ModelContext(other).fetchCount(FetchDescriptor<Dog>()) == 4)
  }

  @Test func `lists with a minimum number of members`() throws {
    var crews = try container.importer(for: Eight.self)
    let none = #expect(throws: RoostError.self) { try crews.run(.text("name\na\n", .csv)) }
    #expect(none?.importFault?.detail.contains("at least") == true)
    let context = ModelContext(container)
    for name in ["a", "b"] {
      let (crew, sailor) = (Eight(name), Rower("first of \(name)"))
      sailor.crew = crew
      context.insert(sailor)
    }
    try context.save()
    var sailors = try container.importer(for: Rower.self)
    sailors.options.badRecords = .skip(upTo: 10)
    let report = try sailors.run(.text("name,crew\n1,a\n2,a\n3,b\n4,a\n", .csv))
    #expect(report.progress.inserted == 2 && report.faults.map(\.line) == [3, 5])
    #expect(report.faults.allSatisfy { $0.detail.contains("at most") })
    crews.options.badRecords = .skip(upTo: 10)
    #expect(try crews.run(.text("name\nc\na\n", .csv)).progress.updated == 1)
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Eight>()) == 2)
  }

  @Test func `progress, and the end of an interrupted import`() async throws {
    var importer = try container.importer(for: Item.self)
    importer.options.chunk = 10
    importer.options.name = "items"
    let text = (1...200).map { "{\"code\": \($0), \"title\": \"t\"}" }.joined(separator: "\n")
    let source = ImportSource.text(text, .jsonLines)
    let half = try await importer.run(source) { progress in
      #expect(progress.records % 10 == 0 && progress.fraction! <= 1 && progress.recordsPerSecond >= 0)
    }
    #expect(half.progress.inserted == 200)
    let other = try Self.container()
    var again = try other.importer(for: Item.self, options: importer.options)
    let cutter = Mutex<Task<ImportReport, any Error>?>(nil)
    let task = Task { [again] in
      try await again.run(source) { progress in
        if progress.records == 50 { cutter.withLock { $0?.cancel() } }
      }
    }
    cutter.withLock { $0 = task }
    let cut = try await task.value
    #expect(cut.isCancelled || cut.progress.inserted == 200)
    #expect(try Self.items(other).count == cut.progress.inserted)
    #expect(cut.progress.inserted % 10 == 0)
    let rest = try await other.importer(for: Item.self, options: importer.options).run(source)
    #expect(rest.progress.resumed == (cut.isCancelled ? cut.progress.inserted : 0))
    #expect(try Self.items(other).count == 200)
    // A run whose progress is read.
    again.options.name = nil
    let run = try again.start(source)
    var last: ImportProgress?
    for await progress in run.progress { last = progress }
    let report = try await run.report
    #expect(last?.records == 200 && report.progress.updated == 200)
    run.cancel()
    #expect(try await run.report.progress.records == 200)
  }
}
