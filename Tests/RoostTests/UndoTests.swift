import Foundation
import RoostTestSupport
import SwiftData
import Testing

@Suite struct UndoManagerTests {
  private final class Box { var values: [Int] = [] }

  private func set(_ box: Box, _ manager: UndoManager, _ values: [Int]) {
    let old = box.values
    box.values = values
    manager.registerUndo(withTarget: box) { set($0, manager, old) }
  }

  @Test func `changes are undone in groups, and redone`() {
    let (box, manager) = (Box(), UndoManager())
    for number in 1...3 {
      manager.beginUndoGrouping()
      set(box, manager, box.values + [number])
      manager.beginUndoGrouping()
      set(box, manager, box.values + [number * 10])
      manager.endUndoGrouping()
      manager.setActionName("add \(number)")
      manager.endUndoGrouping()
    }
    #expect(manager.undoMenuItemTitle == "Undo add 3" && manager.canUndo && !manager.canRedo)
    manager.undo()
    #expect(box.values == [1, 10, 2, 20] && manager.undoActionName == "add 2" && manager.redoActionName == "add 3")
    manager.undo()
    manager.undo()
    #expect(box.values.isEmpty && !manager.canUndo)
    manager.undo()
    manager.redo()
    manager.redo()
    #expect(box.values == [1, 10, 2, 20] && manager.redoMenuItemTitle == "Redo add 3")
    manager.beginUndoGrouping()
    set(box, manager, [])
    manager.endUndoGrouping()
    #expect(!manager.canRedo)
    manager.undo()
    #expect(box.values == [1, 10, 2, 20])
  }

  @Test func `a change that is registered without a group has its own`() {
    let (box, manager) = (Box(), UndoManager())
    manager.groupsByEvent = false
    set(box, manager, [1])
    set(box, manager, [2])
    manager.undo()
    #expect(box.values == [1])
    manager.groupsByEvent = true
    set(box, manager, [3])
    set(box, manager, [4])
    #expect(manager.groupingLevel == 1)
    manager.undo()
    #expect(box.values == [1] && manager.groupingLevel == 0)
  }

  @Test func `the number of levels is limited, and targets can be removed`() {
    let (box, other, manager) = (Box(), Box(), UndoManager())
    manager.groupsByEvent = false
    manager.levelsOfUndo = 2
    for number in 1...5 { set(box, manager, [number]) }
    manager.undo()
    manager.undo()
    #expect(box.values == [3] && !manager.canUndo)
    set(other, manager, [9])
    set(box, manager, [8])
    manager.removeAllActions(withTarget: box)
    manager.undo()
    #expect(other.values.isEmpty && box.values == [8] && !manager.canUndo)
    manager.removeAllActions()
    #expect(!manager.canRedo)
    manager.disableUndoRegistration()
    set(box, manager, [7])
    manager.enableUndoRegistration()
    #expect(!manager.canUndo && manager.isUndoRegistrationEnabled)
    do {
      let gone = Box()
      set(gone, manager, [1])
    }
    manager.undo()
    #expect(!manager.isUndoing)
  }

  @Test func `unmatched groups, and undoing during an undo, do nothing`() {
    let (box, manager) = (Box(), UndoManager())
    manager.endUndoGrouping()
    manager.beginUndoGrouping()
    manager.beginUndoGrouping()
    set(box, manager, [1])
    manager.undo()
    #expect(box.values == [1] && manager.groupingLevel == 2)
    manager.endUndoGrouping()
    manager.registerUndo(withTarget: box) { _ in
      manager.undo()
      manager.redo()
      #expect(manager.isUndoing && !manager.isRedoing)
    }
    manager.undo()
    #expect(box.values.isEmpty && manager.groupingLevel == 0)
    manager.enableUndoRegistration()
    #expect(manager.isUndoRegistrationEnabled)
  }

