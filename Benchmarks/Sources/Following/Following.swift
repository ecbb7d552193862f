import Foundation
import Roost

@Model final class Track {
  var title: String
  var genre: String
  var year: Int

  init(_ title: String, genre: String, year: Int) {
    self.title = title
    self.genre = genre
    self.year = year
  }
}

/// The time of a commit of one change with and without readers of live results, and the time of a
/// reader after it.
@main struct Following {
  static let descriptor = FetchDescriptor<Track>(
    predicate: #Predicate { $0.genre != "none" }, sortBy: [SortDescriptor(\.year)])

  static func container(_ count: Int) throws -> ModelContainer {
    let container = try ModelContainer(for: Track.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    try ModelContext(container).insert(
      batch: (0..<count).lazy.map { Track("track \($0)", genre: ["rock", "pop", "jazz"][$0 % 3], year: $0) })
    return container
  }

  static func median(_ times: [Duration]) -> String {
    let middle = times.sorted()[times.count / 2] / .nanoseconds(1)
    return String(format: "%9.1f", middle / 1000)
  }

  /// Repeatedly changes one model, saves and reads further.
  static func sequences(_ count: Int, readers: Int) async throws {
    let container = try container(count)
    let context = ModelContext(container)
    var iterators = (0..<readers).map { _ in container.changes(of: descriptor).makeAsyncIterator() }
    for reader in iterators.indices { _ = try await iterators[reader].next() }
    let tracks = try context.fetch(FetchDescriptor<Track>())
    let clock = ContinuousClock()
    var (saves, reads): ([Duration], [Duration]) = ([], [])
    for round in 1...1000 {
      tracks[round * 7919 % count].year = count + round * 104_729 % (count * 4)
      saves.append(try clock.measure { try context.save() })
      let start = clock.now
      for reader in iterators.indices { _ = try await iterators[reader].next() }
      reads.append(clock.now - start)
    }
    print("\(count) results, \(readers) readers: save \(median(saves)) µs, then read \(median(reads)) µs")
  }

  static func observer(_ count: Int) throws {
    let container = try container(count)
    let context = ModelContext(container)
    let observer = try ResultsObserver<Track, Never>(fetchDescriptor: descriptor, modelContext: context)
    let tracks = Array(observer.results)
    let clock = ContinuousClock()
    var (pending, saved, fetched): ([Duration], [Duration], [Duration]) = ([], [], [])
    var sum = 0
    for round in 1...300 {
      tracks[round * 7919 % count].year = count + round * 104_729 % (count * 4)
      pending.append(clock.measure { sum += observer.results[0].year })
      try context.save()
      saved.append(clock.measure { sum += observer.results[0].year })
      fetched.append(try clock.measure { sum += try context.fetch(descriptor)[0].year })
    }
    print(
      "\(count) results, observer: read with one unsaved model \(median(pending)) µs, after the save \(median(saved)) µs, "
        + "fetch \(median(fetched)) µs (\(sum % 10))")
  }

  static func main() async throws {
    for _ in 1...3 {
      for readers in [0, 1, 4] { try await sequences(10_000, readers: readers) }
      try await sequences(100_000, readers: 1)
      try observer(10_000)
    }
  }
}
