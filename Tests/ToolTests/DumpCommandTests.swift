import Foundation
import Roost
import RoostFile
import RoostRecords
import RoostTestSupport
import RoostTransfer
import Testing

@testable import RoostTool

@Model private final class Harbor {
  #FullText<Harbor>([\.notes], .stemming(.english))
  #Index<Harbor>([\.notes, \.depth])
  @Attribute(.unique) var code: String
  var notes: String
  var depth: Double
  @Relationship(deleteRule: .cascade, inverse: \Vessel.home) var vessels: [Vessel] = []
  @Derived(.count(\Harbor.vessels)) var size: Int
  @Derived(.latest(\Harbor.vessels, of: \.name, by: \.number)) var last: String?
  var word: String { code + "!" }
  @Derived(\Harbor.word) var short: String
  init(_ code: String, depth: Double = 0) { (self.code, notes, self.depth) = (code, "the ships of \(code)", depth) }
}

@Model private final class Vessel {
  struct Draught: Codable, Hashable {
    var fore: Float
    var aft: Float?
  }

  var name: String
  var number: Int
  var serial: UInt64 = UInt64.max
  var price: Decimal = Decimal(string: "12345678901234567890.123456789")!
  var built: Date?
  var key: UUID
  var photo: Data
  var page: URL?
  var names: [String?] = []
  var scores: [String: Int] = [:]
  var marks: Set<Double> = []
  var draught: Draught?
  var home: Harbor?
  @Relationship(inverse: \Route.vessels) var routes: [Route] = []
  init(_ number: Int) {
    (name, self.number, key) = ("vessel \"\(number)\"\n\u{0}é", number, UUID())
    photo = Data((0..<number % 5).map { UInt8($0) })
  }
}

@Model private final class Route {
  var title: String
  var vessels: [Vessel] = []
  @Derived(.sum(\Route.vessels, \.price)) var worth: Decimal
  var next: Route?
  init(_ title: String) { self.title = title }
}

@Model private class Craft {
  var name: String
  @Relationship(inverse: \Wharf.crafts) var wharf: Wharf?
  init(_ name: String) { self.name = name }
}

@Model private final class Steamer: Craft {
  var boilers: Int = 2
  override init(_ name: String) { super.init(name) }
}

@Model private final class Wharf {
  var crafts: [Craft] = []
  init() {}
}

/// `dump` and `load`.
@Suite struct DumpCommandTests {
  private let folder: ScratchFolder
  private let path: String

  init() throws {
    folder = try ScratchFolder()
    path = folder.file("port.roost")
  }

  private func make(_ vessels: Int = 40) throws {
    let container = try ModelContainer(
      for: Harbor.self, Vessel.self, Route.self, configurations: ModelConfiguration(url: URL(filePath: path)))
    let context = ModelContext(container)
    let depths = [
      0.1, -0.0, .infinity, -.infinity, Double(nan: 5, signaling: false), -Double.nan, .leastNonzeroMagnitude, 1e300,
    ]
    let harbors = depths.enumerated().map { Harbor("H\($0.offset)", depth: $0.element) }
    harbors.forEach { context.insert($0) }
    let routes = (0..<3).map { Route("route \($0)") }
    routes.forEach { context.insert($0) }
    // A row that references a later one, and a circle.
    (routes[0].next, routes[2].next, routes[1].next) = (routes[2], routes[0], routes[1])
    for number in 0..<vessels {
      let vessel = Vessel(number % 2 == 0 ? number : Int.max - number)
      context.insert(vessel)
      vessel.home = harbors[number % 3]
      vessel.built = number % 4 == 0 ? nil : Date(timeIntervalSinceReferenceDate: Double(number) * 1e7 + 0.123456)
      vessel.page = number % 3 == 0 ? URL(string: "https://example.org/\(number)?q=1") : nil
      vessel.names = number % 5 == 0 ? ["a", nil, ""] : []
      vessel.scores = ["x": number, "": -1]
      vessel.marks = [Double(number), 0.5]
      vessel.draught = number % 2 == 0 ? nil : .init(fore: 1.1, aft: number % 3 == 0 ? nil : 2.5)
      if number % 3 == 0 { vessel.routes = [routes[2], routes[0]] }
    }
    try context.save()
    harbors[0].vessels.reverse()
    if let first = harbors[0].vessels.popLast() {
      harbors[0].vessels.insert(first, at: min(1, harbors[0].vessels.count))
    }
    // The last number of each entity is not used again.
    let gone = Vessel(1)
    context.insert(gone)
    try context.save()
    context.delete(gone)
    try context.save()
    try container.close()
  }

