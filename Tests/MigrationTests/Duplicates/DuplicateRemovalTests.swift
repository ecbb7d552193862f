import Foundation
import Roost
import RoostTestSupport
import Testing

private enum Before: VersionedSchema {
  static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
  static var models: [any PersistentModel.Type] {
    [Artist.self, Band.self, Album.self, Tag.self, Badge.self, Note.self]
  }

  struct Place: Codable, Hashable {
    var town = ""
    var street = 0
  }

  @Model class Artist {
    var name: String?
    var born: Int?
    var changed = 0
    var home: Place?
    @Relationship(deleteRule: .cascade, inverse: \Album.artist) var albums: [Album] = []
    @Relationship(deleteRule: .cascade, inverse: \Tag.artists) var tags: [Tag] = []
    @Relationship(deleteRule: .cascade, inverse: \Badge.artist) var badge: Badge?
    var likes: [Artist] = []

    init(_ name: String?, born: Int? = nil, changed: Int = 0) {
      self.name = name
      self.born = born
      self.changed = changed
    }
  }

  @Model class Band: Artist {
    var members = 0

    init(_ name: String, members: Int) {
      super.init(name)
      self.members = members
    }
  }

  @Model final class Album {
    var title = ""
    var artist: Artist?
    init(_ title: String) { self.title = title }
  }

  @Model final class Tag {
    var word = ""
    var artists: [Artist] = []
    init(_ word: String) { self.word = word }
  }

  @Model final class Badge {
    var number = 0
    var artist: Artist?
    init(_ number: Int) { self.number = number }
  }

  /// References an artist, without an inverse.
  @Model final class Note {
    var text = ""
    var about: Artist?
    init(_ text: String) { self.text = text }
  }
}

private enum After: VersionedSchema {
  static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
  static var models: [any PersistentModel.Type] {
    [Artist.self, Band.self, Album.self, Tag.self, Badge.self, Note.self]
  }

  typealias Place = Before.Place

  @Model class Artist {
    @Attribute(.unique) var name: String?
    var born: Int?
    var changed = 0
    var home: Place?
    @Relationship(deleteRule: .cascade, inverse: \Album.artist) var albums: [Album] = []
    @Relationship(deleteRule: .cascade, inverse: \Tag.artists) var tags: [Tag] = []
    @Relationship(deleteRule: .cascade, inverse: \Badge.artist) var badge: Badge?
    var likes: [Artist] = []

    init(_ name: String?) { self.name = name }
  }

  @Model class Band: Artist {
    var members = 0
    override init(_ name: String?) { super.init(name) }
  }

  @Model final class Album {
    var title = ""
    var artist: Artist?
    init(_ title: String) { self.title = title }
  }

  @Model final class Tag {
    var word = ""
    var artists: [Artist] = []
    init(_ word: String) { self.word = word }
  }

  @Model final class Badge {
    var number = 0
    var artist: Artist?
    init(_ number: Int) { self.number = number }
  }

  @Model final class Note {
    var text = ""
    var about: Artist?
    init(_ text: String) { self.text = text }
  }
}

private enum Loose: VersionedSchema {
  static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
  static var models: [any PersistentModel.Type] { [Dancer.self, Club.self] }

  @Model final class Dancer {
    var name = ""
    var number = 0
    var club: Club?
    var teacher: Dancer?
    @Relationship(.mutual) var partner: Dancer?
    @Relationship(.mutual) var friends: [Dancer] = []

    init(_ name: String, _ number: Int) {
      self.name = name
      self.number = number
    }
  }

  @Model final class Club {
    var name = ""
    init(_ name: String) { self.name = name }
  }
}

private enum Tight: VersionedSchema {
  static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
  static var models: [any PersistentModel.Type] { [Dancer.self, Club.self] }

  @Model final class Dancer {
    @Attribute(.unique) var name = ""
    var number = 0
    var club: Club?
    var teacher: Dancer?
    @Relationship(.mutual) var partner: Dancer?
    @Relationship(.mutual) var friends: [Dancer] = []
    init(_ name: String) { self.name = name }
  }

  @Model final class Club {
    var name = ""
    init(_ name: String) { self.name = name }
  }
}

private enum Tightening: SchemaMigrationPlan {
  @TaskLocal static var policy = ModelContext.UniqueChoice.upsert
  static var schemas: [any VersionedSchema.Type] { [Loose.self, Tight.self] }
  static var stages: [MigrationStage] {
    [
      .removeDuplicates(
        of: Loose.Dancer.self, by: \.name, policy: policy == .upsert ? .upsert : .keepExisting)
    ]
  }
}

