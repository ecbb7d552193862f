import Foundation
import RoostFile
import SwiftData
import Synchronization
import Testing

// They use internal declarations, which an optimised build does not show.
#if DEBUG
  @testable import Roost

  @Model final class Tally {
    @Attribute(.unique) var name: String
    var count = 0
    var note = ""

    init(_ name: String) { self.name = name }
  }

  @Model final class Visit {
    var name: String

    init(_ name: String) { self.name = name }
  }

  /// Regression: two contexts that each read a counter and stored one more lost all but one of
  /// their increments. Two that each looked for a model before they inserted it inserted two.
  /// Writes take turns instead.
  @Suite(.timeLimit(.minutes(30))) struct WriteTests {
    private let container: ModelContainer

    init() throws {
      container = try ModelContainer(
        for: Tally.self, Visit.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
      try container.write { $0.insert(Tally("a")) }
    }

    private static func add(_ container: ModelContainer, _ number: Int = 1) throws {
      try container.write { try tally($0).count += number }
    }

    private static func tally(_ context: ModelContext) throws -> Tally {
      try #require(try context.fetch(FetchDescriptor<Tally>()).first { $0.name == "a" })
    }

    private func count() throws -> Int { try Self.tally(ModelContext(container)).count }

    // MARK: Turns

    @Test func `increments by tasks and threads at the same time are not lost`() async throws {
      let container = container
      let threads = try (0..<4).map { _ in
        try RoostFile.Thread { for _ in 0..<25 { try? Self.add(container) } }
      }
      await withTaskGroup(of: Void.self) { group in
        for _ in 0..<100 { group.addTask { _ = try? await container.write { try Self.tally($0).count += 1 } } }
      }
      for thread in threads { thread.join() }
      #expect(try count() == 200)
    }

    @Test func `a model that is inserted if missing is inserted once`() async throws {
      let container = container
      try await withThrowingTaskGroup(of: Bool.self) { group in
        for _ in 0..<40 {
          group.addTask {
            try await container.write { context in
              if try context.fetchCount(FetchDescriptor<Visit>()) > 0 { return false }
              context.insert(Visit("only"))
              return true
            }
          }
        }
        let inserted = try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        #expect(inserted == 1)
      }
      #expect(try ModelContext(container).fetchCount(FetchDescriptor<Visit>()) == 1)
    }

    /// Runs a closure while another thread is in a write, which ends when the semaphore is
    /// signalled.
    private func beside(_ body: (_ leave: DispatchSemaphore) async throws -> Void) async throws {
      let (inside, leave) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
      let container = container
      let thread = try RoostFile.Thread {
        try? container.write { context in
          inside.signal()
          leave.wait()
          try Self.tally(context).count += 1000
        }
      }
      Self.wait(inside)
      defer {
        leave.signal()
        thread.join()
      }
      try await body(leave)
    }

    private static func wait(_ semaphore: DispatchSemaphore) { semaphore.wait() }
    private static func addAsFunction(_ container: ModelContainer) throws { try add(container) }
    private var turns: WriteTurns { container.stores.stores[0].writeTurns }

    private func waitFor(_ count: Int) async throws {
      while turns.waitingCount < count { try await Task.sleep(for: .milliseconds(1)) }
    }

    @Test func `tasks that wait for their turn block no thread`() async throws {
      let container = container
      try await beside { leave in
        try await withThrowingTaskGroup(of: Void.self) { group in
          for _ in 0..<200 { group.addTask { try await container.write { try Self.tally($0).count += 1 } } }
          try await waitFor(200)
          // Each of these needs a thread, and there are as many threads as processors.
          let others = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<100 { group.addTask { 1 } }
            return await group.reduce(0, +)
          }
          #expect(others == 100)
          leave.signal()
          try await group.waitForAll()
        }
      }
      #expect(try count() == 1200)
    }

    /// A turn that is handed to a task needs a thread that this task may never get, because all
    /// threads may wait for the turn.
    @Test func `threads that wait behind a task continue`() async throws {
      let (container, turns) = (container, turns)
      try await beside { leave in
        try await withThrowingTaskGroup(of: Void.self) { group in
          group.addTask { try await container.write { try Self.tally($0).count += 1 } }
          try await waitFor(1)
          // The tasks use all threads of the pool, so a separate thread ends the other write.
          let thread = try RoostFile.Thread {
            while turns.waitingCount < 2 { RoostFile.Thread.sleep(microseconds: 1000) }
            leave.signal()
          }
          for _ in 0..<50 { group.addTask { try Self.addAsFunction(container) } }
          try await group.waitForAll()
          thread.join()
        }
      }
      #expect(try count() == 1051)
    }

    @Test func `a task that is cancelled while it waits writes nothing`() async throws {
      let container = container
      try await beside { leave in
        let tasks = (0..<3).map { number in
          Task { try await container.write { try Self.tally($0).count += number == 1 ? 100 : 1 } }
        }
        try await waitFor(3)
        tasks[1].cancel()
        await #expect(throws: CancellationError.self) { try await tasks[1].value }
        leave.signal()
        for number in [0, 2] { try await tasks[number].value }
      }
      #expect(try count() == 1002)
    }

    @Test func `a write in a write is refused, and the next one is not`() throws {
      let container = container
      try container.write { context in
        let error = #expect(throws: RoostError.self) { try container.write { $0.insert(Visit("inner")) } }
        #expect(error?.storeError?.code == .nestedWrite)
        context.insert(Visit("outer"))
      }
      #expect(try container.write { try $0.fetch(FetchDescriptor<Visit>()).map(\.name) } == ["outer"])
    }

    /// Regression: a write whose closure waited for another thread's write waited forever without
    /// an error.
    @Test(.timeLimit(.minutes(30)), arguments: [false, true])
    func `a write that waits for another thread's write continues, and that one throws`(isTask: Bool) throws {
      let folder = try Folder()
      var configuration = ModelConfiguration(url: folder.file())
      configuration.writeTimeout = .milliseconds(30)
      let container = try ModelContainer(for: Tally.self, Visit.self, configurations: configuration)
      let fault = Told()
      let line: UInt = #line + 1
      try container.write { context in
        context.insert(Visit("outer"))
        let isDone = DispatchSemaphore(value: 0)
        if isTask {
          Task {
            do { try await container.write { $0.insert(Visit("inner")) } } catch { fault.note(error) }
            isDone.signal()
          }
        } else {
          try RoostFile.Thread {
            do { try container.write { $0.insert(Visit("inner")) } } catch { fault.note(error) }
            isDone.signal()
          }.detach()
        }
        isDone.wait()
      }
      let error = try #require(fault.error as? RoostError)
      #expect(error.code == .store && error.storeError?.code == .timedOut)
      for part in ["WriteTests.swift:\(line)", "waited", "closure", "writeTimeout"] {
        #expect(error.description.contains(part), "\(error)")
      }
      // The turn is free again, for threads and tasks.
      #expect(try container.write { try $0.fetch(FetchDescriptor<Visit>()).map(\.name) } == ["outer"])
      #expect(container.stores.stores[0].writeTurns.waitingCount == 0)
    }

    private final class Told: @unchecked Sendable {
      // Unchecked because `lock` guards the value.
      private let lock = NSLock()
      private var kept: (any Error)?

      var error: (any Error)? { lock.withLock { kept } }
      func note(_ error: any Error) { lock.withLock { kept = error } }
    }

    /// The timeout applies to one other write: many short ones may take longer together.
    @Test func `a write that waits for many short ones does not time out`() async throws {
      let turns = WriteTurns()
      let place = WritePlace(#fileID, #line)
      try turns.take(place)
      let error = #expect(throws: StoreError.self) { try turns.take(place, timeoutNanoseconds: 1_000_000) }
      #expect(error?.code == .timedOut)
      let task = await #expect(throws: StoreError.self) {
        try await turns.takeAsTask(place, timeoutNanoseconds: 1_000_000)
      }
      #expect(task?.code == .timedOut && turns.waitingCount == 0)
      let waiting = Task { try await turns.takeAsTask(place, timeoutNanoseconds: 3_600_000_000_000) }
      while turns.waitingCount < 1 { await Task.yield() }
      turns.give()
      try await waiting.value
      turns.give()
      try turns.take(place, timeoutNanoseconds: 0)
      turns.give()
    }

    @Test func `a container of two stores takes the turn of both`() throws {
      let folder = try Folder()
      let container = try ModelContainer(
        for: Schema([Tally.self, Visit.self]),
        configurations: [
          ModelConfiguration("one", schema: Schema([Tally.self]), url: folder.file("one.roost")),
          ModelConfiguration("two", schema: Schema([Visit.self]), url: folder.file("two.roost")),
        ])
      let threads = try (0..<4).map { _ in
        try RoostFile.Thread {
          for _ in 0..<10 {
            try? container.write { context in
              let number = try context.fetchCount(FetchDescriptor<Visit>())
              context.insert(Visit("\(number)"))
              context.insert(Tally("\(number)"))
            }
          }
        }
      }
      for thread in threads { thread.join() }
      let context = ModelContext(container)
      #expect(Set(try context.fetch(FetchDescriptor<Visit>()).map(\.name)).count == 40)
      #expect(try context.fetchCount(FetchDescriptor<Tally>()) == 40)
      // A write on either store alone waits.
      let alone = [
        try ModelContainer(
          for: Tally.self, configurations: ModelConfiguration("one", url: folder.file("one.roost"))),
        try ModelContainer(
          for: Visit.self, configurations: ModelConfiguration("two", url: folder.file("two.roost"))),
      ]
      let ended = Mutex(0)
      var waiting: [RoostFile.Thread] = []
      try container.write { _ in
        for one in alone {
          waiting.append(
            try RoostFile.Thread {
              try? one.write { _ in }
              ended.withLock { $0 += 1 }
            })
        }
        for store in container.stores.stores {
          while store.writeTurns.waitingCount == 0, ended.withLock({ $0 }) == 0 {
            RoostFile.Thread.sleep(microseconds: 1000)
          }
        }
        #expect(ended.withLock { $0 } == 0)
      }
      for thread in waiting { thread.join() }
      #expect(ended.withLock { $0 } == 2)
    }

    // MARK: Conflicts

    /// Commits a change by another context.
    private func commit(_ change: (ModelContext) throws -> Void) throws {
      let context = ModelContext(container)
      try change(context)
      try context.save()
    }

    @Test func `a closure that is overtaken by another context runs again`() throws {
      var runs = 0
      let seen = try container.write { context in
        runs += 1
        let tally = try Self.tally(context)
        let seen = tally.count
        if runs == 1 { try commit { try Self.tally($0).count = 10 } }
        // Later commits of others are not seen: they would be counted twice.
        #expect(try context.fetchCount(FetchDescriptor<Tally>()) == 1 && tally.count == seen)
        tally.count = seen + 1
        return seen
      }
      #expect(runs == 2 && seen == 10)
      #expect(try count() == 11)
    }

    @Test func `a change of other data by another context is merged`() throws {
      var runs = 0
      try container.write { context in
        runs += 1
        try Self.tally(context).count += 1
        try commit { try Self.tally($0).note = "other" }
      }
      let tally = try Self.tally(ModelContext(container))
      #expect(runs == 1 && tally.count == 1 && tally.note == "other")
    }

    @Test func `a model that another context inserted meanwhile is found in the second run`() throws {
      var runs = 0
      try container.write { context in
        runs += 1
        let known = try context.fetch(FetchDescriptor<Tally>()).first { $0.name == "b" }
        if runs == 1 {
          try commit { context in
            let tally = Tally("b")
            tally.count = 5
            context.insert(tally)
          }
        }
        let tally = known ?? Tally("b")
        if known == nil { context.insert(tally) }
        tally.count += 1
      }
      #expect(runs == 2)
      let stored = try ModelContext(container).fetch(FetchDescriptor<Tally>()).first { $0.name == "b" }
      #expect(stored?.count == 6)
    }

    @Test func `a model that another context deleted meanwhile is missing in the second run`() throws {
      var runs = 0
      try container.write { context in
        runs += 1
        guard let tally = try context.fetch(FetchDescriptor<Tally>()).first else { return }
        tally.count += 1
        try commit { context in context.delete(try Self.tally(context)) }
      }
      #expect(runs == 2)
      #expect(try ModelContext(container).fetchCount(FetchDescriptor<Tally>()) == 0)
    }

    @Test func `a closure that is always overtaken ends with the conflict`() throws {
      var runs = 0
      let error = #expect(throws: RoostError.self) {
        try container.write { context in
          runs += 1
          let tally = try Self.tally(context)
          try commit { try Self.tally($0).count += 10 }
          tally.count = -1
        }
      }
      #expect(error?.code == .conflict && runs == ModelContainer.mostWriteRuns)
      #expect(try count() == 10 * runs)
      try Self.add(container)
      #expect(try count() == 10 * runs + 1)
    }

    @Test func `a closure that has saved does not run again`() throws {
      var runs = 0
      let error = #expect(throws: RoostError.self) {
        try container.write { context in
          runs += 1
          context.insert(Visit("\(runs)"))
          try context.save()
          let tally = try Self.tally(context)
          try commit { try Self.tally($0).count = 10 }
          tally.count = 7
        }
      }
      #expect(error?.code == .conflict && runs == 1)
      #expect(try count() == 10)
      #expect(try ModelContext(container).fetchCount(FetchDescriptor<Visit>()) == 1)
    }

    /// The name that the closure inserts was free in its snapshot, and a model that it saw has the
    /// name by now.
    @Test func `a model that another context renamed meanwhile is found in the second run`() throws {
      var runs = 0
      try container.write { context in
        runs += 1
        if let known = try context.fetch(FetchDescriptor<Tally>()).first(where: { $0.name == "b" }) {
          known.count += 1
          return
        }
        if runs == 1 {
          try commit { context in
            let tally = try Self.tally(context)
            (tally.name, tally.count) = ("b", 5)
          }
        }
        context.insert(Tally("b"))
      }
      #expect(runs == 2)
      #expect(try ModelContext(container).fetch(FetchDescriptor<Tally>()).map(\.count) == [6])
    }

    @Test func `a closure that did a bulk write does not run again`() throws {
      var runs = 0
      let error = #expect(throws: RoostError.self) {
        try container.write { context in
          runs += 1
          let tally = try Self.tally(context)
          try context.update(model: Tally.self) { $0.note = "bulk" }
          try commit { try Self.tally($0).count = 10 }
          tally.count = 7
        }
      }
      #expect(error?.code == .conflict && runs == 1)
      #expect(try count() == 10)
    }

    @Test func `nothing is written where the closure throws, and it does not run again`() throws {
      struct Stop: Error {}
      var runs = 0
      #expect(throws: Stop.self) {
        try container.write { context in
          runs += 1
          try Self.tally(context).count += 1
          context.insert(Visit("never"))
          try commit { try Self.tally($0).note = "other" }
          throw Stop()
        }
      }
      #expect(try runs == 1 && count() == 0)
      #expect(try ModelContext(container).fetchCount(FetchDescriptor<Visit>()) == 0)
    }

    // MARK: The end of a write

    @Test func `models of a finished write keep their loaded values`() throws {
      var models: [Tally] = []
      var visit: Visit?
      var context: ModelContext?
      try container.write { inner in
        let tally = try Self.tally(inner)
        tally.count += 1
        models.append(tally)
        visit = Visit("new")
        inner.insert(try #require(visit))
        context = inner
      }
      #expect(models[0].count == 1 && models[0].name == "a" && visit?.name == "new")
      models[0].count = 50
      visit?.name = "changed"
      let closed = try #require(context)
      for call in 0..<4 {
        let error = #expect(throws: RoostError.self, "call \(call)") {
          switch call {
          case 0: _ = try closed.fetch(FetchDescriptor<Tally>())
          case 1: _ = try closed.fetch(FetchDescriptor<Visit>(predicate: #Predicate { $0.name == "new" }))
          case 2: try closed.update(model: Tally.self) { $0.count = 9 }
          default:
            closed.insert(Visit("late"))
            try closed.save()
          }
        }
        #expect(error?.code == .closed, "call \(call): \(String(describing: error))")
      }
      #expect(try count() == 1)
      #expect(try ModelContext(container).fetch(FetchDescriptor<Visit>()).map(\.name) == ["new"])
    }

    @Test func `models of a failed write have no context`() throws {
      struct Stop: Error {}
      var kept: (tally: Tally, visit: Visit)?
      #expect(throws: Stop.self) {
        try container.write { context in
          let (tally, visit) = (try Self.tally(context), Visit("new"))
          tally.count = 8
          context.insert(visit)
          kept = (tally, visit)
          throw Stop()
        }
      }
      let models = try #require(kept)
      #expect(models.visit.name == "new" && models.visit.modelContext == nil)
      #expect(models.tally.name == "a")
      try commit { $0.insert(models.visit) }
      #expect(try ModelContext(container).fetchCount(FetchDescriptor<Visit>()) == 1)
    }
  }
#endif
