import Foundation
import SwiftData
import Testing

/// Regression: a container is closed while other threads write and follow. A context that was being
/// released, or a thread that notified of its last commit, still had a snapshot, and the close was
/// refused as busy.
@Suite(.timeLimit(.minutes(30))) struct CloseBesideTests {
  @Test(arguments: [false, true]) func `the close waits for a moment, and readers end`(follows: Bool) async throws {
    for round in 0..<20 {
      let container = try ModelContainer(
        for: LiveSong.self, LiveSingle.self, LiveAlbum.self, LiveTag.self,
        configurations: ModelConfiguration(isStoredInMemoryOnly: true))
      try await withThrowingTaskGroup(of: Void.self) { group in
        for number in 0..<3 {
          group.addTask {
            guard follows else { return }
            var elements = 0
            // On a busy machine it requests its first element only after the close, and then it
            // throws.
            do {
              if number == 0 {
                for try await _ in container.countChanges(of: FetchDescriptor<LiveSong>()) { elements += 1 }
              } else {
                for try await _ in container.changes(of: FetchDescriptor<LiveSong>()) { elements += 1 }
              }
            } catch let error as RoostError { #expect(error.code == .closed && elements == 0) }
          }
          group.addTask {
            // Until the container is closed.
            do {
              for step in 0... {
                let context = ModelContext(container)
                context.insert(LiveSong("a", nil, year: step, number: number))
                try context.save()
                await Task.yield()
              }
            } catch let error as RoostError { #expect(error.code == .closed) }
          }
        }
        try await Task.sleep(for: .milliseconds(3 + round))
        try container.close()
        try await group.waitForAll()
      }
    }
  }
}
