import Foundation
import SwiftData
import Testing

enum SnapshotsGuide {
  @Model final class Track {
    @Attribute(.unique) var code: String
    var title: String
    var rating = 0
    var disc: Disc?

    init(_ code: String, title: String) {
      self.code = code
      self.title = title
    }
  }

  @Model final class Disc {
    var name: String
    @Relationship(inverse: \Track.disc) var tracks: [Track] = []

    init(_ name: String) { self.name = name }
  }

  @Model @Snapshots(.codable) final class Player {
    var name: String
    var best: Track?

    init(_ name: String) { self.name = name }
  }
}

/// The code of the guide to snapshots.
@Suite struct SnapshotsGuideTests {
  typealias Track = SnapshotsGuide.Track
  typealias Disc = SnapshotsGuide.Disc
  typealias Player = SnapshotsGuide.Player

  private func makeContainer() throws -> ModelContainer {
    try ModelContainer(
      for: Track.self, Player.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
  }

  private func filled(_ context: ModelContext) throws -> (Track, Disc) {
    let (track, disc) = (Track("t1", title: "So What"), Disc("Kind of Blue"))
    track.rating = 5
    track.disc = disc
    context.insert(track)
    try context.save()
    return (track, disc)
  }

  @Test func reading() async throws {
    let container = try makeContainer()
    let context = ModelContext(container)
    let (track, disc) = try filled(context)
    let snapshot = track.snapshot
    #expect(snapshot.title == "So What" && snapshot[\.rating] == 5)
    #expect(snapshot.disc == disc.persistentModelID)
    #expect(disc.snapshot.tracks == [track.persistentModelID])

    let best = FetchDescriptor<Track>(predicate: #Predicate { $0.rating > 3 }, sortBy: [SortDescriptor(\.title)])
    let snapshots = try context.fetchSnapshots(best)
    let elsewhere = try await Task.detached { try container.fetchSnapshots(best) }.value
    #expect(snapshots == [snapshot] && elsewhere == snapshots)

    let short = try context.fetchSnapshots(FetchDescriptor<Disc>(), includingLists: false)
    #expect(!short[0].isLoaded(\.tracks) && short[0].name == disc.name)

    let titles = try snapshots.values(of: \.title)
    #expect(titles == ["So What"])

    let json = try JSONEncoder().encode(snapshots)
    let decoded = try JSONDecoder().decode([ModelSnapshot<Track>].self, from: json)
    #expect(decoded == snapshots)
  }

  @Test func changing() throws {
    let context = ModelContext(try makeContainer())
    let (track, _) = try filled(context)
    let before = track.snapshot
    track.title = "Blue in Green"
    for difference in track.snapshot.differences(from: before) {
      print(difference.property, difference.before, difference.after)
    }
    #expect(track.snapshot.differences(from: before).map(\.property) == ["title"])

    var changed = track.snapshot
    try changed.set(\.rating, to: 4)
    try context.apply(changed)
    try context.save()
    #expect(track.rating == 4)

    let other = ModelContext(try makeContainer())
    let tracks = try context.fetchSnapshots(FetchDescriptor<Track>()).map { track in
      var track = track
      try track.set(\.disc, to: nil)
      return track
    }
    let copies = try other.apply(contentsOf: tracks)
    #expect(copies.map(\.title) == ["Blue in Green"])
  }

  @Test func structs() throws {
    let context = ModelContext(try makeContainer())
    let (track, _) = try filled(context)
    let player = Player("M")
    context.insert(player)
    var one: Player.Snapshot = player.typedSnapshot
    one.name = "Miles"
    one.best = track.persistentModelID
    try context.apply(one)
    let all = try context.fetchSnapshots(FetchDescriptor<Player>(), as: Player.Snapshot.self)
    #expect(all == [one] && player.best === track)
    let readable = try context.fetchSnapshots(FetchDescriptor<Player>()).compactMap {
      try? Player.Snapshot(checking: $0)
    }
    #expect(readable == all)
  }
}
