import Foundation
import RoostImport
import SwiftData
import Synchronization
import Testing

@Suite struct TraceTests {
  private func filled(_ book: TraceBook) throws -> ModelContext {
    let context = ModelContext(try ModelContainer(for: Artist.self, configurations: book.configuration()))
    for year in 0..<50 { context.insert(Album("\(year)", year: year)) }
    context.author = "me"
    context.name = "import"
    try context.save()
    return context
  }

  @Test func `a fetch reports what it read and found, and its call site`() throws {
    let book = TraceBook()
    let context = try filled(book)
    let reader = ModelContext(context.container)
    let found = try reader.fetch(FetchDescriptor<Album>(predicate: #Predicate { $0.year < 10 && $0.price > 0 }))
    let line = #line - 1
    let event = try #require(book.of(.fetch).first)
    #expect(found.count == 10 && event.found == 10 && event.modelsFilled == 10 && event.rowsRead == 10)
    #expect(event.entriesRead >= 10 && event.entity == "Album" && event.store == "default" && event.error == nil)
    #expect(event.fileID == "RoostTests/TraceTests.swift" && event.line == line && event.duration > .zero)
    _ = try reader.fetch(FetchDescriptor<Album>(predicate: #Predicate { $0.price > 100 }))
    #expect(book.of(.fetch).last?.rowsRead == 50 && book.of(.fetch).last?.found == 0)
    #expect(try reader.fetchCount(FetchDescriptor<Album>(predicate: #Predicate { $0.year < 7 })) == 7)
    #expect(book.of(.count).map(\.found) == [7] && book.of(.count).first?.rowsRead == 0)
    #expect(try reader.fetchIdentifiers(FetchDescriptor<Album>()).count == 50)
    #expect(book.of(.identifiers).map(\.found) == [50])
    #expect(try reader.fetchSnapshots(FetchDescriptor<Album>()).count == 50)
    #expect(book.of(.snapshots).map(\.found) == [50] && book.of(.snapshots)[0].modelsFilled == 0)
    #expect("\(event)".hasPrefix("fetch ") && "\(event)".contains("found 10, rows read 10"))
  }

  @Test func `pages, aggregates, bulk writes, exports and the history report work and site`() throws {
    let book = TraceBook()
    let context = try filled(book)
    func last(_ kind: TraceEvent.Kind, _ line: Int) throws -> TraceEvent {
      let event = try #require(book.of(kind).last)
      #expect(event.fileID == "RoostTests/TraceTests.swift" && event.line == line, "\(event)")
      #expect("\(event)".hasPrefix(kind.rawValue + " ") && event.author == "me" && event.error == nil)
      return event
    }
    var paged = FetchDescriptor<Album>(sortBy: [SortDescriptor(\.title)])
    paged.fetchLimit = 10
    #expect(try context.fetchPage(paged).models.count == 10)
    #expect(try last(.fetch, #line - 1).found == 10)
    #expect(try context.fetch(FetchDescriptor<Album>(), batchSize: 5).count == 50)
    #expect(try last(.fetch, #line - 1).found == 50)
    try context.enumerate(FetchDescriptor<Album>()) { _ in }
    #expect(try last(.identifiers, #line - 1).found == 50)
    #expect(try context.sum(of: \Album.year, where: #Predicate { $0.price >= 0 }) == 1225)
    #expect(try last(.aggregate, #line - 1).rowsRead == 50)
    #expect(try context.aggregate(Album.self, .count, by: \.price).count == 1)
    #expect(try last(.aggregate, #line - 1).found == 1)
    try context.update(model: Album.self, where: #Predicate { $0.year < 5 }) { $0.price = 77 }
    let update = try last(.bulk, #line - 1)
    #expect(update.found == 5 && update.updated == 5 && update.pages > 0 && update.entity == "Album")
    try context.insert(batch: (0..<3).map { Album("more \($0)", year: 100 + $0) })
    #expect(try last(.bulk, #line - 1).inserted == 3)
    try context.deleteAll(model: Album.self, where: #Predicate { $0.year >= 100 })
    #expect(try last(.bulk, #line - 1).deleted == 3)
    let transactions = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    #expect(try last(.history, #line - 1).found == transactions.count && !transactions.isEmpty)
    try context.deleteHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    _ = try last(.history, #line - 1)
    let null = FileHandle(forWritingAtPath: "/dev/null")!
    try context.container.export(FetchDescriptor<Album>(), to: .handle(null, .jsonLines))
    let export = try #require(book.of(.export).last)
    #expect(export.found == 50 && export.line == #line - 2)
    struct Refusal: Error {}
    #expect(throws: (any Error).self) { try context.update(model: Album.self) { _ in throw Refusal() } }
    #expect(book.of(.bulk).last?.error != nil)
  }

  @Test func `a save reports its changes, its author and its call site`() throws {
    let book = TraceBook()
    let context = try filled(book)
    let first = try #require(book.of(.save).first)
    #expect(first.inserted == 50 && first.updated == 0 && first.author == "me" && first.context == "import")
    #expect(first.pages > 0 && first.fileID == "RoostTests/TraceTests.swift")
    let all = try context.fetch(FetchDescriptor<Album>(sortBy: [SortDescriptor(\.year)]))
    all[0].price = 7
    context.delete(all[1])
    try context.transaction { all[2].price = 8 }
    #expect(book.of(.save).map(\.updated) == [0, 2] && book.of(.save)[1].deleted == 1)
    #expect(book.of(.save)[1].line == #line - 2)
    try context.save()
    #expect(book.of(.save).count == 2)
  }

  @Test func `a file reports its opening, its log, checkpoints and recovery`() throws {
    let folder = try Folder()
    let book = TraceBook()
    do {
      let context = ModelContext(
        try ModelContainer(for: Artist.self, configurations: book.configuration(folder.file())))
      #expect(book.all.map(\.kind) == [.opening])
      context.insert(Artist("Ella"))
      try context.save()
      #expect((book.of(.save).first?.bytes ?? 0) > 20)
      // A copy of the file as a crash would leave it.
      for name in try FileManager.default.contentsOfDirectory(atPath: folder.url.path) {
        let copy = folder.file(name.replacing("store", with: "copy"))
        try FileManager.default.copyItem(at: folder.file(name), to: copy)
      }
      try context.container.checkpoint()
      #expect(book.of(.checkpoint).count == 1 && book.of(.checkpoint)[0].pages > 0)
    }
    let other = TraceBook()
    let container = try ModelContainer(for: Artist.self, configurations: other.configuration(folder.file("copy.roost")))
    let recovery = try #require(other.of(.recovery).first)
    #expect(recovery.commits >= 1 && recovery.bytes > 0 && other.of(.opening).count == 1)
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Artist>()) == 1)
  }

  /// The page of the rows has a flipped bit in the file. The fetch is correct, and the damage is
  /// reported.
  @Test func `a repaired page is reported, by the opening or by the fetch that read it`() throws {
    let folder = try Folder()
    do {
      let context = ModelContext(
        try ModelContainer(for: Artist.self, configurations: TraceBook().configuration(folder.file())))
      for number in 0..<400 { context.insert(Artist("Ella \(number)")) }
      try context.save()
    }
    let healthy = try Data(contentsOf: folder.file())
    let row = try #require(healthy.range(of: Data("Ella 200".utf8), options: .backwards)).lowerBound
    // A byte of a row and one of a superblock.
    for offset in [row, 20] {
      var bytes = healthy
      bytes[offset] ^= 1
      try bytes.write(to: folder.file())
      let book = TraceBook()
      var configuration = book.configuration(folder.file())
      configuration.traceThreshold = .seconds(3600)
      let context = ModelContext(try ModelContainer(for: Artist.self, configurations: configuration))
      #expect(book.of(.repair).count == (offset == row ? 0 : 1))
      for _ in 0..<2 {
        let names = Set(try context.fetch(FetchDescriptor<Artist>()).map(\.name))
        #expect(names == Set((0..<400).map { "Ella \($0)" }))
      }
      let told = book.of(.repair)
      #expect(told.map(\.detail) == ["page \(offset / 4096): bit 0 of byte \(offset % 4096) had flipped"])
      #expect(told.first?.pages == 1 && told.first.map { "\($0)" }?.contains("had flipped") == true)
    }
  }

  @Test func `a context that moves on reports the number of commits`() throws {
    let book = TraceBook()
    let context = try filled(book)
    let other = ModelContext(context.container)
    _ = try other.fetchCount(FetchDescriptor<Album>())
    for year in 100..<103 {
      context.insert(Album("n", year: year))
      try context.save()
    }
    let before = book.of(.merge).count
    other.name = "reader"
    #expect(try other.fetchCount(FetchDescriptor<Album>()) == 53)
    let merges = book.of(.merge)[before...]
    #expect(merges.map(\.commits) == [3] && merges.first?.context == "reader")
  }

  @Test func `failures are reported after any time, and short successes are not`() throws {
    let book = TraceBook()
    var configuration = book.configuration()
    configuration.traceThreshold = .seconds(100)
    let context = ModelContext(try ModelContainer(for: Artist.self, configurations: configuration))
    context.insert(Artist("Ella"))
    try context.save()
    _ = try context.fetch(FetchDescriptor<Artist>())
    #expect(book.all.isEmpty)
    context.uniquePolicy = .throw
    context.insert(Artist("Ella"))
    #expect(throws: RoostError.self) { try context.save() }
    #expect(book.all.map(\.kind) == [.save] && (book.all.first?.error as? RoostError)?.code == .notUnique)
    #expect(book.all.first?.inserted == 0)
    #expect(throws: (any Error).self) {
      try ModelContainer(
        for: Artist.self,
        configurations: {
          var wrong = book.configuration(URL(fileURLWithPath: "/proc/none/x.roost"))
          wrong.traceThreshold = .zero
          return wrong
        }())
    }
    #expect(book.all.last?.kind == .opening && book.all.last?.error != nil)
  }

  @Test func `the plan is made for a handler, whose own calls are not reported`() throws {
    let plans = Mutex<[String?]>([])
    let kept = Mutex<[TraceEvent]>([])
    let container = Mutex<ModelContainer?>(nil)
    var configuration = ModelConfiguration(isStoredInMemoryOnly: true)
    configuration.trace = { event in
      kept.withLock { $0.append(event) }
      guard event.kind == .fetch else { return }
      let plan = event.found == 1 ? event.plan : nil
      plans.withLock { $0.append(plan) }
      let other = container.withLock { $0 }
      _ = try? other.map { try ModelContext($0).fetchCount(FetchDescriptor<Album>()) }
    }
    let made = try ModelContainer(for: Artist.self, configurations: configuration)
    container.withLock { $0 = made }
    let context = ModelContext(made)
    context.insert(Album("a", year: 3))
    try context.save()
    _ = try context.fetch(FetchDescriptor<Album>(predicate: #Predicate { $0.year == 3 }))
    _ = try context.fetch(FetchDescriptor<Album>(predicate: #Predicate { $0.year == 4 }))
    container.withLock { $0 = nil }
    let fetches = kept.withLock { $0.filter { $0.kind == .fetch } }
    #expect(
      plans.withLock { $0.map { $0 != nil } } == [true, false] && kept.withLock { $0.allSatisfy { $0.kind != .count } })
    #expect(fetches[0].plan?.contains("year") == true && fetches[1].plan == nil)
  }

  @Test func `functions can be named without being called`() throws {
    let book = TraceBook()
    let context = try filled(book)
    let fetch: (FetchDescriptor<Album>) throws -> [Album] = context.fetch
    let save: () throws -> Void = context.save
    #expect(try [FetchDescriptor<Album>()].map(fetch)[0].count == 50)
    try save()
    #expect(book.of(.fetch).isEmpty)
  }

  @Test func `two configurations with handlers of their own are not equal, and a handler can be taken away`() {
    let book = TraceBook()
    let (one, two) = (book.configuration(), book.configuration())
    var copy = one
    #expect(one != two && one == copy && one.hashValue == copy.hashValue)
    copy.trace = nil
    #expect(copy.trace == nil && copy == ModelConfiguration(isStoredInMemoryOnly: true))
  }

  @Test func `one recovery is reported once, however many containers open the file at once`() async throws {
    let folder = try Folder()
    do {
      let container = try ModelContainer(for: Artist.self, configurations: ModelConfiguration(url: folder.file()))
      let context = ModelContext(container)
      for number in 0..<200 {
        context.insert(Artist("\(number)"))
        try context.save()
      }
      for name in try FileManager.default.contentsOfDirectory(atPath: folder.url.path) {
        try FileManager.default.copyItem(
          at: folder.file(name), to: folder.file(name.replacing("store", with: "copy")))
      }
    }
    let book = TraceBook()
    let copy = folder.file("copy.roost")
    let all = try await withThrowingTaskGroup(of: ModelContainer.self) { group in
      for _ in 0..<8 {
        group.addTask { try ModelContainer(for: Artist.self, configurations: book.configuration(copy)) }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(all.count == 8 && book.of(.opening).count == 8 && book.of(.recovery).count == 1)
  }

  /// A helper program, built next to the tests, that uses the public interface.
  private static let program =
    URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
    .appendingPathComponent("roost-torture").path

  private func run(_ setting: String?) throws -> (status: Int32, errors: String) {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: Self.program)
    process.arguments = ["replay", "--test", "18", "--seed", "1", "--step", "1"]
    var environment = ProcessInfo.processInfo.environment
    environment["ROOST_TRACE"] = setting
    process.environment = environment
    let errors = Pipe()
    process.standardError = errors
    process.standardOutput = FileHandle.nullDevice
    try process.run()
    let text = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return (process.terminationStatus, text)
  }

  @Test func `the environment switches tracing on for any program`() throws {
    let folder = try Folder()
    let isEvent = { (line: Substring) in line.split(separator: " ").dropFirst(2).first == "ms;" }
    #expect(try run(nil) == (0, "") && run("0") == (0, ""))
    let told = try run("1")
    let lines = told.errors.split(separator: "\n")
    #expect(told.status == 0 && lines.count > 5 && lines.allSatisfy(isEvent))
    #expect(lines.contains { $0.hasPrefix("fetch ") && $0.contains("; plan: ") })
    // Nothing takes a quarter of an hour.
    #expect(try run("900000") == (0, ""))
    let path = folder.file("trace.txt").path
    #expect(try run(path) == (0, ""))
    let written = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
    #expect(written.count > 5 && written.allSatisfy(isEvent))
    #expect(try run("/dev/full") == (0, "") && run(folder.file("no/such/place").path) == (0, ""))
  }

}
