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

  /// Runs a closure in a cancelled task.
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
      // The context stays usable, and a call outside a task's check is not cancelled.
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

  @Test func `another thread cancels a running call`() async throws {
    let container = try filled()
    let begun = DispatchSemaphore(value: 0)
    let task = Task.detached {
      let context = ModelContext(container)
      return try await context.withCancellation {
        begun.signal()
        // Nine million pairs.
        return try context.fetchCount(
          FetchDescriptor<Label>(
            predicate: #Predicate { label in
              label.discs.contains { one in label.discs.contains { $0.number == one.number + 3000 } }
            }))
      }
    }
    // A separate thread: with other tests a task may be resumed only after the call has ended.
    Thread.detachNewThread {
      begun.wait()
      task.cancel()
    }
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test func `a cancelled bulk write changes nothing, and a save does not begin`() async throws {
    let container = try filled()
    try await cancelled {
      let context = ModelContext(container)
      await #expect(throws: CancellationError.self) {
        try await context.withCancellation { try context.update(model: Disc.self) { $0.number = -1 } }
      }
      var made = 0
      await #expect(throws: CancellationError.self) {
        try await context.withCancellation {
          try context.insert(batch: 0..<3000) { number in
            made += 1
            return Disc("new", number: number)
          }
        }
      }
      var seen = 0
      await #expect(throws: CancellationError.self) {
        try await context.withCancellation { try context.enumerate(FetchDescriptor<Disc>()) { _ in seen += 1 } }
      }
      context.insert(Disc("waits", number: -1))
      await #expect(throws: CancellationError.self) { try await context.withCancellation { try context.save() } }
      let changed = FetchDescriptor<Disc>(predicate: #Predicate { $0.number == -1 || $0.title == "new" })
      let stored = try ModelContext(container).fetchCount(changed)
      #expect(made < 300 && seen < 300 && stored == 0 && context.hasChanges)
      try context.save()
      let later = try ModelContext(container).fetchCount(changed)
      #expect(later == 1)
    }
  }

  @Test func `a task that the call starts is not cancelled, nor are observers of a save`() async throws {
    let container = try filled()
    try await Task {
      let context = ModelContext(container)
      let inner = try await context.withCancellation {
        withUnsafeCurrentTask { $0?.cancel() }
        return Task { try ModelContext(container).fetchCount(FetchDescriptor(predicate: Self.isOdd)) }
      }
      let found = try await inner.value
      #expect(found == 1500)
    }.value
    let counts = Mutex<[Int?]>([])
    try await Task {
      let context = ModelContext(container)
      let observer = NotificationCenter.default.addObserver(
        forName: ModelContext.didSave, object: context, queue: nil
      ) { _ in
        withUnsafeCurrentTask { $0?.cancel() }
        let count = try? ModelContext(container).fetchCount(FetchDescriptor(predicate: Self.isOdd))
        counts.withLock { $0.append(count) }
      }
      defer { NotificationCenter.default.removeObserver(observer) }
      context.insert(Disc("one more", number: 1))
      try await context.withCancellation { try context.save() }
    }.value
    #expect(counts.withLock { $0 } == [1501])
  }

  @ModelActor actor Clerk {
    func isHere() async throws -> Bool {
      try await modelContext.withCancellation {
        self.assertIsolated()
        return true
      }
    }

    func fetched() async throws -> Int { try await modelContext.fetching(FetchDescriptor<Disc>()).count }
    func counted() throws -> Int { try modelContext.fetch(FetchDescriptor<Disc>()).count }
  }

  @Test func `a call stays on the caller's actor`() async throws {
    let container = try filled()
    let clerk = Clerk(modelContainer: container)
    #expect(try await clerk.isHere())
    // Each context is used by one thread at a time.
    try await withThrowingTaskGroup(of: Int.self) { group in
      for number in 0..<12 {
        group.addTask { number % 2 == 0 ? try await clerk.fetched() : try await clerk.counted() }
      }
      for try await count in group { #expect(count == Self.count) }
    }
    try await checkMain(container)
  }

  @MainActor private func checkMain(_ container: ModelContainer) async throws {
    let context = container.mainContext
    try await context.withCancellation { MainActor.assertIsolated() }
    let count = try await context.fetchingCount(FetchDescriptor<Disc>())
    #expect(count == Self.count)
  }
}