  @Test func `it posts notifications`() {
    let (box, manager) = (Box(), UndoManager())
    nonisolated(unsafe) var names: [String] = []
    let all: [Notification.Name] = [
      .NSUndoManagerDidOpenUndoGroup, .NSUndoManagerDidCloseUndoGroup, .NSUndoManagerWillUndoChange,
      .NSUndoManagerDidUndoChange, .NSUndoManagerWillRedoChange, .NSUndoManagerDidRedoChange,
    ]
    let observers = all.map { name in
      NotificationCenter.default.addObserver(forName: name, object: manager, queue: nil) {
        names.append($0.name.rawValue)
      }
    }
    manager.beginUndoGrouping()
    set(box, manager, [1])
    manager.endUndoGrouping()
    manager.undo()
    manager.redo()
    for observer in observers { NotificationCenter.default.removeObserver(observer) }
    let short = names.map { $0.replacing("NSUndoManager", with: "").replacing("Notification", with: "") }
    #expect(
      short == [
        "DidOpenUndoGroup", "DidCloseUndoGroup", "WillUndoChange", "DidOpenUndoGroup", "DidCloseUndoGroup",
        "DidUndoChange", "WillRedoChange", "DidOpenUndoGroup", "DidCloseUndoGroup", "DidRedoChange",
      ])
  }
}

@Suite struct ContextUndoTests {
  private func group(_ context: ModelContext, _ body: () throws -> Void) rethrows {
    context.undoManager?.beginUndoGrouping()
    try body()
    context.undoManager?.endUndoGrouping()
  }

  private func state(_ context: ModelContext) throws -> [String] {
    let artists = try context.fetch(FetchDescriptor<Artist>(sortBy: [SortDescriptor(\.name)]))
    let albums = try context.fetch(FetchDescriptor<Album>(sortBy: [SortDescriptor(\.title)]))
    return artists.map { "\($0.name) \($0.address) \($0.home?.street ?? "-") \($0.albums.map(\.title))" }
      + albums.map { "\($0.title) \($0.year) \($0.tags) \($0.genre) \($0.artist?.name ?? "-")" }
  }

  @Test func `insertions, changes and deletions are undone`() throws {
    let context = ModelContext(try makeContainer())
    let manager = UndoManager()
    context.undoManager = manager
    #expect(context.undoManager === manager && !manager.canUndo)
    let ella = Artist("Ella")
    group(context) {
      context.insert(ella)
      ella.albums.append(Album("a"))
    }
    group(context) { ella.address.street = "Elm" }
    group(context) { ella.address.street = "Oak" }
    group(context) { context.delete(ella) }
    #expect(try state(context).isEmpty)
    manager.undo()
    #expect(!ella.isDeleted && ella.address.street == "Oak" && ella.albums.map(\.title) == ["a"])
    manager.undo()
    #expect(ella.address.street == "Elm")
    manager.undo()
    manager.undo()
    #expect(try state(context).isEmpty && !manager.canUndo && manager.canRedo)
    for _ in 0..<3 { manager.redo() }
    #expect(try state(context).count == 2)
    try context.save()
    manager.undo()
    let found = try #require(try context.fetch(FetchDescriptor<Artist>()).first)
    #expect(found.address.street == "Elm" && found.hasChanges)
  }

  @Test func `a saved deletion is undone with a new model`() throws {
    let context = ModelContext(try makeContainer())
    let ella = Artist("Ella")
    context.insert(ella)
    ella.albums = [Album("b"), Album("a")]
    try context.save()
    let before = try state(context)
    context.undoManager = UndoManager()
    context.delete(ella)
    try context.save()
    #expect(try state(context).isEmpty)
    context.undoManager?.undo()
    #expect(try state(context) == before)
    try context.save()
    #expect(try state(ModelContext(context.container)) == before)
    context.undoManager?.redo()
    try context.save()
    #expect(try state(context).isEmpty)
  }

  @Test func `models that are read after a cascade are restored too`() throws {
    let container = try makeContainer()
    let context = ModelContext(container)
    let ella = Artist("Ella")
    ella.albums = [Album("b"), Album("a")]
    context.insert(ella)
    try context.save()
    let before = try state(context)
    let other = ModelContext(container)
    other.undoManager = UndoManager()
    let same = try #require(try other.fetch(FetchDescriptor<Artist>()).first)
    other.delete(same)
    try other.save()
    other.undoManager?.undo()
    #expect(try state(other) == before)
  }