private final class Rule: @unchecked Sendable {
  var policy: ModelContext.UniqueRule<Before.Artist>
  var keyPaths: [PartialKeyPath<Before.Artist>] = [\.name]
  init(_ policy: ModelContext.UniqueRule<Before.Artist>) { self.policy = policy }
}

private enum Plan: SchemaMigrationPlan {
  @TaskLocal static var rule = Rule(.keepExisting)
  static var schemas: [any VersionedSchema.Type] { [Before.self, After.self] }
  static var stages: [MigrationStage] {
    [.removeDuplicates(of: Before.Artist.self, by: rule.keyPaths[0], policy: rule.policy)]
  }
}

/// Models with the same values are merged before a property becomes unique.
@Suite(.bothStores) struct DuplicateRemovalTests {
  fileprivate let store: PlanStore

  init() throws { store = try PlanStore() }

  fileprivate func make(_ body: (ModelContext) throws -> Void) throws {
    let context = ModelContext(try store.container(Before.self))
    try body(context)
    try context.save()
    try context.container.close()
  }

  fileprivate func migrated<Result>(_ rule: Rule, _ body: (ModelContext) throws -> Result) throws -> Result {
    try Plan.$rule.withValue(rule) {
      let container = try store.container(After.self, Plan.self)
      let result = try body(ModelContext(container))
      try store.close(container)
      return result
    }
  }

  /// Makes three artists with one name, with albums, tags, notes and badges, and one with another
  /// name.
  fileprivate func makeThree() throws {
    try make { context in
      let tags = (0..<4).map { Before.Tag("t\($0)") }
      var artists: [Before.Artist] = []
      for (place, born) in [5, nil, 9].enumerated() {
        let artist = Before.Artist("A", born: born, changed: [3, 8, 4][place])
        context.insert(artist)
        artist.albums = [Before.Album("a\(place)"), Before.Album("b\(place)")]
        artist.tags = [tags[place], tags[place + 1]]
        artist.home = place == 1 ? nil : Before.Place(town: "town \(place)", street: place)
        artist.badge = Before.Badge(place)
        let note = Before.Note("n\(place)")
        context.insert(note)
        note.about = artist
        artists.append(artist)
        // The rows are in this order.
        try context.save()
      }
      let other = Before.Artist("B", born: 1)
      context.insert(other)
      other.tags = [tags[0]]
      other.likes = artists
      artists[0].likes = [artists[1], other]
      for _ in 0..<2 { context.insert(Before.Artist(nil)) }
    }
  }

  private struct Found: Equatable {
    var born: Int?
    var changed: Int
    var town: String?
    var badge: Int?
  }

