import Foundation
import SwiftData
import Testing

@Model
final class Note {
  @Attribute(.unique, .preserveValueOnDeletion) var title: String
  var text = ""

  init(_ title: String) { self.title = title }
}

/// The history, in the form in which programs for SwiftData use it.
@Suite struct HistoryTests {
  private func makeContainer() throws -> ModelContainer {
    let place = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).store")
    return try ModelContainer(for: Note.self, configurations: ModelConfiguration(url: place))
  }

  private func transactions(after token: DefaultHistoryToken?, author: String, _ context: ModelContext) throws
    -> [DefaultHistoryTransaction]
  {
    var descriptor = HistoryDescriptor<DefaultHistoryTransaction>()
    if let token {
      descriptor.predicate = #Predicate { ($0.token > token) && ($0.author == author) }
    }
    return try context.fetchHistory(descriptor)
  }

  @Test func `changes of one author after a token`() throws {
    let container = try makeContainer()
    let context = ModelContext(container)
    context.author = "app"
    let (one, two) = (Note("one"), Note("two"))
    context.insert(one)
    context.insert(two)
    try context.save()
    let token = try transactions(after: nil, author: "", context).last?.token
    #expect(token != nil)
    context.author = "widget"
    one.text = "changed"
    try context.save()
    context.delete(two)
    try context.save()
    context.author = "app"
    one.text = "again"
    try context.save()

    let found = try transactions(after: token, author: "widget", context)
    #expect(found.count == 2 && found.allSatisfy { $0.author == "widget" })
    var (updated, deleted) = (Set<PersistentIdentifier>(), [String]())
    for transaction in found {
      for change in transaction.changes {
        let identifier = change.changedPersistentIdentifier
        switch change {
        case .insert(_ as DefaultHistoryInsert<Note>): Issue.record("nothing was inserted")
        case .update(_ as DefaultHistoryUpdate<Note>): updated.insert(identifier)
        case .delete(let change as DefaultHistoryDelete<Note>):
          if let title = change.tombstone[\.title] as? String { deleted.append(title) }
        default: break
        }
      }
    }
    #expect(updated == [one.persistentModelID] && deleted == ["two"])
    let data = try JSONEncoder().encode(found[1].token)
    let last = try JSONDecoder().decode(DefaultHistoryToken.self, from: data)
    #expect(try transactions(after: last, author: "app", context).count == 1)

    var old = HistoryDescriptor<DefaultHistoryTransaction>()
    old.predicate = #Predicate { $0.token < last }
    try context.deleteHistory(old)
    #expect(throws: SwiftDataError.historyTokenExpired) { try transactions(after: token, author: "app", context) }
  }
}
