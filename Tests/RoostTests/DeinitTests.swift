import Foundation
import SwiftData
import Testing

// Models whose `deinit` uses their context, as programs do to count, log or clean up.

/// Runs in the `deinit` of a disc, a song or a label.
private enum Farewell {
  nonisolated(unsafe) static var body: (any PersistentModel) -> Void = { _ in }
  nonisolated(unsafe) static var count = 0

  static func note(_ model: any PersistentModel) {
    count += 1
    body(model)
  }
}

@Model final class Imprint {
  var name: String
  @Relationship(inverse: \Platter.label) var discs: [Platter] = []
  init(_ name: String) { self.name = name }
  deinit { Farewell.note(self) }
}

@Model final class Platter {
  var title: String
  var plays = 0
  /// A list of values is moved out of its model while it is changed.
  var tags: [String] = []
  var label: Imprint?
  @Relationship(deleteRule: .cascade, inverse: \Groove.disc) var songs: [Groove] = []
  /// It is read after the songs.
  var rank = 0
  init(_ title: String) { self.title = title }
  deinit { Farewell.note(self) }
}

@Model final class Groove {
  @Attribute(.unique) var number: Int
  var disc: Platter?
  var likes: [Platter] = []
  init(_ number: Int) { self.number = number }
  deinit { Farewell.note(self) }
}

