import SwiftData
import Testing

/// Predicates that were used before with other values: the cached translation must give the same
/// results.
@Suite struct TemplateTests {
  private static func context() throws -> ModelContext {
    let context = ModelContext(try makeContainer())
    let artists = (0..<3).map { Artist("artist \($0)", street: ["Elm", "Oak", ""][$0]) }
    for artist in artists.dropFirst() { artist.home = Address(street: "home \(artist.name)", number: nil) }
    for number in 0..<30 {
      let album = Album("title \(number % 12)", year: number % 7, isLive: number % 3 == 0)
      album.price = [-0.0, 0, 1, 2.5, .nan, .infinity][number % 6]
      album.genre = Genre.allCases[number % 3]
      album.other = number % 2 == 0 ? nil : Genre.allCases[number % 3]
      album.note = number % 4 == 0 ? nil : ["a", "é", "e\u{301}", ""][number % 3]
      album.tags = (0..<(number % 3)).map { "tag \($0)" }
      album.artist = number % 5 == 0 ? nil : artists[number % 3]
      context.insert(album)
    }
    try context.save()
    return context
  }

  /// A kind of predicate with values from a generator.
  private typealias Maker = (inout Random) -> Predicate<Album>

  private static func note(_ random: inout Random) -> String? { ["a", "é", "e\u{301}", "", "z", nil][random.next(6)] }
  private static func price(_ random: inout Random) -> Double { [-0.0, 0, 1, 2.5, .nan, -1][random.next(6)] }
  private static func years(_ random: inout Random) -> [Int] { (0..<random.next(4)).map { _ in random.next(8) } }

  private static var numbers: [Maker] {
    [
      { random in
        let year = random.next(8)
        return #Predicate { $0.year == year }
      },
      { random in
        let (year, price) = (random.next(8), price(&random))
        return #Predicate { $0.year > year && $0.price <= price }
      },
      { random in
        // The same types with other operators.
        let (year, price) = (random.next(8), price(&random))
        return #Predicate { $0.year < year && $0.price >= price }
      },
      { random in
        let years = years(&random)
        return #Predicate { years.contains($0.year) }
      },
      { random in
        let years = Set(years(&random))
        return #Predicate { !years.contains($0.year) }
      },
      { random in
        let (low, high) = (random.next(4), 4 + random.next(4))
        return #Predicate { (low...high).contains($0.year) }
      },
      { random in
        let range = random.next(4)..<(4 + random.next(4))
        return #Predicate { range.contains($0.year) }
      },
      { random in
        let (one, two) = (random.next(5), random.next(5))
        return #Predicate { $0.year + one > two }
      },
      { random in
        let (one, two) = (random.next(5), random.next(5))
        return #Predicate { $0.year - one > two }
      },
      { random in
        let (year, other) = (random.next(8), random.next(8))
        return #Predicate { ($0.isLive ? year : $0.year) == other }
      },
      { random in
        // Tested in memory.
        let (decade, year) = (random.next(2), random.next(8))
        return #Predicate { $0.decade == decade && $0.year != year }
      },
    ]
  }

  private static var others: [Maker] {
    [
      { random in
        let note = note(&random)
        return #Predicate { $0.note == note }
      },
      { random in
        let note = note(&random)
        return #Predicate { $0.note != note || $0.isLive }
      },
      { random in
        let title = "title \(random.next(14))"
        return #Predicate { $0.title == title }
      },
      { random in
        let name = "artist \(random.next(5))"
        return #Predicate { $0.artist?.name == name }
      },
      { random in
        let street = ["Elm", "Oak", "", "Ash"][random.next(4)]
        return #Predicate { $0.artist?.address.street == street }
      },
      { random in
        let street: String? = ["home artist 1", "home artist 2", nil][random.next(3)]
        return #Predicate { $0.artist?.home?.street == street }
      },
      { random in
        let genre = Genre.allCases[random.next(3)]
        let other = random.next(2) == 0 ? nil : Genre.allCases[random.next(3)]
        return #Predicate { $0.genre == genre || $0.other == other }
      },
      { random in
        let (part, note) = (["a", "é", "tit"][random.next(3)], ["a", "b"][random.next(2)])
        return #Predicate { $0.title.contains(part) || ($0.note ?? note) == note }
      },
      { random in
        let tag = "tag \(random.next(3))"
        return #Predicate { $0.tags.contains { $0 == tag } }
      },
      { random in
        let isLive = random.next(2) == 0
        return #Predicate { $0.isLive == isLive }
      },
      { random in
        let holds = random.next(2) == 0
        return #Predicate { _ in holds }
      },
      { random in
        let years = Set(years(&random))
        return #Predicate { years.contains($0.year) && !$0.title.isEmpty }
      },
    ]
  }

