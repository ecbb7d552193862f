import Foundation
import SwiftData

func run(_ words: [String]) throws {
  var words = words
  var tag: String?
  if let at = words.firstIndex(of: "--tag"), at + 1 < words.count {
    tag = words[at + 1]
    words.removeSubrange(at...at + 1)
  }
  if words.first == "check" { return try check() }
  let place = ProcessInfo.processInfo.environment["TODO_STORE"] ?? "todo.roost"
  let list = try TodoList(ModelConfiguration(url: URL(filePath: place)))
  switch (words.first, words.count) {
  case ("add", 2): print("added \(try list.add(words[1], tags: tag.map { [$0] } ?? []))")
  case ("done", 2): try list.finish(Int(words[1]) ?? 0)
  case ("list", 1): for line in try list.lines(tag: tag) { print(line) }
  default: throw Refusal(sentence: "todo add <text> [--tag <name>] | done <number> | list [--tag <name>] | check")
  }
}

/// Tries every command in a store in a temporary folder, and opens the store twice.
func check() throws {
  let folder = FileManager.default.temporaryDirectory.appending(path: "todo-\(UUID().uuidString)")
  defer { try? FileManager.default.removeItem(at: folder) }
  func opened() throws -> TodoList { try TodoList(ModelConfiguration(url: folder.appending(path: "todo.roost"))) }
  do {
    let list = try opened()
    try list.add("Water the plants", tags: ["home"])
    try list.add("Write to Ada")
    try list.add("Sweep", tags: ["home", "dull"])
    try list.finish(1)
  }
  let list = try opened()
  guard try list.lines() == ["2. Write to Ada", "3. Sweep #dull #home"], try list.lines(tag: "home").count == 1,
    try list.context.fetchCount(FetchDescriptor<Tag>()) == 2
  else { throw Refusal(sentence: "the list is wrong: \(try list.lines())") }
  do { try list.finish(9) } catch is Refusal { return print("the to-do list is right") }
  throw Refusal(sentence: "a task that does not exist could be finished")
}

do { try run(Array(CommandLine.arguments.dropFirst())) } catch {
  let text = (error as? Refusal)?.sentence ?? "\(error)"
  FileHandle.standardError.write(Data("todo: \(text)\n".utf8))
  exit(1)
}
