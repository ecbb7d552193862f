import Foundation
import Observation
import RoostTestSupport
import SwiftData
import Testing

/// Whether an observer was notified of a change.
private final class Told: @unchecked Sendable { var isTold = false }

/// Sequences of results and values, and observers: their beginning, their end, and changes between
/// two elements.
@Suite(.timeLimit(.minutes(30))) struct LiveTests {
  private let container: ModelContainer
  private let writer: ModelContext

  init() throws {
    container = try ModelContainer(
      for: LiveSong.self, LiveSingle.self, LiveAlbum.self, LiveTag.self,
      configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    writer = ModelContext(container)
  }

  private func add(_ numbers: Range<Int>) throws {
    for number in numbers { writer.insert(LiveSong("s\(number)", "rock", year: 2000, number: number)) }
    try writer.save()
  }

  private func song(_ number: Int) throws -> LiveSong {
    try #require(try writer.fetch(FetchDescriptor<LiveSong>(predicate: #Predicate { $0.number == number })).first)
  }

  private let byNumber = FetchDescriptor<LiveSong>(sortBy: [SortDescriptor(\.number)])

  @Test func `the first element has all results, later commits are combined to one change`() async throws {
    try add(0..<5)
    var iterator = container.changes(of: byNumber).makeAsyncIterator()
    try add(5..<6)
    let first = try #require(await iterator.next())
    #expect(first.results.map(\.number) == Array(0..<6) && first.formerResults.isEmpty)
    #expect(first.difference.insertions == Array(0..<6))
    try song(1).title = "x"
    try writer.save()
    writer.delete(try song(0))
    try writer.save()
    // Models that are inserted and deleted in between do not appear.
    try add(9..<10)
    writer.delete(try song(9))
    try writer.save()
    try song(3).number = 30
    try writer.save()
    let second = try #require(await iterator.next())
    #expect(second.results.map(\.number) == [1, 2, 4, 5, 30])
    #expect(second.difference.deletions == [0] && second.difference.updates == [0])
    #expect(second.difference.moves == [ResultsDifference.Move(from: 3, to: 4)])
    #expect(second.difference.insertions.isEmpty && second.formerResults == first.results)
  }

  @Test func `a change without a move is an update, and one outside the predicate is ignored`() async throws {
    try add(0..<5)
    var descriptor = byNumber
    descriptor.predicate = #Predicate { $0.number < 50 }
    var iterator = container.changes(of: descriptor).makeAsyncIterator()
    _ = try await iterator.next()
    try add(60..<61)
    try song(60).title = "y"
    try writer.save()
    try song(4).number = 40
    try writer.save()
    let change = try #require(await iterator.next())
    #expect(change.difference == ResultsDifference(updates: [4]))
  }

  @Test func `a limit is filled from the following results`() async throws {
    try add(0..<300)
    var descriptor = byNumber
    descriptor.fetchLimit = 10
    var iterator = container.changes(of: descriptor).makeAsyncIterator()
    _ = try await iterator.next()
    // More models than the sequence keeps in reserve.
    for number in 0..<150 { writer.delete(try song(number)) }
    try writer.save()
    #expect(try await iterator.next()?.results.map(\.number) == Array(150..<160))
    try add(0..<150)
    #expect(try await iterator.next()?.results.map(\.number) == Array(0..<10))
    try add(-600 ..< -100)
    #expect(try await iterator.next()?.results.map(\.number) == Array(-600 ..< -590))
    for number in -600 ..< -150 { writer.delete(try song(number)) }
    try writer.save()
    #expect(try await iterator.next()?.results.map(\.number) == Array(-150 ..< -140))
  }

  @Test func `it ends with its task and with its container`() async throws {
    let container = container
    let descriptor = byNumber
    let (begun, begin) = AsyncStream.makeStream(of: Void.self)
    var begins = begun.makeAsyncIterator()
    let reading = Task {
      var count = 0
      for try await _ in container.changes(of: descriptor) {
        count += 1
        begin.yield()
      }
      return count
    }
    await begins.next()
    reading.cancel()
    #expect(try await reading.value == 1)
    let other = Task {
      var count = 0
      for try await _ in container.countChanges(of: descriptor) {
        count += 1
        begin.yield()
      }
      return count
    }
    await begins.next()
    try container.close()
    #expect(try await other.value == 1)
    var late = container.changes(of: descriptor).makeAsyncIterator()
    await #expect(throws: RoostError.self) { _ = try await late.next() }
  }

  @Test func `a bad descriptor is thrown, and then the sequence is over`() async throws {
    let bad = FetchDescriptor<LiveSong>(sortBy: [SortDescriptor(\.album!.name)])
    var iterator = container.changes(of: bad).makeAsyncIterator()
    await #expect(throws: SwiftDataError.self) { _ = try await iterator.next() }
    #expect(try await iterator.next() == nil)
  }

  @Test func `a value is reported when it changes`() async throws {
    try add(0..<3)
    let old = FetchDescriptor<LiveSong>(predicate: #Predicate { $0.year < 1990 })
    var counts = container.countChanges(of: old).makeAsyncIterator()
    var sums = container.changes(in: [LiveSong.self]) { try $0.sum(of: \LiveSong.number) }.makeAsyncIterator()
    let identifier = try song(1).persistentModelID
    var one = container.changes(of: identifier, as: LiveSong.self).makeAsyncIterator()
    #expect(try await counts.next() == 0)
    #expect(try await sums.next() == 3)
    #expect(try await one.next()??.number == 1)
    try song(0).year = 1980
    writer.insert(LiveAlbum("a", number: 1))
    try writer.save()
    #expect(try await counts.next() == 1)
    try song(1).number = 10
    try writer.save()
    #expect(try await sums.next() == 12)
    #expect(try await one.next()??.number == 10)
    let tag = LiveTag("x")
    writer.insert(tag)
    tag.songs = [try song(10)]
    try writer.save()
    #expect(try await one.next()??.tags.count == 1)
    writer.delete(try song(10))
    try writer.save()
    let gone = try #require(await one.next())
    #expect(gone == nil)
  }

  @Test func `many writers on many threads, and readers of different speeds`() async throws {
    let container = container
    try add(0..<20)
    let descriptor = byNumber
    let readers = (0..<3).map { reader in
      Task {
        var copy: [ModelSnapshot<LiveSong>] = []
        for try await change in container.changes(of: descriptor) {
          guard change.formerResults.elementsEqual(copy) else { return -1 }
          let results = change.results
          change.difference.apply(to: &copy) { results[$0] }
          guard results.elementsEqual(copy) else { return -2 }
          if results.last?.number == 1_000_000 { break }
          if reader == 0 { try await Task.sleep(for: .milliseconds(3)) }
        }
        return copy.count
      }
    }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for writer in 0..<4 {
        group.addTask {
          var random = SplitMix64(seed: UInt64(writer + 1))
          for step in 0..<60 {
            try container.write { context in
              let all = try context.fetch(FetchDescriptor<LiveSong>())
              let one = all.isEmpty ? nil : all[Int(random.next() % UInt64(all.count))]
              switch random.next() % 4 {
              case 0: if all.count > 5, let one { context.delete(one) }
              case 1: one?.number = Int(random.next() % 1000)
              default:
                context.insert(LiveSong("\(writer) \(step)", nil, year: step, number: Int(random.next() % 1000)))
              }
            }
          }
        }
      }
      try await group.waitForAll()
    }
    writer.insert(LiveSong("last", nil, year: 0, number: 1_000_000))
    try writer.save()
    let expected = try writer.fetchCount(byNumber)
    for reader in readers { #expect(try await reader.value == expected) }
  }

  // MARK: Observers

  @Test func `long results change in all their parts`() async throws {
    try add(0..<2000)
    var random = SplitMix64(seed: 1)
    func below(_ bound: Int) -> Int { Int(random.next() % UInt64(bound)) }
    var descriptor = byNumber
    descriptor.predicate = #Predicate { $0.year == 2000 }
    var iterator = container.changes(of: descriptor, sectionBy: \.title).makeAsyncIterator()
    var plain = container.changes(of: descriptor).makeAsyncIterator()
    var copy: [ModelSnapshot<LiveSong>] = []
    var titled: [ModelSnapshot<LiveSong>] = []
    for step in 0..<60 {
      let all = try writer.fetch(byNumber)
      // Whole parts are removed and added.
      let start = below(max(1, all.count - 400))
      for model in all[start..<min(all.count, start + [1, 3, 400][step % 3])] {
        switch below(4) {
        case 0: writer.delete(model)
        case 1: model.number = below(10_000)
        case 2: model.year = model.year == 2000 ? 1999 : 2000
        default: writer.insert(LiveSong("t\(below(30))", nil, year: 2000, number: below(10_000)))
        }
      }
      writer.insert(LiveSong("last", nil, year: 2000, number: 20_000 + step))
      try writer.save()
      let change = try #require(await plain.next())
      change.difference.apply(to: &copy) { change.results[$0] }
      #expect(copy == Array(change.results))
      #expect(copy == (try container.fetchSnapshots(descriptor)), "step \(step)")
      let other = try #require(await iterator.next())
      other.difference.apply(to: &titled) { other.results[$0] }
      #expect(titled == Array(other.results))
      let sections = try #require(other.results.sections)
      #expect(sections.allSatisfy { section in section.allSatisfy { $0.title == section.title } })
      #expect(sections.reduce(0) { $0 + $1.count } == titled.count && titled.count == copy.count)
    }
  }

  @Test func `an observer of an actor works while its context is not used`() async throws {
    actor Shelf {
      let observer: ResultsObserver<LiveSong, String>
      init(_ container: ModelContainer) throws {
        observer = try ResultsObserver(sectionBy: \LiveSong.title, modelContainer: container, isolation: nil)
      }
      func titles() -> [String] { observer.sections?.sectionTitles ?? [] }
    }
    let shelf = try Shelf(container)
    try add(0..<2)
    #expect(await shelf.titles() == ["s0", "s1"])
    #expect(throws: SwiftDataError.self) {
      _ = try ResultsObserver<LiveSong, Never>(
        sortBy: [SortDescriptor(\.album!.name)], modelContainer: container, isolation: nil)
    }
  }

  @Test func `the descriptor of an observer can be changed`() throws {
    try add(0..<4)
    let observer = try ResultsObserver<LiveSong, Never>(fetchDescriptor: byNumber, modelContext: writer)
    observer.filterBy = #Predicate { $0.number > 1 }
    #expect(observer.results.map(\.number) == [2, 3])
    observer.sortBy = [SortDescriptor(\.number, order: .reverse)]
    #expect(observer.results.map(\.number) == [3, 2])
    observer.sortBy = [SortDescriptor(\.album!.name)]
    #expect(observer.results.map(\.number) == [3, 2] && observer.fetchError is SwiftDataError)
    observer.fetchDescriptor = byNumber
    #expect(observer.results.count == 4 && observer.fetchError == nil)
    let third = observer.results[2]
    #expect(observer.indexPath(for: third) == [0, 2] && observer.element(at: [0, 2]) === third)
    #expect(
      observer.element(at: [1, 0]) == nil && observer.element(at: [0, 9]) == nil && observer.element(at: []) == nil)
    #expect(observer.debugDescription == "ResultsObserver of 4 LiveSong")
  }
}

