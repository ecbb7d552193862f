import SwiftData
import Testing

/// A fetch with a Foundation predicate must return the models that fulfil it.
@Suite struct PredicateTests {
  static func context() throws -> ModelContext {
    let context = ModelContext(try makeContainer())
    let artists = (0..<4).map { number in
      let artist = Artist("artist \(number)")
      artist.born = number == 0 ? nil : Date(timeIntervalSinceReferenceDate: Double(number))
      artist.address = Address(street: ["Elm", "Oak", "Élan", ""][number], number: number == 1 ? nil : number)
      artist.home = number < 2 ? nil : Address(street: "home \(number)", number: nil)
      context.insert(artist)
      return artist
    }
    for number in 0..<24 {
      let album = Album("title \(number)", year: 1980 + number, isLive: number % 3 == 0)
      album.price = number == 23 ? .nan : Double(number) / 4
      album.genre = Genre.allCases[number % 3]
      album.other = number % 2 == 0 ? nil : Genre.allCases[number % 3]
      album.note = number % 4 == 0 ? nil : "note \(number)"
      album.tags = (0..<(number % 4)).map { "tag \($0)" }
      album.ratings = number % 5 == 0 ? [:] : ["a": number, "b": 1]
      album.grade = [.good, .poor, .best][number % 3]
      album.swapped = Swapped(first: "f\(number % 2)", second: "s\(number % 3)")
      album.artist = number % 5 == 0 ? nil : artists[number % 3]
      context.insert(album)
    }
    try context.save()
    return context
  }