  /// Predicates that contain others.
  private static var nested: [Maker] {
    [
      { random in
        let (year, holds) = (random.next(8), random.next(2) == 0)
        let inner: Predicate<Album> = holds ? #Predicate { $0.year == year } : #Predicate { $0.isLive }
        return #Predicate { inner.evaluate($0) && $0.year < 6 }
      },
      { random in
        // The same types inside, with other properties and operators.
        let (price, isLess) = (price(&random), random.next(2) == 0)
        let inner: Predicate<Album> = isLess ? #Predicate { $0.price < price } : #Predicate { $0.price >= price }
        return #Predicate { !inner.evaluate($0) }
      },
      { random in
        let name = "artist \(random.next(5))"
        let inner = #Predicate<Artist> { $0.name == name }
        let year = random.next(8)
        return #Predicate { $0.artist.flatMap { inner.evaluate($0) } ?? ($0.year == year) }
      },
      { random in
        let (one, two) = (random.next(8), random.next(8))
        let first = #Predicate<Album> { $0.year == one }
        let second = random.next(2) == 0 ? first : #Predicate<Album> { $0.year == two }
        let third = #Predicate<Album> { first.evaluate($0) || second.evaluate($0) }
        return #Predicate { third.evaluate($0) || first.evaluate($0) && $0.isLive }
      },
      { random in
        let (year, note) = (random.next(8), note(&random))
        let age = #Expression<Album, Int> { 7 - $0.year + year }
        return #Predicate { age.evaluate($0) > 6 && $0.note == note }
      },
      { random in
        let all = (0..<random.next(4)).map { _ -> Predicate<Album> in
          let year = random.next(8)
          return random.next(2) == 0 ? #Predicate { $0.year > year } : #Predicate { $0.year != year }
        }
        return random.next(2) == 0 ? Predicate(all: all) : Predicate(any: all)
      },
    ]
  }

  private static var texts: [Maker] {
    [
      { random in
        let title = "title \(random.next(14))"
        return #Predicate { $0.title.hasPrefix(title) || $0.title.hasSuffix("1") }
      }
    ]
  }

  @Test(arguments: 1...12) func `predicates used again with other values find the same`(seed: UInt64) throws {
    var random = Random(seed: seed &+ 900)
    let contexts = try (0..<2).map { _ in try Self.context() }
    let makers = Self.numbers + Self.others + Self.nested + Self.texts
    for step in 0..<60 {
      let maker = makers[random.next(makers.count)]
      // The same kind several times, so that the cache is used.
      for _ in 0..<(1 + random.next(4)) {
        try compare(maker(&random), contexts[random.next(4) / 3], &random, "seed \(seed), step \(step)")
      }
      if random.next(6) == 0, let album = try contexts[0].fetch(FetchDescriptor<Album>()).first {
        // Unsaved changes are tested in memory; saved ones are in another snapshot.
        album.year = random.next(8)
        if random.next(2) == 0 { try contexts[0].save() }
      }
    }
    #expect(contexts[0].templateCount < 160)
  }

  private func compare(
    _ predicate: Predicate<Album>, _ context: ModelContext, _ random: inout Random, _ story: String
  ) throws {
    let wanted = try context.fetch(FetchDescriptor<Album>()).filter { try predicate.evaluate($0) }
    var descriptor = FetchDescriptor(predicate: predicate)
    switch random.next(3) {
    case 0: descriptor.sortBy = [SortDescriptor(\.year), SortDescriptor(\.title, order: .reverse)]
    case 1: descriptor.sortBy = [SortDescriptor(\.title)]
    default: break
    }
    #expect(try context.fetchCount(descriptor) == wanted.count, "\(story): \(predicate)")
    let found = try context.fetch(descriptor)
    #expect(Set(found) == Set(wanted) && found.count == wanted.count, "\(story): \(predicate)")
    #expect(try context.fetchIdentifiers(descriptor) == found.map(\.persistentModelID), "\(story): \(predicate)")
    if descriptor.sortBy.isEmpty { return }
    let (offset, limit) = (random.next(4), 1 + random.next(5))
    descriptor.fetchOffset = offset
    descriptor.fetchLimit = limit
    let part = Array(found.dropFirst(offset).prefix(limit))
    #expect(try context.fetch(descriptor) == part, "\(story): \(predicate)")
  }

