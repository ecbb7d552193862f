import Foundation
import RoostTestSupport
import SwiftData
import Testing

@Model private class LostDisc {
  var title: String
  var year = 0
  @Relationship(deleteRule: .cascade, inverse: \LostSong.disc) var songs: [LostSong] = []
  var styles: [LostStyle] = []
  var best: LostSong?
  init(_ title: String) { self.title = title }
}

@Model private final class LostLongDisc: LostDisc {
  var sides = 2
  override init(_ title: String) { super.init(title) }
}

@Model private final class LostSong {
  var name: String
  var disc: LostDisc?
  @Relationship(deleteRule: .cascade) var remarks: [LostRemark] = []
  init(_ name: String) { self.name = name }
}

@Model private final class LostRemark {
  var text: String
  init(_ text: String) { self.text = text }
}

@Model private final class LostStyle {
  var name: String
  var discs: [LostDisc] = []
  init(_ name: String) { self.name = name }
}

/// A required reference to a song.
@Model private final class LostPlay {
  var count = 0
  var song: LostSong
  init(_ song: LostSong) { self.song = song }
}

@Model private final class LostClub {
  @Attribute(.unique) var name: String
  var badge: Data?
  @Relationship(inverse: \LostFee.club) var fees: [LostFee] = []
  init(_ name: String) { self.name = name }
}

/// A fee must have a club.
@Model private final class LostFee {
  var sum: Int
  var club: LostClub
  init(_ sum: Int, _ club: LostClub) { (self.sum, self.club) = (sum, club) }
}

/// Models that are restored from a snapshot of the container or from a backup.
@Suite struct RestoreTests {
  private let folder: ScratchFolder
  private let container: ModelContainer
  private let context: ModelContext

  init() throws {
    folder = try ScratchFolder()
    container = try Self.open(folder.path + "/store")
    context = ModelContext(container)
  }

  private static func open(_ path: String, isReadOnly: Bool = false) throws -> ModelContainer {
    try ModelContainer(
      for: LostDisc.self, LostLongDisc.self, LostRemark.self, LostStyle.self, LostPlay.self, LostClub.self,
      configurations: ModelConfiguration(
        url: URL(filePath: path), allowsSave: !isReadOnly))
  }

  private func backup(_ name: String = "copy") throws -> ModelContext {
    try container.backup(to: URL(filePath: folder.path + "/" + name), replacing: true)
    return ModelContext(try Self.open(folder.path + "/" + name, isReadOnly: true))
  }

  private func makeThree() throws {
    let styles = [LostStyle("rock"), LostStyle("jazz")]
    for number in 0..<3 {
      let disc = number == 1 ? LostLongDisc("d1") : LostDisc("d\(number)")
      context.insert(disc)
      disc.year = number
      disc.songs = (0..<3).map { LostSong("s\(number)\($0)") }
      disc.styles = styles
      disc.best = disc.songs[1]
      for song in disc.songs { song.remarks = [LostRemark("r" + song.name)] }
    }
    try context.save()
  }

