import Foundation
import Roost

/// Measures memory in a separate process: this program again, with other arguments.
enum ObjectMemory {
  enum Task: String {
    /// Starts and ends.
    case nothing
    /// Inserts tracks into a new store, 10,000 in each transaction.
    case fill
    /// Fetches all tracks and holds them.
    case held
    /// Imports the tracks of a file.
    case importLines
  }

  struct Work {
    let task: Task
    let folder: String
    let count: Int
    /// The size of the cache, which a sixth argument sets in MiB. `nil` means the size that a store chooses.
    let cacheBytes: Int?

    /// Nil if the arguments have another form.
    init?(_ arguments: [String]) {
      guard arguments.count == 5 || arguments.count == 6, arguments[1] == ObjectMemory.word,
        let task = Task(rawValue: arguments[2]), let count = Int(arguments[4])
      else { return nil }
      self.task = task
      folder = arguments[3]
      self.count = count
      cacheBytes = arguments.count == 6 ? Int(arguments[5]).map { $0 << 20 } : nil
    }
  }

  private static let word = "memory-of-objects"
  private static let batch = 10_000
  /// The cache size of a program in a container of 512 MiB.
  private static let cacheBytes = 64 << 20

  /// Runs this program for a task, and returns the megabytes that it reports.
  static func ask(_ task: Task, _ folder: String, _ count: Int) throws -> Double {
    let answer = try ThisProgram.run([word, task.rawValue, folder, String(count)])
    guard let megabytes = Double(answer) else {
      throw EngineError("roost", task.rawValue, "the measured program printed no number")
    }
    return megabytes
  }

  static func run(_ work: Work) throws {
    switch work.task {
    case .nothing: print(Memory.nowMegabytes(), terminator: "")
    case .fill:
      try fill(work)
      print(Memory.peakMegabytes(), terminator: "")
    case .importLines:
      let imports = try ObjectImports(reopening: work.folder, work.count, cacheBytes: cacheBytes)
      guard try imports.text("jsonl", isWritten: true).isRight else { exit(1) }
      print(Memory.peakMegabytes(), terminator: "")
    case .held:
      let context = ModelContext(try container(work))
      let tracks = try context.fetch(FetchDescriptor<Track>())
      let sum = tracks.reduce(0) { $0 + $1.playCount }
      guard tracks.count == work.count, sum == work.count * (work.count - 1) / 2 else { exit(1) }
      print(Memory.nowMegabytes(), terminator: "")
      withExtendedLifetime(tracks) {}
    }
  }

  private static func container(_ work: Work) throws -> ModelContainer {
    var configuration = ModelConfiguration(url: URL(filePath: work.folder + "/tracks.roost"))
    configuration.cacheBytes = work.cacheBytes
    return try ModelContainer(for: Artist.self, Album.self, Track.self, configurations: configuration)
  }

  private static func fill(_ work: Work) throws {
    let container = try container(work)
    let context = ModelContext(container)
    let albums = (0..<1_000).map { Album(title: "Album \($0)", artist: nil) }
    for album in albums { context.insert(album) }
    try context.save()
    var random = SplitMix64()
    for start in stride(from: 0, to: work.count, by: batch) {
      for number in start..<min(start + batch, work.count) {
        let digits = String(random.next(), radix: 16) + String(random.next(), radix: 16)
        let track = Track(
          id: "\(number)-" + digits, title: "The title of track number \(number)",
          artist: "Artist \(number % 5_000) of the library", album: albums[random.next(below: albums.count)],
          duration: Double(random.next(below: 480)), genre: LibraryWords.genres[random.next(below: 12)],
          releaseDate: Date(timeIntervalSinceReferenceDate: Double(random.next(below: 600_000_000))),
          playCount: number, explicit: false)
        context.insert(track)
      }
      try context.save()
    }
    guard try context.fetchCount(FetchDescriptor<Track>()) == work.count else { exit(1) }
  }
}
