import Foundation
import SwiftData
import Synchronization
import Testing

/// Calls that read many rows of a file, in tasks that are cancelled.
@Suite struct CancelTests {
  private static let count = 3000
  private static let isOdd = #Predicate<Disc> { $0.number % 2 == 1 }

  private func filled() throws -> ModelContainer {
    let container = try ModelContainer(
      for: Label.self, Disc.self, Cut.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let context = ModelContext(container)
    let label = Label("Blue", spot: Site(city: "Berlin", zip: Zip(code: 10, area: nil), open: true))
    for number in 0..<Self.count { context.insert(Disc("disc \(number)", number: number, label: label)) }
    try context.save()
    return container
  }

  /// Runs a closure in a task that is cancelled already.
  private func cancelled(_ body: @escaping @Sendable () async throws -> Void) async throws {
    try await Task {
      withUnsafeCurrentTask { $0?.cancel() }
      try await body()
    }.value
  }

  enum Call: CaseIterable {
    case fetch, sorted, counted, list, selected, sum

    func run(_ context: ModelContext) throws -> Int {
      switch self {
      case .fetch: try context.fetch(FetchDescriptor(predicate: isOdd)).count
      case .sorted:
        try context.fetch(FetchDescriptor(predicate: isOdd, sortBy: [SortDescriptor(\.title, order: .reverse)])).count
      case .counted: try context.fetchCount(FetchDescriptor(predicate: isOdd))
      case .list:
        try context.fetchCount(
          FetchDescriptor<Label>(predicate: #Predicate { !$0.discs.contains { $0.title == "none" } })) * 1500
      case .selected: try context.select(Disc.self, \.title, where: isOdd).count
      case .sum: try context.aggregate(Disc.self, where: isOdd, .count)
      }
    }
  }

  @Test(arguments: Call.allCases) func `a call in a cancelled task ends between two rows`(call: Call) async throws {
    let container = try filled()
    try await cancelled {
      let context = ModelContext(container)
      await #expect(throws: CancellationError.self) { try await context.withCancellation { try call.run(context) } }
      // The context goes on, and a call without the wrapper is not ended.
      let found = try call.run(context)
      #expect(found == 1500)
    }
  }

  @Test func `an async fetch from a file ends too`() async throws {
    let container = try filled()
    try await cancelled {
      let context = ModelContext(container)
      let descriptor = FetchDescriptor(predicate: Self.isOdd)
      await #expect(throws: CancellationError.self) { _ = try await context.fetching(descriptor) }
      await #expect(throws: CancellationError.self) { _ = try await context.fetchingCount(descriptor) }
    }
  }

  @Test func `a call that runs is ended by another task`() async throws {
    let container = try filled()
    let begun = Mutex(false)
    let task = Task.detached {
      let context = ModelContext(container)
      return try await context.withCancellation {
        begun.withLock { $0 = true }
        // Nine million pairs.
        return try context.fetchCount(
          FetchDescriptor<Label>(
            predicate: #Predicate { label in
              label.discs.contains { one in label.discs.contains { $0.number == one.number + 3000 } }
            }))
      }
    }
    while !begun.withLock({ $0 }) { try await Task.sleep(for: .milliseconds(1)) }
    try await Task.sleep(for: .milliseconds(20))
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test func `a save that is ended is not committed, and can be repeated`() async throws {
    let container = try filled()
    try await cancelled {
      let context = ModelContext(container)
      await #expect(throws: CancellationError.self) {
        try await context.withCancellation {
          try context.update(model: Disc.self, where: Self.isOdd) { $0.number = -1 }
        }
      }
      let changed = FetchDescriptor<Disc>(predicate: #Predicate { $0.number == -1 })
      let before = try context.fetchCount(changed)
      try context.update(model: Disc.self, where: Self.isOdd) { $0.number = -1 }
      let after = try context.fetchCount(changed)
      #expect(before == 0 && after == 1500)
    }
  }
}
