import Foundation
import SwiftData
import Testing

@Model final class Poem {
  @Attribute(.unique) var title: String
  var lines = 0

  init(_ title: String) { self.title = title }
}

/// The answers of the page of frequent questions.
@Suite struct FAQGuideTests {
  private let folder = FileManager.default.temporaryDirectory.appending(path: "guide-\(UUID().uuidString)")

  @Test func `identifiers, counts, and finding or making`() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let container = try ModelContainer(
      for: Poem.self, configurations: ModelConfiguration(url: folder.appending(path: "poems.roost")))
    let context = ModelContext(container)
    let poem = Poem("Autumn")
    context.insert(poem)
    try context.save()

    let data = try JSONEncoder().encode(poem.persistentModelID)
    let identifier = try JSONDecoder().decode(PersistentIdentifier.self, from: data)
    let same: Poem? = try context.existingModel(for: identifier)
    #expect(same === poem)

    let title = "Winter"
    let found = try context.first(Poem.self, where: \.title, is: title)
    let winter = found ?? Poem(title)
    if found == nil { context.insert(winter) }
    #expect(winter.modelContext === context)
    try context.save()

    let count = try context.fetchCount(FetchDescriptor<Poem>())
    #expect(count == 2)

    try context.deleteAll(model: Poem.self)
    #expect(try context.fetchCount(FetchDescriptor<Poem>()) == 0)
    try container.close()
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["poems.roost"])
  }

  @Test func `two objects with one unique value become one`() throws {
    let container = try ModelContainer(for: Poem.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let (one, two) = (ModelContext(container), ModelContext(container))
    one.insert(Poem("Autumn"))
    try one.save()
    let again = Poem("Autumn")
    again.lines = 14
    two.insert(again)
    try two.save()
    let all = try ModelContext(container).fetch(FetchDescriptor<Poem>())
    #expect(all.map(\.lines) == [14])
  }

  @Test func `a date is stored to the bit`() throws {
    let container = try ModelContainer(for: Stamp.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let context = ModelContext(container)
    let now = Date.now
    context.insert(Stamp(now))
    try context.save()
    let stamps = try ModelContext(container).fetch(FetchDescriptor<Stamp>(predicate: #Predicate { $0.date == now }))
    #expect(stamps.first?.date == now)
  }
}

@Model final class Stamp {
  var date: Date

  init(_ date: Date) { self.date = date }
}
