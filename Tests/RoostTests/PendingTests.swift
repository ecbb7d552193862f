import SwiftData
import Testing

/// Fetches with unsaved changes, compared with arrays.
@Suite struct PendingTests {
  private struct Shadow {
    var album: Album
    var year: Int
    var price: Double
    var note: String?
    var isSaved: Bool
  }

  @Test(arguments: 1...12) func `a fetch sees unsaved changes`(seed: UInt64) throws {
    var random = Random(seed: seed)
    let container = try makeContainer()
    let context = ModelContext(container)
    var shadows: [Shadow] = []
    for _ in 0..<160 {
      switch random.next(10) {
      case 0..<4:
        let (year, price) = (random.next(8), Double(random.next(4)))
        let note = random.next(3) == 0 ? nil : "\(random.next(5))"
        let album = Album("x", year: year, price: price, note: note)
        context.insert(album)
        shadows.append(Shadow(album: album, year: year, price: price, note: note, isSaved: false))
      case 4, 5:
        guard !shadows.isEmpty else { continue }
        let at = random.next(shadows.count)
        shadows[at].year = random.next(8)
        shadows[at].album.year = shadows[at].year
      case 6:
        guard !shadows.isEmpty else { continue }
        let at = random.next(shadows.count)
        shadows[at].note = random.next(2) == 0 ? nil : "\(random.next(5))"
        shadows[at].album.note = shadows[at].note
      case 7:
        guard !shadows.isEmpty else { continue }
        context.delete(shadows.remove(at: random.next(shadows.count)).album)
      case 8: try context.save()
      default: break
      }
      try compare(context, shadows, &random)
    }
    try context.save()
    try compare(ModelContext(container), shadows, &random)
  }

  private func compare(_ context: ModelContext, _ shadows: [Shadow], _ random: inout Random) throws {
    let (least, note) = (random.next(8), "\(random.next(5))")
    let predicate: Predicate<Album>?
    let isWanted: (Shadow) -> Bool
    switch random.next(4) {
    case 0: (predicate, isWanted) = (nil, { _ in true })
    case 1: (predicate, isWanted) = (#Predicate { $0.year >= least }, { $0.year >= least })
    case 2:
      predicate = #Predicate { $0.note == note || $0.year < least }
      isWanted = { $0.note == note || $0.year < least }
    default: (predicate, isWanted) = (#Predicate { $0.decade == 0 && $0.note == nil }, { $0.note == nil })
    }
    var descriptor = FetchDescriptor(
      predicate: predicate, sortBy: [SortDescriptor(\Album.year, order: .reverse), SortDescriptor(\.note)])
    var expected = shadows.filter(isWanted).sorted { one, other in
      if one.year != other.year { return one.year > other.year }
      if one.note != other.note { return one.note == nil || other.note.map { one.note ?? "" < $0 } ?? false }
      return one.album.persistentModelID > other.album.persistentModelID
    }
    #expect(try context.fetchCount(descriptor) == expected.count)
    if random.next(2) == 0 {
      let (offset, limit) = (random.next(4), 1 + random.next(6))
      descriptor.fetchOffset = offset
      descriptor.fetchLimit = limit
      expected = Array(expected.dropFirst(offset).prefix(limit))
      #expect(try context.fetchCount(descriptor) == expected.count)
    }
    let found = try context.fetch(descriptor)
    #expect(found.map(\.persistentModelID) == expected.map { $0.album.persistentModelID })
    #expect(found.map(\.year) == expected.map(\.year) && found.map(\.note) == expected.map(\.note))
    #expect(try context.fetchIdentifiers(descriptor) == expected.map { $0.album.persistentModelID })
  }

  /// Before the fix, the changed model was tested with the values that it had before the other
  /// context's commit, and the rows were of the state after it.
  @Test func `a fetch after another context's commit shows one state`() throws {
    let byTitle = [SortDescriptor(\Album.title)]
    let late = #Predicate<Album> { $0.year > 3 }
    let wanted = FetchDescriptor(predicate: late, sortBy: byTitle)
    let early = FetchDescriptor<Album>(predicate: #Predicate { $0.year == 0 })
    let questions: [(name: String, ask: (ModelContext) throws -> [String], answer: String)] = [
      ("fetch", { try $0.fetch(wanted).map(\.title) }, "a b"),
      ("others", { try $0.fetch(early).map(\.title) }, "c"),
      ("count", { ["\(try $0.fetchCount(wanted))"] }, "2"),
      ("identifiers", { ["\(try $0.fetchIdentifiers(wanted).count)"] }, "2"),
      ("batches", { try $0.fetch(wanted, batchSize: 1).map(\.title) }, "a b"),
      ("page", { try $0.fetchPage(wanted).models.map(\.title) }, "a b"),
      ("sum", { ["\(try $0.sum(of: \Album.year, where: late))"] }, "18"),
      ("select", { try $0.select(Album.self, \.title, where: late, sortBy: byTitle) }, "a b"),
      (
        "enumerate",
        {
          var titles: [String] = []
          try $0.enumerate(wanted) { titles.append($0.title) }
          return titles
        }, "a b"
      ),
    ]
    for question in questions {
      let container = try makeContainer()
      let context = ModelContext(container)
      for title in ["a", "b", "c"] { context.insert(Album(title, year: 0)) }
      try context.save()
      let changed = try context.fetch(FetchDescriptor<Album>(predicate: #Predicate { $0.title == "a" }))
      changed.first?.note = "unsaved"
      let other = ModelContext(container)
      for album in try other.fetch(FetchDescriptor<Album>()) where album.title != "c" { album.year = 9 }
      try other.save()
      #expect(try question.ask(context).joined(separator: " ") == question.answer, "\(question.name)")
    }
  }
}
