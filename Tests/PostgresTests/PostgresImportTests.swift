#if Postgres
  import Foundation
  import RoostTestSupport
  import SwiftData
  import Testing

  import RoostPostgres

  @Model private final class Album {
    @Attribute(.unique) var title: String
    var year: Int?
    @Relationship(inverse: \Track.album) var tracks: [Track] = []
    var tags: [Badge] = []
    init(_ title: String, year: Int? = nil, tags: [Badge] = []) {
      (self.title, self.year, self.tags) = (title, year, tags)
    }
  }

  @Model private class Track {
    var number: Int
    var text: String
    var album: Album?
    init(_ number: Int, text: String = "") { (self.number, self.text) = (number, text) }
  }

  @Model private final class LiveTrack: Track {
    var city: String
    init(_ number: Int, city: String) {
      self.city = city
      super.init(number, text: "live")
    }
  }

  @Model private final class Badge {
    var name: String
    @Relationship(inverse: \Album.tags) var albums: [Album] = []
    init(_ name: String) { self.name = name }
  }

  /// Models that reference others of their class.
  @Model private final class Folder {
    var name: String
    var parent: Folder?
    @Relationship(inverse: \Folder.parent) var children: [Folder] = []
    var neighbors: [Folder] = []
    init(_ name: String) { self.name = name }
  }

  private enum Mood: String, Codable { case calm, loud }
  private struct Spot: Codable, Equatable {
    var city: String
    var height: Double?
  }

  /// A column of each type.
  @Model private final class Everything {
    var order: Int
    var flag = true
    var i8: Int8 = -8
    var u16: UInt16 = .max
    var u64: UInt64 = .max
    var float: Float = 0.1
    var double: Double = -.infinity
    var cost: Decimal = 0
    var date = Date(timeIntervalSinceReferenceDate: 0.5)
    var key: UUID
    var text: String?
    var data: Data
    var link: URL?
    var mood = Mood.loud
    var spot: Spot?
    var list: [Int?] = []
    init(_ order: Int, _ data: Data) { (self.order, self.data, key) = (order, data, UUID()) }
  }

  @Suite(.server) struct PostgresImportTests {
    private let ground: Ground
    private static let music: [any PersistentModel.Type] = [Album.self, Track.self, LiveTrack.self, Badge.self]

    init() throws { ground = try Ground() }

    private func music(_ address: String? = nil) throws -> ModelContainer {
      try ground.container(Schema(Self.music), address: address)
    }

    private func titles(_ album: Album) -> [Int] { album.tracks.map(\.number) }

    // MARK: Models

    @Test func `models with references, lists and their order`() throws {
      let container = try music()
      let context = ModelContext(container)
      let albums = (0..<10).map { Album("a\($0)", tags: [Badge("k a\($0)"), Badge("l a\($0)")]) }
      var importer = try container.importer(for: Track.self)
      importer.options.chunk = 1000
      let report = try importer.run(0..<5000) { number in
        let track = number % 7 == 0 ? LiveTrack(number, city: "c\(number)") : Track(number, text: "t\(number)")
        if number % 3 == 0 { track.album = albums[number % 10] }
        return track
      }
      #expect(report.progress.inserted == 5000 && report.progress.records == 5000)
      #expect(report.unresolvedCount == 0)
      let counts = try ground.sql(
        "SELECT (SELECT count(*) FROM @.track)::text, (SELECT count(*) FROM @.album)::text, "
          + "(SELECT count(*) FROM @.badge)::text, (SELECT count(*) FROM @.track WHERE class = 'LiveTrack')::text")
      #expect(counts == [["5000", "10", "20", "715"]])
      let found = try context.fetch(FetchDescriptor<Album>(sortBy: [SortDescriptor(\.title)]))
      #expect(found.map(\.title) == albums.map(\.title))
      for (place, album) in found.enumerated() {
        #expect(album.tracks.map(\.number) == (0..<5000).filter { $0 % 3 == 0 && $0 % 10 == place })
        #expect(album.tags.map(\.name) == ["k a\(place)", "l a\(place)"])
      }
      let live = try context.fetch(FetchDescriptor<LiveTrack>(predicate: #Predicate { $0.city == "c7" }))
      #expect(live.map(\.number) == [7])
    }

    @Test func `a list keeps its order, on either side of the relationship`() throws {
      let container = try music()
      let album = Album("a")
      album.tracks = [3, 1, 2].map { Track($0) }
      album.tags = [Badge("z"), Badge("y"), Badge("x")]
      try container.importer(for: Album.self).run(models: [album])
      let context = ModelContext(try music())
      let found = try #require(try context.fetch(FetchDescriptor<Album>()).first)
      #expect(found.tracks.map(\.number) == [3, 1, 2])
      #expect(found.tags.map(\.name) == ["z", "y", "x"])
    }

    @Test func `an import of 5000 rows sends a few statements`() throws {
      let proxy = try CutProxy()
      let container = try music(proxy.address)
      let store = try #require(container.dataStores.first as? PostgresStore)
      let (trips, bytes) = (store.roundTrips, proxy.passed(.toServer))
      try container.importer(for: Track.self).run(0..<5000) { Track($0, text: "text of \($0)") }
      #expect(store.roundTrips - trips == 3)
      print("5000 rows: \(store.roundTrips - trips) round trips, \(proxy.passed(.toServer) - bytes) bytes")
    }

    // MARK: Conflicts

    @Test(arguments: ImportOptions.Conflict.allCases)
    func `a row with the unique values of another row`(_ conflict: ImportOptions.Conflict) throws {
      let container = try music()
      let context = ModelContext(container)
      let stored = Album("one", year: 1)
      stored.tracks = [Track(1)]
      context.insert(stored)
      try context.save()
      var importer = try container.importer(for: Album.self)
      (importer.options.conflict, importer.options.badRecords) = (conflict, .skip(upTo: 10))
      let models = [Album("one"), Album("two", year: 2), Album("two"), Album("three", year: 3)]
      if conflict == .throw {
        #expect(throws: RoostError.self) { try importer.run(models: models) }
        #expect(try ground.value("SELECT count(*)::text FROM @.album") == "1")
        return
      }
      let progress = try importer.run(models: models).progress
      let wanted =
        switch conflict {
        case .update, .merge: (2, 2, 0, 0)
        case .skip: (2, 0, 2, 0)
        case .insert, .throw: (2, 0, 0, 2)
        }
      #expect((progress.inserted, progress.updated, progress.kept, progress.bad) == wanted)
      let years = try ground.sql("SELECT title, year::text FROM @.album ORDER BY title")
      let isNil = conflict == .update
      #expect(years == [["one", isNil ? nil : "1"], ["three", "3"], ["two", isNil ? nil : "2"]])
      #expect(try ground.value("SELECT count(*)::text FROM @.track WHERE album IS NOT NULL") == "1")
      #expect(try context.fetch(FetchDescriptor<Album>()).count == 3)
      #expect(stored.year == (isNil ? nil : 1))
    }

    @Test func `a record that cannot be saved is named, and leaves nothing of its chunk`() throws {
      let container = try music()
      var importer = try container.importer(for: Track.self)
      importer.options.chunk = 2
      let models = [Track(0), Track(1), Track(2), Track(3, text: "a\u{0}b"), Track(4)]
      let error = #expect(throws: RoostError.self) { try importer.run(models: models) }
      #expect(error?.importFault?.line == 4 && error?.importFault?.field == "text")
      #expect("\(String(describing: error))".contains("Track.text"))
      #expect(try ground.value("SELECT string_agg(number::text, ' ' ORDER BY number) FROM @.track") == "0 1")
      importer.options.badRecords = .skip(upTo: 1)
      let report = try importer.run(models: models)
      #expect(report.progress.bad == 1 && report.progress.inserted == 4)
    }

    // MARK: Snapshots

    @Test func `snapshots of a file, with values of every type`() throws {
      let file = ModelContext(
        try ModelContainer(for: Everything.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
      for order in 0..<50 {
        let one = Everything(order, Data(repeating: UInt8(order), count: order == 7 ? 3_000_000 : order * 10))
        one.cost = Decimal(order) / 8
        if order % 2 == 0 { (one.text, one.link) = ("é\(order)", URL(string: "https://a.b/\(order)")) }
        if order % 3 == 0 { (one.mood, one.spot, one.list) = (.calm, Spot(city: "ü", height: 0.25), [1, nil]) }
        file.insert(one)
      }
      try file.save()
      let order = FetchDescriptor<Everything>(sortBy: [SortDescriptor(\.order)])
      let container = try ground.container(Schema([Everything.self]))
      var importer = try container.importer(for: Everything.self)
      importer.options.chunk = 20
      let report = try importer.run(snapshots: try file.fetchSnapshots(order))
      #expect(report.progress.inserted == 50)
      let (old, new) = (try file.fetch(order), try ModelContext(container).fetch(order))
      #expect(new.count == 50)
      for (one, other) in zip(old, new) {
        #expect(one.flag == other.flag && one.i8 == other.i8 && one.u16 == other.u16 && one.u64 == other.u64)
        #expect(one.float == other.float && one.double == other.double && one.cost == other.cost)
        #expect(one.date == other.date && one.key == other.key && one.text == other.text)
        #expect(one.data == other.data && one.link == other.link && one.mood == other.mood)
        #expect(one.spot == other.spot && one.list == other.list)
      }
    }

    @Test(arguments: [1, 4, 1000]) func `snapshots reference each other over chunks`(_ chunk: Int) throws {
      let file = ModelContext(
        try ModelContainer(for: Folder.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
      let folders = (0..<30).map { Folder("f\($0)") }
      for (number, folder) in folders.enumerated() {
        file.insert(folder)
        if number > 0 { folder.parent = folders[(number + 7) % 30] }
        folder.neighbors = [29 - number, (number + 3) % 30].map { folders[$0] }
      }
      try file.save()
      let order = FetchDescriptor<Folder>(sortBy: [SortDescriptor(\.name)])
      let container = try ground.container(Schema([Folder.self]))
      var importer = try container.importer(for: Folder.self)
      importer.options.chunk = chunk
      let report = try importer.run(snapshots: try file.fetchSnapshots(order))
      #expect(report.progress.inserted == 30 && report.unresolvedCount == 0, "\(report.unresolved)")
      let (old, new) = (try file.fetch(order), try ModelContext(container).fetch(order))
      #expect(new.map(\.name) == old.map(\.name))
      #expect(new.map { $0.parent?.name } == old.map { $0.parent?.name })
      #expect(new.map { $0.children.map(\.name) } == old.map { $0.children.map(\.name) })
      #expect(new.map { $0.neighbors.map(\.name) } == old.map { $0.neighbors.map(\.name) })
      // Only some of them: the others are reported.
      let half = try ModelContext(ground.container(Schema([Folder.self])))
      try half.delete(model: Folder.self)
      try half.save()
      let first = try importer.run(snapshots: try file.fetchSnapshots(order).prefix(5))
      #expect(first.progress.inserted == 5 && first.unresolvedCount > 0)
    }

    @Test func `a snapshot of a model that references stored ones`() throws {
      let container = try music()
      let context = ModelContext(container)
      let (album, badge) = (Album("a"), Badge("b"))
      album.tracks = [Track(1)]
      for model in [album, badge] as [any PersistentModel] { context.insert(model) }
      try context.save()
      let (track, other) = (Track(2), Album("c"))
      (track.album, other.tags) = (album, [badge])
      let error = #expect(throws: RoostError.self) { try container.importer(for: Track.self).run(models: [track]) }
      #expect(error?.importFault?.reason == .unknown)
      let snapshots = (track.snapshot, other.snapshot)
      context.rollback()
      #expect(try container.importer(for: Track.self).run(snapshots: [snapshots.0]).progress.inserted == 1)
      #expect(try container.importer(for: Album.self).run(snapshots: [snapshots.1]).progress.inserted == 1)
      let fresh = ModelContext(try music())
      let albums = try fresh.fetch(FetchDescriptor<Album>(sortBy: [SortDescriptor(\.title)]))
      #expect(albums.map { $0.tracks.map(\.number) } == [[1, 2], []])
      #expect(albums.map { $0.tags.map(\.name) } == [[], ["b"]])
    }

    @Test func `an import with a name is refused`() throws {
      var importer = try music().importer(for: Track.self)
      importer.options.name = "tracks"
      let error = #expect(throws: RoostError.self) { try importer.run(models: [Track(1)]) }
      #expect(error?.code == .badValue)
    }

    // MARK: Others

    @Test func `the history names an import, and a context of another program shows it`() async throws {
      let (one, other) = (try music(), try music())
      let context = ModelContext(one)
      let album = Album("a", year: 1)
      context.insert(album)
      try context.save()
      let followers = [one, other].map { container in
        let seen = ModelContext(container)
        return (seen, try? seen.fetch(FetchDescriptor<Album>()).first)
      }
      var importer = try one.importer(for: Album.self)
      importer.options.author = "importer"
      try importer.run(models: [Album("a", year: 2), Album("b")])
      for (seen, album) in followers {
        var year: Int?
        _ = try await eventually {
          try seen.save()
          year = album?.year
          return year == 2
        }
        #expect(year == 2)
      }
      var all: [PostgresHistoryTransaction] = []
      _ = try await eventually {
        all = try ModelContext(other).fetchHistory(HistoryDescriptor<PostgresHistoryTransaction>())
        return all.count >= 2
      }
      #expect(all.last?.author == "importer" && all.last?.changeCount == 2)
    }

    @Test(.enabled(if: CutProxy.socketFolder() != nil, "the server has no socket in a folder"))
    func `reported chunks are stored once, wherever the connection is cut`() throws {
      let proxy = try CutProxy()
      let container = try music(proxy.address)
      var importer = try container.importer(for: Track.self)
      importer.options.chunk = 50
      let before = proxy.passed(.toServer)
      try importer.run(0..<50) { Track($0) }
      let size = proxy.passed(.toServer) - before
      var next = 1000
      for bytes in Array(stride(from: 0, through: 2 * size, by: max(1, size / 9))) + Array((size - 60)...(size + 3)) {
        let first = next
        next += 1000
        var reported = 0
        proxy.cut(.toServer, after: bytes)
        let error = refusal {
          _ = try importer.run(first..<first + 150) { Track($0) }
        }
        proxy.pass()
        _ = try? ModelContext(container).fetchCount(FetchDescriptor<Track>())
        reported = 0
        let count = Int(
          try ground.value(
            "SELECT count(DISTINCT number)::text FROM @.track WHERE number BETWEEN \(first) AND \(first + 149)") ?? "")
        let all = Int(
          try ground.value("SELECT count(*)::text FROM @.track WHERE number BETWEEN \(first) AND \(first + 149)") ?? "")
        #expect(count == all && (all ?? 1) % 50 == 0 && (all ?? 0) >= reported, "after \(bytes) bytes")
        #expect(error == nil ? all == 150 : error?.code == .lost, "after \(bytes) bytes")
      }
    }

    @Test func `objects of several zones`() throws {
      let bank = Bank(address: ground.address, namespace: ground.namespace)
      let container = try bank.open()
      let report = try container.importer(for: Account.self).run(0..<100) {
        Account($0, branch: "b\($0 % 4)", balance: $0)
      }
      #expect(report.progress.inserted == 100)
      #expect(
        try ground.sql("SELECT zone, count(*)::text FROM @.account GROUP BY zone ORDER BY zone")
          == (0..<4).map { ["b\($0)", "25"] })
      let found = try ModelContext(container).fetch(
        FetchDescriptor<Account>(predicate: #Predicate { $0.branch == "b2" }))
      #expect(found.count == 25)
    }
  }
#endif