  private func dumped(_ path: String) throws -> String {
    let found = Transcript.of("dump", path, "-")
    #expect(found.ending == .good, "\(found.errors)")
    return found.output
  }

  @Test func `a loaded store has the same rows, numbers, lists and models`() throws {
    try make()
    let (file, copy) = (folder.file("port.jsonl"), folder.file("copy.roost"))
    let dump = Transcript.of("dump", path, file)
    #expect(dump.ending == .good && dump.output.contains("51 rows"), "\(dump)")
    let load = Transcript.of("load", file, copy)
    #expect(load.ending == .good && load.output.contains("51 rows and"), "\(load)")
    #expect(try dumped(copy) == dumped(path))
    #expect(Transcript.of("schema", copy).output.contains(#"@Derived(\Harbor.word) var short: String"#))
    #expect(Transcript.of("verify", copy).ending == .good)
    let container = try ModelContainer(
      for: Harbor.self, Vessel.self, Route.self, configurations: ModelConfiguration(url: URL(filePath: copy)))
    let context = ModelContext(container)
    let harbors = try context.fetch(FetchDescriptor<Harbor>(sortBy: [SortDescriptor(\.code)]))
    #expect(harbors.count == 8 && harbors[1].depth.sign == .minus && harbors[4].depth.bitPattern & 7 == 5)
    let numbers = harbors[0].vessels.map(\.number)
    #expect(numbers.count == 14 && numbers[0] != numbers.min() && numbers[1] == 0, "\(numbers)")
    let first = try #require(context.fetch(FetchDescriptor<Vessel>(predicate: #Predicate { $0.number == 0 })).first)
    #expect(first.name == "vessel \"0\"\n\u{0}é" && first.routes.map(\.title) == ["route 2", "route 0"])
    #expect(first.price == Decimal(string: "12345678901234567890.123456789") && first.serial == .max)
    #expect(first.routes[1].next?.next === first.routes[1])
    #expect(try context.search(Harbor.self, for: "ship", limit: 3).count == 3)
    // Number 41 was deleted before the dump.
    let new = Vessel(7)
    context.insert(new)
    try context.save()
    try container.close()
    #expect(Transcript.of("get", copy, "Vessel", "#42").ending == .good)
    #expect(Transcript.of("get", copy, "Vessel", "#41").ending == .failed)
  }

  @Test func `values beyond a Double are in quotes, and bits are kept`() throws {
    try make(3)
    let text = try dumped(path)
    #expect(text.contains("\"\(Int.max - 1)\"") && text.contains("\"18446744073709551615\""))
    #expect(text.contains("\"0x7ff8000000000005\"") && text.contains("\"-inf\"") && text.contains("-0.0"))
    #expect(text.hasPrefix("{\"dump\":\"roost\",\"entities\":[{\"fields\":"))
  }

  @Test func `a compressed dump, and a dump of the past`() throws {
    try make(5)
    let (file, copy) = (folder.file("port.jsonl.lz4"), folder.file("copy.roost"))
    #expect(Transcript.of("dump", path, file, "--json").output.contains("\"rows\" : 16"))
    #expect(Transcript.of("dump", path, file).errors.contains("--replace"))
    #expect(Transcript.of("dump", path, file, "--replace").ending == .good)
    #expect(Transcript.of("load", file, copy, "--json").output.contains("\"rows\" : 16"))
    #expect(Transcript.of("load", file, copy).errors.contains("choose a new name"))
    #expect(Transcript.of("dump", path, path, "--replace").ending == .failed)
  }

