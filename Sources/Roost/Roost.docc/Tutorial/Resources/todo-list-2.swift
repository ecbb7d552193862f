import Foundation
import SwiftData

/// An error in a command, as a sentence for the person who typed it.
struct Refusal: Error {
  var sentence: String
}

/// The list in a store.
struct TodoList {
  let context: ModelContext

  init(_ configuration: ModelConfiguration) throws {
    context = ModelContext(try ModelContainer(for: Todo.self, configurations: configuration))
  }

  @discardableResult
  func add(_ text: String) throws -> Int {
    if text.isEmpty { throw Refusal(sentence: "say what is to be done") }
    var newest = FetchDescriptor<Todo>(sortBy: [SortDescriptor(\.number, order: .reverse)])
    newest.fetchLimit = 1
    let number = (try context.fetch(newest).first?.number ?? 0) + 1
    context.insert(Todo(number: number, text: text))
    // When `save` returns, the task is on the disk.
    try context.save()
    return number
  }
}
