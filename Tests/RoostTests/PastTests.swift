import Foundation
import RoostTestSupport
import SwiftData
import Testing

@Model final class Verse {
  var text: String
  @Attribute(.externalStorage) var picture: Data?
  var poem: Poem?
  var marks: [Motif] = []
  init(_ text: String) { self.text = text }
}

@Model final class Poem {
  #Index<Poem>([\.length])
  @Attribute(.unique) var name: String
  var length = 0
  @Relationship(deleteRule: .cascade, inverse: \Verse.poem) var verses: [Verse] = []
  init(_ name: String) { self.name = name }
}

@Model final class Motif {
  var name: String
  @Relationship(inverse: \Verse.marks) var verses: [Verse] = []
  init(_ name: String) { self.name = name }
}

/// Contexts of a past state: `container.snapshot(at:)` and `snapshot(before:)`.
@Suite struct PastTests {
  enum Kind: CaseIterable { case file, memory, readOnly }

  private let folder: ScratchFolder

  init() throws { folder = try ScratchFolder() }

  private func open(
    _ kind: Kind = .file, history: ModelConfiguration.History = .full, name: String = "store"
  ) throws -> ModelContainer {
    var configuration =
      kind == .memory
      ? ModelConfiguration(isStoredInMemoryOnly: true)
      : ModelConfiguration(url: URL(filePath: folder.path + "/" + name), allowsSave: kind != .readOnly)
    configuration.history = kind == .readOnly ? nil : history
    return try ModelContainer(for: Poem.self, Motif.self, configurations: configuration)
  }

  private func delete(_ container: ModelContainer, before date: Date) throws {
    let older = #Predicate<DefaultHistoryTransaction> { $0.timestamp < date }
    try ModelContext(container).deleteHistory(HistoryDescriptor(predicate: older))
  }

