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
  func add(_ text: String, tags: [String] = []) throws -> Int {
    if text.isEmpty { throw Refusal(sentence: "say what is to be done") }
    var newest = FetchDescriptor<Todo>(sortBy: [SortDescriptor(\.number, order: .reverse)])
    newest.fetchLimit = 1
    let number = (try context.fetch(newest).first?.number ?? 0) + 1
    let task = Todo(number: number, text: text)
    task.tags = tags.map(Tag.init)
    context.insert(task)
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

  func lines(tag: String? = nil) throws -> [String] {
    let wanted = tag ?? ""
    let open = FetchDescriptor<Todo>(
      predicate: #Predicate { task in !task.isDone && (wanted == "" || task.tags.contains { $0.name == wanted }) },
      sortBy: [SortDescriptor(\.number)])
    return try context.fetch(open).map { task in
      let tags = task.tags.map { " #" + $0.name }.sorted().joined()
      return "\(task.number). \(task.text)\(tags)"
    }
  }
}