  private func expect(
    _ policy: ModelContext.UniqueRule<Before.Artist>, _ expected: Found,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    try makeThree()
    try migrated(Rule(policy)) { context in
      let all = try context.fetch(FetchDescriptor<After.Artist>(predicate: #Predicate { $0.name == "A" }))
      let artist = try #require(all.first, sourceLocation: sourceLocation)
      let found = Found(
        born: artist.born, changed: artist.changed, town: artist.home?.town, badge: artist.badge?.number)
      #expect(found == expected, sourceLocation: sourceLocation)
      #expect(artist.albums.map(\.title) == ["a0", "b0", "a1", "b1", "a2", "b2"], sourceLocation: sourceLocation)
      #expect(artist.tags.map(\.word) == ["t0", "t1", "t2", "t3"], sourceLocation: sourceLocation)
      // No artist likes itself.
      #expect(artist.likes.map(\.name) == ["B"], sourceLocation: sourceLocation)
      #expect(artist.likes.first?.likes.map(\.name) == ["A"], sourceLocation: sourceLocation)
      // Nil equals no other value.
      #expect(try context.fetchCount(FetchDescriptor<After.Artist>()) == 4, sourceLocation: sourceLocation)
      // Nothing else is deleted, and references to an artist become references to the one that
      // stays.
      let notes = try context.fetch(FetchDescriptor<After.Note>())
      #expect(notes.count == 3 && notes.allSatisfy { $0.about === artist }, sourceLocation: sourceLocation)
      let badges = try context.fetch(FetchDescriptor<After.Badge>())
      #expect(badges.count == 3, sourceLocation: sourceLocation)
      #expect(badges.filter { $0.artist != nil }.map(\.number) == [expected.badge], sourceLocation: sourceLocation)
      #expect(try context.fetchCount(FetchDescriptor<After.Tag>()) == 4, sourceLocation: sourceLocation)
    }
    #if Postgres
      if store.isFile { return }
      let deleted = try store.value(
        "SELECT count(*)::text FROM @.roost_change WHERE kind = 'delete' AND class = 'Artist'")
      #expect(deleted == "2", sourceLocation: sourceLocation)
      let unique = try store.value(
        "SELECT count(*)::text FROM pg_index WHERE indrelid = '@.artist'::regclass AND indisunique AND indexrelid::regclass::text LIKE '%name%'"
      )
      #expect(unique != "0", sourceLocation: sourceLocation)
    #endif
  }

  @Test func `the first one stays as it is`() throws {
    try expect(.keepExisting, Found(born: 5, changed: 3, town: "town 0", badge: 0))
  }

  @Test func `the last one's values win`() throws {
    try expect(.upsert, Found(born: 9, changed: 4, town: "town 2", badge: 2))
  }

  @Test func `values that are not nil win`() throws {
    try makeThree()
    try make { context in
      let last = try #require(
        try context.fetch(FetchDescriptor<Before.Artist>()).first { $0.name == "A" && $0.born == 9 })
      (last.born, last.home, last.badge) = (nil, nil, nil)
    }
    try migrated(Rule(.mergeNonNil)) { context in
      let artist = try #require(
        try context.fetch(FetchDescriptor<After.Artist>(predicate: #Predicate { $0.name == "A" })).first)
      #expect(artist.born == 5 && artist.changed == 4 && artist.badge?.number == 1)
      #expect(artist.home == Before.Place(town: "town 0", street: 0))
    }
  }

  @Test func `the newest one's values win`() throws {
    try expect(.newest(by: \.changed), Found(born: nil, changed: 8, town: nil, badge: 1))
  }

  @Test func `some properties win`() throws {
    try expect(.fields(\.born), Found(born: 9, changed: 3, town: "town 0", badge: 0))
  }

  @Test func `code decides, and may change the duplicate`() throws {
    let policy = ModelContext.UniqueRule<Before.Artist>.resolve { duplicate, kept in
      duplicate.born = (duplicate.born ?? 0) + (kept.born ?? 0)
      return .upsert
    }
    try expect(policy, Found(born: 14, changed: 4, town: "town 2", badge: 2))
  }

  @Test(arguments: [true, false]) func `duplicates are refused, and the store is as it was`(asks: Bool) throws {
    try makeThree()
    let policy: ModelContext.UniqueRule<Before.Artist> = asks ? .resolve { _, _ in .throw } : .throw
    let error = try #require(throws: SwiftDataError.self) { try migrated(Rule(policy)) { _ in } }
    let text = "\(error)"
    let rows = store.isFile ? "1, 2, 3" : ""
    #expect(
      text.contains("Artist.name: 1 group of objects has the same values: the first is rows \(rows)"), "\(text)")
    try make { context in
      let count = try context.fetchCount(FetchDescriptor<Before.Artist>())
      #expect(count == 6)
    }
  }

  @Test func `a key path without a stored value is refused`() throws {
    try makeThree()
    let rule = Rule(.upsert)
    rule.keyPaths = [\.albums]
    let error = try #require(throws: SwiftDataError.self) { try migrated(rule) { _ in } }
    #expect("\(error)".contains("Artist names \\.albums, a list of Album, which has no value to compare"))
  }

  @Test func `artists who like each other, and bands among them, are merged`() throws {
    try make { context in
      let (one, two, band) = (Before.Artist("A"), Before.Artist("A"), Before.Band("A", members: 4))
      for artist in [one, two, band] { context.insert(artist) }
      one.likes = [two, band]
      two.likes = [one]
      band.likes = [Before.Artist("B"), band]
    }
    try migrated(Rule(.upsert)) { context in
      let all = try context.fetch(FetchDescriptor<After.Artist>(sortBy: [SortDescriptor(\.name)]))
      #expect(all.map(\.name) == ["A", "B"] && all.map { $0.likes.map(\.name) } == [["B"], []])
      #expect(try context.fetchCount(FetchDescriptor<After.Band>()) == 0)
    }
  }

  @Test(arguments: [ModelContext.UniqueChoice.upsert, .keepExisting])
  func `a relationship that is its own inverse stays complete`(policy: ModelContext.UniqueChoice) throws {
    let old = ModelContext(try store.container(Loose.self))
    let dancers = [("a", 1), ("a", 2), ("m", 3), ("o", 4)].map { Loose.Dancer($0.0, $0.1) }
    for dancer in dancers { old.insert(dancer) }
    (dancers[0].partner, dancers[1].partner) = (dancers[2], dancers[3])
    dancers[0].friends = [dancers[1], dancers[2]]
    dancers[1].friends = [dancers[0], dancers[3]]
    // The club has the number of the dancer that stays.
    dancers[1].club = Loose.Club("c")
    (dancers[1].teacher, dancers[3].teacher) = (dancers[0], dancers[1])
    try old.save()
    try old.container.close()
    try Tightening.$policy.withValue(policy) {
      let container = try store.container(Tight.self, Tightening.self)
      let all = try ModelContext(container).fetch(FetchDescriptor<Tight.Dancer>(sortBy: [SortDescriptor(\.name)]))
      #expect(all.map(\.name) == ["a", "m", "o"])
      let isUpsert = policy == .upsert
      #expect(all.map { $0.partner?.name } == (isUpsert ? ["o", nil, "a"] : ["m", "a", nil]))
      #expect(all.map { $0.friends.map(\.name) } == [["m", "o"], ["a"], ["a"]])
      #expect(all[0].club?.name == (isUpsert ? "c" : nil) && all.map { $0.teacher?.name } == [nil, nil, "a"])
      try store.close(container)
    }
  }
}

/// Tests that need only one kind of store.
@Suite struct DuplicatesInOneStoreTests {
  @Test func `a removal agrees with a plain model of it`() throws {
    for seed in 1...6 as ClosedRange<UInt64> {
      let tests = try DuplicateRemovalTests()
      var random = SplitMix64(seed: seed)
      func below(_ bound: Int) -> Int { Int(random.next() % UInt64(bound)) }
      let policies: [(name: String, rule: ModelContext.UniqueRule<Before.Artist>)] = [
        ("keep", .keepExisting), ("upsert", .upsert), ("merge", .mergeNonNil), ("newest", .newest(by: \.changed)),
      ]
      let policy = policies[Int(seed) % policies.count]
      var expected: [(name: String, born: Int?, changed: Int, albums: [Int])] = []
      try tests.make { context in
        for number in 0..<1500 {
          let (name, born, changed) = ("n\(below(400))", below(3) == 0 ? nil : below(100), below(100))
          let artist = Before.Artist(name, born: born, changed: changed)
          context.insert(artist)
          let albums = (0..<below(3)).map { number * 10 + $0 }
          artist.albums = albums.map { Before.Album("\($0)") }
          guard let place = expected.firstIndex(where: { $0.name == name }) else {
            expected.append((name, born, changed, albums))
            continue
          }
          expected[place].albums += albums
          let isNewer = changed >= expected[place].changed
          if policy.name == "upsert" || policy.name == "newest" && isNewer { expected[place].born = born }
          if policy.name == "merge", let born { expected[place].born = born }
          if policy.name != "keep", policy.name != "newest" || isNewer { expected[place].changed = changed }
        }
      }
      try tests.migrated(Rule(policy.rule)) { context in
        let found = try context.fetch(FetchDescriptor<After.Artist>())
        #expect(found.map(\.name) == expected.map(\.name), "seed \(seed)")
        #expect(
          found.map(\.born) == expected.map(\.born) && found.map(\.changed) == expected.map(\.changed), "seed \(seed)")
        #expect(
          found.map { $0.albums.map { Int($0.title) ?? -1 } } == expected.map(\.albums), "seed \(seed), \(policy.name)")
      }
    }
  }

  #if Postgres
    @Test(.enabled(if: PostgresServer.missing == nil, "\(PostgresServer.missing ?? "PostgreSQL is there")"))
    func `rows of a table that no model of the version names are not deleted`() throws {
      try PlanStore.$kind.withValue(.database) {
        let tests = try DuplicateRemovalTests()
        try tests.makeThree()
        try tests.store.value(
          "CREATE TABLE @.review (zone text, artist uuid, FOREIGN KEY (zone, artist) REFERENCES @.artist (zone, pk) ON DELETE CASCADE)"
        )
        try tests.store.value("INSERT INTO @.review SELECT zone, pk FROM @.artist")
        let error = #expect(throws: SwiftDataError.self) { try tests.migrated(Rule(.upsert)) { _ in } }
        #expect(error.map { "\($0)".contains("review") } == true)
        #expect(try tests.store.value("SELECT count(*)::text FROM @.review") == "6")
        #expect(try tests.store.value("SELECT count(*)::text FROM @.artist WHERE name = 'A'") == "3")
      }
    }
  #endif
}
