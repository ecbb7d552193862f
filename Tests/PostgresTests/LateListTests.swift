#if Postgres
  import Foundation
  import RoostPostgres
  import RoostTestSupport
  import SwiftData
  import Testing

  private enum Late {
    @Model final class Choir {
      var name: String
      var size = 0
      @Relationship(deleteRule: .cascade, inverse: \Voice.choir) var voices: [Voice] = []
      @Relationship(inverse: \Song.choirs) var songs: [Song] = []
      @Relationship(minimumModelCount: 1, maximumModelCount: 3, inverse: \Hall.choir) var halls: [Hall] = []
      @Relationship(deleteRule: .cascade) var badge: Badge?
      init(_ name: String) { self.name = name }
    }

    @Model final class Badge {
      var code: String
      @Relationship(inverse: \Choir.badge) var choir: Choir
      init(_ code: String, of choir: Choir) { (self.code, self.choir) = (code, choir) }
    }

    @Model final class Voice {
      var name: String
      var pitch: Int
      var choir: Choir?
      init(_ name: String, pitch: Int) { (self.name, self.pitch) = (name, pitch) }
    }

    @Model final class Song {
      @Attribute(.unique) var title: String
      var choirs: [Choir] = []
      init(_ title: String) { self.title = title }
    }

    @Model final class Hall {
      var name: String
      var choir: Choir?
      init(_ name: String) { self.name = name }
    }
  }

  /// Lists of fetched objects, which are loaded only when they are needed.
  @Suite(.server) struct LateListTests {
    fileprivate typealias Choir = Late.Choir
    fileprivate typealias Voice = Late.Voice
    fileprivate typealias Song = Late.Song
    private let ground: Ground
    private let schema = Schema([Choir.self, Late.Badge.self, Voice.self, Song.self, Late.Hall.self])

    /// Two choirs, each with three voices, two halls, and one of two songs that both have.
    init() throws {
      ground = try Ground()
      let context = try open()
      let songs = ["s1", "s2"].map { Song($0) }
      for name in ["a", "b"] {
        let choir = Choir(name)
        context.insert(choir)
        choir.voices = [3, 1, 2].map { Voice("\(name)\($0)", pitch: $0) }
        choir.songs = songs
        choir.halls = [Late.Hall(name + "h1"), Late.Hall(name + "h2")]
        context.insert(Late.Badge(name, of: choir))
      }
      context.insert(Voice("alone", pitch: 9))
      try context.save()
    }

    private func open(_ address: String? = nil, follows: Bool = false) throws -> ModelContext {
      var configuration = PostgresConfiguration(address ?? ground.address, schema: schema, namespace: ground.namespace)
      configuration.followsOthers = follows
      return ModelContext(try ModelContainer(for: schema, configurations: [configuration]))
    }

    private func trips(_ context: ModelContext) throws -> Int {
      try #require(context.container.dataStores.first as? PostgresStore).roundTrips
    }

    private func choirs(_ context: ModelContext) throws -> [Choir] {
      try context.fetch(FetchDescriptor<Choir>(sortBy: [SortDescriptor(\.name)]))
    }

    /// All choirs, as another program reads them.
    private func voices() throws -> [[String]] {
      let context = try open()
      return try choirs(context).map { $0.voices.map(\.name) }
    }

    @Test func `all lists of a fetch are loaded when one is read, and by later fetches`() throws {
      let context = try open()
      let found = try choirs(context)
      let before = try trips(context)
      #expect(found[0].voices.count == 3)
      #expect(try trips(context) == before + 1)
      #expect(found.map(\.songs.count) == [2, 2] && found[1].voices.count == 3)
      #expect(try trips(context) == before + 1)
      let other = try open()
      try choirs(other)[0].voices.append(Voice("new", pitch: 7))
      try other.save()
      #expect(found[0].voices.count == 3)
      let second = try trips(context)
      _ = try choirs(context)
      #expect(found[0].voices.count == 4 && found[0].songs.count == 2)
      #expect(try trips(context) == second + 1)
      #expect(found[0].voices.map(\.name) == ["a3", "a1", "a2", "new"])
    }

    @Test func `a fetch without its lists does not forget them`() throws {
      let container = try open().container
      let (one, other) = (ModelContext(container), ModelContext(container))
      let found = try choirs(one)
      #expect(found[1].voices.map(\.name) == ["b3", "b1", "b2"])
      // Another context of the container has loaded nothing of the object that it changes.
      let same = try choirs(other)
      same[1].size = 12
      try other.save()
      #expect(try choirs(one)[1].size == 12)
      #expect(found[1].voices.map(\.name) == ["b3", "b1", "b2"])
      #expect(same[1].voices.map(\.name) == ["b3", "b1", "b2"])
      #expect(try voices() == [["a3", "a1", "a2"], ["b3", "b1", "b2"]])
    }

    @Test func `a new member of an unloaded list comes last`() throws {
      let context = try open()
      let found = try choirs(context)
      let name = "alone"
      let alone = try #require(
        try context.fetch(FetchDescriptor<Voice>(predicate: #Predicate { $0.name == name })).first)
      let fresh = Voice("fresh", pitch: 4)
      fresh.choir = found[1]
      alone.choir = found[1]
      try context.save()
      #expect(try voices()[1] == ["b3", "b1", "b2", "fresh", "alone"])
      #expect(found[1].voices.map(\.name) == ["b3", "b1", "b2", "fresh", "alone"])
    }

    @Test func `a member that leaves an unloaded list keeps the others in order`() throws {
      let context = try open()
      let found = try choirs(context)
      let name = "b1"
      let voice = try #require(
        try context.fetch(FetchDescriptor<Voice>(predicate: #Predicate { $0.name == name })).first)
      voice.choir = found[0]
      try context.save()
      #expect(try voices() == [["a3", "a1", "a2", "b1"], ["b3", "b2"]])
      voice.choir = nil
      try context.save()
      #expect(try voices() == [["a3", "a1", "a2"], ["b3", "b2"]])
      context.delete(voice)
      try context.save()
      #expect(found.map { $0.voices.map(\.name) } == [["a3", "a1", "a2"], ["b3", "b2"]])
    }

    @Test func `links of unloaded lists are added and removed`() throws {
      let context = try open()
      let found = try choirs(context)
      let songs = try context.fetch(FetchDescriptor<Song>(sortBy: [SortDescriptor(\.title)]))
      let third = Song("s3")
      third.choirs = [found[1]]
      context.insert(third)
      songs[0].choirs.removeAll { $0 === found[0] }
      try context.save()
      let other = try open()
      let seen = try choirs(other).map { $0.songs.map(\.title) }
      #expect(seen == [["s2"], ["s1", "s2", "s3"]])
      #expect(found.map { $0.songs.map(\.title) } == seen)
    }

    @Test func `the minimum and maximum counts include unloaded members`() throws {
      let context = try open()
      let halls = try context.fetch(FetchDescriptor<Late.Hall>(sortBy: [SortDescriptor(\.name)]))
      halls[0].choir = nil
      try context.save()
      halls[1].choir = nil
      #expect(throws: (any Error).self) { try context.save() }
      context.rollback()
      let full = try open()
      let choir = try choirs(full)[1]
      for number in 1...2 {
        let hall = Late.Hall("more \(number)")
        full.insert(hall)
        hall.choir = choir
        if number == 1 { try full.save() } else { #expect(throws: (any Error).self) { try full.save() } }
      }
      #expect(
        try ground.sql("SELECT name FROM @.hall WHERE choir IS NOT NULL ORDER BY name") == [
          ["ah2"], ["bh1"], ["bh2"], ["more 1"],
        ])
    }

    @Test func `a cascade deletes unloaded members`() throws {
      let context = try open()
      context.delete(try choirs(context)[0])
      try context.save()
      #expect(try voices() == [["b3", "b1", "b2"]])
      #expect(try ground.sql("SELECT name FROM @.voice ORDER BY name") == [["alone"], ["b1"], ["b2"], ["b3"]])
      #expect(
        try context.fetch(FetchDescriptor<Song>(sortBy: [SortDescriptor(\.title)])).map(\.choirs.count) == [1, 1])
    }

    @Test func `predicates that the program tests see unloaded members`() throws {
      let context = try open()
      let found = try choirs(context)
      // The server does not know a pending change, so the program tests the rows.
      let name = "b2"
      let voice = try #require(
        try context.fetch(FetchDescriptor<Voice>(predicate: #Predicate { $0.name == name })).first)
      voice.pitch = 50
      let high = try context.fetch(
        FetchDescriptor<Choir>(predicate: #Predicate { choir in choir.voices.contains { $0.pitch > 40 } }))
      #expect(high.map(\.name) == ["b"])
      let many = try context.fetch(FetchDescriptor<Choir>(predicate: #Predicate { $0.voices.count == 3 }))
      #expect(many.count == 2)
      voice.choir = found[0]
      let four = try context.fetch(FetchDescriptor<Choir>(predicate: #Predicate { $0.voices.count == 4 }))
      #expect(four.map(\.name) == ["a"])
    }

    @Test func `sums over unloaded objects`() throws {
      let filling = try open()
      for (number, choir) in try choirs(filling).enumerated() { choir.size = 10 + number }
      try filling.save()
      let context = try open()
      #expect(try context.maximum(of: \Voice.choir?.size) == 11)
      #expect(try context.fetch(FetchDescriptor<Choir>()).count == 2)
    }

    @Test func `a snapshot of an object has its lists`() throws {
      let context = try open()
      let snapshot = ModelSnapshot(try choirs(context)[0])
      #expect(snapshot.description.contains("voices: [Voice"), "\(snapshot)")
    }

    @Test(arguments: [false, true]) func `a list of an object that another program deleted`(_ isRead: Bool) throws {
      let context = try open()
      let found = try choirs(context)
      let other = try open()
      other.delete(try choirs(other)[0])
      try other.save()
      if isRead { #expect(found[0].voices.isEmpty) }
      found[0].voices.append(Voice("late", pitch: 3))
      let error = #expect(throws: RoostError.self) { try context.save() }
      #expect(error?.code == .deleted || error?.code == .conflict, "\(String(describing: error))")
      context.rollback()
      #expect(try choirs(context).map(\.name) == ["b"])
      #expect(try voices() == [["b3", "b1", "b2"]])
    }

    @Test func `async forms see lists of objects that were changed`() async throws {
      let context = try open()
      let found = try await context.fetching(FetchDescriptor<Choir>(sortBy: [SortDescriptor(\.name)]))
      found[0].size = 12
      let many = try await context.fetching(FetchDescriptor<Choir>(predicate: #Predicate { $0.voices.count == 3 }))
      #expect(many.count == 2)
      #expect(found.map(\.voices.count) == [3, 3])
    }

    @Test(arguments: [0, 1, 2]) func `a follower learns that a member left a list that the saver had not loaded`(
      _ way: Int
    )
      async throws
    {
      let follower = try open(follows: true)
      let seen = try choirs(follower)
      #expect(seen.map(\.voices.count) == [3, 3] && seen.map(\.songs.count) == [2, 2])
      let context = try open()
      let found = try choirs(context)
      if way < 2 {
        let name = "b1"
        let voice = try #require(
          try context.fetch(FetchDescriptor<Voice>(predicate: #Predicate { $0.name == name })).first)
        if way == 0 { voice.choir = nil } else { context.delete(voice) }
      } else {
        let songs = try context.fetch(FetchDescriptor<Song>(sortBy: [SortDescriptor(\.title)]))
        songs[0].choirs.removeAll { $0 === found[1] }
      }
      try context.save()
      let isShown = try await eventually {
        // The next call shows the news. This call asks the server for nothing.
        try follower.save()
        return way < 2 ? seen[1].voices.count == 2 : seen[1].songs.count == 1
      }
      #expect(isShown)
      #expect(seen[0].voices.count == 3)
    }

    @Test(arguments: [false, true]) func `a required partner is deleted, or belongs to another object`(
      _ isDeleted: Bool
    )
      throws
    {
      let context = try open()
      let found = try choirs(context)
      #expect(found.map { $0.badge?.code } == ["a", "b"])
      let other = try open()
      let own = try choirs(other)
      let badge = try #require(own[0].badge)
      if isDeleted {
        other.delete(badge)
      } else {
        other.delete(try #require(own[1].badge))
        badge.choir = own[1]
      }
      try other.save()
      #expect(try choirs(context).map { $0.badge?.code } == (isDeleted ? [nil, "b"] : [nil, "a"]))
    }

    @Test func `a deleted member counts for an unloaded list`() throws {
      let context = try open()
      for (number, name) in ["ah1", "ah2"].enumerated() {
        let hall = try #require(
          try context.fetch(FetchDescriptor<Late.Hall>(predicate: #Predicate { $0.name == name })).first)
        context.delete(hall)
        if number == 0 { try context.save() } else { #expect(throws: (any Error).self) { try context.save() } }
      }
    }

    @Test func `a new object that is merged into a stored one shows its lists`() throws {
      let filling = try open()
      let third = Choir("c")
      filling.insert(third)
      third.halls = [Late.Hall("ch")]
      try filling.save()
      let context = try open()
      let song = Song("s1")
      context.insert(song)
      try context.save()
      #expect(Set(song.choirs.map(\.name)) == ["a", "b"])
      song.choirs.append(try choirs(context)[2])
      try context.save()
      #expect(
        try ground.sql(
          "SELECT c.name FROM @.choir_songs AS l JOIN @.choir AS c ON c.zone = l.zone AND c.pk = l.owner JOIN @.song AS s "
            + "ON s.zone = l.zone AND s.pk = l.member WHERE s.title = 's1' ORDER BY 1") == [["a"], ["b"], ["c"]])
    }

    @Test func `an identifier with a UUID in capital letters names an object in predicates`() throws {
      let key = try #require(try ground.value("SELECT pk::text FROM @.choir WHERE name = 'b'")).uppercased()
      let context = try open()
      let store = try #require(context.container.dataStores.first).identifier
      let id = try PersistentIdentifier.identifier(for: store, entityName: "Choir", primaryKey: key)
      let found = try context.fetch(FetchDescriptor<Choir>(predicate: #Predicate { $0.persistentModelID == id }))
      #expect(found.map(\.name) == ["b"])
    }

    @Test func `if the server is down, a list shows nothing and nothing is saved`() throws {
      let proxy = try CutProxy()
      let context = try open(proxy.address)
      let found = try choirs(context)
      proxy.refuse(true)
      proxy.cut(.toServer, after: 0)
      #expect(found[0].voices.isEmpty && found[1].voices.isEmpty)
      found[0].name = "changed"
      #expect(throws: (any Error).self) { try context.save() }
      proxy.pass()
      proxy.refuse(false)
      context.rollback()
      #expect(found.map { $0.voices.map(\.name) } == [["a3", "a1", "a2"], ["b3", "b1", "b2"]])
      found[0].voices.removeFirst()
      try context.save()
      #expect(try voices() == [["a1", "a2"], ["b3", "b1", "b2"]])
    }
  }
#endif