  private func discs(_ context: ModelContext, title: String? = nil) throws -> [LostDisc] {
    var descriptor = FetchDescriptor<LostDisc>(sortBy: [SortDescriptor(\.title, comparator: .lexical)])
    if let title { descriptor.predicate = #Predicate { $0.title == title } }
    return try context.fetch(descriptor)
  }

  /// The values of a disc and of the models that it owns.
  private func text(_ disc: LostDisc, styles: Set<String>) -> String {
    let songs = disc.songs.map { "\($0.name)\($0.remarks.map(\.text))" }
    let kept = disc.styles.map(\.name).filter { styles.contains($0) }
    return "\(type(of: disc)) \(disc.title) \(disc.year) \(songs) \(kept) \(disc.best?.name ?? "nil") "
      + "\((disc as? LostLongDisc)?.sides ?? 0)"
  }

  @Test(arguments: [true, false]) func `a deleted model and its members are restored once`(isBackup: Bool) throws {
    try makeThree()
    let source = isBackup ? try backup() : try container.snapshot()
    let rock: Set<String> = ["rock"]
    let expected = try discs(source).map { text($0, styles: rock) }
    for disc in try discs(context) where disc.title != "d2" { context.delete(disc) }
    for style in try context.fetch(FetchDescriptor<LostStyle>()) where style.name == "jazz" { context.delete(style) }
    let kept = try #require(try discs(context, title: "d2").first)
    kept.year = 99
    context.delete(kept.songs[0])
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<LostSong>()) == 2)
    for round in 0..<2 {
      let all = try context.restore(contentsOf: discs(source))
      #expect(all.map(\.title) == ["d0", "d1", "d2"] && all[1] is LostLongDisc && all[2] === kept)
      if round == 0 { try context.save() }
      #expect(!context.hasChanges)
    }
    let other = ModelContext(container)
    #expect(try discs(other).map { text($0, styles: rock) } == expected)
    #expect(
      try other.fetchCount(FetchDescriptor<LostSong>()) == 9 && other.fetchCount(FetchDescriptor<LostRemark>()) == 9)
    #expect(
      try other.fetch(FetchDescriptor<LostStyle>()).map { $0.discs.map(\.title).sorted() } == [["d0", "d1", "d2"]])
    #expect(try container.verify().isSound)
  }

  @Test func `a restore is unsaved, and a rollback undoes it`() throws {
    try makeThree()
    let then = try container.snapshot()
    context.delete(try discs(context)[0])
    try context.save()
    try context.restore(try discs(then)[0])
    #expect(context.hasChanges)
    context.rollback()
    #expect(try discs(context).count == 2 && !context.hasChanges)
    try context.restore(try discs(then)[0])
    try context.save()
    #expect(try discs(ModelContext(container)).map(\.title) == ["d0", "d1", "d2"])
  }

  @Test func `a required relationship needs its model`() throws {
    try makeThree()
    let song = try #require(
      try context.fetch(FetchDescriptor<LostSong>(predicate: #Predicate { $0.name == "s00" })).first)
    let play = LostPlay(song)
    context.insert(play)
    try context.save()
    let then = try container.snapshot()
    context.delete(play)
    try context.save()
    let old = try #require(try then.fetch(FetchDescriptor<LostPlay>()).first)
    context.delete(song)
    try context.save()
    let error = try #require(throws: RoostError.self) { try context.restore(old) }
    #expect("\(error)".contains("LostPlay.song"), "\(error)")
    #expect(!context.hasChanges)
    let disc = try discs(then)[0]
    try context.restore(disc)
    #expect(try context.restore(old).song.name == "s00")
    try context.save()
    #expect(try container.verify().isSound)
  }

  @Test func `a model with a large value and a unique one is restored`() throws {
    let club = LostClub("a")
    club.badge = Data(repeating: 7, count: 200_000)
    context.insert(club)
    try context.save()
    let then = try container.snapshot()
    context.delete(club)
    try context.save()
    let old = try #require(try then.fetch(FetchDescriptor<LostClub>()).first)
    try context.restore(old)
    try context.save()
    #expect(try ModelContext(container).fetch(FetchDescriptor<LostClub>()).map { $0.badge?.count } == [200_000])
    // A snapshot finds the model by its unique value, however large the other values are.
    let copy = try context.apply(old.snapshot)
    #expect(copy.badge?.count == 200_000)
    try context.save()
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<LostClub>()) == 1)
  }

  @Test func `members that need an owner stay`() throws {
    let club = LostClub("a")
    context.insert(LostFee(1, club))
    try context.save()
    let then = try container.snapshot()
    context.insert(LostFee(2, club))
    club.badge = Data([1])
    try context.save()
    let restored = try context.restore(try #require(try then.fetch(FetchDescriptor<LostClub>()).first))
    try context.save()
    #expect(restored === club && club.badge == nil && club.fees.map(\.sum).sorted() == [1, 2])
  }

  @Test func `a restored model that was deleted again is restored once more`() throws {
    try makeThree()
    let then = try container.snapshot()
    let old = try discs(then)[0]
    context.delete(try discs(context)[0])
    try context.save()
    for _ in 0..<3 {
      let again = try context.restore(old)
      try context.save()
      #expect(try context.restore(old) === again)
      #expect(!context.hasChanges)
      #expect(try context.fetchCount(FetchDescriptor<LostSong>()) == 9)
      context.delete(again)
      try context.save()
    }
    #expect(try discs(context).count == 2)
  }

  @Test func `models that cannot be restored are reported`() throws {
    try makeThree()
    let ended = try discs(container.snapshot())[0]
    let unsaved = LostDisc("new")
    let other = ModelContext(container)
    other.insert(unsaved)
    let (one, two) = (try discs(container.snapshot())[1], try container.snapshot())
    for (models, reason) in [
      ([ended], "context has ended"), ([unsaved], "is not saved"), ([try discs(context)[0]], "into which"),
    ] {
      let error = try #require(throws: RoostError.self) { try context.restore(contentsOf: models) }
      #expect("\(error)".contains(reason), "\(error)")
    }
    let third = try discs(two)[0]
    let fourth = try container.snapshot()
    let mixed = [third, try discs(fourth)[1]]
    let error = try #require(throws: RoostError.self) { try context.restore(contentsOf: mixed) }
    #expect("\(error)".contains("several contexts") && one.title == "d1", "\(error)")
  }

  @Test func `another store, and a backup that was changed, are refused`() throws {
    try makeThree()
    _ = try backup()
    let changed = try Self.open(folder.path + "/copy")
    let writer = ModelContext(changed)
    try discs(writer)[0].year = 7
    try writer.save()
    let strange = try Self.open(folder.path + "/other")
    let stranger = ModelContext(strange)
    stranger.insert(LostDisc("d0"))
    try stranger.save()
    for source in [writer, stranger] {
      let error = try #require(throws: RoostError.self) { try context.restore(contentsOf: discs(source)) }
      #expect("\(error)".contains("is no backup of this one"), "\(error)")
    }
    #expect(throws: RoostError.self) { try context.restore(try discs(context)[0]) }
    #expect(throws: RoostError.self) { try context.restore(LostDisc("new")) }
    #expect(try context.restore(contentsOf: [LostDisc]()).isEmpty)
    try changed.close()
    try strange.close()
  }

  @Test(arguments: 1...10 as ClosedRange<UInt64>) func `after any changes, a restored model is as it was`(seed: UInt64)
    throws
  {
    var random = SplitMix64(seed: seed)
    func below(_ bound: Int) -> Int { Int(random.next() % UInt64(bound)) }
    let styles = (0..<4).map { LostStyle("style \($0)") }
    for style in styles { context.insert(style) }
    for number in 0..<20 {
      let disc = below(3) == 0 ? LostLongDisc("d\(number + 10)") : LostDisc("d\(number + 10)")
      context.insert(disc)
      disc.year = below(50)
      disc.songs = (0..<below(4)).map { LostSong("s\(number) \($0)") }
      for song in disc.songs { song.remarks = (0..<below(3)).map { LostRemark("\(song.name) \($0)") } }
      disc.styles = styles.filter { _ in below(2) == 0 }
      disc.best = below(2) == 0 ? disc.songs.last : nil
    }
    try context.save()
    let source = seed % 2 == 0 ? try backup() : try container.snapshot()
    for _ in 0..<3 {
      for disc in try discs(context) {
        switch below(6) {
        case 0: context.delete(disc)
        case 1: disc.year = below(50)
        case 2: if let song = disc.songs.first { context.delete(song) }
        case 3: disc.songs.append(LostSong("new \(below(1000))"))
        case 4: disc.songs.reverse()
        default: disc.styles = styles.filter { !$0.isDeleted && below(2) == 0 }
        }
      }
      if below(3) == 0, let style = try context.fetch(FetchDescriptor<LostStyle>()).first { context.delete(style) }
      try context.save()
    }
    let kept = Set(try context.fetch(FetchDescriptor<LostStyle>()).map(\.name))
    let wanted = try discs(source).filter { _ in below(3) != 0 }
    let expected = wanted.map { text($0, styles: kept) }
    let found = try context.restore(contentsOf: wanted)
    #expect(found.map { text($0, styles: kept) } == expected, "seed \(seed)")
    try context.save()
    let other = ModelContext(container)
    for (model, expected) in zip(found, expected) {
      let again: LostDisc? = try other.existingModel(for: model.persistentModelID)
      #expect(again.map { text($0, styles: kept) } == expected, "seed \(seed)")
    }
    #expect(try container.verify().isSound)
  }
}
