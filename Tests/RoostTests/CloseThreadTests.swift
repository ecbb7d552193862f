import Foundation
import RoostFile
import SwiftData
import Testing

// They use internal declarations, which an optimised build does not show.
#if DEBUG
  @testable import Roost

  @Model final class Boarder {
    var name: String
    @Transient private let leaving = Leaving.current

    init(_ name: String) { self.name = name }
    deinit { leaving.note() }
  }

  /// The threads on which models were released. Models of an earlier test may be released during
  /// the next one, so each test begins a new record.
  private final class Leaving: @unchecked Sendable {
    // Unchecked because `lock` guards the record.
    private static let gate = NSLock()
    // Unsafe because `gate` guards it.
    nonisolated(unsafe) private static var latest = Leaving()
    static var current: Leaving { gate.withLock { latest } }
    private let lock = NSLock()
    private var kept: [Bool] = []

    var all: [Bool] { lock.withLock { kept } }
    static func begin() -> Leaving {
      gate.withLock {
        latest = Leaving()
        return latest
      }
    }
    func note() { lock.withLock { kept.append(MainQueue.isCurrent) } }
  }

  /// Regression: a container that was closed on another thread saved and closed its main context
  /// there. Models were released and observers called on a thread where the program does not expect
  /// it.
  @MainActor @Suite(.serialized, .timeLimit(.minutes(30))) struct CloseThreadTests {
    private let folder: Folder

    init() throws { folder = try Folder() }

    private func make() throws -> ModelContainer {
      try ModelContainer(for: Boarder.self, configurations: ModelConfiguration(url: folder.file()))
    }

    private func stored() throws -> [String] {
      try ModelContext(make()).fetch(FetchDescriptor<Boarder>(sortBy: [SortDescriptor(\.name)])).map(\.name)
    }

    @Test func `the main context is saved and closed on the main actor`() async throws {
      var isOnMain = false
      // The close does not wait for a main queue that stays busy longer than its limit. Then the
      // test tries another container.
      for _ in 0..<100 where !isOnMain {
        let container = try make()
        let saves = Leaving.begin()
        for number in 0..<3 { container.mainContext.insert(Boarder("\(number)")) }
        let observer = NotificationCenter.default.addObserver(
          forName: ModelContext.willSave, object: container.mainContext, queue: nil
        ) { _ in saves.note() }
        try await Task.detached { try container.close() }.value
        NotificationCenter.default.removeObserver(observer)
        // One save, and the release of the models that only the context held.
        isOnMain = !saves.all.isEmpty && saves.all.allSatisfy { $0 }
        #expect(throws: RoostError.self) { try container.mainContext.fetch(FetchDescriptor<Boarder>()) }
        try await Task.detached { try container.close() }.value
      }
      #expect(isOnMain)
      #expect(try Set(stored()) == ["0", "1", "2"])
    }

    @Test func `the closing thread gets the error of the main context's save`() async throws {
      let container = try make()
      let other = ModelContext(container)
      other.insert(Boarder("b"))
      try other.save()
      let one = try #require(try container.mainContext.fetch(FetchDescriptor<Boarder>()).first)
      container.mainContext.mergePolicy = .error
      container.mainContext.automaticallyMergesChanges = false
      one.name = "mine"
      try #require(try other.fetch(FetchDescriptor<Boarder>()).first).name = "theirs"
      try other.save()
      let error = await #expect(throws: RoostError.self) { try await Task.detached { try container.close() }.value }
      #expect(error?.code == .conflict)
      #expect(try container.mainContext.fetchCount(FetchDescriptor<Boarder>()) == 1)
      container.mainContext.rollback()
      try container.close()
      #expect(try stored() == ["theirs"])
    }

    /// Otherwise the main thread and the closing thread would wait for each other forever.
    @Test func `the close does not wait forever for a waiting main thread`() throws {
      let container = try make()
      container.mainContext.insert(Boarder("a"))
      let told = Told()
      try RoostFile.Thread {
        do { try Doorway.pass { try container.stores.close(patienceNanoseconds: 20_000_000) } } catch {
          told.note(error)
        }
      }.join()
      let error = try #require(told.error as? RoostError)
      #expect(error.code == .twoThreads && error.description.contains("main actor"), "\(error)")
      #expect(try container.mainContext.fetchCount(FetchDescriptor<Boarder>()) == 1)
      try container.close()
      #expect(try stored() == ["a"])
    }

    @Test func `without a main context any thread closes, even while the main thread waits`() throws {
      let container = try make()
      let context = ModelContext(container)
      context.insert(Boarder("a"))
      try context.save()
      let told = Told()
      try RoostFile.Thread { do { try container.close() } catch { told.note(error) } }.join()
      #expect(told.error == nil)
      #expect(throws: RoostError.self) { try context.fetchCount(FetchDescriptor<Boarder>()) }
      #expect(try stored() == ["a"])
    }

    private final class Told: @unchecked Sendable {
      // Unchecked because `lock` guards the value.
      private let lock = NSLock()
      private var kept: (any Error)?

      var error: (any Error)? { lock.withLock { kept } }
      func note(_ error: any Error) { lock.withLock { kept = error } }
    }
  }
#endif
