import Foundation
import Roost
import RoostFile
import RoostPages
import RoostRecords
import RoostTestSupport
import Testing

@testable import RoostTool

/// The tour must pass on a sound engine, and fail after the first wrong answer.
@Suite(.serialized) struct TourTests {
  /// The program itself, in the same folder as the tests.
  private static let program =
    URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
    .appendingPathComponent("roost").path

  private func tour(
    _ folder: ScratchFolder, count: Int = 1000, program: String = Self.program,
    _ sink: @escaping (Console.Stream, String) -> Void = { _, _ in }
  ) -> Tour {
    Tour(
      console: Console(isTerminal: false, hasColours: false, sink: sink), folder: folder.path, count: count,
      program: program, flips: 3)
  }

  /// Before the fix, the tour of 1,000 tracks flipped a bit in a page of visits, if there were more
  /// visits than tracks, and did not find it in the tracks.
  @Test(arguments: [1000, 2500]) func `the whole tour passes`(count: Int) throws {
    let folder = try ScratchFolder()
    var output = ""
    let tour = tour(folder, count: count) { output += $1 }
    try tour.run()
    for step in tour.steps { #expect(output.contains("\n" + step.title + "\n")) }
    #expect(!output.contains("\u{1B}"))
    #expect(output.contains("it would read less with #Index<Track>([\\.seconds])"))
    #expect(Transcript.of("verify", tour.path).ending == .good)
    #expect(Transcript.of("verify", tour.damagedPath).ending == .failed)
  }

  @Test func `the tour runs the code that it shows`() throws {
    let sources = ["Transfer", "Asking", "Graph", "Crash", "Damage"].map { "Tour+\($0)" } + ["Witness"]
    let lines = try sources.flatMap { name in
      try ReadmeTests.text("Sources/RoostTool/Tour/\(name).swift").split(separator: "\n")
        .map { $0.trimmingCharacters(in: .whitespaces) }
    }
    let folder = try ScratchFolder()
    for step in tour(folder).steps {
      let shown = step.code.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
      #expect(!shown.isEmpty)
      for line in shown where !line.hasPrefix("let name = ") && !line.hasPrefix("print(") {
        #expect(lines.count { $0 == line } >= 2, "\(step.title) shows \(line), and does something else")
      }
    }
  }

  @Test func `code on a terminal has colours and keeps its letters`() throws {
    let folder = try ScratchFolder()
    let plain = #"let name = "try it"  // for all"#
    let uncoloured = tour(folder)
    #expect(uncoloured.console.text(uncoloured.coloured(plain)) == plain)
    let colours = Console(isTerminal: true, hasColours: true) { _, _ in }
    let shown = colours.text(Tour(console: colours, folder: folder.path, count: 1000, program: "").coloured(plain))
    #expect(shown.contains("\u{1B}[1mlet"))
    #expect(shown.contains("\u{1B}[32m\"try it\"") && shown.contains("\u{1B}[2m// for"))
    #expect(shown.replacing(/\u{1B}\[\d+m/, with: "") == plain)
  }

  @Test(arguments: ["missing", "more", "wrong"])
  func `a store that differs from the import fails the tour`(fault: String) throws {
    let folder = try ScratchFolder()
    let tour = tour(folder)
    _ = try tour.importing.run()
    let context = ModelContext(try tour.container())
    try tour.checkAll(context)
    let one = try #require(try context.fetch(FetchDescriptor<Track>(predicate: #Predicate { $0.number == 77 })).first)
    switch fault {
    case "missing": context.delete(one)
    case "more": context.insert(Track(1000, title: "more", year: 1977, seconds: 61, on: nil))
    default: (one.year, one.seconds) = (one.year == 1977 ? 1978 : 1977, one.seconds == 61 ? 62 : 61)
    }
    try context.save()
    #expect(throws: CheckFailure.self) { try tour.checkAll(context) }
    // Only some errors are noticed here.
    if fault != "more" { #expect(throws: CheckFailure.self) { _ = try tour.walking.run() } }
    if fault != "missing" {
      #expect(throws: CheckFailure.self) {
        _ = try tour.byIndex.run()
        _ = try tour.withoutIndex.run()
      }
    }
  }

  @Test func `lost, torn and additional saves fail the tour`() throws {
    let folder = try ScratchFolder()
    let context = ModelContext(try Tour.container(folder.file("a.roost")))
    func put(_ numbers: Range<Int>) throws {
      for number in numbers { context.insert(Visit(number)) }
      try context.save()
    }
    try put(Witness.numbers(of: 1))
    try put(Witness.numbers(of: 2))
    #expect(try Witness.examine(context, acknowledged: 2) == 2)
    #expect(try Witness.examine(context, acknowledged: 1) == 2)
    #expect(throws: CheckFailure.self) { try Witness.examine(context, acknowledged: 3) }
    #expect(throws: CheckFailure.self) { try Witness.examine(context, acknowledged: 0) }
    try put(8..<9)
    #expect(throws: CheckFailure.self) { try Witness.examine(context, acknowledged: 2) }
    try put(9..<13)
    try context.delete(model: Visit.self, where: #Predicate { $0.number == 3 })
    try context.save()
    #expect(throws: CheckFailure.self) { try Witness.examine(context, acknowledged: 3) }
  }

  @Test func `unnoticed damage fails the tour`() throws {
    let folder = try ScratchFolder()
    let tour = tour(folder)
    _ = try tour.importing.run()
    try tour.close()
    try FileManager.default.copyItem(atPath: tour.path, toPath: tour.damagedPath)
    let pages = try tour.pagesInUse()
    #expect(pages.rows.count > 5 && Set(pages.all).count == pages.all.count && Set(pages.rows).isSubset(of: pages.all))
    let page = try #require(pages.rows.last)
    // Nothing was flipped, so nothing can be noticed.
    #expect(throws: CheckFailure.self) { try tour.checkNoticed(page) }
    #expect(try tour.askAll().right == 10)
    try tour.flip(9, of: page)
    #expect(throws: Never.self) { try tour.checkNoticed(page) }
    let outcome = try tour.askAll()
    #expect(outcome.refused > 0 && outcome.wrong == 0 && outcome.error?.page == UInt64(page.place))
  }

  @Test func `a witness process that cannot start, or ends early, fails the tour`() throws {
    for program in ["/nowhere/roost", "/bin/true"] {
      let folder = try ScratchFolder()
      let tour = tour(folder, program: program)
      _ = try tour.importing.run()
      #expect(throws: CheckFailure.self) { _ = try tour.killing.run() }
    }
    #expect(throws: CheckFailure.self) { try Witness.run("/nowhere/store.roost") }
  }

  @Test func `the four figures are measured`() throws {
    let folder = try ScratchFolder()
    var output = ""
    let console = Console(isTerminal: false, hasColours: false) { output += $1 }
    try Figures(console: console, folder: folder.path, program: Self.program).run()
    #expect(output.split(separator: "\n").count == 4)
    #expect(throws: CheckFailure.self) {
      try Figures(console: console, folder: try ScratchFolder().path, program: "/bin/true").run()
    }
  }

  @Test func `acknowledgements out of order are noticed`() throws {
    let folder = try ScratchFolder()
    let tour = tour(folder)
    func words(_ numbers: UInt64...) -> [UInt8] {
      numbers.flatMap { number in withUnsafeBytes(of: number.littleEndian) { [UInt8]($0) } }
    }
    #expect(try tour.acknowledgements([]) == 0)
    #expect(try tour.acknowledgements(words(1, 2, 3)) == 3)
    #expect(try tour.acknowledgements(words(1, 2) + [3, 0]) == 2)
    #expect(throws: CheckFailure.self) { try tour.acknowledgements(words(1, 3)) }
  }
}
