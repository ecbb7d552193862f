import Foundation
import RoostImport
import RoostTestSupport
import SwiftData
import Testing

/// A context whose save goes to another context.
@Suite struct ChildContextTests {
  private let play: LivePlay
  private var parent: ModelContext { play.contexts[0] }

  init() throws { play = try LivePlay(seed: 1) }

  private let byNumber = FetchDescriptor<LiveSong>(sortBy: [SortDescriptor(\.number)])

  private func song(_ number: Int, _ context: ModelContext) throws -> LiveSong {
    try #require(try context.fetch(FetchDescriptor<LiveSong>(predicate: #Predicate { $0.number == number })).first)
  }

  @Test func `it shows unsaved changes of the parent, and its save adds to them`() throws {
    let stored = LiveSong("a", nil, year: 2000, number: 1)
    parent.insert(stored)
    try parent.save()
    let waiting = LiveSong("b", nil, year: 2001, number: 2)
    parent.insert(waiting)
    stored.title = "a2"
    let child = try ModelContext(parent: parent)
    #expect(child.parent == parent && parent.parent == nil)
    let models = try child.fetch(byNumber)
    #expect(models.map(\.title) == ["a2", "b"] && models[0] !== stored)
    #expect(models.map(\.persistentModelID) == [stored, waiting].map(\.persistentModelID))
    let album = LiveAlbum("x", number: 1)
    child.insert(album)
    album.songs = models
    models[1].title = "c"
    #expect(waiting.title == "b" && stored.album == nil)
    try child.save()
    #expect(waiting.title == "c" && waiting.album?.name == "x" && stored.album === waiting.album)
    #expect(!child.hasChanges && parent.hasChanges)
    #expect(try ModelContext(play.container).fetchCount(FetchDescriptor<LiveAlbum>()) == 0)
    try parent.save()
    #expect(try ModelContext(play.container).fetch(FetchDescriptor<LiveAlbum>()).first?.songs.count == 2)
    // The identifier that the album had before still finds it.
    album.name = "y"
    try child.save()
    #expect(stored.album?.name == "y")
  }

