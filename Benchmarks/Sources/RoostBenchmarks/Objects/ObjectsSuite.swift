import Foundation
import Roost

/// The operations of the rows suite through objects, and those of objects only.
final class ObjectsSuite: Suite {
  let name = "objects"
  private let rows: RowsSuite
  private let scratch: Scratch
  /// The store made last, for the operations that read it.
  private var history: (size: Int, folder: String, store: ObjectHistory)?

  init(_ participants: [any LibraryEngine], scratch: Scratch) {
    rows = RowsSuite(participants, scratch: scratch, name: "objects", operations: RowsOperation.allCases)
    self.scratch = scratch
  }

  var operations: [Operation] { rows.operations + ObjectOperation.allCases.map(\.operation) }
  var engines: [(name: String, note: String)] { rows.engines }
  func finishSize() throws {
    try forgetHistory()
    try rows.finishSize()
  }

  func takesPart(_ engine: String, in operation: String) -> Bool {
    if ObjectOperation(rawValue: operation) != nil { return engine == EngineRegistry.subject }
    return rows.takesPart(engine, in: operation)
  }

  func measure(_ trial: Trial) throws -> Sample {
    switch ObjectOperation(rawValue: trial.operation) {
    case .getter: return try getter()
    case .held: return try held(trial.size)
    case .peak: return try peak(trial.size)
    case .latestToken: return try history(trial.size).askForTokens()
    case .newestHistory: return try history(trial.size).readNewest()
    case .importSnapshots, .importLines, .importTable: return try imported(trial)
    case .importPeak: return try importPeak(trial.size)
    case .saveAlone, .saveObserved: return try observed(trial)
    case nil: return try rows.measure(trial)
    }
  }

  // MARK: Reading a property

  private func getter() throws -> Sample {
    let container = try ModelContainer(
      for: Artist.self, Album.self, Track.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let context = ModelContext(container)
    let library = Library(size: 1_000)
    for number in 0..<library.size { context.insert(Track(library.track(number), nil)) }
    try context.save()
    let tracks = try context.fetch(FetchDescriptor<Track>())
    let expected = (0..<library.size).reduce(0) { $0 &+ library.track($1).playCount }
    let rounds = ObjectOperation.getters / library.size
    var sum: Int64 = 0
    let milliseconds = try Stopwatch.time {
      for _ in 0..<rounds { for track in tracks { sum &+= Int64(track.playCount) } }
    }
    return Sample(milliseconds: milliseconds, isRight: sum == expected &* Int64(rounds))
  }

  // MARK: History

  private func history(_ size: Int) throws -> ObjectHistory {
    if let history, history.size == size { return history.store }
    try forgetHistory()
    let folder = try scratch.folder("history")
    let store = try ObjectHistory(folder, changes: size)
    history = (size, folder, store)
    return store
  }

  private func forgetHistory() throws {
    guard let folder = history?.folder else { return }
    history = nil
    try scratch.remove(folder)
  }

  // MARK: Observing

  private func observed(_ trial: Trial) throws -> Sample {
    let folder = try scratch.folder("observed")
    defer { try? scratch.remove(folder) }
    let observing = try ObjectObserving(folder, Library(size: trial.size))
    return try observing.save(isObserved: trial.operation == ObjectOperation.saveObserved.rawValue)
  }

  // MARK: Imports

  private func imported(_ trial: Trial) throws -> Sample {
    let folder = try scratch.folder("import")
    defer { try? scratch.remove(folder) }
    let imports = try ObjectImports(folder, trial.size)
    switch ObjectOperation(rawValue: trial.operation) {
    case .importSnapshots: return try imports.snapshots()
    case .importTable: return try imports.text("csv")
    default: return try imports.text("jsonl")
    }
  }

  private func importPeak(_ count: Int) throws -> Sample {
    let folder = try scratch.folder("peak")
    defer { try? scratch.remove(folder) }
    try ObjectImports(folder, count).writeLines()
    let peak = try ObjectMemory.ask(.importLines, folder, count)
    return Sample(milliseconds: peak, isRight: peak > 0)
  }

  // MARK: Memory, each in a separate process

  private func held(_ count: Int) throws -> Sample {
    let folder = try scratch.folder("held")
    defer { try? scratch.remove(folder) }
    _ = try ObjectMemory.ask(.fill, folder, count)
    let nothing = try ObjectMemory.ask(.nothing, folder, count)
    let held = try ObjectMemory.ask(.held, folder, count)
    return Sample(milliseconds: held - nothing, isRight: held > nothing && nothing > 0)
  }

  private func peak(_ count: Int) throws -> Sample {
    let folder = try scratch.folder("peak")
    defer { try? scratch.remove(folder) }
    let peak = try ObjectMemory.ask(.fill, folder, count)
    return Sample(milliseconds: peak, isRight: peak > 0)
  }
}
