import Foundation
import SwiftData
import Testing

@Suite(.everyStore) struct ContextTests {
  @Test func `inserting, changing and deleting`() throws {
    let context = try makeContext()
    let garden = Garden(name: "a")
    #expect(garden.modelContext == nil && !context.hasChanges)
    context.insert(garden)
    #expect(garden.modelContext == context && context.hasChanges)
    #expect(context.insertedModelsArray.count == 1 && context.changedModelsArray.isEmpty)
    try context.save()
    #expect(!context.hasChanges && !garden.hasChanges && garden.persistentModelID.storeIdentifier != nil)
    garden.area = 2
    #expect(context.hasChanges && garden.hasChanges && context.changedModelsArray.count == 1)
    try context.save()
    context.delete(garden)
    #expect(context.deletedModelsArray.count == 1 && garden.isDeleted)
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<Garden>()) == 0)
  }

  @Test func `a rollback discards changes`() throws {
    let context = try makeContext()
    let garden = Garden(name: "a")
    context.insert(garden)
    try context.save()
    garden.area = 5
    context.insert(Garden(name: "b"))
    context.rollback()
    #expect(!context.hasChanges && garden.area == 0)
    #expect(try context.all(Garden.self).map(\.name) == ["a"])
  }

  @Test func `a transaction is saved`() throws {
    let container = try makeContainer()
    let context = ModelContext(container)
    try context.transaction {
      context.insert(Garden(name: "a"))
      context.insert(Garden(name: "b"))
    }
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Garden>()) == 2)
  }

  @Test func `a model is found by its identifier`() throws {
    let container = try makeContainer()
    let context = ModelContext(container)
    let garden = Garden(name: "a")
    context.insert(garden)
    try context.save()
    let identifier = garden.persistentModelID
    #expect(garden.id == identifier && identifier.entityName == "Garden" && identifier.id == identifier.id)
    #expect(context.registeredModel(for: identifier) as Garden? === garden)
    #expect(context.model(for: identifier) === garden)
    let other = ModelContext(container)
    #expect(other.registeredModel(for: identifier) as Garden? == nil)
    let again = try #require(other.model(for: identifier) as? Garden)
    #expect(again.name == "a" && again !== garden && again.persistentModelID == identifier)
    #expect([identifier].contains(again.persistentModelID) && Set([identifier, again.id]).count == 1)
  }

  @Test func `models are deleted by a predicate`() throws {
    let context = try makeContext()
    for name in ["a", "b", "c"] { context.insert(Garden(name: name)) }
    try context.save()
    try context.delete(model: Garden.self, where: #Predicate { $0.name != "b" })
    try context.save()
    #expect(try context.all(Garden.self).map(\.name) == ["b"])
    try context.delete(model: Garden.self)
    try context.save()
    #expect(try context.all(Garden.self).isEmpty)
  }

  @Test func `a save notifies observers`() throws {
    let context = try makeContext()
    let garden = Garden(name: "a")
    let told = Told()
    let center = NotificationCenter.default
    let before = center.addObserver(forName: ModelContext.willSave, object: context, queue: nil) { _ in
      told.add("will")
    }
    let after = center.addObserver(forName: ModelContext.didSave, object: context, queue: nil) { note in
      for key in ["inserted", "updated", "deleted"] {
        let identifiers = note.userInfo?[key] as? [PersistentIdentifier] ?? []
        if !identifiers.isEmpty { told.add("\(key) \(identifiers.count)") }
      }
    }
    defer {
      center.removeObserver(before)
      center.removeObserver(after)
    }
    context.insert(garden)
    try context.save()
    garden.area = 1
    try context.save()
    context.delete(garden)
    try context.save()
    #expect(told.all == ["will", "inserted 1", "will", "updated 1", "will", "deleted 1"])
    #expect(ModelContext.NotificationKey.insertedIdentifiers.rawValue == "insertedIdentifiers")
  }

  @Test func `another context sees what was saved`() throws {
    let container = try makeContainer()
    let (one, other) = (ModelContext(container), ModelContext(container))
    #expect(one != other && one.container == container && !one.autosaveEnabled)
    one.insert(Garden(name: "a"))
    #expect(try other.all(Garden.self).isEmpty)
    try one.save()
    #expect(try other.all(Garden.self).count == 1)
    one.author = "somebody"
    #expect(one.editingState.author == "somebody")
  }

  @Test @MainActor func `the main context saves automatically`() throws {
    let container = try makeContainer()
    #expect(container.mainContext.autosaveEnabled && container.mainContext === container.mainContext)
    container.mainContext.autosaveEnabled = false
    container.mainContext.insert(Garden(name: "a"))
    try container.mainContext.save()
    #expect(try container.mainContext.fetchCount(FetchDescriptor<Garden>()) == 1)
  }

  @Test func `the last model with a unique value wins`() throws {
    #if canImport(Roost)
      // The save of the parent compares unique values.
      if StoreKind.current == .child { return }
    #endif
    let context = try makeContext()
    let first = Garden(name: "a")
    context.insert(first)
    try context.save()
    let identifier = first.persistentModelID
    let second = Garden(name: "a", season: .winter)
    context.insert(second)
    try context.save()
    let fresh = ModelContext(context.container)
    let all = try fresh.all(Garden.self)
    #expect(all.count == 1 && all[0].season == .winter && all[0].persistentModelID == identifier)
  }
}

/// The content of a notification.
private final class Told: @unchecked Sendable {
  private let lock = NSLock()
  private var texts: [String] = []

  func add(_ text: String) { lock.withLock { texts.append(text) } }
  var all: [String] { lock.withLock { texts } }
}