  @Test func `one kind of predicate is translated once`() throws {
    let context = try Self.context()
    func ask(_ year: Int) throws -> Int {
      try context.fetchCount(FetchDescriptor<Album>(predicate: #Predicate { $0.year == year }))
    }
    #expect(try ask(0) == 5)
    let count = context.templateCount
    for year in 0..<50 { #expect(try ask(year) == (year < 7 ? year < 2 ? 5 : 4 : 0)) }
    #expect(context.templateCount == count)
    func titled<Model: PersistentModel & Titled>(_ type: Model.Type, _ title: String) throws -> Int {
      try context.fetchCount(FetchDescriptor<Model>(predicate: #Predicate { $0.title == title }))
    }
    // Key paths of generic code are made anew each time.
    for number in 0..<40 {
      #expect(try titled(Album.self, "title \(number)") == (number < 6 ? 3 : number < 12 ? 2 : 0))
    }
    #expect(context.templateCount < count + 20)
  }

  @Test func `a predicate that evaluates others is translated once`() throws {
    let context = try Self.context()
    func ask(_ year: Int, _ other: Int) throws -> Int {
      let inner = #Predicate<Album> { $0.year == year }
      let outer = #Predicate<Album> { inner.evaluate($0) || $0.year == other }
      return try context.fetchCount(FetchDescriptor(predicate: outer))
    }
    func any(_ years: Int...) throws -> Int {
      let all = years.map { year in #Predicate<Album> { $0.year == year } }
      return try context.fetchCount(FetchDescriptor(predicate: Predicate(any: all)))
    }
    #expect(try ask(0, 1) == 10 && any(2, 3) == 8)
    let count = context.templateCount
    #expect(count >= 2)
    for year in 2..<30 {
      #expect(try ask(year, year + 1) == (year < 6 ? 8 : year < 7 ? 4 : 0))
      #expect(try any(year, year + 1) == (year < 6 ? 8 : year < 7 ? 4 : 0))
    }
    #expect(context.templateCount == count)
    // A predicate with other inner predicates, or another number of them, is of another kind.
    #expect(try any(0, 1, 2) == 14 && any() == 0)
    let live = #Predicate<Album> { $0.isLive }
    #expect(
      try context.fetchCount(FetchDescriptor<Album>(predicate: #Predicate { live.evaluate($0) || $0.year == 0 })) > 5)
    #expect(context.templateCount > count)
  }

  /// Regression: members were numbered one after the other, and predicates that an earlier member
  /// evaluates lie between two members. Such a predicate was translated at every use.
  @Test func `joined predicates have a template, whichever of them evaluates another`() throws {
    let context = try Self.context()
    func ask(_ year: Int, isFirst: Bool) throws -> Int {
      let inner = #Predicate<Album> { $0.year == year }
      let next = year + 1
      let nested = #Predicate<Album> { inner.evaluate($0) || $0.year == next }
      let last = year + 2
      let flat = #Predicate<Album> { $0.year == last }
      let all = isFirst ? [nested, flat] : [flat, nested]
      return try context.fetchCount(FetchDescriptor(predicate: Predicate(any: all)))
    }
    for isFirst in [true, false] {
      let count = context.templateCount
      #expect(try ask(0, isFirst: isFirst) == 14)
      #expect(context.templateCount > count)
      #expect(try ask(1, isFirst: isFirst) == 13 && ask(6, isFirst: isFirst) == 4)
    }
  }

  @Test func `a unique value finds its one model`() throws {
    let context = ModelContext(try makeContainer())
    let long = String(repeating: "x", count: 600)
    let names = ["a", "b", "\u{e9}", "", long, long + "y", long + "z"]
    for name in names { context.insert(Artist(name)) }
    try context.save()
    func ask(_ name: String, offset: Int? = nil) throws -> [String] {
      var descriptor = FetchDescriptor<Artist>(predicate: #Predicate { $0.name == name })
      descriptor.fetchOffset = offset
      let found = try context.fetch(descriptor)
      if offset == nil { #expect(try context.fetchCount(descriptor) == found.count) }
      return found.map(\.name)
    }
    for _ in 0..<3 {
      for name in names {
        #expect(try ask(name) == [name])
        #expect(try ask(name, offset: 1) == [])
      }
      #expect(try ask("e\u{301}") == ["\u{e9}"])
      #expect(try ask("c") == [] && ask(long + "x") == [] && ask("x") == [])
    }
    // First an unsaved model has it, then a stored one.
    let first = FetchDescriptor<Artist>(predicate: #Predicate { $0.name == "a" })
    let artist = try #require(try context.fetch(first).first)
    artist.name = "c"
    #expect(try ask("a") == [] && ask("c") == ["c"])
    try context.save()
    #expect(try ask("a") == [] && ask("c") == ["c"])
    context.delete(artist)
    #expect(try ask("c") == [])
    try context.save()
    #expect(try ask("c") == [] && ask("b") == ["b"])
  }

  @Test func `the prefetch of a large fetch reads each row once`() throws {
    let container = try makeContainer()
    let context = ModelContext(container)
    for number in 0..<4000 {
      let album = Album("title \(number)", year: 0, isLive: false)
      album.artist = Artist("artist \(number * 7 % 4000)")
      context.insert(album)
    }
    try context.save()
    let other = ModelContext(container)
    var descriptor = FetchDescriptor<Album>()
    descriptor.relationshipKeyPathsForPrefetching = [\.artist]
    let albums = try other.fetch(descriptor)
    #expect(other.statistics.faultsFilledTogether == 4000 && other.statistics.coarseReads == 1)
    #expect(albums.allSatisfy { $0.artist.map { !$0.name.isEmpty } ?? false })
    #expect(other.statistics.faultsFilledTogether == 4000 && other.statistics.faultsFilled == 0)
  }

  @Test func `variables of one type are distinguished`() throws {
    let context = try Self.context()
    let artists = try context.fetch(FetchDescriptor<Artist>())
    func check(_ predicate: Predicate<Artist>) throws {
      let wanted = try artists.filter { try predicate.evaluate($0) }
      #expect(Set(try context.fetch(FetchDescriptor(predicate: predicate))) == Set(wanted), "\(predicate)")
    }
    // All of them have one type and differ in the variables that they compare.
    for _ in 0..<3 {
      try check(#Predicate { $0.albums.contains { one in one.tags.contains { tag in tag == one.title } } })
      try check(
        #Predicate { artist in artist.albums.contains { one in artist.albums.contains { $0.year < one.year } } })
      try check(
        #Predicate { artist in artist.albums.contains { one in artist.albums.contains { one.year < $0.year } } })
      try check(
        #Predicate { artist in artist.albums.contains { one in artist.albums.contains { $0.year < $0.year } } })
      try check(
        #Predicate { artist in artist.albums.contains { one in artist.albums.contains { _ in one.year < one.year } } })
    }
  }

  @Test func `contexts of many threads query at once`() async throws {
    let container = try makeContainer()
    let context = ModelContext(container)
    for number in 0..<40 { context.insert(Album("title \(number)", year: number % 10, isLive: false)) }
    try context.save()
    try await withThrowingTaskGroup(of: Bool.self) { group in
      for thread in 0..<4 {
        group.addTask {
          let context = ModelContext(container)
          var isRight = true
          for number in 0..<60 {
            let (year, place) = ((number + thread) % 12, (number * 7 + thread) % 50)
            let title = "title \(place)"
            let some = try context.fetchCount(FetchDescriptor<Album>(predicate: #Predicate { $0.year == year }))
            let one = try context.fetch(FetchDescriptor<Album>(predicate: #Predicate { $0.title == title }))
            isRight = isRight && some == (year < 10 ? 4 : 0) && one.allSatisfy { $0.title == title }
            isRight = isRight && one.count == (place < 40 ? 1 : 0)
          }
          return isRight
        }
      }
      for try await isRight in group { #expect(isRight) }
    }
  }
}
