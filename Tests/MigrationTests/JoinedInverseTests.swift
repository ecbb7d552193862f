import Foundation
import SwiftData
import Testing

/// A list and a reference are inverses, and another reference has no inverse.
private enum BeforeJoin {
  @Model final class Node {
    var number: Int
    @Relationship(inverse: \Node.parent) var children: [Node] = []
    var parent: Node?
    var guide: Node?
    init(_ number: Int) { self.number = number }
  }
  @Model final class Left {
    var number: Int
    @Relationship(inverse: \Right.left) var rights: [Right] = []
    var right: Right?
    init(_ number: Int) { self.number = number }
  }
  @Model final class Right {
    var number: Int
    @Relationship(inverse: \Left.right) var lefts: [Left] = []
    var left: Left?
    init(_ number: Int) { self.number = number }
  }
}

/// The list has another inverse, which had values of its own.
private enum AfterJoin {
  @Model final class Node {
    var number: Int
    @Relationship(inverse: \Node.guide) var children: [Node] = []
    var parent: Node?
    var guide: Node?
    init(_ number: Int) { self.number = number }
  }
  /// Two lists that have both lost their inverse become inverses.
  @Model final class Left {
    var number: Int
    @Relationship(inverse: \Right.lefts) var rights: [Right] = []
    var right: Right?
    @Relationship(inverse: \Right.left) var news: [Right] = []
    init(_ number: Int) { self.number = number }
  }
  @Model final class Right {
    var number: Int
    var lefts: [Left] = []
    var left: Left?
    @Relationship(inverse: \Left.right) var news: [Left] = []
    init(_ number: Int) { self.number = number }
  }
}

/// Two stored relationships become inverses, and one of them loses its former inverse.
@Suite struct JoinedInverseTests {
  private let folder: Folder

  init() throws { folder = try Folder() }

  private func open(_ models: any PersistentModel.Type...) throws -> ModelContext {
    ModelContext(
      try ModelContainer(for: Schema(models), configurations: [ModelConfiguration(url: folder.file())]))
  }

  private func refusal(_ model: any PersistentModel.Type, _ other: (any PersistentModel.Type)? = nil) -> String {
    do {
      if let other { _ = try open(model, other) } else { _ = try open(model) }
      return "opened"
    } catch { return "\(error)" }
  }

  @Test func `a list that gets another stored reference as its inverse is refused, and keeps its members`() throws {
    let context = try open(BeforeJoin.Node.self)
    let nodes = (1...4).map { BeforeJoin.Node($0) }
    for node in nodes { context.insert(node) }
    nodes[0].children = [nodes[2], nodes[1]]
    nodes[3].guide = nodes[0]
    try context.save()
    try context.container.close()
    let text = refusal(AfterJoin.Node.self)
    #expect(text.contains("two relationships") && text.contains("Node.children"), "\(text)")
    let again = try open(BeforeJoin.Node.self)
    let found = try again.fetch(FetchDescriptor<BeforeJoin.Node>(sortBy: [SortDescriptor(\.number)]))
    #expect(found.map { $0.children.map(\.number) } == [[3, 2], [], [], []])
    #expect(found.map(\.guide?.number) == [nil, nil, nil, 1])
  }

  @Test func `two lists that both had other inverses are refused`() throws {
    let context = try open(BeforeJoin.Left.self, BeforeJoin.Right.self)
    let (left, right) = (BeforeJoin.Left(1), BeforeJoin.Right(2))
    context.insert(left)
    context.insert(right)
    left.rights = [right]
    try context.save()
    try context.container.close()
    let text = refusal(AfterJoin.Left.self, AfterJoin.Right.self)
    #expect(text.contains("two relationships") && text.contains("Left.rights"), "\(text)")
    let again = try open(BeforeJoin.Left.self, BeforeJoin.Right.self)
    let found = try again.fetch(FetchDescriptor<BeforeJoin.Left>())
    #expect(found.map { $0.rights.map(\.number) } == [[2]] && found.allSatisfy { $0.right == nil })
  }
}