  @Test func `a rollback removes the undo history`() throws {
    let context = ModelContext(try makeContainer())
    let manager = UndoManager()
    context.undoManager = manager
    context.insert(Artist("Ella"))
    context.processPendingChanges()
    #expect(manager.canUndo)
    context.rollback()
    #expect(!manager.canUndo && !context.hasChanges)
    context.insert(Artist("Ella"))
    context.undoManager = nil
    #expect(manager.canUndo && context.undoManager == nil)
  }

  @MainActor @Test func `on the main actor the end of an event closes its group`() async throws {
    let container = try makeContainer()
    let context = container.mainContext
    let manager = UndoManager()
    context.undoManager = manager
    let ella = Artist("Ella")
    context.insert(ella)
    try context.save()
    ella.address.street = "a"
    try await Task.sleep(for: .milliseconds(50))
    ella.address.street = "b"
    try await Task.sleep(for: .milliseconds(50))
    manager.undo()
    #expect(ella.address.street == "a")
    manager.undo()
    #expect(ella.address.street == "")
  }

  @Test(arguments: 0..<60) func `by seed, all changes are undone and redone`(_ seed: UInt64) throws {
    var generator = SplitMix64(seed: seed)
    func number(_ below: Int) -> Int { Int(generator.next() % UInt64(below)) }
    let context = ModelContext(try makeContainer())
    for name in 0..<3 { context.insert(Artist("\(name)", street: "s")) }
    for title in 0..<4 { context.insert(Album("\(title)")) }
    if number(2) == 0 { try context.save() }
    let manager = UndoManager()
    context.undoManager = manager
    var made = 10
    func change() throws {
      let artists = try context.fetch(FetchDescriptor<Artist>(sortBy: [SortDescriptor(\.name)]))
      let albums = try context.fetch(FetchDescriptor<Album>(sortBy: [SortDescriptor(\.title)]))
      made += 1
      switch number(9) {
      case 0: context.insert(Artist("\(made)"))
      case 1:
        let album = Album("\(made)")
        context.insert(album)
        if !artists.isEmpty, number(2) == 0 { album.artist = artists[number(artists.count)] }
      case 2: if !artists.isEmpty { context.delete(artists[number(artists.count)]) }
      case 3: if !albums.isEmpty { context.delete(albums[number(albums.count)]) }
      case 4: if !albums.isEmpty { albums[number(albums.count)].tags.append("\(made)") }
      case 5:
        if !albums.isEmpty {
          albums[number(albums.count)].artist = artists.isEmpty || number(3) == 0 ? nil : artists[number(artists.count)]
        }
      case 6:
        if !artists.isEmpty, !albums.isEmpty {
          artists[number(artists.count)].albums.append(albums[number(albums.count)])
        }
      case 7: if !artists.isEmpty { artists[number(artists.count)].albums.shuffle(using: &generator) }
      default:
        if !artists.isEmpty {
          artists[number(artists.count)].home = number(2) == 0 ? nil : Address(street: "\(made)", number: made)
        }
      }
    }
    var states = [try state(context)]
    for _ in 0..<8 {
      try group(context) { for _ in 0...number(4) { try change() } }
      if number(3) == 0 { try context.save() }
      states.append(try state(context))
    }
    // Groups without changes do not count.
    var steps = [states[0]]
    for state in states where state != steps.last { steps.append(state) }
    var at = steps.count - 1
    for _ in 0..<3 {
      while at > 0 {
        manager.undo()
        let now = try state(context)
        if now == steps[at] { continue }
        at -= 1
        #expect(now == steps[at], "seed \(seed), step \(at)")
        if now != steps[at] { return }
        if number(4) == 0 { try context.save() }
      }
      while at < steps.count - 1 {
        manager.redo()
        let now = try state(context)
        if now == steps[at] { if manager.canRedo { continue } else { break } }
        at += 1
        #expect(now == steps[at], "seed \(seed), step \(at) again")
        if now != steps[at] { return }
        if number(4) == 0 { try context.save() }
      }
      #expect(at == steps.count - 1, "seed \(seed)")
    }
    try context.save()
    #expect(try state(ModelContext(context.container)) == steps[at], "seed \(seed)")
  }
}
