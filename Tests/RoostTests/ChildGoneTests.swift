import Foundation
import SwiftData
import Testing

/// Models that a parent context deleted, in questions of its child.
@Suite struct ChildGoneTests {
  private let play: LivePlay
  private let child: ModelContext
  private var parent: ModelContext { play.contexts[0] }

  private let byNumber = FetchDescriptor<LiveSong>(sortBy: [SortDescriptor(\.number)])
  private let alone = FetchDescriptor<LiveSong>(
    predicate: #Predicate { $0.album == nil }, sortBy: [SortDescriptor(\.number)])
  private let far = FetchDescriptor<LiveSong>(
    predicate: #Predicate { ($0.album?.number ?? 0) != 2 }, sortBy: [SortDescriptor(\.number)])

  /// Saves two albums with two songs each, and a song without an album.
  init() throws {
    play = try LivePlay(seed: 1)
    let parent = play.contexts[0]
    for number in 1...2 {
      let album = LiveAlbum("album", number: number)
      parent.insert(album)
      album.songs = [2 * number - 1, 2 * number].map { LiveSong("song", nil, year: 2000, number: $0) }
    }
    parent.insert(LiveSong("song", nil, year: 2000, number: 5))
    try parent.save()
    child = try ModelContext(parent: parent)
  }

  private func song(_ number: Int, _ context: ModelContext) throws -> LiveSong {
    try #require(try context.fetch(FetchDescriptor<LiveSong>(predicate: #Predicate { $0.number == number })).first)
  }

  private func album(_ number: Int, _ context: ModelContext) throws -> LiveAlbum {
    try #require(try context.fetch(FetchDescriptor<LiveAlbum>(predicate: #Predicate { $0.number == number })).first)
  }

  /// The child shows the deleted song's album again, without the song. Before the fix, a change of
  /// any album then let the child test all songs that it knew.
  @Test func `a change of a related model does not bring them back`() throws {
    _ = try child.fetch(byNumber)
    parent.delete(try song(1, parent))
    try album(2, child).name = "changed"
    #expect(try child.fetch(alone).map(\.number) == [5])
    #expect(try child.fetch(far).map(\.number) == [2, 5])
    #expect(try child.fetchCount(alone) == 1)
    #expect(try child.select(LiveSong.self, \.number, where: alone.predicate, sortBy: alone.sortBy) == [5])
    try parent.save()
    #expect(try child.fetch(alone).map(\.number) == [5])
  }

  @Test func `a fetch of the class marks them as deleted`() throws {
    let songs = try child.fetch(byNumber)
    parent.delete(try song(1, parent))
    #expect(!songs[0].isDeleted)
    #expect(try child.fetch(byNumber) == Array(songs[1...]))
    #expect(songs[0].isDeleted && songs[0].title == "song" && !child.hasChanges)
    #expect(try album(1, child).songs == [songs[1]])
    #expect(songs[1...].allSatisfy { !$0.isDeleted })
    parent.rollback()
    let again = try child.fetch(byNumber)
    #expect(again.map(\.number) == [1, 2, 3, 4, 5] && again[0] !== songs[0] && again[1] === songs[1])
    again[0].title = "new"
    try child.save()
    #expect(try song(1, parent).title == "new")
  }

  @Test func `a grandchild learns it too, after the parent has saved`() throws {
    let grandchild = try ModelContext(parent: child)
    let (songs, theirs) = (try child.fetch(byNumber), try grandchild.fetch(byNumber))
    for song in try parent.fetch(byNumber) where song.number < 4 { parent.delete(song) }
    try parent.save()
    #expect(try grandchild.fetch(byNumber) == Array(theirs[3...]))
    #expect(theirs.map(\.isDeleted) == [true, true, true, false, false])
    #expect(songs.map(\.isDeleted) == [true, true, true, false, false])
  }

  @Test func `a model whose insertion the parent undid is deleted`() throws {
    parent.insert(LiveSong("song", nil, year: 2000, number: 6))
    let new = try song(6, child)
    _ = try child.fetch(byNumber)
    #expect(!new.isDeleted)
    parent.rollback()
    #expect(try child.fetch(byNumber).map(\.number) == [1, 2, 3, 4, 5])
    #expect(new.isDeleted)
  }

  @Test func `a model that the parent saved stays`() throws {
    let new = LiveSong("song", nil, year: 2000, number: 6)
    parent.insert(new)
    let theirs = try song(6, child)
    let mine = LiveSong("song", nil, year: 2000, number: 7)
    child.insert(mine)
    #expect(try child.fetch(byNumber).map(\.number) == [1, 2, 3, 4, 5, 6, 7])
    try child.save()
    #expect(try child.fetch(byNumber).last === mine)
    try parent.save()
    #expect(try child.fetch(byNumber).suffix(2) == [theirs, mine])
    #expect(!theirs.isDeleted && !mine.isDeleted)
  }

  @Test func `a model with changes of the child stays until a save drops them`() throws {
    let songs = try child.fetch(byNumber)
    songs[0].title = "mine"
    parent.delete(try song(1, parent))
    #expect(try child.fetch(byNumber) == songs)
    try child.save()
    #expect(child.lastSave.dropped == [songs[0].persistentModelID] && songs[0].isDeleted)
    #expect(try child.fetch(byNumber) == Array(songs[1...]))
    #expect(try parent.fetch(byNumber).map(\.number) == [2, 3, 4, 5])
  }

  /// The parent still has the model, and cannot test the predicate on it.
  @Test func `a predicate with an error on a model that the child deleted is right for the others`() throws {
    parent.insert(LiveSong("song", nil, year: 2000, number: 0))
    try parent.save()
    let quotient = FetchDescriptor<LiveSong>(
      predicate: #Predicate { 12 / $0.number > 4 }, sortBy: [SortDescriptor(\.number)])
    let error = #expect(throws: RoostError.self) { try child.fetch(quotient) }
    #expect(error?.code == .badCondition)
    child.delete(try song(0, child))
    #expect(try child.fetch(quotient).map(\.number) == [1, 2])
    #expect(try child.fetchCount(quotient) == 2)
    child.rollback()
    try song(0, child).number = 6
    #expect(try child.fetch(quotient).map(\.number) == [1, 2])
  }
}
