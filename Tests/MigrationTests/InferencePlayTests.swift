import Foundation
import RoostTestSupport
import SwiftData
import Testing

/// The values of an object, independent of the version of its class.
private struct Content: Equatable {
  var value: Int?
  var text: String?
  var extra: Int?
  var width: Int?
  var owner: Int?
  var lone: Int?
  var tags: [Int] = []
  var hosts: [Int] = []
}

private struct Answer: Equatable {
  var withValue: Int
  /// Nil if the version has no text.
  var withText: Int?
  var values: [Int?]
}

/// A version of the models, and its effect on a store.
private protocol PlayVersion {
  static var models: [any PersistentModel.Type] { get }
  /// Replaces nil by the default in each property that this version requires.
  static func arrive(_ content: inout Content)
  /// Returns the values that this version names.
  static func visible(_ content: Content) -> Content
  static func read(_ context: ModelContext) throws -> [Int: Content]
  /// Sets the visible values of an object with a number. Makes the object if there is none.
  static func write(_ number: Int, _ content: Content, in context: ModelContext) throws
  /// Returns how many objects a predicate finds with a value and with a text, and the values in
  /// order.
  static func ask(_ context: ModelContext, value: Int?, text: String) throws -> Answer
  /// Returns the items of each owner in order; nil if the version has no such list.
  static func lists(_ context: ModelContext) throws -> [Int: [Int]]?
}

private func find<T: PersistentModel>(_ number: Int?, _ path: any KeyPath<T, Int> & Sendable, _ context: ModelContext)
  throws -> T?
{
  guard let number else { return nil }
  return try context.fetch(FetchDescriptor<T>()).first { $0[keyPath: path] == number }
}

private struct PlaySize: Codable, Equatable { var width: Int }