  /// - Parameters:
  ///   - predicate: the predicate.
  ///   - count: the expected number of models; nil to accept any.
  ///   - isEngines: whether only the engine tests it.
  ///   - sourceLocation: the line of the test.
  func check<Model: PersistentModel>(
    _ predicate: Predicate<Model>, count: Int? = nil, isEngines: Bool = true,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let context = try Self.context()
    let all = try context.fetch(FetchDescriptor<Model>())
    let expected = try all.filter { try predicate.evaluate($0) }.map(\.persistentModelID)
    if let count { #expect(expected.count == count, sourceLocation: sourceLocation) }
    let found = try context.fetch(FetchDescriptor(predicate: predicate)).map(\.persistentModelID)
    #expect(Set(found) == Set(expected), sourceLocation: sourceLocation)
    let isByEngine = try !context.explain(FetchDescriptor(predicate: predicate)).description.contains("in memory")
    #expect(isByEngine == isEngines, sourceLocation: sourceLocation)
    #expect(found.count == expected.count, sourceLocation: sourceLocation)
    let counted = try context.fetchCount(FetchDescriptor(predicate: predicate))
    #expect(counted == expected.count, sourceLocation: sourceLocation)
  }

  @Test func comparisons() throws {
    let (year, price, title) = (1990, 2.5, "title 7")
    try check(#Predicate<Album> { $0.year == year }, count: 1)
    try check(#Predicate<Album> { $0.year != 1990 && $0.year > 1985 && $0.year <= 2000 }, count: 14)
    try check(#Predicate<Album> { $0.price >= price || $0.price < 1 })
    try check(#Predicate<Album> { $0.title == title }, count: 1)
    try check(#Predicate<Album> { $0.title < "title 2" && !$0.isLive })
    try check(#Predicate<Album> { _ in true }, count: 24)
    try check(#Predicate<Album> { $0.isLive == false })
    let range = 1985...1990
    let open = 1985..<1990
    try check(#Predicate<Album> { range.contains($0.year) }, count: 6)
    try check(#Predicate<Album> { open.contains($0.year) }, count: 5)
    try check(#Predicate<Album> { (1981...1983).contains($0.year) }, count: 3)
    try check(#Predicate<Album> { ($0.isLive ? $0.year : 0) > 1990 })
    try check(#Predicate<Album> { !($0.price < 1) && $0.price != 2 })
  }

  @Test func optionals() throws {
    let note: String? = "note 3"
    let nothing: String? = nil
    let date = Date(timeIntervalSinceReferenceDate: 2)
    try check(#Predicate<Album> { $0.note == note }, count: 1)
    try check(#Predicate<Album> { $0.note == nothing }, count: 6)
    try check(#Predicate<Album> { $0.note == nil }, count: 6)
    try check(#Predicate<Album> { ($0.note ?? "none") == "none" }, count: 6)
    try check(#Predicate<Album> { $0.note?.contains("1") ?? false })
    try check(#Predicate<Album> { $0.note != nil && $0.note!.contains("1") })
    try check(#Predicate<Album> { if let note = $0.note { note.count > 6 } else { true } })
    try check(#Predicate<Artist> { ($0.born ?? date) > date }, count: 1)
    try check(#Predicate<Artist> { $0.home?.street == "home 2" }, count: 1)
    try check(#Predicate<Artist> { $0.home == nil }, count: 2)
    try check(#Predicate<Artist> { $0.home?.street == nil }, count: 2)
    let none: Artist? = nil
    #expect(none == nil)
    try check(#Predicate<Album> { $0.artist == nil }, count: 5)
  }

  @Test func relationships() throws {
    let name = "artist 1"
    try check(#Predicate<Album> { $0.artist?.name == name })
    try check(#Predicate<Album> { $0.artist?.address.street == "Elm" })
    try check(#Predicate<Album> { $0.artist?.born == nil })
    try check(#Predicate<Album> { $0.artist.flatMap { $0.name == "artist 1" } ?? true })
    try check(#Predicate<Album> { $0.artist?.albums.count ?? 0 > 5 })
    try check(#Predicate<Artist> { $0.albums.isEmpty }, count: 1)
    try check(#Predicate<Artist> { !$0.albums.isEmpty && $0.albums.count > 6 })
    try check(#Predicate<Artist> { $0.albums.contains { $0.year == 1981 } }, count: 1)
    try check(#Predicate<Artist> { $0.albums.allSatisfy { $0.year > 1981 } })
    try check(#Predicate<Artist> { $0.albums.filter { $0.isLive }.count > 2 })
    try check(#Predicate<Artist> { $0.albums.first?.year == 1981 })
    try check(#Predicate<Artist> { artist in artist.albums.contains { $0.title.count > artist.name.count - 2 } })
  }

  @Test func identity() throws {
    let context = try Self.context()
    let artist = try #require(try context.fetch(FetchDescriptor<Artist>()).first)
    let identifier = artist.persistentModelID
    let identifiers = Set([identifier])
    func found(_ predicate: Predicate<Artist>) throws -> Bool {
      let all = try context.fetch(FetchDescriptor(predicate: predicate))
      return all.count == 1 && all[0] === artist
    }
    #expect(try found(#Predicate { $0.persistentModelID == identifier }))
    #expect(try found(#Predicate { $0.id == identifier }))
    #expect(try found(#Predicate { identifiers.contains($0.persistentModelID) }))
    #expect(try found(#Predicate { $0.id == identifier && $0.name == "artist 0" }))
    let list = [identifier]
    #expect(try found(#Predicate { list.contains($0.id) }))
    let optional: PersistentIdentifier? = identifier
    let albums = #Predicate<Album> { $0.artist?.persistentModelID == optional }
    #expect(try context.fetchCount(FetchDescriptor(predicate: albums)) == artist.albums.count)
    let foreign = try #require(try Self.context().fetch(FetchDescriptor<Artist>()).first).persistentModelID
    let others = #Predicate<Artist> { $0.persistentModelID == foreign }
    #expect(try context.fetchCount(FetchDescriptor(predicate: others)) == 0)
    func generic<Model: PersistentModel>(_ type: Model.Type, _ id: PersistentIdentifier) throws -> Int {
      try context.fetchCount(FetchDescriptor<Model>(predicate: #Predicate { $0.persistentModelID == id }))
    }
    #expect(try generic(Artist.self, identifier) == 1)
  }

  @Test func enums() throws {
    let (genre, some, grade) = (Genre.jazz, Optional(Genre.jazz), Grade.good)
    let raw = "folk"
    try check(#Predicate<Album> { $0.genre == genre }, count: 8)
    try check(#Predicate<Album> { $0.other == some }, count: 4)
    try check(#Predicate<Album> { $0.other == nil }, count: 12)
    try check(#Predicate<Album> { $0.genre.rawValue == raw }, count: 8)
    let genres = [Genre.rock, .folk]
    try check(#Predicate<Album> { genres.contains($0.genre) }, count: 16)
    try check(#Predicate<Album> { $0.grade > grade }, count: 8, isEngines: false)
    try check(#Predicate<Album> { $0.grade == grade }, count: 8)
  }

  @Test func structs() throws {
    let street = "Oak"
    try check(#Predicate<Artist> { $0.address.street == street }, count: 1)
    try check(#Predicate<Artist> { $0.address.number == 2 }, count: 1)
    try check(#Predicate<Artist> { $0.address.street.count > 2 }, count: 3)
    let whole = Address(street: "Oak", number: nil)
    try check(#Predicate<Artist> { $0.address == whole }, count: 1, isEngines: false)
    // The coding keys of its parts are exchanged.
    try check(#Predicate<Album> { $0.swapped.first == "f1" }, count: 12, isEngines: false)
    try check(#Predicate<Album> { $0.swapped.second == "s1" }, count: 8, isEngines: false)
  }

  @Test func texts() throws {
    let part = "1"
    try check(#Predicate<Album> { $0.title.contains(part) })
    try check(#Predicate<Album> { $0.title.starts(with: "title 2") }, count: 5)
    try check(#Predicate<Album> { $0.title.count == 7 && !$0.title.isEmpty }, count: 10)
    let decomposed = "E\u{301}lan"
    try check(#Predicate<Artist> { $0.address.street == decomposed }, count: 1)
    try check(#Predicate<Artist> { $0.address.street.contains(decomposed) }, count: 1)
    try check(#Predicate<Album> { $0.title.contains(#/1\d$/#) }, count: 10)
  }

  @Test func `localized text comparisons`() throws {
    let part = "TÍTLE 2"
    try check(#Predicate<Album> { $0.title.localizedStandardContains(part) }, count: 5)
    try check(#Predicate<Album> { $0.note?.localizedStandardContains("Note 1") == true }, count: 9)
    try check(#Predicate<Artist> { $0.address.street.localizedStandardContains("elan") }, count: 1)
    try check(#Predicate<Artist> { $0.albums.contains { $0.title.localizedStandardContains("LE 4") } }, count: 1)
    let (same, before) = (ComparisonResult.orderedSame, ComparisonResult.orderedAscending)
    try check(#Predicate<Album> { $0.title.caseInsensitiveCompare("TITLE 3") == same }, count: 1)
    try check(#Predicate<Artist> { $0.address.street.localizedCompare("F") == before }, count: 3)
  }

  @Test func numbers() throws {
    try check(#Predicate<Album> { $0.year % 2 == 0 && $0.year * 2 - 1 > 3970 })
    try check(#Predicate<Album> { $0.year / 10 == 199 }, count: 10)
    try check(#Predicate<Album> { $0.price / 2 + 1 > 2 && -$0.price < -3 })
  }

  @Test func collections() throws {
    let tag = "tag 1"
    let years = [1981, 1985, 7]
    let titles: Set = ["title 1", "title 2"]
    try check(#Predicate<Album> { $0.tags.contains(tag) }, count: 12)
    try check(#Predicate<Album> { $0.tags.count > 2 }, count: 6)
    try check(#Predicate<Album> { $0.tags.isEmpty }, count: 6)
    try check(#Predicate<Album> { $0.tags.contains { $0 == "tag 0" } }, count: 18)
    try check(#Predicate<Album> { $0.tags.first == "tag 0" }, count: 18)
    try check(#Predicate<Album> { $0.tags.count > 1 && $0.tags[1] == "tag 1" }, count: 12)
    try check(#Predicate<Album> { years.contains($0.year) }, count: 2)
    try check(#Predicate<Album> { titles.contains($0.title) }, count: 2)
    try check(#Predicate<Album> { $0.ratings["a"] == 7 }, count: 1)
    try check(#Predicate<Album> { $0.ratings["a", default: 0] > 20 })
  }

  @Test func `operations that the engine lacks are computed in memory`() throws {
    try check(#Predicate<Album> { $0.decade == 198 }, count: 10, isEngines: false)
    try check(#Predicate<Album> { !$0.shown && $0.year > 2000 }, count: 3, isEngines: false)
    try check(#Predicate<Album> { $0.decade == 199 && $0.title.contains("1") }, isEngines: false)
    var descriptor = FetchDescriptor<Album>(
      predicate: #Predicate { $0.decade == 199 && $0.year % 2 == 0 }, sortBy: [SortDescriptor(\.year)])
    descriptor.fetchOffset = 1
    descriptor.fetchLimit = 2
    #expect(try Self.context().fetch(descriptor).map(\.year) == [1992, 1994])
  }

  @Test func `properties of a protocol are read in memory`() throws {
    func titled<Model: PersistentModel & Titled>(_ type: Model.Type) -> Predicate<Model> {
      #Predicate { $0.title == "title 3" }
    }
    try check(titled(Album.self), count: 1, isEngines: false)
  }

  @Test func `a predicate without a result is an error`() throws {
    let context = try Self.context()
    let condition = #expect(throws: RoostError.self) {
      try context.fetch(FetchDescriptor<Album>(predicate: #Predicate { $0.note!.count > 1 }))
    }
    #expect(condition?.code == .badCondition)
    let zero = 0
    #expect(throws: RoostError.self) {
      try context.fetch(FetchDescriptor<Album>(predicate: #Predicate { $0.year / zero == 1 }))
    }
    let computed = #expect(throws: RoostError.self) {
      try context.fetch(FetchDescriptor<Album>(predicate: #Predicate { $0.decade > 1 && $0.note!.count > 1 }))
    }
    #expect(computed?.description.hasPrefix("badCondition: it is nil, in $0.note!: first test for nil") == true)
  }
}
