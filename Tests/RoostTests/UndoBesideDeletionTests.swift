import SwiftData
import Testing

enum Shelved {
  @Model final class Disc {
    var number: Int
    var best: Label?
    var labels: [Label] = []
    init(_ number: Int) { self.number = number }
  }

  @Model final class Label {
    var number: Int
    init(_ number: Int) { self.number = number }
  }
}

/// Regression: a label was deleted, and then a number of the disc that references it was changed.
/// Both were undone, and the disc's reference was nil: undoing the number had set the reference to
/// its visible value while the label was deleted.
@Suite struct UndoBesideDeletionTests {
  @Test(arguments: [false, true], [false, true])
  func `a reference survives the undo of another change while its target is deleted`(_ isFirst: Bool, _ isRead: Bool)
    throws
  {
    let container = try ModelContainer(
      for: Shelved.Disc.self, Shelved.Label.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    do {
      let context = ModelContext(container)
      let (disc, labels) = (Shelved.Disc(0), [Shelved.Label(1), Shelved.Label(2)])
      context.insert(disc)
      for label in labels { context.insert(label) }
      disc.best = labels[0]
      disc.labels = labels
      try context.save()
    }
    let context = ModelContext(container)
    let manager = UndoManager()
    manager.groupsByEvent = false
    context.undoManager = manager
    let disc = try #require(try context.fetch(FetchDescriptor<Shelved.Disc>()).first)
    if isRead { #expect(disc.best?.number == 1 && disc.labels.map(\.number) == [1, 2]) }
    func group(_ body: () throws -> Void) rethrows {
      manager.beginUndoGrouping()
      try body()
      context.processPendingChanges()
      manager.endUndoGrouping()
    }
    func delete() throws {
      let one = FetchDescriptor<Shelved.Label>(predicate: #Predicate { $0.number == 1 })
      context.delete(try #require(try context.fetch(one).first))
    }
    if isFirst { try group(delete) }
    group { disc.number = 7 }
    if !isFirst { try group(delete) }
    #expect(disc.best == nil && disc.labels.map(\.number) == [2])
    while manager.canUndo {
      manager.undo()
      context.processPendingChanges()
    }
    #expect(disc.number == 0 && disc.best?.number == 1 && disc.labels.map(\.number) == [1, 2])
    try context.save()
    let stored = try #require(try ModelContext(container).fetch(FetchDescriptor<Shelved.Disc>()).first)
    #expect(stored.number == 0 && stored.best?.number == 1 && stored.labels.map(\.number) == [1, 2])
  }
}