/// Regression: a model's `deinit` may read and change everything. One that read a reference freed
/// memory that was in use: a context released the last references to objects while it changed the
/// list that held them, and the `deinit` used that list.
@Suite(.serialized) struct DeinitTests {
  private func makeContainer(_ discs: Int = 40) throws -> ModelContainer {
    let container = try ModelContainer(
      for: Imprint.self, Platter.self, Groove.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let context = ModelContext(container)
    for number in 0..<discs {
      let disc = Platter("disc \(number)")
      disc.label = Imprint("label \(number % 7)")
      for at in 0..<3 { disc.songs.append(Groove(3 * number + at)) }
      context.insert(disc)
    }
    try context.save()
    return container
  }

  private func during(_ body: @escaping (any PersistentModel) -> Void, _ work: () throws -> Void) rethrows {
    Farewell.body = body
    defer { Farewell.body = { _ in } }
    try work()
  }

  private func songs(_ context: ModelContext) throws -> [Groove] {
    try context.fetch(FetchDescriptor<Groove>(sortBy: [SortDescriptor(\.number)]))
  }

  @Test func `a deinit reads references and lists while a context forgets fetched models`() throws {
    let context = ModelContext(try makeContainer())
    var read = 0
    // Models that a deinit loads are released too, and load more: the program must stop that.
    var budget = 0
    try during { model in
      budget -= 1
      if budget < 0 { return }
      if let song = model as? Groove { read += song.disc?.title.count ?? 0 }
      if let disc = model as? Platter { read += (disc.label?.name.count ?? 0) + disc.songs.count }
      if let label = model as? Imprint { read += label.discs.count }
    } _: {
      for _ in 0..<10 {
        budget = 400
        for song in try songs(context) { read += song.disc?.label?.name.count ?? 0 }
        for disc in try context.fetch(FetchDescriptor<Platter>()) { read += disc.songs.count }
      }
    }
    #expect(read > 0)
    #expect(try songs(context).count == 120)
  }

  @Test func `a deinit fetches, inserts and saves during a release`() throws {
    let container = try makeContainer(10)
    let context = ModelContext(container)
    var (next, depth) = (1000, 0)
    try during { _ in
      // Endless nesting would be the program's own error.
      if depth > 0 || next >= 1040 { return }
      depth += 1
      defer { depth -= 1 }
      next += 1
      context.insert(Groove(next))
      _ = try? context.fetch(FetchDescriptor<Platter>())
      try? context.save()
    } _: {
      for round in 0..<6 {
        for song in try songs(context) { _ = song.disc?.label?.name }
        if round % 2 == 0 { context.rollback() } else { try context.save() }
        context.reset()
      }
    }
    try context.save()
    #expect(next == 1040)
    #expect(
      try ModelContext(container).fetchCount(FetchDescriptor<Groove>(predicate: #Predicate { $0.number > 1000 })) == 40)
  }

  @Test func `a deinit sets references and lists of others during a rollback or a save`() throws {
    let container = try makeContainer(12)
    let context = ModelContext(container)
    let keeper = Imprint("keeper")
    context.insert(keeper)
    try context.save()
    var turn = 0
    try during { _ in
      turn += 1
      guard turn % 3 == 0, turn < 600, let discs = try? context.fetch(FetchDescriptor<Platter>()), !discs.isEmpty else {
        return
      }
      let disc = discs[turn % discs.count]
      disc.plays += 1
      disc.label = turn % 2 == 0 ? keeper : nil
      keeper.discs.removeAll { $0 !== disc }
      disc.songs.reverse()
    } _: {
      for round in 0..<12 {
        for disc in try context.fetch(FetchDescriptor<Platter>()) {
          disc.songs.reverse()
          disc.songs.first?.likes = [disc]
          disc.label?.discs.append(Platter("new \(round)"))
        }
        switch round % 4 {
        case 0: context.rollback()
        case 1: try context.save()
        case 2: context.reset()
        default:
          if let disc = try context.fetch(FetchDescriptor<Platter>()).first { context.delete(disc) }
          try context.save()
        }
      }
    }
    context.rollback()
    let other = ModelContext(container)
    for disc in try other.fetch(FetchDescriptor<Platter>()) {
      #expect(disc.songs.allSatisfy { $0.disc === disc })
      #expect(disc.label.map { $0.discs.contains(disc) } ?? true)
    }
  }

  @Test func `a deinit's changes of its own model have no effect and are reported`() throws {
    let container = try makeContainer(2)
    let context = ModelContext(container)
    try during { model in
      guard let disc = model as? Platter else { return }
      disc.title = "ended"
      disc.songs.removeAll()
      disc.label = nil
    } _: {
      _ = try context.fetch(FetchDescriptor<Platter>()).map(\.songs.count)
      context.reset()
    }
    #expect(throws: (any Error).self) { try context.save() }
    try context.save()
    #expect(try ModelContext(container).fetch(FetchDescriptor<Platter>()).allSatisfy { $0.songs.count == 3 })
  }

  @Test func `a model that inserts itself in its deinit is refused and not kept`() throws {
    let container = try makeContainer(1)
    let context = ModelContext(container)
    during { model in
      guard let song = model as? Groove, song.modelContext == nil else { return }
      context.insert(song)
    } _: {
      _ = Groove(5000)
    }
    #expect(throws: (any Error).self) { try context.save() }
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Groove>()) == 3)
  }

  @Test func `every model is released although each deinit reads its neighbours`() throws {
    let context = ModelContext(try makeContainer())
    Farewell.count = 0
    var made = 0
    try during { model in
      if let song = model as? Groove { _ = song.disc?.plays }
    } _: {
      for _ in 0..<5 { made += try songs(context).filter { $0.disc != nil }.count }
      context.reset()
      _ = try context.fetch(FetchDescriptor<Imprint>(predicate: #Predicate { $0.name == "none" }))
    }
    #expect(Farewell.count >= made)
  }

  /// Regression: a reset emptied models that a deinit had changed meanwhile, and the next save
  /// threw that their values were never set.
  @Test func `models that a deinit changes and inserts during a reset are saved`() throws {
    let container = try makeContainer(2)
    let context = ModelContext(container)
    let keeper = Imprint("keeper")
    context.insert(keeper)
    try context.save()
    var isDone = false
    try during { model in
      if isDone || !(model is Platter) { return }
      isDone = true
      keeper.name = "changed"
      context.insert(Groove(7000))
    } _: {
      for disc in try context.fetch(FetchDescriptor<Platter>()) { _ = disc.songs.count }
      context.reset()
    }
    #expect(isDone)
    try context.save()
    let other = ModelContext(container)
    #expect(try other.fetch(FetchDescriptor<Imprint>()).contains { $0.name == "changed" })
    #expect(try other.fetchCount(FetchDescriptor<Groove>(predicate: #Predicate { $0.number == 7000 })) == 1)
  }

  /// Regression: a batch released its models while it changed the list that held them.
  @Test func `a deinit reads and changes everything while a batch releases its models`() throws {
    let container = try makeContainer(6)
    let context = ModelContext(container)
    let keeper = Imprint("keeper")
    context.insert(keeper)
    try context.save()
    var (turn, made, refused) = (0, 0, 0)
    try during { model in
      turn += 1
      if let disc = model as? Platter { _ = (disc.label?.name, disc.songs.map(\.number)) }
      guard turn % 5 == 0, turn < 300 else { return }
      let discs = (try? context.fetch(FetchDescriptor<Platter>(sortBy: [SortDescriptor(\.title)]))) ?? []
      discs.first?.plays += 1
      discs.last?.label = keeper
      keeper.discs.first?.songs.reverse()
      made += 1
      context.insert(Groove(10_000 + made))
      // A write within a write is refused, and harms neither.
      do { try context.save() } catch { refused += 1 }
      do { try context.insert(batch: [Imprint("nested")]) } catch { refused += 1 }
    } _: {
      try context.insert(
        batch: (0..<200).lazy.map { number in
          let disc = Platter("batch \(number)")
          disc.songs = [Groove(1000 + number)]
          disc.label = Imprint("new")
          return disc
        })
    }
    #expect(made > 10 && refused >= made)
    try context.save()
    let other = ModelContext(container)
    let discs = try other.fetch(FetchDescriptor<Platter>()).filter { $0.title.hasPrefix("batch") }
    #expect(Set(discs.map(\.title)).count == 200 && discs.allSatisfy { $0.songs.count == 1 })
    let numbers = try songs(other).map(\.number)
    #expect(numbers.filter { $0 > 10_000 } == Array(10_001...10_000 + made))
    #expect(try other.fetch(FetchDescriptor<Imprint>()).first { $0.name == "keeper" }?.discs.isEmpty == false)
  }

  /// Regression: members were released while the row of their owner was being read. A `deinit` saw
  /// the owner half with old and half with stored values.
  @Test func `a deinit sees complete models while a rollback discards a list being changed`() throws {
    let container = try makeContainer(1)
    let context = ModelContext(container)
    let disc = try #require(try context.fetch(FetchDescriptor<Platter>()).first)
    #expect(disc.songs.count == 3)
    disc.rank = 5
    var seen: [Int] = []
    func change(_ tags: inout [String]) {
      context.rollback()
      tags = ["changed"]
    }
    during { model in
      guard model is Groove else { return }
      seen.append(disc.rank)
      _ = try? context.fetch(FetchDescriptor<Platter>()).map(\.songs.count)
    } _: {
      change(&disc.tags)
      // The remembered results of a fetch hold the songs too.
      context.reset()
    }
    #expect(!seen.isEmpty && seen.allSatisfy { $0 == 0 }, "\(seen)")
  }

  /// Regression: a release build released the old value before it stored the new one, and a
  /// `deinit` read freed memory. With `-enable-testing` it did not release an old list at all.
  @Test func `a deinit that reads the relationship being set sees its new value`() {
    let disc = Platter("disc")
    disc.label = Imprint("first")
    disc.songs = [Groove(1), Groove(2)]
    var seen: [String] = []
    during { _ in
      seen.append("\(disc.songs.map(\.number)) \(disc.label?.name ?? "none")")
    } _: {
      disc.songs = [Groove(3)]
      disc.label = nil
      disc.songs = []
    }
    #expect(seen == ["[3] first", "[3] first", "[3] none", "[] none"])
  }
}