  @Test func `classes of a family and the version of the models are kept`() throws {
    let schema = Schema([Craft.self, Steamer.self, Wharf.self], version: Schema.Version(3, 1, 0))
    func open(_ path: String) throws -> ModelContainer {
      try ModelContainer(for: schema, configurations: ModelConfiguration(url: URL(filePath: path)))
    }
    let container = try open(path)
    let context = ModelContext(container)
    let wharf = Wharf()
    context.insert(wharf)
    let crafts = [Craft("raft"), Steamer("mary"), Craft("dinghy")]
    crafts.forEach { context.insert($0) }
    try context.save()
    wharf.crafts = [crafts[2], crafts[1], crafts[0]]
    try context.save()
    try container.close()
    let (file, copy) = (folder.file("family.jsonl"), folder.file("copy.roost"))
    #expect(Transcript.of("dump", path, file).ending == .good)
    let load = Transcript.of("load", file, copy)
    #expect(load.ending == .good, "\(load)")
    #expect(try dumped(copy) == dumped(path))
    #expect(Transcript.of("migrate", copy, "--to", path, "--dry-run").output.contains("3.1.0"))
    let again = try open(copy)
    let found = try #require(try ModelContext(again).fetch(FetchDescriptor<Wharf>()).first)
    #expect(found.crafts.map(\.name) == ["dinghy", "mary", "raft"])
    #expect((found.crafts[1] as? Steamer)?.boilers == 2 && !(found.crafts[0] is Steamer))
    try again.close()
    #expect(Transcript.of("diff", path, copy).ending == .good)
  }

  @Test func `many rows need many transactions`() throws {
    let path = folder.file("music.roost")
    _ = try RowsFixture.make(path, tracks: 12_000)
    let (file, copy) = (folder.file("music.jsonl"), folder.file("copy.roost"))
    #expect(Transcript.of("dump", path, file).ending == .good)
    let load = Transcript.of("load", file, copy)
    #expect(load.ending == .good, "\(load)")
    #expect(try dumped(copy) == dumped(path))
  }

  private static let changes: [(String, String, String)] = [
    ("\"form\":1", "\"form\":9", "use a newer roost"),
    ("{\"dump\":\"roost\"", "{\"dump\":\"sqlite\"", "no dump of a store"),
    ("\"type\":\"string\"", "\"type\":\"text\"", "a type 'text'"),
    ("\"entity\":1", "\"entity\":77", "contradicts itself"),
    ("\"of\": \"Harbor\", \"values\": [\"H1\"", "\"of\": \"Harbour\", \"values\": [\"H1\"", "Did you mean 'Harbor'"),
    ("[\"H1\", ", "[\"H0\", ", "the unique index"), ("[\"H1\", ", "[", "line 3"),
    ("[\"H1\", ", "[\"H1\", 1, ", "line 3"), ("[\"H1\", ", "[99, ", "Harbor.code"),
    ("{\"row\": 2, \"of\": \"Harbor\"", "{\"row\": 1, \"of\": \"Harbor\"", "there is a row with the number 1"),
    (
      "{\"row\": 2, \"of\": \"Harbor\"", "{\"row\": 9223372036854775807, \"of\": \"Harbor\"",
      "row numbers of Harbor end before"
    ),
    (
      "{\"row\": 2, \"of\": \"Harbor\"", "{\"row\": 99999999999999999999, \"of\": \"Harbor\"",
      "does not fit into UInt64"
    ),
    ("{\"row\": 2, \"of\": \"Harbor\"", "{\"rwo\": 2, \"of\": \"Harbor\"", "'rwo' is unknown here"),
    ("\"owner\": 1, \"rows\": [", "\"owner\": 1, \"rows\": [999, ", "999"),
    ("{\"end\": true, \"rows\": 14", "{\"end\": true, \"rows\": 15", "counts 15 rows"),
    ("{\"end\": true", "\n{\"end\": true}{", "line"), ("{\"row\": 3, \"of\": \"Vessel\"", "\u{1}", "line"),
  ]

