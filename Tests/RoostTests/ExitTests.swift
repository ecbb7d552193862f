import Foundation
import RoostFile
import SwiftData
import Testing

/// Regression: a program written in `main.swift` has its container in a global, which is never
/// released. It left a nearly empty file, and a log with the rest. A forked child has the container
/// too, and must not touch its parent's files.
@Suite(.timeLimit(.minutes(30))) struct ExitTests {
  /// Variables that a child process keeps, as a program keeps its globals.
  private enum Globals {
    // Unsafe, because one thread at a time uses them.
    nonisolated(unsafe) static var container: ModelContainer?
    nonisolated(unsafe) static var context: ModelContext?
    nonisolated(unsafe) static var folder: Folder?
    nonisolated(unsafe) static var observer: (any NSObjectProtocol)?
  }

  /// Makes a store with one artist, in a folder whose name the parent reads.
  private static func begin() throws -> ModelContainer {
    let folder = try Folder()
    let container = try ModelContainer(for: Artist.self, configurations: ModelConfiguration(url: folder.file()))
    let context = ModelContext(container)
    context.insert(Artist("Ella"))
    try context.save()
    Globals.folder = folder
    Globals.container = container
    Globals.context = context
    print("FOLDER \(folder.url.path)")
    fflush(nil)
    return container
  }

  /// The files that a child left.
  private struct Left {
    var files: [String]
    var names: [String]

    init(_ result: ExitTest.Result) throws {
      let output = String(decoding: result.standardOutputContent, as: UTF8.self)
      let line = try #require(output.split(separator: "\n").first { $0.hasPrefix("FOLDER ") })
      let url = URL(filePath: String(line.dropFirst(7)), directoryHint: .isDirectory)
      defer { try? FileManager.default.removeItem(at: url) }
      files = try FileManager.default.contentsOfDirectory(atPath: url.path).sorted()
      let file = url.appending(path: "store.roost")
      let container = try ModelContainer(for: Artist.self, configurations: ModelConfiguration(url: file))
      names = try ModelContext(container).fetch(FetchDescriptor<Artist>(sortBy: [SortDescriptor(\.name)])).map(\.name)
      try container.close()
    }
  }

  @Test func `a program that ends with an open container leaves one file`() async throws {
    let result = try await #require(processExitsWith: .exitCode(3), observing: [\.standardOutputContent]) {
      _ = try ExitTests.begin()
      exit(3)
    }
    let left = try Left(result)
    #expect(left.files == ["store.roost"] && left.names == ["Ella"])
  }

  @Test func `unsaved changes of the main context are saved`() async throws {
    let result = try await #require(processExitsWith: .exitCode(3), observing: [\.standardOutputContent]) {
      let container = try ExitTests.begin()
      await MainActor.run {
        container.mainContext.insert(Artist("Louis"))
        exit(3)
      }
    }
    let left = try Left(result)
    #expect(left.files == ["store.roost"] && left.names == ["Ella", "Louis"])
  }

  @Test func `it is saved on the main thread, even if another one ends the program`() async throws {
    let result = try await #require(processExitsWith: .exitCode(3), observing: [\.standardOutputContent]) {
      let container = try ExitTests.begin()
      await MainActor.run { container.mainContext.insert(Artist("Louis")) }
      try RoostFile.Thread { exit(3) }.detach()
      try await Task.sleep(for: .seconds(60))
    }
    let left = try Left(result)
    #expect(left.files == ["store.roost"] && left.names == ["Ella", "Louis"])
  }

  @Test func `a failed save is reported`() async throws {
    let result = try await #require(
      processExitsWith: .exitCode(3), observing: [\.standardOutputContent, \.standardErrorContent]
    ) {
      let container = try ExitTests.begin()
      await MainActor.run {
        container.mainContext.uniquePolicy = .throw
        container.mainContext.insert(Artist("Ella"))
        exit(3)
      }
    }
    let left = try Left(result)
    #expect(left.files == ["store.roost"] && left.names == ["Ella"])
    let said = String(decoding: result.standardErrorContent, as: UTF8.self)
    #expect(said.contains("could not be saved") && said.contains("notUnique"), "\(said)")
  }

  @Test func `a program ends within a write of another thread`() async throws {
    let result = try await #require(processExitsWith: .exitCode(3), observing: [\.standardOutputContent]) {
      let container = try ExitTests.begin()
      let isInside = DispatchSemaphore(value: 0)
      try RoostFile.Thread {
        _ = try? ModelContext(container).update(model: Artist.self) { artist in
          artist.name = "never"
          isInside.signal()
          while true { RoostFile.Thread.sleep(microseconds: 100_000) }
        }
      }.detach()
      ExitTests.wait(isInside)
      exit(3)
    }
    // Its log stays and contains the saved data.
    let left = try Left(result)
    #expect(left.names == ["Ella"])
  }

  private static func wait(_ semaphore: DispatchSemaphore) { semaphore.wait() }

  @Test(arguments: [0, 1, 2]) func `a program ends within a call of its own`(call: Int) async throws {
    let result =
      switch call {
      case 0:
        try await #require(processExitsWith: .exitCode(3), observing: [\.standardOutputContent]) {
          try ExitTests.end(0)
        }
      case 1:
        try await #require(processExitsWith: .exitCode(3), observing: [\.standardOutputContent]) {
          try ExitTests.end(1)
        }
      default:
        try await #require(processExitsWith: .exitCode(3), observing: [\.standardOutputContent]) {
          try ExitTests.end(2)
        }
      }
    let left = try Left(result)
    #expect(left.names == (call == 0 ? ["Ella", "Louis"] : ["Ella"]))
    if call != 1 { #expect(left.files == ["store.roost"]) }
  }

  private static func end(_ call: Int) throws {
    let container = try ExitTests.begin()
    let context = ModelContext(container)
    switch call {
    case 0:
      Globals.observer = NotificationCenter.default.addObserver(forName: ModelContext.didSave, object: nil, queue: nil)
      {
        _ in exit(3)
      }
      context.insert(Artist("Louis"))
      try context.save()
    case 1: try context.update(model: Artist.self) { _ in exit(3) }
    default:
      try container.write { context in
        context.insert(Artist("never"))
        exit(3)
      }
    }
  }

  /// Swift does not import `fork`, because a child of many threads can do little. It can exit and
  /// release its objects.
  private static let fork = dlsym(nil, "fork").map { unsafeBitCast($0, to: (@convention(c) () -> pid_t).self) }

  @Test(arguments: [false, true]) func `a forked child leaves the files to its parent`(letsGo: Bool)
    async throws
  {
    let result =
      letsGo
      ? try await #require(processExitsWith: .exitCode(3), observing: [\.standardOutputContent]) {
        try ExitTests.part(letsGo: true)
      }
      : try await #require(processExitsWith: .exitCode(3), observing: [\.standardOutputContent]) {
        try ExitTests.part(letsGo: false)
      }
    let left = try Left(result)
    #expect(left.files == ["store.roost"] && left.names == ["Ella", "Louis"])
  }

  private static func refusesSave() -> Bool {
    guard let container = Globals.container else { return false }
    let context = ModelContext(container)
    context.insert(Artist("child"))
    return (try? context.save()) == nil
  }

  /// A child ends; then the parent saves and ends too. It exits with 3 if the child ended well and
  /// removed no file.
  private static func part(letsGo: Bool) throws {
    // Held only by the globals, so that the child releases it.
    _ = try begin()
    let fork = try #require(fork)
    let child = fork()
    if child == 0 {
      alarm(60)
      // The store is its parent's.
      guard refusesSave() else { exit(7) }
      if letsGo {
        Globals.context = nil
        Globals.container = nil
      }
      exit(0)
    }
    var status: Int32 = 0
    while waitpid(child, &status, 0) < 0 && errno == EINTR {}
    guard status == 0 else { exit(4) }
    let log = try #require(Globals.folder).file("store.roost-log").path
    guard FileManager.default.fileExists(atPath: log) else { exit(5) }
    let context = ModelContext(try #require(Globals.container))
    context.insert(Artist("Louis"))
    try context.save()
    // Another process finds it locked: the child did not release the lock.
    let file = try DiskFileSystem.shared.open(try #require(Globals.folder).file().path, .write)
    guard try !file.lock() else { exit(6) }
    exit(3)
  }
}
