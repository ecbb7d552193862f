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
}
