import Foundation
import SwiftData
import Testing

@Model final class Drawing {
  var title: String
  @Relationship(deleteRule: .cascade, inverse: \Stroke.drawing) var strokes: [Stroke] = []

  init(_ title: String) { self.title = title }
}

@Model final class Stroke {
  var color: String
  var drawing: Drawing?

  init(_ color: String) { self.color = color }
}

/// The code of the guide to undo.
@Suite struct UndoGuideTests {
  private let container: ModelContainer
  private let context: ModelContext
  private let drawing = Drawing("House")

  init() throws {
    container = try ModelContainer(for: Drawing.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    context = ModelContext(container)
    context.insert(drawing)
    try context.save()
  }

  @Test func `groups`() throws {
    let manager = UndoManager()
    context.undoManager = manager

    manager.beginUndoGrouping()
    drawing.title = "Red house"
    drawing.strokes.append(Stroke("red"))
    manager.setActionName("Paint")
    manager.endUndoGrouping()

    #expect(manager.undoMenuItemTitle == "Undo Paint")
    manager.undo()
    #expect(drawing.title == "House" && drawing.strokes.isEmpty)
    manager.redo()
    #expect(drawing.title == "Red house" && drawing.strokes.map(\.color) == ["red"])
  }

  @Test func `without groups a save ends the step`() throws {
    let manager = UndoManager()
    context.undoManager = manager
    drawing.title = "a"
    drawing.title = "b"
    try context.save()
    drawing.title = "c"
    try context.save()
    manager.undo()
    #expect(drawing.title == "b")
    manager.undo()
    #expect(drawing.title == "House" && !manager.canUndo)
    try context.save()
    let stored = try ModelContext(container).fetch(FetchDescriptor<Drawing>())
    #expect(stored.map(\.title) == ["House"])
  }

  @Test func `a saved deletion`() throws {
    drawing.strokes = [Stroke("red"), Stroke("blue")]
    try context.save()
    let manager = UndoManager()
    context.undoManager = manager
    let deleted = drawing.persistentModelID
    context.delete(drawing)
    try context.save()
    manager.undo()
    let found = try context.fetch(FetchDescriptor<Drawing>())
    #expect(found.count == 1 && found[0] !== drawing && found[0].persistentModelID != deleted)
    #expect(found[0].strokes.map(\.color) == ["red", "blue"])
    try context.save()
  }

  @Test func `changes of other contexts stay`() throws {
    let manager = UndoManager()
    context.undoManager = manager
    drawing.title = "mine"
    try context.save()
    let other = ModelContext(container)
    let same = try #require(try other.fetch(FetchDescriptor<Drawing>()).first)
    same.title = "theirs"
    try other.save()
    manager.undo()
    #expect(drawing.title == "theirs")
  }

  @Test func `what removes the steps`() throws {
    let manager = UndoManager()
    context.undoManager = manager
    manager.levelsOfUndo = 50
    drawing.title = "a"
    try context.save()
    #expect(manager.canUndo)
    context.rollback()
    #expect(!manager.canUndo)
    drawing.title = "b"
    try context.save()
    #expect(manager.canUndo)
    try context.update(model: Drawing.self) { $0.title += "!" }
    manager.undo()
    try context.save()
    let titles = try context.fetch(FetchDescriptor<Drawing>()).map(\.title)
    #expect(titles == ["b!"])
  }

  @Test func `one step without undo`() throws {
    let manager = UndoManager()
    context.undoManager = manager
    context.processPendingChanges()
    manager.disableUndoRegistration()
    drawing.title = "loaded"
    context.processPendingChanges()
    manager.enableUndoRegistration()
    #expect(!manager.canUndo)
  }
}