private enum One: PlayVersion {
  @Model final class Item {
    #Index<Item>([\.value], [\.text, \.extra])
    var number: Int
    var value: Int?
    var text: String = "one"
    var extra: Int = 5
    var size: PlaySize?
    var owner: Owner?
    var lone: Owner?
    var tags: [Tag] = []
    var host: Tag?
    init(_ number: Int) { self.number = number }
  }
  @Model final class Owner {
    var number: Int
    @Relationship(originalName: "things", inverse: \Item.owner) var items: [Item] = []
    init(_ number: Int) { self.number = number }
  }
  @Model final class Tag {
    var number: Int
    @Relationship(inverse: \Item.tags) var items: [Item] = []
    @Relationship(inverse: \Item.host) var hosted: [Item] = []
    init(_ number: Int) { self.number = number }
  }
  static let models: [any PersistentModel.Type] = [Item.self, Owner.self, Tag.self]
  static func arrive(_ content: inout Content) {
    content.text = content.text ?? "one"
    content.extra = content.extra ?? 5
  }
  static func visible(_ content: Content) -> Content { content }
  static func read(_ context: ModelContext) throws -> [Int: Content] {
    var found: [Int: Content] = [:]
    for item in try context.fetch(FetchDescriptor<Item>()) {
      found[item.number] = Content(
        value: item.value, text: item.text, extra: item.extra, width: item.size?.width, owner: item.owner?.number,
        lone: item.lone?.number, tags: item.tags.map(\.number), hosts: item.host.map { [$0.number] } ?? [])
    }
    return found
  }
  static func write(_ number: Int, _ content: Content, in context: ModelContext) throws {
    let item = try find(number, \Item.number, context) ?? Item(number)
    context.insert(item)
    (item.value, item.text, item.extra) = (content.value, content.text ?? "", content.extra ?? 0)
    item.size = content.width.map { PlaySize(width: $0) }
    item.owner = try find(content.owner, \Owner.number, context)
    item.lone = try find(content.lone, \Owner.number, context)
    item.tags = try content.tags.compactMap { try find($0, \Tag.number, context) }
    item.host = try find(content.hosts.first, \Tag.number, context)
  }
  static func ask(_ context: ModelContext, value: Int?, text: String) throws -> Answer {
    let sorted = try context.fetch(FetchDescriptor<Item>(sortBy: [SortDescriptor(\.value), SortDescriptor(\.number)]))
    return Answer(
      withValue: try context.fetchCount(FetchDescriptor<Item>(predicate: #Predicate { $0.value == value })),
      withText: try context.fetchCount(FetchDescriptor<Item>(predicate: #Predicate { $0.text == text })),
      values: sorted.map(\.value))
  }
  static func lists(_ context: ModelContext) throws -> [Int: [Int]]? {
    let owners = try context.fetch(FetchDescriptor<Owner>())
    return Dictionary(uniqueKeysWithValues: owners.map { ($0.number, $0.items.map(\.number)) })
  }
}

private enum Two: PlayVersion {
  @Model final class Item {
    #Index<Item>([\.value], [\.text, \.extra])
    var number: Int
    var value: Int = 9
    var text: String?
    var extra: Int?
    var size: PlaySize = PlaySize(width: 2)
    @Relationship(originalName: "owner") var boss: Owner?
    var lone: Owner?
    var tags: [Tag] = []
    var host: Tag?
    init(_ number: Int) { self.number = number }
  }
  @Model final class Owner {
    var number: Int
    @Relationship(originalName: "items", inverse: \Item.boss) var things: [Item] = []
    @Relationship(inverse: \Item.lone) var loners: [Item] = []
    init(_ number: Int) { self.number = number }
  }
  @Model final class Tag {
    var number: Int
    init(_ number: Int) { self.number = number }
  }
  static let models: [any PersistentModel.Type] = [Item.self, Owner.self, Tag.self]
  static func arrive(_ content: inout Content) {
    content.value = content.value ?? 9
    content.width = content.width ?? 2
  }
  static func visible(_ content: Content) -> Content { content }
  static func read(_ context: ModelContext) throws -> [Int: Content] {
    var found: [Int: Content] = [:]
    for item in try context.fetch(FetchDescriptor<Item>()) {
      found[item.number] = Content(
        value: item.value, text: item.text, extra: item.extra, width: item.size.width, owner: item.boss?.number,
        lone: item.lone?.number, tags: item.tags.map(\.number), hosts: item.host.map { [$0.number] } ?? [])
    }
    return found
  }
  static func write(_ number: Int, _ content: Content, in context: ModelContext) throws {
    let item = try find(number, \Item.number, context) ?? Item(number)
    context.insert(item)
    (item.value, item.text, item.extra) = (content.value ?? 0, content.text, content.extra)
    item.size = PlaySize(width: content.width ?? 0)
    item.boss = try find(content.owner, \Owner.number, context)
    item.lone = try find(content.lone, \Owner.number, context)
    item.tags = try content.tags.compactMap { try find($0, \Tag.number, context) }
    item.host = try find(content.hosts.first, \Tag.number, context)
  }
  static func ask(_ context: ModelContext, value: Int?, text: String) throws -> Answer {
    let wanted = value ?? -1
    let sorted = try context.fetch(FetchDescriptor<Item>(sortBy: [SortDescriptor(\.value), SortDescriptor(\.number)]))
    return Answer(
      withValue: try context.fetchCount(FetchDescriptor<Item>(predicate: #Predicate { $0.value == wanted })),
      withText: try context.fetchCount(FetchDescriptor<Item>(predicate: #Predicate { $0.text == text })),
      values: sorted.map(\.value))
  }
  static func lists(_ context: ModelContext) throws -> [Int: [Int]]? {
    let owners = try context.fetch(FetchDescriptor<Owner>())
    return Dictionary(uniqueKeysWithValues: owners.map { ($0.number, $0.things.map(\.number)) })
  }
}

/// It names few properties.
private enum Three: PlayVersion {
  @Model final class Item {
    var number: Int
    var value: Int?
    @Relationship(originalName: "boss") var owner: Owner?
    var host: Tag?
    init(_ number: Int) { self.number = number }
  }
  @Model final class Owner {
    var number: Int
    init(_ number: Int) { self.number = number }
  }
  @Model final class Tag {
    var number: Int
    init(_ number: Int) { self.number = number }
  }
  static let models: [any PersistentModel.Type] = [Item.self, Owner.self, Tag.self]
  static func arrive(_ content: inout Content) {}
  static func visible(_ content: Content) -> Content {
    Content(value: content.value, owner: content.owner, hosts: content.hosts)
  }
  static func read(_ context: ModelContext) throws -> [Int: Content] {
    var found: [Int: Content] = [:]
    for item in try context.fetch(FetchDescriptor<Item>()) {
      found[item.number] = Content(
        value: item.value, owner: item.owner?.number, hosts: item.host.map { [$0.number] } ?? [])
    }
    return found
  }
  static func write(_ number: Int, _ content: Content, in context: ModelContext) throws {
    let item = try find(number, \Item.number, context) ?? Item(number)
    context.insert(item)
    item.value = content.value
    item.owner = try find(content.owner, \Owner.number, context)
    item.host = try find(content.hosts.first, \Tag.number, context)
  }
  static func ask(_ context: ModelContext, value: Int?, text: String) throws -> Answer {
    let sorted = try context.fetch(FetchDescriptor<Item>(sortBy: [SortDescriptor(\.value), SortDescriptor(\.number)]))
    return Answer(
      withValue: try context.fetchCount(FetchDescriptor<Item>(predicate: #Predicate { $0.value == value })),
      withText: nil,
      values: sorted.map(\.value))
  }
  static func lists(_ context: ModelContext) throws -> [Int: [Int]]? { nil }
}

/// References are lists here. That change cannot be undone.
private enum Four: PlayVersion {
  @Model final class Item {
    #Index<Item>([\.value])
    var number: Int
    var value: Int = 9
    var text: String = "four"
    @Relationship(originalName: "boss") var owner: Owner?
    var tags: [Tag] = []
    var host: [Tag] = []
    init(_ number: Int) { self.number = number }
  }
  @Model final class Owner {
    var number: Int
    @Relationship(originalName: "things", inverse: \Item.owner) var items: [Item] = []
    init(_ number: Int) { self.number = number }
  }
  @Model final class Tag {
    var number: Int
    @Relationship(inverse: \Item.tags) var items: [Item] = []
    @Relationship(inverse: \Item.host) var hosted: [Item] = []
    init(_ number: Int) { self.number = number }
  }
  static let models: [any PersistentModel.Type] = [Item.self, Owner.self, Tag.self]
  static func arrive(_ content: inout Content) {
    content.value = content.value ?? 9
    content.text = content.text ?? "four"
  }
  static func visible(_ content: Content) -> Content {
    Content(
      value: content.value, text: content.text, owner: content.owner, tags: content.tags, hosts: content.hosts)
  }
  static func read(_ context: ModelContext) throws -> [Int: Content] {
    var found: [Int: Content] = [:]
    for item in try context.fetch(FetchDescriptor<Item>()) {
      found[item.number] = Content(
        value: item.value, text: item.text, owner: item.owner?.number, tags: item.tags.map(\.number),
        hosts: item.host.map(\.number))
    }
    return found
  }
  static func write(_ number: Int, _ content: Content, in context: ModelContext) throws {
    let item = try find(number, \Item.number, context) ?? Item(number)
    context.insert(item)
    (item.value, item.text) = (content.value ?? 0, content.text ?? "")
    item.owner = try find(content.owner, \Owner.number, context)
    item.tags = try content.tags.compactMap { try find($0, \Tag.number, context) }
    item.host = try content.hosts.compactMap { try find($0, \Tag.number, context) }
  }
  static func ask(_ context: ModelContext, value: Int?, text: String) throws -> Answer {
    let wanted = value ?? -1
    let sorted = try context.fetch(FetchDescriptor<Item>(sortBy: [SortDescriptor(\.value), SortDescriptor(\.number)]))
    return Answer(
      withValue: try context.fetchCount(FetchDescriptor<Item>(predicate: #Predicate { $0.value == wanted })),
      withText: try context.fetchCount(FetchDescriptor<Item>(predicate: #Predicate { $0.text == text })),
      values: sorted.map(\.value))
  }
  static func lists(_ context: ModelContext) throws -> [Int: [Int]]? {
    let owners = try context.fetch(FetchDescriptor<Owner>())
    return Dictionary(uniqueKeysWithValues: owners.map { ($0.number, $0.items.map(\.number)) })
  }
}

private enum Five: PlayVersion {
  @Model final class Item {
    var number: Int
    var value: Int?
    var extra: Int = 6
    var lone: Owner?
    var host: [Tag] = []
    init(_ number: Int) { self.number = number }
  }
  @Model final class Owner {
    var number: Int
    @Relationship(inverse: \Item.lone) var loners: [Item] = []
    init(_ number: Int) { self.number = number }
  }
  @Model final class Tag {
    var number: Int
    init(_ number: Int) { self.number = number }
  }
  static let models: [any PersistentModel.Type] = [Item.self, Owner.self, Tag.self]
  static func arrive(_ content: inout Content) { content.extra = content.extra ?? 6 }
  static func visible(_ content: Content) -> Content {
    Content(value: content.value, extra: content.extra, lone: content.lone, hosts: content.hosts)
  }
  static func read(_ context: ModelContext) throws -> [Int: Content] {
    var found: [Int: Content] = [:]
    for item in try context.fetch(FetchDescriptor<Item>()) {
      found[item.number] = Content(
        value: item.value, extra: item.extra, lone: item.lone?.number, hosts: item.host.map(\.number))
    }
    return found
  }
  static func write(_ number: Int, _ content: Content, in context: ModelContext) throws {
    let item = try find(number, \Item.number, context) ?? Item(number)
    context.insert(item)
    (item.value, item.extra) = (content.value, content.extra ?? 0)
    item.lone = try find(content.lone, \Owner.number, context)
    item.host = try content.hosts.compactMap { try find($0, \Tag.number, context) }
  }
  static func ask(_ context: ModelContext, value: Int?, text: String) throws -> Answer {
    let sorted = try context.fetch(FetchDescriptor<Item>(sortBy: [SortDescriptor(\.value), SortDescriptor(\.number)]))
    return Answer(
      withValue: try context.fetchCount(FetchDescriptor<Item>(predicate: #Predicate { $0.value == value })),
      withText: nil,
      values: sorted.map(\.value))
  }
  static func lists(_ context: ModelContext) throws -> [Int: [Int]]? { nil }
}

/// Versions of the models in random order, with random changes in each, compared with plain values.
@Suite struct InferencePlayTests {
  private struct Play {
    var random: SplitMix64
    let folder: Folder
    var items: [Int: Content] = [:]
    /// The items of each owner in order.
    var lists: [Int: [Int]] = [1: [], 2: [], 3: []]
    var next = 1

    func open(_ version: any PlayVersion.Type) throws -> ModelContainer {
      try ModelContainer(for: Schema(version.models), configurations: [ModelConfiguration(url: folder.file())])
    }

    mutating func visit(_ version: any PlayVersion.Type) throws {
      let container = try open(version)
      for number in items.keys { version.arrive(&items[number, default: Content()]) }
      try check(version, ModelContext(container))
      for _ in 0..<Int.random(in: 0...4, using: &random) {
        let context = ModelContext(container)
        try change(version, context)
        try context.save()
      }
      try check(version, ModelContext(container))
      let report = try container.verify()
      #expect(report.isSound, "\(version): \(report.findings)")
      try container.close()
    }

    func check(_ version: any PlayVersion.Type, _ context: ModelContext) throws {
      let found = try version.read(context)
      #expect(Set(found.keys) == Set(items.keys), "\(version)")
      for (number, content) in items.sorted(by: { $0.key < $1.key }) {
        #expect(found[number] == version.visible(content), "\(version), item \(number)")
      }
      let seen = items.values.map { version.visible($0) }
      for (value, text) in [(nil, "one"), (9, "four"), (5, "t1"), (items.values.first?.value, "t2")] as [(Int?, String)]
      {
        let answer = try version.ask(context, value: value, text: text)
        #expect(answer.withValue == seen.count { $0.value == value }, "\(version), value \(value as Any)")
        if let count = answer.withText { #expect(count == seen.count { $0.text == text }, "\(version), text \(text)") }
        #expect(answer.values == seen.map(\.value).sorted { ($0 ?? -1) < ($1 ?? -1) }, "\(version)")
      }
      if let found = try version.lists(context) { #expect(found == lists, "\(version)") }
    }

    mutating func change(_ version: any PlayVersion.Type, _ context: ModelContext) throws {
      let isNew = items.isEmpty || Bool.random(using: &random)
      let number = isNew ? next : items.keys.sorted().randomElement(using: &random)!
      if isNew { next += 1 }
      // A property that the version does not name is nil in a new object, and unchanged in an older
      // one.
      var wish = Content()
      if Bool.random(using: &random) { wish.value = Int.random(in: 0...20, using: &random) }
      if Bool.random(using: &random) { wish.text = "t\(Int.random(in: 0...5, using: &random))" }
      if Bool.random(using: &random) { wish.extra = Int.random(in: 0...20, using: &random) }
      if Bool.random(using: &random) { wish.width = Int.random(in: 0...20, using: &random) }
      if Bool.random(using: &random) { wish.owner = Int.random(in: 1...3, using: &random) }
      if Bool.random(using: &random) { wish.lone = Int.random(in: 1...3, using: &random) }
      wish.tags = Array((1...3).shuffled(using: &random).prefix(Int.random(in: 0...3, using: &random)))
      wish.hosts = Bool.random(using: &random) ? [Int.random(in: 1...3, using: &random)] : []
      version.arrive(&wish)
      var content = items[number] ?? Content()
      let seen = version.visible(wish)
      let everything = Content(value: 1, text: "", extra: 1, width: 1, owner: 1, lone: 1, tags: [1], hosts: [1])
      let named = version.visible(everything)
      if named.value != nil { content.value = seen.value }
      if named.text != nil { content.text = seen.text }
      if named.extra != nil { content.extra = seen.extra }
      if named.width != nil { content.width = seen.width }
      if named.lone != nil { content.lone = seen.lone }
      if !named.tags.isEmpty { content.tags = seen.tags }
      if !named.hosts.isEmpty { content.hosts = seen.hosts }
      if named.owner != nil, content.owner != seen.owner {
        if let owner = content.owner { lists[owner]?.removeAll { $0 == number } }
        if let owner = seen.owner { lists[owner, default: []].append(number) }
        content.owner = seen.owner
      }
      try version.write(number, content, in: context)
      items[number] = content
    }
  }

  @Test(arguments: 1...12 as ClosedRange<UInt64>) func `versions follow each other in any order`(seed: UInt64) throws {
    var play = Play(random: SplitMix64(seed: seed), folder: try Folder())
    do {
      let context = ModelContext(try play.open(One.self))
      for number in 1...3 {
        context.insert(One.Owner(number))
        context.insert(One.Tag(number))
      }
      try context.save()
      try context.container.close()
    }
    let (early, late): ([any PlayVersion.Type], [any PlayVersion.Type]) = (
      [One.self, Two.self, Three.self], [Four.self, Five.self]
    )
    for step in 0..<16 {
      let version = (step < 10 ? early : late).randomElement(using: &play.random)!
      do { try play.visit(version) } catch {
        Issue.record("seed \(seed), step \(step), \(version): \(error)")
        throw error
      }
    }
  }
}
