import Foundation
import SwiftData

@Model final class Todo {
  #Index<Todo>([\.isDone])
  @Attribute(.unique) var number: Int
  var text: String
  var isDone = false
  var added: Date

  init(number: Int, text: String) {
    self.number = number
    self.text = text
    added = .now
  }
}
