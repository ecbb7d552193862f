import Foundation
import RoostTestSupport
import SwiftData
import Testing

/// Undo of changes of this context when others changed the same models.
@Suite struct UndoOthersTests {
  private let container: ModelContainer
  private let context: ModelContext
  private let manager = UndoManager()
  private let ella = Artist("Ella", street: "a")

  init() throws {
    container = try makeContainer()
    context = ModelContext(container)
    context.undoManager = manager
    context.insert(ella)
    try context.save()
  }

  private func elsewhere(_ body: (ModelContext, Artist) throws -> Void) throws {
    let other = ModelContext(container)
    let same = try #require(
      try other.fetch(FetchDescriptor<Artist>(predicate: #Predicate { $0.address.street != "z" })).first)
    try body(other, same)
    try other.save()
    _ = try context.fetch(FetchDescriptor<Artist>())
  }

  private func stored() throws -> [String] {
    let artists = try ModelContext(container).fetch(FetchDescriptor<Artist>(sortBy: [SortDescriptor(\.name)]))
    return artists.map { "\($0.name) \($0.address.street) \($0.albums.map(\.title).joined())" }
  }

  @Test func `commits of others stay`() throws {
    ella.name = "E"
    try context.save()
    try elsewhere { $1.address.street = "b" }
    manager.undo()
    try context.save()
    #expect(try stored() == ["Ella b "])
    manager.redo()
    try context.save()
    #expect(try stored() == ["E b "])
  }

  @Test func `a value that others set since stays`() throws {
    ella.address.street = "b"
    try context.save()
    ella.address.street = "c"
    try context.save()
    try elsewhere { $1.address.street = "theirs" }
    manager.undo()
    manager.undo()
    try context.save()
    #expect(try stored() == ["Ella theirs "])
  }

  @Test func `changes of others during an unsaved change are not undone`() throws {
    ella.name = "E"
    try elsewhere { $1.address.street = "b" }
    manager.undo()
    #expect(ella.name == "Ella" && ella.address.street == "b")
    try context.save()
    #expect(try stored() == ["Ella b "])
    context.delete(ella)
    try elsewhere { $1.address.street = "c" }
    manager.undo()
    try context.save()
    #expect(try stored() == ["Ella c "])
  }

  @Test func `a list keeps members that others added, and not those that they removed`() throws {
    for title in ["a", "b", "c"] { ella.albums.append(Album(title)) }
    try context.save()
    ella.albums.append(Album("mine"))
    ella.albums.removeAll { $0.title == "b" }
    try context.save()
    try elsewhere { other, same in
      same.albums.insert(Album("theirs"), at: 0)
      same.albums.removeAll { $0.title == "c" }
    }
    #expect(ella.albums.map(\.title) == ["theirs", "a", "mine"])
    manager.undo()
    try context.save()
    #expect(ella.albums.map(\.title) == ["theirs", "a", "b"])
    #expect(try stored() == ["Ella a theirsab"])
    manager.redo()
    try context.save()
    #expect(try stored() == ["Ella a theirsamine"])
  }

  @Test func `a changed order is undone among members of others`() throws {
    for title in ["a", "b", "c"] { ella.albums.append(Album(title)) }
    try context.save()
    ella.albums.reverse()
    try context.save()
    try elsewhere { $1.albums.append(Album("theirs")) }
    manager.undo()
    try context.save()
    #expect(try stored() == ["Ella a atheirsbc"])
  }

  @Test func `models that others deleted stay deleted`() throws {
    ella.name = "E"
    try context.save()
    try elsewhere { other, same in other.delete(same) }
    manager.undo()
    #expect(try context.fetchCount(FetchDescriptor<Artist>()) == 0)
    try context.save()
    #expect(try stored().isEmpty)
    // Even if it was recorded here and deleted before it was read.
    let bob = Artist("Bob")
    context.insert(bob)
    try context.save()
    bob.name = "B"
    try elsewhere { other, same in other.delete(same) }
    context.rollback()
    manager.undo()
    try context.save()
    #expect(try stored().isEmpty)
  }

  @Test func `a deletion is undone with all that was deleted`() throws {
    ella.albums = [Album("x")]
    try context.save()
    context.delete(ella)
    try context.save()
    manager.undo()
    try context.save()
    #expect(try stored() == ["Ella a x"])
  }

  @Test func `unregistered changes stay`() throws {
    ella.name = "E"
    try context.save()
    manager.disableUndoRegistration()
    ella.address.street = "quiet"
    manager.enableUndoRegistration()
    manager.undo()
    #expect(ella.name == "Ella" && ella.address.street == "quiet")
  }

  @Test func `a bulk write is not undone with the models that it changed`() throws {
    ella.name = "E"
    try context.save()
    try context.update(model: Artist.self) { $0.address.street = "bulk" }
    manager.undo()
    try context.save()
    #expect(try stored() == ["Ella bulk "])
    manager.undo()
    #expect(manager.canRedo)
  }

  @Test func `undoing an insertion that was merged does not delete the stored model`() throws {
    let other = ModelContext(container)
    other.insert(Artist("Bob", street: "theirs"))
    try other.save()
    context.insert(Artist("Bob", street: "mine"))
    try context.save()
    manager.undo()
    try context.save()
    #expect(try stored() == ["Bob mine ", "Ella a "])
  }

  @Test func `changes by observers of a commit are undone too`() throws {
    let album = Album("t")
    context.insert(album)
    try context.save()
    nonisolated(unsafe) let ella = ella
    nonisolated(unsafe) var left = 1
    let token = NotificationCenter.default.addObserver(
      forName: ModelContainer.remoteChange, object: container, queue: nil
    ) { _ in
      if left == 0 { return }
      left -= 1
      ella.address.street = "handler"
    }
    defer { NotificationCenter.default.removeObserver(token) }
    album.title = "x"
    try context.save()
    #expect(left == 0 && ella.address.street == "handler")
    ella.name = "later"
    manager.undo()
    #expect(ella.name == "Ella" && ella.address.street == "a" && album.title == "x")
    manager.undo()
    #expect(album.title == "t")
  }

  /// Two contexts change different properties and members: undoing all changes of one must keep the
  /// changes of the other.
  @Test(arguments: 0..<100) func `by seed, undo reverts only one context's part`(_ seed: UInt64) throws {
    var generator = SplitMix64(seed: seed)
    func number(_ below: Int) -> Int { Int(generator.next() % UInt64(below)) }
    let other = ModelContext(container)
    for name in 1..<4 { context.insert(Artist("\(name)", street: "s")) }
    for title in 0..<6 { context.insert(Album("\(title)", year: 1, price: 1)) }
    try context.save()
    manager.removeAllActions()
    func artists(_ context: ModelContext) throws -> [Artist] {
      try context.fetch(FetchDescriptor<Artist>(sortBy: [SortDescriptor(\.name)]))
    }
    func albums(_ context: ModelContext) throws -> [Album] {
      try context.fetch(FetchDescriptor<Album>(sortBy: [SortDescriptor(\.title)]))
    }
    // By title: the last change of the other context.
    var prices: [String: Double] = [:]
    var owners: [String: String?] = [:]
    var gone: Set<String> = []
    let before = Dictionary(uniqueKeysWithValues: try albums(context).map { ($0.title, ($0.year, $0.tags)) })
    for step in 0..<14 {
      if number(2) == 0 {
        manager.beginUndoGrouping()
        for _ in 0...number(3) {
          let all = try albums(context)
          guard !all.isEmpty else { continue }
          let album = all[number(all.count)]
          if number(2) == 0 { album.year += 1 } else { album.tags.append("\(step)") }
          if number(4) == 0 {
            let new = Album("mine\(step) \(number(1000))")
            context.insert(new)
            // In a list that the other one changes too.
            new.artist = try artists(context)[number(3)]
          }
        }
        manager.endUndoGrouping()
        if number(3) > 0 { try context.save() }
      } else {
        let all = try albums(other).filter { !$0.title.hasPrefix("mine") }
        guard !all.isEmpty else { continue }
        let album = all[number(all.count)]
        switch number(5) {
        case 0, 1:
          album.price += 1
          prices[album.title] = album.price
        case 2, 3:
          let all = try artists(other)
          let artist = number(4) == 0 ? nil : all[number(all.count)]
          album.artist = artist
          owners[album.title] = artist?.name
        default:
          // A model that the first context changed and did not save would be restored by that
          // save's policy.
          try context.save()
          gone.insert(album.title)
          other.delete(album)
        }
        try other.save()
        if number(2) == 0 { _ = try context.fetch(FetchDescriptor<Album>()) }
      }
    }
    try context.save()
    while manager.canUndo {
      manager.undo()
      if number(2) == 0 { try context.save() }
    }
    try context.save()
    let found = try albums(ModelContext(container))
    #expect(Set(found.map(\.title)) == Set(before.keys).subtracting(gone), "seed \(seed)")
    for album in found {
      #expect(album.year == before[album.title]?.0 && album.tags == before[album.title]?.1, "seed \(seed)")
      #expect(album.price == prices[album.title] ?? 1, "seed \(seed)")
      #expect(album.artist?.name == owners[album.title] ?? nil, "seed \(seed)")
    }
    while manager.canRedo { manager.redo() }
    try context.save()
    for album in try albums(ModelContext(container)) where before[album.title] != nil {
      #expect(album.price == prices[album.title] ?? 1 && !gone.contains(album.title), "seed \(seed), again")
    }
  }
}
