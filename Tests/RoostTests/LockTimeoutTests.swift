import Foundation
import RoostFile
import SwiftData
import Testing

// They use internal declarations, which an optimised build does not show.
#if DEBUG
  @testable import Roost

  /// Regression: programs that ran at the same time refused each other at once, and had no option
  /// to wait.
  @Suite(.timeLimit(.minutes(30))) struct LockTimeoutTests {
    private let folder: Folder

    init() throws {
      folder = try Folder()
      let container = try ModelContainer(for: Artist.self, configurations: ModelConfiguration(url: folder.file()))
      let context = ModelContext(container)
      context.insert(Artist("Ella"))
      try context.save()
      try container.close()
    }

    /// Locks the store's file, as another process does.
    private func lock() throws -> any StorageFile {
      let file = try DiskFileSystem.shared.open(folder.file().path, .write)
      try #require(try file.lock())
      return file
    }

    private func open(_ timeout: Duration?) throws -> ModelContainer { try Self.open(folder.file(), timeout) }

    private static func open(_ file: URL, _ timeout: Duration?) throws -> ModelContainer {
      var configuration = ModelConfiguration(url: file)
      configuration.lockTimeout = timeout
      return try ModelContainer(for: Artist.self, configurations: configuration)
    }

    @Test func `a wait without success reports its length`() throws {
      let file = try lock()
      defer { file.close() }
      for timeout in [Duration.zero, .milliseconds(-5), .milliseconds(300)] {
        let start = ContinuousClock.now
        let error = #expect(throws: RoostError.self) { try open(timeout) }
        #expect(error?.storeError?.code == .locked)
        #expect(ContinuousClock.now - start >= timeout)
        #expect(error?.description.contains("also after 300 ms") == (timeout > .zero), "\(String(describing: error))")
      }
    }

    @Test func `a waiting program gets the store, and others are opened meanwhile`() throws {
      let file = try lock()
      let (waiting, store) = (Waiting(), folder.file())
      let thread = try RoostFile.Thread { waiting.end(Result { try Self.open(store, .seconds(100)) }) }
      let other = try ModelContainer(
        for: Artist.self, configurations: ModelConfiguration(url: folder.file("other.roost")))
      #expect(try ModelContext(other).fetchCount(FetchDescriptor<Artist>()) == 0)
      #expect(!waiting.isOver)
      file.close()
      thread.join()
      let container = try waiting.result().get()
      #expect(try ModelContext(container).fetchCount(FetchDescriptor<Artist>()) == 1)
      #expect(try ModelContext(open(.zero)).fetchCount(FetchDescriptor<Artist>()) == 1)
    }

    private final class Waiting: @unchecked Sendable {
      // Unchecked because `lock` guards the value.
      private let lock = NSLock()
      private var kept: Result<ModelContainer, any Error>?

      var isOver: Bool { lock.withLock { kept != nil } }
      func end(_ result: Result<ModelContainer, any Error>) { lock.withLock { kept = result } }
      func result() throws -> Result<ModelContainer, any Error> { try #require(lock.withLock { kept }) }
    }

    @Test func `the main thread waits only if requested`() async {
      let file = folder.file()
      let (main, isMain) = await MainActor.run {
        (ModelConfiguration(url: file).lockTimeoutNanoseconds, Foundation.Thread.isMainThread)
      }
      #expect(main == (isMain ? 0 : 5_000_000_000))
      let elsewhere = await Task.detached { ModelConfiguration(url: file).lockTimeoutNanoseconds }.value
      #expect(elsewhere == 5_000_000_000)
      var configuration = ModelConfiguration(url: file)
      configuration.lockTimeout = .milliseconds(1500)
      #expect(configuration.lockTimeoutNanoseconds == 1_500_000_000)
      configuration.lockTimeout = .seconds(Int64.max)
      #expect(configuration.lockTimeoutNanoseconds > 1_000_000_000_000_000_000)
    }
  }
#endif