@MainActor @Suite(.timeLimit(.minutes(30))) struct LiveMainTests {
  @Test func `an observer of the main context gets other contexts' commits`() async throws {
    let container = try ModelContainer(
      for: LiveSong.self, LiveSingle.self, LiveAlbum.self, LiveTag.self,
      configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let observer = try ResultsObserver<LiveSong, Never>(
      sortBy: [SortDescriptor(\.number)], modelContext: container.mainContext)
    #expect(observer.results.isEmpty)
    let told = Told()
    withObservationTracking {
      _ = observer.results
    } onChange: {
      told.isTold = true
    }
    let writer = ModelContext(container)
    for number in 0..<3 { writer.insert(LiveSong("a", nil, year: 2000, number: number)) }
    try writer.save()
    while !told.isTold { try await Task.sleep(for: .milliseconds(10)) }
    #expect(told.isTold && observer.results.map(\.number) == [0, 1, 2])
    // A change of another model does not notify.
    told.isTold = false
    withObservationTracking {
      _ = observer.results
    } onChange: {
      told.isTold = true
    }
    writer.insert(LiveAlbum("a", number: 1))
    try writer.save()
    container.mainContext.insert(LiveTag("x"))
    for _ in 0..<10 { try await Task.sleep(for: .milliseconds(10)) }
    #expect(!told.isTold && observer.results.count == 3)
  }
}
