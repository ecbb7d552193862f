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

  func finish(_ number: Int) throws {
    let wanted = FetchDescriptor<Todo>(predicate: #Predicate { $0.number == number })
    guard let task = try context.fetch(wanted).first else { throw Refusal(sentence: "there is no task \(number)") }
    task.isDone = true
    try context.save()
  }

  func lines() throws -> [String] {
    let open = FetchDescriptor<Todo>(predicate: #Predicate { !$0.isDone }, sortBy: [SortDescriptor(\.number)])
    return try context.fetch(open).map { "\($0.number). \($0.text)" }
  }
}
