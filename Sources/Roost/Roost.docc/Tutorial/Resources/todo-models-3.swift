import Foundation
import SwiftData

@Model final class Todo {
  #Index<Todo>([\.isDone])
  @Attribute(.unique) var number: Int
  var text: String
  var isDone = false
  var added: Date
  @Relationship(inverse: \Tag.tasks) var tags: [Tag] = []

  init(number: Int, text: String) {
    self.number = number
    self.text = text
    added = .now
  }
}

@Model final class Tag {
  // A second tag of this name becomes the first one, when it is saved.
  @Attribute(.unique) var name: String
  var tasks: [Todo] = []

  init(name: String) { self.name = name }
}
