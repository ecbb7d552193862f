#if Postgres
  import Foundation
  import RoostPostgres
  import RoostTestSupport
  import SwiftData
  import Testing

  private enum Plain {
    @Model final class Song {
      var title: String
      var year: Int
      init(_ title: String, _ year: Int) { (self.title, self.year) = (title, year) }
    }
  }
  /// Models with the same properties, and an index.
  private enum Quick {
    @Model final class Song {
      #Index<Song>([\.year])
      var title: String
      var year: Int
      init(_ title: String, _ year: Int) { (self.title, self.year) = (title, year) }
    }
  }
  private enum Indexed {
    @Model final class Song {
      #Index<Song>([\.title], [\.year], [\.year, \.title], [\.cover], [\.link], [\.album], [\.album, \.year])
      var title: String
      var year: Int
      var cover: Data?
      var link: URL?
      var album: Album?
      init(_ title: String, _ year: Int) { (self.title, self.year) = (title, year) }
    }
    @Model final class Album {
      #Unique<Album>([\.name])
      #Index<Album>([\.name])
      var name: String
      var songs: [Song] = []
      init(_ name: String) { self.name = name }
    }
  }
  private enum Renamed {
    @Model final class Song {
      #Index<Song>([\.caption], [\.year])
      @Attribute(originalName: "title") var caption: String
      var year: Int
      init(_ caption: String, _ year: Int) { (self.caption, self.year) = (caption, year) }
    }
  }

  /// `#Index` in the database.
  @Suite(.server) struct IndexShapeTests {
    private let ground: Ground

    init() throws { ground = try Ground() }

    private func indexes() throws -> [String] {
      try ground.sql(
        "SELECT indexname::text FROM pg_indexes WHERE schemaname = '\(ground.namespace)' AND tablename = 'song' ORDER BY 1"
      ).compactMap { $0[0] }
    }

    /// The number of times that an index was used. The server counts late, at the latest when a
    /// connection ends.
    private func uses(_ index: String) throws -> Int {
      try ground.value(
        "SELECT idx_scan::text FROM pg_stat_user_indexes WHERE schemaname = '\(ground.namespace)' AND indexrelname = '\(index)'"
      ).flatMap { Int($0) } ?? -1
    }

    @Test func `indexes follow the models`() throws {
      try ground.save(ground.open(Plain.Song.self), [Plain.Song("a", 1), Plain.Song("b", 2)])
      #expect(try indexes() == ["song_pkey"])
      let all = [
        "song_album_idx", "song_album_year_idx", "song_link_idx", "song_pkey", "song_title_idx", "song_year_idx",
        "song_year_title_idx",
      ]
      _ = try ground.open(Indexed.Song.self)
      #expect(try indexes() == all)
      // A unique value has an index already.
      #expect(try ground.rules("album") == ["album_pkey", "album_name_key"])
      // An older program changes nothing.
      #expect(try ground.open(Plain.Song.self).fetchCount(FetchDescriptor<Plain.Song>()) == 2)
      #expect(try indexes() == all)
      _ = try ground.open(Indexed.Song.self)
      #expect(try indexes() == all)
    }

    @Test func `a program that runs without the index, as before, leaves it`() throws {
      try ground.save(ground.open(Plain.Song.self), [Plain.Song("a", 1)])
      for _ in 0..<2 {
        #expect(try ground.open(Quick.Song.self).fetchCount(FetchDescriptor<Quick.Song>()) == 1)
        #expect(try indexes() == ["song_pkey", "song_year_idx"])
        #expect(try ground.open(Plain.Song.self).fetchCount(FetchDescriptor<Plain.Song>()) == 1)
        #expect(try indexes() == ["song_pkey", "song_year_idx"])
      }
    }

    @Test func `models that had an index from the start can remove it`() throws {
      _ = try ground.open(Quick.Song.self)
      #expect(try indexes() == ["song_pkey", "song_year_idx"])
      _ = try ground.open(Plain.Song.self)
      #expect(try indexes() == ["song_pkey"])
    }

    @Test(.enabled(if: PostgresServer.given == nil, "roles are made on a server that the tests have started"))
    func `a role that may not make indexes works without them`() throws {
      try ground.save(ground.open(Plain.Song.self), [Plain.Song("a", 1)])
      let role = "\(ground.namespace)_guest"
      for text in [
        "CREATE ROLE \(role) LOGIN", "GRANT USAGE ON SCHEMA @ TO \(role)",
        "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA @ TO \(role)",
        "REVOKE UPDATE, INSERT, DELETE ON @.roost_store FROM \(role)",
      ] {
        try ground.sql(text)
      }
      let guest = try ground.open(Quick.Song.self, address: ground.address + " user=\(role)")
      guest.insert(Quick.Song("b", 2))
      try guest.save()
      let late = #Predicate<Quick.Song> { $0.year > 1 }
      #expect(try guest.fetch(FetchDescriptor(predicate: late)).map(\.title) == ["b"])
      #expect(try indexes() == ["song_pkey"])
      #expect(try ground.open(Quick.Song.self).fetchCount(FetchDescriptor(predicate: late)) == 1)
      #expect(try indexes() == ["song_pkey", "song_year_idx"])
    }

    @Test func `a renamed property keeps its index, and a new one is made`() throws {
      try ground.save(ground.open(Indexed.Song.self), [Indexed.Song("a", 1)])
      let renamed = try ground.open(Renamed.Song.self)
      let one = #Predicate<Renamed.Song> { $0.caption == "a" && $0.year == 1 }
      #expect(try renamed.fetchCount(FetchDescriptor(predicate: one)) == 1)
      let left = try indexes()
      #expect(left.contains("song_title_idx") && left.contains("song_year_idx"))
      // This index is over two properties that the models have, but do not index any more.
      #expect(!left.contains("song_year_title_idx"))
    }

    @Test func `texts of any length are found, and may differ after the indexed part`() throws {
      let context = try ground.open(Indexed.Song.self)
      var random = SystemRandomNumberGenerator()
      // A text that cannot be compressed.
      let long = String(
        (0..<20_000).map { _ in Character(Unicode.Scalar(0x4E00 + UInt32.random(in: 0..<20_000, using: &random))!) })
      let titles = [long + "a", long + "b", String(long.prefix(160)), "", "e\u{301}te\u{301}", "z"]
      try ground.save(context, titles.enumerated().map { Indexed.Song($1, $0) })
      let other = try ground.open(Indexed.Song.self)
      func years(_ predicate: Predicate<Indexed.Song>) throws -> [Int] {
        let sorted = FetchDescriptor(predicate: predicate, sortBy: [SortDescriptor(\.year)])
        let found = try other.fetch(sorted).map(\.year)
        #expect(try other.fetchCount(sorted) == found.count)
        let all = try other.fetch(FetchDescriptor<Indexed.Song>(sortBy: [SortDescriptor(\.year)]))
        #expect(try all.filter { try predicate.evaluate($0) }.map(\.year) == found)
        return found
      }
      let (first, second, start) = (titles[0], titles[1], titles[2])
      #expect(try years(#Predicate { $0.title == first }) == [0])
      #expect(try years(#Predicate { $0.title != second }) == [0, 2, 3, 4, 5])
      #expect(try years(#Predicate { $0.title < second && $0.title > start }) == [0])
      #expect(try years(#Predicate { $0.title <= second && $0.title >= start }) == [0, 1, 2])
      #expect(try years(#Predicate { first < $0.title && $0.title <= second }) == [1])
      #expect(try years(#Predicate { $0.title == "\u{E9}t\u{E9}" }) == [4])
      #expect(try years(#Predicate { $0.title == "" }) == [3])
      let some = [second, "\u{E9}t\u{E9}", "none"]
      #expect(try years(#Predicate { some.contains($0.title) }) == [1, 4])
      #expect(try years(#Predicate { !some.contains($0.title) }) == [0, 2, 3, 5])
      for order in [SortOrder.forward, .reverse] {
        var descriptor = FetchDescriptor<Indexed.Song>(sortBy: [SortDescriptor(\.title, order: order)])
        let all = [3, 5, 4, 2, 0, 1]
        for limit in 1...6 {
          descriptor.fetchLimit = limit
          #expect(
            try other.fetch(descriptor).map(\.year) == Array((order == .forward ? all : all.reversed()).prefix(limit)))
        }
      }
    }

    @Test(.oneServer("the workers of a cluster count how often an index was used"))
    func `the planner uses them`() async throws {
      try ground.save(ground.open(Indexed.Song.self), (0..<2000).map { Indexed.Song("t\($0)", $0) })
      // Without statistics the planner takes any of the indexes.
      try ground.sql("ANALYZE @.song")
      func ask(_ predicate: Predicate<Indexed.Song>?, sortBy: [SortDescriptor<Indexed.Song>] = [], limit: Int? = nil)
        throws
      {
        let address = ground.address + " options='-c enable_seqscan=off'"
        let context = try ground.open(Indexed.Song.self, address: address)
        var descriptor = FetchDescriptor(predicate: predicate, sortBy: sortBy)
        descriptor.fetchLimit = limit
        #expect(try context.fetch(descriptor).count > 0)
        try context.container.close()
      }
      let some = ["t1", "t3"]
      let cases: [(String, () throws -> Void)] = [
        ("song_title_idx", { try ask(#Predicate { $0.title == "t3" }) }),
        ("song_title_idx", { try ask(#Predicate { $0.title < "t10" }) }),
        ("song_title_idx", { try ask(#Predicate { some.contains($0.title) }) }),
        ("song_title_idx", { try ask(nil, sortBy: [SortDescriptor(\.title)], limit: 3) }),
        ("song_title_idx", { try ask(nil, sortBy: [SortDescriptor(\.title, order: .reverse)], limit: 3) }),
        ("song_year_title_idx", { try ask(#Predicate { $0.year == 3 && $0.title == "t3" }) }),
      ]
      for (index, body) in cases {
        let before = try uses(index)
        try body()
        // A closed connection disappears a moment later.
        let isUsed = try await eventually { try uses(index) > before }
        #expect(isUsed, "\(index)")
      }
    }
  }
#endif
