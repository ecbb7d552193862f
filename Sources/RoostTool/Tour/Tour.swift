import Foundation
import Roost

/// A demonstration of Roost in a folder of its own. Every answer is checked, and a wrong one ends
/// the tour.
final class Tour {
  /// One demonstration: the lines of Swift that it runs, and their result.
  struct Step {
    var title: String
    /// The same lines are in the source of the step; a test compares them.
    var code: String
    var run: () throws -> [StyledText]

    init(_ title: String, _ code: String, run: @escaping () throws -> [StyledText]) {
      self.title = title
      self.code = code
      self.run = run
    }
  }

  let console: Console
  let folder: String
  let library: Library
  /// The program that the kill step starts: the running one.
  let program: String
  /// The number of bits that are flipped in a copy, one after the other.
  let flips: Int
  private var open: ModelContainer?

  var path: String { folder + "/tour.roost" }
  var damagedPath: String { folder + "/damaged.roost" }

  static let models: [any PersistentModel.Type] = [
    Label.self, Artist.self, Album.self, Track.self, Review.self, Visit.self,
  ]

  init(console: Console, folder: String, count: Int, program: String, flips: Int = 4) {
    self.console = console
    self.folder = folder
    library = Library(count: count)
    self.program = program
    self.flips = flips
  }

  var steps: [Step] {
    [
      importing, exporting, byIndex, withoutIndex, acrossRelationships, walking, merging, deleting, history, killing,
      damage,
    ]
  }

  /// Runs all steps. Throws if a check fails.
  func run() throws {
    let began = ContinuousClock.now
    console.line(console.styled("A tour of Roost", .strong) + " in \(folder)")
    for step in steps { try show(step) }
    console.line()
    let time = ReadableNumber.time(.now - began)
    console.line(console.styled("Every check passed", .good) + ", in \(time).")
  }

  private func show(_ step: Step) throws {
    console.line()
    console.line(console.styled(step.title, .strong))
    for line in step.code.split(separator: "\n") {
      console.line("   " + console.styled("│ ", .faint) + coloured(String(line)))
    }
    let lines: [StyledText]
    do { lines = try step.run() } catch {
      console.passing("")
      console.line("   " + console.styled("failed", .bad))
      throw error
    }
    for line in lines { console.line("   " + line) }
  }

  // MARK: The store

  /// The container, opened at the first use.
  func container() throws -> ModelContainer {
    if let open { return open }
    let container = try Self.container(path)
    open = container
    return container
  }

  static func container(_ path: String, allowsSave: Bool = true) throws -> ModelContainer {
    try ModelContainer(
      for: Schema(models), configurations: ModelConfiguration(url: URL(filePath: path), allowsSave: allowsSave))
  }

  /// Closes the store, so that another process can open it.
  func close() throws {
    open = nil
    try check(Self.size(of: path + "-log") == 0, "the store was not closed: its log is still there")
  }

  /// Compares every track with the stored values.
  func checkAll(_ context: ModelContext) throws {
    let tracks = try context.fetch(FetchDescriptor<Track>(sortBy: [SortDescriptor(\.number)]))
    try check(tracks.count == library.count, "there are \(tracks.count) tracks where \(library.count) were put")
    for (number, track) in tracks.enumerated() {
      try check(Library.isRight(track, number), "track \(number) is missing or has a wrong value")
    }
  }

  static func size(of path: String) -> Int {
    let facts = try? FileManager.default.attributesOfItem(atPath: path)
    return (facts?[.size] as? NSNumber)?.intValue ?? 0
  }

  /// The time and the result of a closure.
  func timed<Result>(_ body: () throws -> Result) rethrows -> (result: Result, time: Duration) {
    let began = ContinuousClock.now
    let result = try body()
    return (result, .now - began)
  }
}
