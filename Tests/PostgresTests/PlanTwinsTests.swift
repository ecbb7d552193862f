#if Postgres
  import Foundation
  import RoostPostgres
  import SwiftData
  import Testing

  /// Several models with the same values become one, before a property is unique.
  @Suite(.server) struct PlanTwinsTests {
    private let ground: Ground

    init() throws { ground = try Ground() }

    private func make(_ body: (ModelContext) throws -> Void) throws {
      let context = try ground.open(TwinsBefore.self)
      try body(context)
      try context.save()
      try context.container.close()
    }

    private func migrated<Result>(_ rule: TwinsRule, _ body: (ModelContext) throws -> Result) throws -> Result {
      try TwinsPlan.$rule.withValue(rule) {
        let container = try ModelContainer(
          for: Schema(versionedSchema: TwinsAfter.self), migrationPlan: TwinsPlan.self,
          configurations: [PostgresConfiguration(ground.address, namespace: ground.namespace)])
        return try body(ModelContext(container))
      }
    }

    /// Three artists of one name, with albums, tags, notes and badges, and one of another name.
    private func makeThree() throws {
      try make { context in
        let tags = (0..<4).map { TwinsBefore.Tag("t\($0)") }
        var artists: [TwinsBefore.Artist] = []
        for (place, born) in [5, nil, 9].enumerated() {
          let artist = TwinsBefore.Artist("A", born: born, changed: [3, 8, 4][place])
          context.insert(artist)
          artist.albums = [TwinsBefore.Album("a\(place)"), TwinsBefore.Album("b\(place)")]
          artist.tags = [tags[place], tags[place + 1]]
          artist.home = place == 1 ? nil : TwinsBefore.Place(town: "town \(place)", street: place)
          artist.badge = TwinsBefore.Badge(place)
          let note = TwinsBefore.Note("n\(place)")
          context.insert(note)
          note.about = artist
          artists.append(artist)
          try context.save()
        }
        let other = TwinsBefore.Artist("B", born: 1)
        context.insert(other)
        other.tags = [tags[0]]
        other.likes = artists
        artists[0].likes = [artists[1], other]
        for _ in 0..<2 { context.insert(TwinsBefore.Artist(nil)) }
      }
    }

    private struct Found: Equatable {
      var born: Int?
      var changed: Int
      var town: String?
      var badge: Int?
    }

    private func expect(
      _ policy: ModelContext.UniqueRule<TwinsBefore.Artist>, _ expected: Found,
      sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
      try makeThree()
      try migrated(TwinsRule(policy)) { context in
        let all = try context.fetch(FetchDescriptor<TwinsAfter.Artist>(predicate: #Predicate { $0.name == "A" }))
        let artist = try #require(all.first, sourceLocation: sourceLocation)
        let found = Found(
          born: artist.born, changed: artist.changed, town: artist.home?.town, badge: artist.badge?.number)
        #expect(found == expected, sourceLocation: sourceLocation)
        #expect(artist.albums.map(\.title) == ["a0", "b0", "a1", "b1", "a2", "b2"], sourceLocation: sourceLocation)
        #expect(artist.tags.map(\.word) == ["t0", "t1", "t2", "t3"], sourceLocation: sourceLocation)
        // No artist comes to like itself.
        #expect(artist.likes.map(\.name) == ["B"], sourceLocation: sourceLocation)
        #expect(artist.likes.first?.likes.map(\.name) == ["A"], sourceLocation: sourceLocation)
        // Nil is like no other value.
        #expect(try context.fetchCount(FetchDescriptor<TwinsAfter.Artist>()) == 4, sourceLocation: sourceLocation)
        // Nothing else is deleted, and what led to an artist leads to the one that stays.
        let notes = try context.fetch(FetchDescriptor<TwinsAfter.Note>())
        #expect(notes.count == 3 && notes.allSatisfy { $0.about === artist }, sourceLocation: sourceLocation)
        let badges = try context.fetch(FetchDescriptor<TwinsAfter.Badge>())
        #expect(badges.count == 3, sourceLocation: sourceLocation)
        #expect(badges.filter { $0.artist != nil }.map(\.number) == [expected.badge], sourceLocation: sourceLocation)
        #expect(try context.fetchCount(FetchDescriptor<TwinsAfter.Tag>()) == 4, sourceLocation: sourceLocation)
      }
      let deleted = try ground.value(
        "SELECT count(*)::text FROM @.roost_change WHERE kind = 'delete' AND class = 'Artist'")
      #expect(deleted == "2", sourceLocation: sourceLocation)
      #expect(try ground.rules("artist").contains { $0.contains("name") }, sourceLocation: sourceLocation)
    }

    @Test func `the first stays as it is`() throws {
      try expect(.keepExisting, Found(born: 5, changed: 3, town: "town 0", badge: 0))
    }

    @Test func `rows of a table that no model of the version names are not deleted along`() throws {
      try makeThree()
      try ground.sql(
        "CREATE TABLE @.review (zone text, artist uuid, FOREIGN KEY (zone, artist) REFERENCES @.artist (zone, pk) ON DELETE CASCADE)"
      )
      try ground.sql("INSERT INTO @.review SELECT zone, pk FROM @.artist")
      let error = #expect(throws: SwiftDataError.self) { try migrated(TwinsRule(.upsert)) { _ in } }
      #expect(error.map { "\($0)".contains("review") } == true)
      #expect(try ground.value("SELECT count(*)::text FROM @.review") == "6")
      #expect(try ground.value("SELECT count(*)::text FROM @.artist WHERE name = 'A'") == "3")
    }

    @Test func `the last gives its values`() throws {
      try expect(.upsert, Found(born: 9, changed: 4, town: "town 2", badge: 2))
    }

    @Test func `values that are not nil are taken over`() throws {
      try makeThree()
      try make { context in
        let last = try #require(
          try context.fetch(FetchDescriptor<TwinsBefore.Artist>()).first { $0.name == "A" && $0.born == 9 })
        (last.born, last.home, last.badge) = (nil, nil, nil)
      }
      try migrated(TwinsRule(.mergeNonNil)) { context in
        let artist = try #require(
          try context.fetch(FetchDescriptor<TwinsAfter.Artist>(predicate: #Predicate { $0.name == "A" })).first)
        #expect(artist.born == 5 && artist.changed == 4 && artist.badge?.number == 1)
        #expect(artist.home == TwinsBefore.Place(town: "town 0", street: 0))
      }
    }

    @Test func `the newest gives its values`() throws {
      try expect(.newest(by: \.changed), Found(born: nil, changed: 8, town: nil, badge: 1))
    }

    @Test func `some properties are taken over`() throws {
      try expect(.fields(\.born), Found(born: 9, changed: 3, town: "town 0", badge: 0))
    }

    @Test func `code decides, and may change what goes`() throws {
      let policy = ModelContext.UniqueRule<TwinsBefore.Artist>.resolve { duplicate, kept in
        duplicate.born = (duplicate.born ?? 0) + (kept.born ?? 0)
        return .upsert
      }
      try expect(policy, Found(born: 14, changed: 4, town: "town 2", badge: 2))
    }

    @Test(arguments: [true, false]) func `duplicates are refused, and the database is as it was`(asks: Bool) throws {
      try makeThree()
      let policy: ModelContext.UniqueRule<TwinsBefore.Artist> = asks ? .resolve { _, _ in .throw } : .throw
      let error = try #require(throws: SwiftDataError.self) { try migrated(TwinsRule(policy)) { _ in } }
      let text = "\(error)"
      #expect(text.contains("Artist.name: 1 group of objects has the same values: the first is rows "), "\(text)")
      try make { context in
        let count = try context.fetchCount(FetchDescriptor<TwinsBefore.Artist>())
        #expect(count == 6)
      }
    }

    @Test func `a key path that is no stored value is refused`() throws {
      try makeThree()
      let error = try #require(throws: SwiftDataError.self) {
        try migrated(TwinsRule(.upsert, by: \.albums)) { _ in }
      }
      #expect("\(error)".contains("Artist.albums: duplicates cannot be found by it"))
    }
  }
#endif
