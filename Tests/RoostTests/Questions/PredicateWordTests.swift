import SwiftData
import Testing

/// Predicates that Foundation's macro refuses, or that make the compiler give up, and Roost
/// accepts.
extension PredicateTests {
  @Test func `cases and constants by their short names`() throws {
    try check(#Predicate<Album> { $0.genre == .jazz }, count: 8)
    try check(#Predicate<Album> { $0.genre == Genre.jazz && $0.other != .some(.jazz) })
    try check(#Predicate<Album> { $0.other == .jazz }, count: 4)
    try check(#Predicate<Album> { [.jazz, Genre.folk].contains($0.genre) }, count: 16)
    try check(#Predicate<Album> { $0.year < Int.max && $0.year > .min })
    try check(#Predicate<Artist> { ($0.born ?? .distantFuture) < Date.now }, count: 3)
    try check(#Predicate<Album> { $0.year == 1980 + 3 }, count: 1)
    let (one, years) = (Album("one", year: 1990, isLive: true), [1980, 1981, 1982])
    try check(#Predicate<Album> { $0.year == one.year && (years.max() ?? 0) != $0.year }, count: 1)
    try check(#Predicate<Album> { $0.year > years.count * 500 && $0.title != "\(one.title) more" })
  }

  @Test func `a single value as a condition`() throws {
    let isAll = false
    try check(#Predicate<Album> { _ in true }, count: 24)
    try check(#Predicate<Album> { _ in isAll }, count: 0)
    try check(#Predicate<Album> { $0.isLive }, count: 8)
    try check(#Predicate<Album> { isAll || $0.isLive }, count: 8)
    try check(#Predicate<Album> { !$0.isLive && true }, count: 16)
  }

  @Test func `texts, with functions that Foundation lacks`() throws {
    try check(#Predicate<Album> { $0.title.hasPrefix("title 1") }, count: 11)
    try check(#Predicate<Album> { $0.title.hasSuffix("3") }, count: 3)
    try check(#Predicate<Album> { $0.title.uppercased() == "TITLE 7" }, count: 1)
    try check(#Predicate<Artist> { $0.address.street.lowercased().hasPrefix("e") }, count: 1)
    try check(#Predicate<Artist> { $0.address.street.localizedStandardContains("elan") }, count: 1)
    try check(#Predicate<Album> { $0.title.caseInsensitiveCompare("TITLE 5") == .orderedSame }, count: 1)
    try check(#Predicate<Album> { $0.title.localizedCompare("title 1") == .orderedAscending }, count: 1)
    try check(#Predicate<Album> { $0.note?.hasSuffix("1") ?? false })
  }

  @Test func `statements`() throws {
    try check(
      #Predicate<Album> { album in
        let title = album.title
        let least = 1985 + 2
        return title.count > 6 && album.year > least
      })
    try check(
      #Predicate<Album> {
        guard let note = $0.note, $0.year > 1990 else { return false }
        return note.contains("1")
      })
    try check(
      #Predicate<Album> { album in
        if let artist = album.artist, let born = artist.born { return born > .distantPast }
        if album.isLive { return true } else { return album.note == nil }
      })
    try check(
      #Predicate<Album> {
        if $0.year < 1985 { $0.isLive } else if $0.year < 1990 { !$0.isLive } else { $0.note != nil }
      })
  }

  @Test func `names of one branch are not visible in others`() throws {
    func same(_ predicate: Predicate<Album>, _ isIn: (Album) -> Bool, _ place: SourceLocation = #_sourceLocation) throws
    {
      let context = try Self.context()
      let expected = try context.fetch(FetchDescriptor<Album>()).filter(isIn).map(\.title)
      #expect(!expected.isEmpty, sourceLocation: place)
      #expect(
        try context.fetch(FetchDescriptor(predicate: predicate)).map(\.title).sorted() == expected.sorted(),
        sourceLocation: place)
    }
    let y = 1985
    try same(
      #Predicate { m in
        if m.isLive { let y = m.year + 1; return y == 1981 } else { return m.year == y }
      }, { m in m.isLive ? m.year == 1980 : m.year == y })
    try same(
      #Predicate { m in
        if m.isLive { let y = 1980; return m.year == y }
        return m.year == y
      }, { m in m.isLive ? m.year == 1980 : m.year == y })
    try same(
      #Predicate { m in
        let y = m.year - 1
        if m.isLive { let y = 1980; return m.year == y } else { return y == 1980 }
      }, { m in m.isLive ? m.year == 1980 : m.year == 1981 })
    let note = "note 5"
    try same(
      #Predicate { m in
        if let note = m.note, note == "note 3" { return true }
        return m.note == note
      }, { m in m.note == "note 3" || m.note == note })
    try same(
      #Predicate { m in
        if m.isLive { let limit = 1990; return m.year > limit } else { let limit = 1995; return m.year > limit }
      }, { m in m.year > (m.isLive ? 1990 : 1995) })
    try same(
      #Predicate { m in
        if m.isLive, let note = m.note { return note.count > 5 } else { let k = m.year; return k < 1983 }
      },
      { m in
        if m.isLive, let note = m.note { return note.count > 5 }
        return m.year < 1983
      })
    try same(
      #Predicate { m in
        guard let note = m.note, m.year > y else { let note = 1984; return m.year == note }
        return note.hasSuffix("7")
      },
      { m in
        guard let note = m.note, m.year > y else { return m.year == 1984 }
        return note.hasSuffix("7")
      })
  }

  @Test func `a predicate within another`() throws {
    let isLate = #Predicate<Album> { $0.year > 1995 }
    let isLive = #Predicate<Album> { $0.isLive && isLate.evaluate($0) }
    try check(isLive)
    try check(#Predicate<Album> { isLate.evaluate($0) || isLive.evaluate($0) || $0.year == 1981 })
    let isBig = #Predicate<Artist> { $0.albums.contains { isLate.evaluate($0) } }
    try check(isBig)
    try check(#Predicate<Album> { if let artist = $0.artist { isBig.evaluate(artist) } else { false } })
  }

  @Test func `optionals after optionals`() throws {
    try check(#Predicate<Album> { $0.artist?.home?.street == "home 2" })
    try check(#Predicate<Album> { $0.artist?.home?.street.isEmpty ?? true })
    try check(#Predicate<Album> { ($0.artist?.albums.contains { $0.note?.count == 6 }) == true })
  }

  @Test func `twenty comparisons, half of them of optionals`() throws {
    let (note, genre) = ("note 1", Genre.jazz)
    try check(
      #Predicate { (album: Album) in
        album.note == "note 1" || album.note == "note 2" || album.note == "note 3"
          || album.note != nil && album.other == .jazz
          || album.other == .rock && album.year > 1985 || album.other == genre && album.price > 2 || album.note == note
          || album.artist?.name == "artist 1" && album.artist?.home?.street == nil
          || album.price < 1 && album.price > 0.5
          || album.isLive && album.year < 1999 && album.title != "title 4" || album.year == 1999 && album.genre == .folk
          || album.title == "title 22" || album.title == "title 23"
      })
  }

  @Test func `twenty comparisons that must all hold`() throws {
    try check(
      #Predicate { (album: Album) in
        album.year > 1980 && album.year < 2003 && album.year != 1990 && album.price > 0.1 && album.price < 50
          && !album.isLive
          && album.title != "title 4" && album.title > "t" && album.title < "u" && album.note != nil
          && album.note != "note 2"
          && album.note != "note 3" && album.other != nil && album.genre == .jazz && album.tags.count < 9
          && album.title.count > 5
          && album.title.contains("i") && album.year % 2 == 1 && album.artist?.name != "x" && album.ratings["b"] == 1
      })
  }

  @Test func `a predicate in a plain struct is Foundation's`() throws {
    struct Plain { var number: Int }
    let (one, two) = (#Predicate<Plain> { $0.number > 3 }, #Predicate<Plain, Plain> { $0.number > $1.number })
    #expect(try one.evaluate(Plain(number: 4)) && !two.evaluate(Plain(number: 1), Plain(number: 2)))
  }

  @Test func `an expression of a model`() throws {
    let length = #Expression<Album, Int> { $0.title.count + 1 }
    #expect(try length.evaluate(Album("seven", year: 1, isLive: false)) == 6)
  }

  @Test func `positions in which a predicate may stand`() throws {
    let optional: Predicate<Album>? = #Predicate { $0.year > 1990 }
    let list: [Predicate<Album>] = [#Predicate { $0.isLive }, #Predicate { !$0.isLive }]
    func generic<Model: PersistentModel & Titled>(_ type: Model.Type, _ title: String) -> Predicate<Model> {
      #Predicate { $0.title == title }
    }
    let context = try Self.context()
    #expect(try context.fetchCount(FetchDescriptor(predicate: optional)) == 13)
    #expect(try list.map { try context.fetchCount(FetchDescriptor(predicate: $0)) } == [8, 16])
    #expect(try context.fetchCount(FetchDescriptor(predicate: generic(Album.self, "title 3"))) == 1)
    #expect(try context.fetchCount(FetchDescriptor<Album>(predicate: #Predicate { $0.title == "title 4" })) == 1)
    #expect(try context.fetchCount(FetchDescriptor(predicate: Album.old)) == 10)
  }
}

extension Album {
  static var old: Predicate<Album> { #Predicate { album in album.year < 1990 } }
}