  /// The complete state of a context, read in several ways.
  private func content(_ context: ModelContext) throws -> [String] {
    let poems = try context.fetch(FetchDescriptor<Poem>(sortBy: [SortDescriptor(\.name)]))
    let verses = try context.fetch(FetchDescriptor<Verse>())
    let marks = try context.fetch(FetchDescriptor<Motif>(sortBy: [SortDescriptor(\.name)]))
    let long = FetchDescriptor<Poem>(
      predicate: #Predicate { $0.length > 50 }, sortBy: [SortDescriptor(\.length), SortDescriptor(\.name)])
    var named: [Int] = []
    for number in 0..<30 {
      let name = "poem \(number)"
      named.append(try context.fetchCount(FetchDescriptor<Poem>(predicate: #Predicate { $0.name == name })))
    }
    return poems.map { poem in "\(poem.name) \(poem.length): \(poem.verses.map(\.text))" }
      + verses.map { verse in
        let marks = verse.marks.map(\.name).sorted()
        return "\(verse.text) \(verse.picture?.count ?? -1) \(verse.poem?.name ?? "none") \(marks)"
      }.sorted()
      + marks.map { mark in "\(mark.name) \(mark.verses.map(\.text).sorted())" }
      + [try context.fetch(long).map(\.name).joined(separator: " "), "\(named)"]
  }

  @Test(arguments: 1...9) func `each past state is shown as it was`(seed: UInt64) throws {
    let kind = Kind.allCases[Int(seed) % 3]
    let container = try open(kind == .memory ? .memory : .file)
    var random = SplitMix64(seed: seed)
    func below(_ bound: Int) -> Int { Int(random.next() % UInt64(bound)) }
    var states = [
      (token: try container.latestHistoryToken, content: try content(ModelContext(container)), time: Date())
    ]
    for step in 0..<60 {
      let context = ModelContext(container)
      func some<T: PersistentModel>(_ type: T.Type) throws -> T? {
        let all = try context.fetch(FetchDescriptor<T>())
        return all.isEmpty ? nil : all[below(all.count)]
      }
      for _ in 0...below(8) {
        switch below(20) {
        case 0...2: context.insert(Poem("poem \(below(30))"))
        case 3...6:
          let verse = Verse("verse \(below(1000))")
          context.insert(verse)
          verse.poem = try some(Poem.self)
          if below(4) == 0 { verse.picture = Data(repeating: UInt8(below(9)), count: 100 << below(14)) }
        case 7: context.insert(Motif("mark \(below(100))"))
        case 8, 9: if let verse = try some(Verse.self), let mark = try some(Motif.self) { verse.marks.append(mark) }
        case 10: if let verse = try some(Verse.self), !verse.marks.isEmpty { verse.marks.removeLast() }
        case 11: if let poem = try some(Poem.self) { poem.verses.reverse() }
        case 12: if let poem = try some(Poem.self) { context.delete(poem) }
        case 13: if let verse = try some(Verse.self) { context.delete(verse) }
        case 14: if let mark = try some(Motif.self) { context.delete(mark) }
        case 15: try some(Verse.self)?.picture = nil
        case 16: try some(Verse.self)?.text = "changed \(below(1000))"
        default: try some(Poem.self)?.length = below(100)
        }
      }
      try context.save()
      switch below(12) {
      case 0: try context.update(model: Verse.self) { $0.text += "!" }
      case 1: try context.deleteAll(model: Verse.self, where: #Predicate { $0.text.hasPrefix("changed") })
      case 2: try context.insert(batch: (0..<20).map { Verse("batch \(step) \($0)") })
      case 3: try container.checkpoint()
      case 4: try container.compact()
      case 5: if below(4) == 0 { try container.erase() }
      default: break
      }
      let token = try container.latestHistoryToken
      if token != states.last?.token { states.append((token, try content(ModelContext(container)), Date())) }
      if let one = states.randomElement(using: &random), below(5) == 0 {
        #expect(try content(container.snapshot(at: one.token)) == one.content, "seed \(seed), step \(step)")
      }
    }
    let reader = kind == .readOnly ? try open(.readOnly) : container
    for (number, one) in states.enumerated() {
      let then = try reader.snapshot(at: one.token)
      #expect(try content(then) == one.content, "seed \(seed), state \(number)")
    }
    #expect(states.count > 20)
    #expect(try container.verify().isSound)
  }

  @Test func `a time means the state before it`() throws {
    let container = try open()
    let context = ModelContext(container)
    var moments: [(Date, [String])] = []
    for number in 0..<4 {
      context.insert(Poem("poem \(number)"))
      try context.save()
      Thread.sleep(forTimeInterval: 0.02)
      moments.append((Date(), try content(context)))
      Thread.sleep(forTimeInterval: 0.02)
    }
    for (date, expected) in moments { #expect(try content(container.snapshot(before: date)) == expected) }
    let early = #expect(throws: SwiftDataError.self) { try container.snapshot(before: .distantPast) }
    #expect(early == .historyTokenExpired && "\(early as Any)".contains("did not exist"), "\(early as Any)")
    #expect(try container.snapshot(before: .distantFuture).fetchCount(FetchDescriptor<Poem>()) == 4)
    try delete(container, before: moments[2].0)
    #expect(try content(container.snapshot(before: moments[3].0)) == moments[3].1)
    let error = #expect(throws: SwiftDataError.self) { try container.snapshot(before: moments[0].0) }
    #expect(error == .historyTokenExpired && "\(error as Any)".contains("removed"), "\(error as Any)")
  }

  @Test func `the past cannot be changed, and its models can be restored`() throws {
    let container = try open()
    let context = ModelContext(container)
    let poem = Poem("poem 1")
    context.insert(poem)
    poem.verses = [Verse("a"), Verse("b")]
    try context.save()
    let token = try container.latestHistoryToken
    context.delete(poem)
    try context.save()
    let then = try container.snapshot(at: token)
    let old = try #require(try then.fetch(FetchDescriptor<Poem>()).first)
    old.length = 9
    #expect(throws: RoostError.self) { try then.save() }
    then.rollback()
    #expect(throws: RoostError.self) { try then.deleteAll(model: Verse.self) }
    let other = ModelContext(then.container)
    other.insert(Poem("x"))
    #expect(throws: RoostError.self) { try other.save() }
    #expect(throws: RoostError.self) { try then.container.erase() }
    let restored = try context.restore(old)
    try context.save()
    #expect(restored.verses.map(\.text) == ["a", "b"] && restored.length == 0)
    #expect(try container.verify().isSound)
  }

  @Test func `a unique value that moved to another model is restored to its own`() throws {
    let container = try open()
    let context = ModelContext(container)
    let (first, second) = (Poem("x"), Poem("y"))
    (first.length, second.length) = (1, 2)
    context.insert(first)
    context.insert(second)
    try context.save()
    let token = try container.latestHistoryToken
    context.delete(first)
    try context.save()
    second.name = "x"
    try context.save()
    let then = try container.snapshot(at: token)
    let old = try then.fetch(FetchDescriptor<Poem>(sortBy: [SortDescriptor(\.length)]))
    for order in [old, old.reversed()] {
      let other = ModelContext(container)
      try other.restore(contentsOf: order)
      try other.save()
      #expect(try content(ModelContext(container)) == content(then))
    }
  }

  @Test func `the past of the past, and a backup of it`() throws {
    let container = try open()
    let context = ModelContext(container)
    var states: [(DefaultHistoryToken, [String])] = []
    for number in 0..<3 {
      let poem = Poem("poem \(number)")
      context.insert(poem)
      poem.verses = [Verse("a \(number)")]
      try context.save()
      states.append((try container.latestHistoryToken, try content(context)))
    }
    let then = try container.snapshot(at: states[1].0)
    #expect(try content(then.container.snapshot(at: states[0].0)) == states[0].1)
    #expect(try content(then) == states[1].1)
    #expect(try then.container.verify().findings.allSatisfy { "\($0)".contains("history") })
    let copy = URL(filePath: folder.path + "/copy")
    try then.container.backup(to: copy)
    try container.close()
    #expect(try content(ModelContext(open(name: "copy"))) == states[1].1)
  }

  @Test func `an unknown past is refused`() throws {
    let container = try open(history: .changes)
    let context = ModelContext(container)
    let before = try container.latestHistoryToken
    context.insert(Poem("poem 1"))
    try context.save()
    func refuses(_ container: ModelContainer, _ token: DefaultHistoryToken, _ reason: String) {
      let error = #expect(throws: SwiftDataError.self) { try container.snapshot(at: token) }
      #expect(error == .historyTokenExpired && "\(error as Any)".contains(reason), "\(error as Any)")
    }
    refuses(container, before, "was not full")
    // Nothing must be undone here.
    #expect(try container.snapshot(at: container.latestHistoryToken).fetchCount(FetchDescriptor<Poem>()) == 1)
    let full = try open(name: "full")
    refuses(full, before, "says nothing of the store")
    let writer = ModelContext(full)
    let first = try full.latestHistoryToken
    writer.insert(Poem("poem 1"))
    try writer.save()
    try delete(full, before: .distantFuture)
    refuses(full, first, "was removed")
    try full.close()
    #expect(throws: RoostError.self) { try full.snapshot(at: first) }
  }

  @Test func `closing ends past contexts`() throws {
    let container = try open()
    let context = ModelContext(container)
    context.insert(Poem("poem 1"))
    try context.save()
    let then = try container.snapshot(at: container.latestHistoryToken)
    let poem = try #require(try then.fetch(FetchDescriptor<Poem>()).first)
    try container.close()
    #expect(throws: RoostError.self) { try then.fetchCount(FetchDescriptor<Poem>()) }
    #expect(poem.name == "poem 1")
    // A context alone keeps its store open.
    let again = try open().snapshot(before: .distantFuture)
    #expect(try again.fetchCount(FetchDescriptor<Poem>()) == 1)
  }

  @Test func `a model of a past context does not keep the store open`() throws {
    let container = try open()
    let context = ModelContext(container)
    let poem = Poem("poem 1")
    context.insert(poem)
    poem.verses = [Verse("a")]
    try context.save()
    let old = try #require(
      try container.snapshot(at: container.latestHistoryToken).fetch(FetchDescriptor<Poem>()).first)
    #expect(old.name == "poem 1")
    try container.close()
    #expect(old.name == "poem 1")
  }

  @Test func `another file of the same name is not used as the store`() throws {
    let container = try open()
    let context = ModelContext(container)
    context.insert(Poem("poem 1"))
    try context.save()
    try container.checkpoint()
    let path = folder.path + "/store"
    try FileManager.default.moveItem(atPath: path, toPath: path + "-moved")
    try FileManager.default.copyItem(atPath: path + "-moved", toPath: path)
    #expect(throws: RoostError.self) { try container.snapshot(at: container.latestHistoryToken) }
    try FileManager.default.removeItem(atPath: path)
    try FileManager.default.moveItem(atPath: path + "-moved", toPath: path)
    #expect(try container.snapshot(at: container.latestHistoryToken).fetchCount(FetchDescriptor<Poem>()) == 1)
  }

  @Test func `several stores show one time`() throws {
    let configurations = ["poems", "novels"].map { name in
      var one = ModelConfiguration(
        name, schema: name == "poems" ? Schema([Poem.self, Motif.self]) : Schema([Novel.self]),
        url: URL(filePath: folder.path + "/" + name))
      one.history = .full
      return one
    }
    let container = try ModelContainer(
      for: Schema([Poem.self, Motif.self, Novel.self]), configurations: configurations)
    let context = ModelContext(container)
    var tokens: [DefaultHistoryToken] = []
    for number in 0..<6 {
      if number % 2 == 0 { context.insert(Poem("poem \(number)")) } else { context.insert(Novel("n\(number)")) }
      try context.save()
      tokens.append(try container.latestHistoryToken)
    }
    for (number, token) in tokens.enumerated() {
      let then = try container.snapshot(at: token)
      #expect(try then.fetchCount(FetchDescriptor<Poem>()) == number / 2 + 1)
      #expect(try then.fetchCount(FetchDescriptor<Novel>()) == (number + 1) / 2)
    }
  }

  @Test func `others write while a past state is read`() async throws {
    let container = try open()
    let context = ModelContext(container)
    for number in 0..<20 { context.insert(Poem("poem \(number)")) }
    try context.save()
    let token = try container.latestHistoryToken
    let expected = try content(context)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for writer in 0..<2 {
        group.addTask {
          for round in 0..<30 {
            try await container.write { context in
              for poem in try context.fetch(FetchDescriptor<Poem>()) { poem.length = writer * 100 + round }
              context.insert(Verse("verse \(writer) \(round)"))
            }
          }
        }
      }
      for _ in 0..<8 {
        let then = try container.snapshot(at: token)
        #expect(try content(then) == expected)
        await Task.yield()
        #expect(try content(then) == expected)
      }
      try await group.waitForAll()
    }
    #expect(try content(container.snapshot(at: token)) == expected)
    #expect(try await container.verify().isSound)
  }
}