  /// Before the fix, the merged model stayed beside the stored one, and took members that no save stored.
  @Test(arguments: [true, false]) func `an unsaved member follows its owner into a merge`(isLoaded: Bool) throws {
    let parent = ModelContext(try Stock.container())
    parent.autosaveEnabled = false
    parent.insert(WareGroup("x"))
    try parent.save()
    let child = try ModelContext(parent: parent)
    let groups = FetchDescriptor<WareGroup>()
    if isLoaded { #expect(try child.fetch(groups).first?.wares.count == 0) }
    let new = WareGroup("x")
    child.insert(new)
    try child.save()
    let ware = Ware("a")
    child.insert(ware)
    ware.group = new
    try parent.save()
    let found = try child.fetch(groups)
    #expect(found.count == 1 && ware.group === found[0] && found[0].wares == [ware])
    found[0].wares.append(Ware("b"))
    try child.save()
    try parent.save()
    let all = try ModelContext(parent.container).fetch(groups)
    #expect(all.count == 1 && all[0].wares.map(\.code).sorted() == ["a", "b"])
  }

  /// Before the fix, they used the file of the working set: an import was lost, a backup lacked models.
  @Test func `calls that need the whole store are refused`() throws {
    parent.insert(LiveSong("a", nil, year: 2000, number: 1))
    try parent.save()
    let container = try ModelContext(parent: parent).container
    let file = FileManager.default.temporaryDirectory.appending(path: "child-\(UUID().uuidString).csv")
    let calls: [(String, () throws -> Void)] = [
      ("a backup", { try container.backup(to: file) }), ("a verification", { _ = try container.verify() }),
      ("a compaction", { try container.compact() }),
      ("an export", { try container.export(FetchDescriptor<LiveSong>(), to: .file(file, .csv)) }),
      ("an import of texts", { try container.importer(for: LiveSong.self).run(.data(Data("title\nb\n".utf8), .csv)) }),
    ]
    for (name, call) in calls {
      let error = #expect(throws: RoostError.self, "\(name)") { try call() }
      #expect("\(error as Any)".contains("\(name) does not work in a child context: "), "\(error as Any)")
    }
    #expect(!FileManager.default.fileExists(atPath: file.path))
  }

  @Test func `a grandchild changes a new model that the child saves meanwhile`() throws {
    let child = try ModelContext(parent: parent)
    let grandchild = try ModelContext(parent: child)
    child.insert(LiveSong("a", nil, year: 2000, number: 1))
    try song(1, grandchild).title = "b"
    try child.save()
    try grandchild.save()
    #expect(try song(1, child).title == "b")
    try song(1, grandchild).title = "c"
    try child.save()
    try parent.save()
    for context in [grandchild, child, parent] { try context.save() }
    #expect(try song(1, ModelContext(play.container)).title == "c")
  }

  @Test func `only properties that were changed in the child are set in the parent`() throws {
    let model = LiveSong("a", "rock", year: 2000, number: 1)
    parent.insert(model)
    try parent.save()
    let child = try ModelContext(parent: parent)
    try song(1, child).title = "b"
    // Others save meanwhile, and the parent merges it.
    let other = play.contexts[1]
    try song(1, other).genre = "pop"
    try other.save()
    model.year = 1990
    try child.save()
    #expect(model.title == "b" && model.genre == "pop" && model.year == 1990)
    #expect(try song(1, child).genre == "pop")
  }

  @Test(arguments: ModelContext.MergePolicy.allCases) func `the child's merge policy decides about a property`(
    policy: ModelContext.MergePolicy
  ) throws {
    let model = LiveSong("a", "rock", year: 2000, number: 1)
    parent.insert(model)
    try parent.save()
    let child = try ModelContext(parent: parent)
    child.mergePolicy = policy
    let own = try song(1, child)
    own.title = "child"
    (model.title, model.year) = ("parent", 1990)
    if policy == .error {
      let error = #expect(throws: RoostError.self) { try child.save() }
      #expect(error?.code == .conflict)
      #expect(error?.description.contains("the parent context changed it to \"parent\":") == true)
    } else {
      try child.save()
      #expect(own.title == model.title && own.year == model.year)
    }
    #expect(model.title == (policy == .error || policy == .storeWins ? "parent" : "child"))
    #expect(model.year == (policy == .overwrite ? 2000 : 1990))
  }

  @Test func `without a save nothing changes in the parent`() throws {
    let model = LiveSong("a", nil, year: 2000, number: 1)
    parent.insert(model)
    try parent.save()
    do {
      let child = try ModelContext(parent: parent)
      try song(1, child).title = "b"
      child.insert(LiveAlbum("x", number: 1))
    }
    #expect(!parent.hasChanges && model.title == "a")
    let child = try ModelContext(parent: parent)
    child.delete(try song(1, child))
    child.rollback()
    try child.save()
    #expect(!parent.hasChanges && !model.isDeleted)
  }

  @Test func `changes of a model that the parent has deleted are dropped, or an error`() throws {
    for number in 1...2 { parent.insert(LiveSong("a", nil, year: 2000, number: number)) }
    try parent.save()
    let child = try ModelContext(parent: parent)
    let models = try child.fetch(byNumber)
    for model in models { model.title = "b" }
    parent.delete(try song(2, parent))
    child.mergePolicy = .error
    let error = #expect(throws: RoostError.self) { try child.save() }
    #expect(error?.code == .conflict)
    #expect(try song(1, parent).title == "a")
    child.mergePolicy = .objectWins
    try child.save()
    #expect(child.lastSave.dropped == [models[1].persistentModelID] && models[1].isDeleted)
    #expect(try song(1, parent).title == "b")
  }

  /// Before the fix, the child could not save any more.
  @Test func `a reference to a model that the parent has deleted becomes nil`() throws {
    let (album, tag) = (LiveAlbum("x", number: 1), LiveTag("t"))
    for model in [album, tag] as [any PersistentModel] { parent.insert(model) }
    parent.insert(LiveSong("a", nil, year: 2000, number: 1))
    try parent.save()
    let child = try ModelContext(parent: parent)
    let new = LiveSong("b", nil, year: 2000, number: 2)
    child.insert(new)
    for model in [new, try song(1, child)] {
      model.album = try child.fetch(FetchDescriptor<LiveAlbum>()).first
      model.tags = try child.fetch(FetchDescriptor<LiveTag>())
    }
    parent.delete(album)
    parent.delete(tag)
    try child.save()
    #expect(new.album == nil && new.tags.isEmpty)
    try parent.save()
    let stored = try ModelContext(play.container).fetch(byNumber)
    #expect(stored.map(\.title) == ["a", "b"] && stored.allSatisfy { $0.album == nil && $0.tags.isEmpty })
  }

  /// Before the fix, the list had the parent's order.
  @Test func `a list has the order of the child, and the parent's new members follow`() throws {
    let album = LiveAlbum("x", number: 1)
    parent.insert(album)
    album.songs = (1...3).map { LiveSong("s", nil, year: 2000, number: $0) }
    try parent.save()
    let child = try ModelContext(parent: parent)
    let own = try #require(try child.fetch(FetchDescriptor<LiveAlbum>()).first)
    own.songs.reverse()
    own.songs.insert(LiveSong("s", nil, year: 2000, number: 5), at: 0)
    album.songs.append(LiveSong("s", nil, year: 2000, number: 4))
    album.songs.removeFirst()
    try child.save()
    #expect(album.songs.map(\.number) == [5, 3, 2, 4] && own.songs.map(\.number) == [5, 3, 2, 4])
    try parent.save()
    let stored = try ModelContext(play.container).fetch(FetchDescriptor<LiveAlbum>())
    #expect(stored.first?.songs.map(\.number) == [5, 3, 2, 4])
  }

  @Test func `the parent's save merges a new model by its unique value, and the child follows`() throws {
    let tag = LiveTag("x")
    parent.insert(tag)
    try parent.save()
    let child = try ModelContext(parent: parent)
    let new = LiveTag("x")
    let model = LiveSong("a", nil, year: 2000, number: 1)
    child.insert(model)
    model.tags = [new]
    try child.save()
    let before = new.persistentModelID
    #expect(tag.songs.isEmpty && model.tags == [new])
    try parent.save()
    #expect(tag.songs.map(\.title) == ["a"] && parent.lastSave.merges.map(\.existing) == [tag.persistentModelID])
    #expect(try ModelContext(play.container).fetchCount(FetchDescriptor<LiveTag>()) == 1)
    // The child did not have the other tag, so its tag becomes that one.
    #expect(try child.fetch(FetchDescriptor<LiveTag>()) == [new])
    #expect(new.persistentModelID == tag.persistentModelID && model.tags == [new])
    let again: LiveTag? = try child.existingModel(for: before)
    #expect(again === new)
    // Now it has that tag.
    let third = LiveTag("x")
    child.insert(third)
    let other = LiveSong("b", nil, year: 2000, number: 2)
    child.insert(other)
    other.tags = [third]
    try child.save()
    let thirdID = third.persistentModelID
    try parent.save()
    #expect(try child.fetch(FetchDescriptor<LiveTag>()) == [new])
    #expect(third.isDeleted && other.tags == [new] && new.songs == [model, other])
    #expect(try child.existingModel(for: thirdID) as LiveTag? === new)
    other.title = "c"
    new.songs.reverse()
    try child.save()
    #expect(tag.songs.map(\.title) == ["c", "a"])
  }

  /// Before the fix, the parent's list became the child's.
  @Test func `members that the parent adds and deletes meanwhile stay so`() throws {
    let album = LiveAlbum("x", number: 1)
    parent.insert(album)
    album.songs = (1...3).map { LiveSong("s", nil, year: 2000, number: $0) }
    try parent.save()
    let child = try ModelContext(parent: parent)
    let own = try #require(try child.fetch(FetchDescriptor<LiveAlbum>()).first)
    #expect(own.songs.count == 3)
    let other = play.contexts[1]
    let shared = try #require(try other.fetch(FetchDescriptor<LiveAlbum>()).first)
    let saved = LiveSong("saved", nil, year: 2001, number: 4)
    other.insert(saved)
    saved.album = shared
    try other.save()
    let waiting = LiveSong("waiting", nil, year: 2001, number: 5)
    parent.insert(waiting)
    waiting.album = album
    parent.delete(try song(1, parent))
    // The child adds a song by its reference, and removes one from the list.
    let added = LiveSong("added", nil, year: 2001, number: 6)
    child.insert(added)
    added.album = own
    own.songs.removeAll { $0.number == 2 }
    try child.save()
    try parent.save()
    let stored = try ModelContext(play.container).fetch(byNumber)
    #expect(stored.map(\.number) == [2, 3, 4, 5, 6])
    #expect(stored.map { $0.album?.number } == [nil, 1, 1, 1, 1])
  }

  /// Before the fix, the stored model lost its members and its references.
  @Test func `a merge with a stored model keeps its members and its references`() throws {
    let (tag, album) = (LiveTag("x"), LiveAlbum("y", number: 7))
    let song = LiveSong("a", nil, year: 2000, number: 1)
    for model in [tag, album, song] as [any PersistentModel] { parent.insert(model) }
    (song.tags, song.album) = ([tag], album)
    try parent.save()
    let child = try ModelContext(parent: parent)
    let (empty, other) = (LiveTag("x"), LiveSong("b", nil, year: 2001, number: 2))
    child.insert(empty)
    try child.save()
    try parent.save()
    #expect(tag.songs.map(\.title) == ["a"])
    let again = LiveTag("x")
    child.insert(other)
    other.tags = [again]
    try child.save()
    try parent.save()
    #expect(tag.songs.map(\.title).sorted() == ["a", "b"])
    let tags = try ModelContext(play.container).fetch(FetchDescriptor<LiveTag>())
    #expect(tags.map { $0.songs.map(\.title).sorted() } == [["a", "b"]])
  }

  @Test(arguments: 1...5) func `after each save parent and child show the same`(seed: UInt64) throws {
    let play = try LivePlay(seed: seed)
    let parent = play.contexts[0]
    var child = try ModelContext(parent: parent)
    var grandchild = try ModelContext(parent: child)
    func content(_ context: ModelContext) throws -> [String] {
      let songs = try context.fetch(byNumber).map { song in
        "\(song.title) \(song.genre ?? "nil") \(song.year) \(song.album?.number ?? 0) \(song.tags.map(\.word).sorted())"
      }
      let albums = try context.fetch(FetchDescriptor<LiveAlbum>(sortBy: [SortDescriptor(\.number)])).map { album in
        "\(album.name) \(album.songs.map(\.number).sorted())"
      }
      return songs + albums
        + (try context.fetch(FetchDescriptor<LiveTag>(sortBy: [SortDescriptor(\.word)]))).map(\.word)
    }
    for step in 0..<40 {
      for _ in 0...play.below(3) { try play.change(child) }
      if play.below(3) == 0 {
        try child.save()
        #expect(try content(child) == content(parent), "step \(step)")
        for _ in 0...play.below(2) { try play.change(grandchild) }
        try grandchild.save()
        try child.save()
        #expect(try content(grandchild) == content(parent), "step \(step)")
        if play.below(2) == 0 { try parent.save() }
        // The parent continues, and later children see its changes.
        for _ in 0...play.below(2) { try play.change(parent) }
        child = try ModelContext(parent: parent)
        grandchild = try ModelContext(parent: child)
        #expect(try content(grandchild) == content(parent), "step \(step)")
      }
    }
  }
}