  @Test(arguments: changes)
  func `a changed dump is refused with its line, and leaves no store`(old: String, new: String, words: String) throws {
    try make(3)
    let text = try dumped(path)
    #expect(text.contains(old), "\(text)")
    let changed = text.replacing(old, with: new, maxReplacements: 1)
    try refuse(Data(changed.utf8), words)
  }

  private func refuse(_ data: Data, _ words: String, _ options: String...) throws {
    let (file, copy) = (folder.file("bad.jsonl"), folder.file("bad.roost"))
    try data.write(to: URL(filePath: file))
    let found = Transcript.run(["load", file, copy] + options)
    #expect(found.ending == .failed && found.errors.contains(words), "\(found)")
    let left = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasPrefix("bad.roost") }
    #expect(left.isEmpty, "\(left)")
  }

  @Test func `a truncated dump is refused, wherever it ends`() throws {
    try make(3)
    let data = Data(try dumped(path).utf8)
    for part in stride(from: 0, to: data.count - 2, by: 997) { try refuse(data.prefix(part), "Error: ") }
    try refuse(data.prefix(data.count - 2), "Error: ")
  }

  @Test func `a reference without its row is refused`() throws {
    try make(3)
    let lines = try dumped(path).split(separator: "\n").filter { !$0.hasPrefix("{\"row\": 1, \"of\": \"Harbor\"") }
    let text = lines.joined(separator: "\n").replacing("\"rows\": 14", with: "\"rows\": 13").replacing(
      "\"rows\":8", with: "\"rows\":7")
    try refuse(Data((text + "\n").utf8), "Vessel #1 references Harbor #1, which the dump does not have [line")
  }

  @Test func `a text that is complete replaces no file that was made meanwhile`() throws {
    let (making, target) = (folder.file("text-making-1"), folder.file("text"))
    try Data("new".utf8).write(to: URL(filePath: making))
    try Data("other".utf8).write(to: URL(filePath: target))
    let error = #expect(throws: StoreError.self) { try OutputPlace.finish(making, as: target, replaces: false) }
    #expect(error?.code == .alreadyExists && "\(error!)".contains("'--replace'"), "\(String(describing: error))")
    #expect(try String(contentsOfFile: target, encoding: .utf8) == "other")
    try OutputPlace.finish(making, as: target, replaces: true)
    #expect(try String(contentsOfFile: target, encoding: .utf8) == "new")
    try Data("third".utf8).write(to: URL(filePath: making))
    let free = folder.file("free")
    try OutputPlace.finish(making, as: free, replaces: false)
    #expect(try String(contentsOfFile: free, encoding: .utf8) == "third")
    #expect(!FileManager.default.fileExists(atPath: making))
  }

  @Test func `a line over the limit is refused before it is read`() throws {
    try make(1)
    let head = try dumped(path).prefix { $0 != "\n" }
    let long =
      head + "\n{\"row\": 1, \"of\": \"Harbor\", \"values\": [\"" + String(repeating: "x", count: 3 << 20) + "\"]}\n"
    try refuse(Data(long.utf8), "more than 1048576 bytes", "--record-limit", "1")
    #expect(Transcript.of("load", "/no/such", folder.file("a.roost"), "--record-limit", "2048").ending == .usage)
    try refuse(Data("title,year\nLow,1977\n".utf8), "line 1")
    try refuse(Data("{\"a\": 1}\n".utf8), "use 'roost import'")
  }
}
