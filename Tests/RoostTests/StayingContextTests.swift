import Foundation
import RoostTestSupport
import SwiftData
import Testing

@Model final class Chapter {
  var title: String
  var words: Int
  var novel: Novel?

  init(_ title: String, words: Int) {
    self.title = title
    self.words = words
  }
}

@Model final class Novel {
  #Index<Novel>([\.name])
  var name: String
  @Relationship(deleteRule: .cascade, inverse: \Chapter.novel) var chapters: [Chapter] = []

  init(_ name: String) { self.name = name }
}

/// Contexts that are pinned to one state: `container.snapshot()`.
@Suite struct StayingContextTests {
  /// The complete state of a context, read in several ways.
  private func content(_ context: ModelContext) throws -> [String] {
    let novels = try context.fetch(FetchDescriptor<Novel>(sortBy: [SortDescriptor(\.name)]))
    let chapters = try context.fetch(FetchDescriptor<Chapter>())
    let many = FetchDescriptor<Chapter>(predicate: #Predicate { $0.words > 50 })
    return novels.map { novel in "\(novel.name): \(novel.chapters.map { "\($0.title) \($0.words)" })" }.sorted()
      + chapters.map { "\($0.title) \($0.words) \($0.novel?.name ?? "none")" }.sorted()
      + ["\(try context.fetchCount(many)) \(try context.sum(of: \Chapter.words))"]
  }

  @Test func `later commits are not seen, and writing is refused`() throws {
    let container = try ModelContainer(for: Novel.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let writer = ModelContext(container)
    let novel = Novel("a")
    writer.insert(novel)
    novel.chapters = [Chapter("one", words: 10), Chapter("two", words: 90)]
    try writer.save()
    let then = try container.snapshot()
    let before = try content(ModelContext(container))
    novel.chapters.removeFirst()
    novel.name = "b"
    writer.insert(Novel("c"))
    try writer.save()
    try writer.deleteAll(model: Chapter.self, where: #Predicate { $0.title == "two" })
    #expect(try content(then) == before && content(ModelContext(container)) != before)
    let old = try #require(try then.fetch(FetchDescriptor<Novel>()).first)
    then.reset()
    #expect(old.name == "a" && old.chapters.map(\.title) == ["one", "two"])
    old.name = "x"
    let error = #expect(throws: RoostError.self) { try then.save() }
    #expect(error?.storeError?.code == .readOnly)
    #expect(throws: RoostError.self) { try then.deleteAll(model: Novel.self) }
    #expect(throws: RoostError.self) { try then.insert(batch: [Novel("y")]) }
    then.rollback()
    #expect(old.name == "a" && !then.hasChanges)
    try then.save()
    #expect(try content(then) == before)
    try container.erase()
    #expect(try content(then) == before && ModelContext(container).fetchCount(FetchDescriptor<Novel>()) == 0)
  }

  @Test func `several stores show one time`() async throws {
    let container = try ModelContainer(
      for: Schema([Novel.self, Artist.self]),
      configurations: [
        ModelConfiguration("novels", schema: Schema([Novel.self]), isStoredInMemoryOnly: true),
        ModelConfiguration("artists", schema: Schema([Artist.self]), isStoredInMemoryOnly: true),
      ])
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        let context = ModelContext(container)
        for number in 0..<150 {
          // The artist first, so there are never more novels.
          context.insert(Artist("a\(number)"))
          try context.save()
          context.insert(Novel("n\(number)"))
          try context.save()
        }
      }
      for _ in 0..<40 {
        let then = try container.snapshot()
        let (novels, artists) = (
          try then.fetchCount(FetchDescriptor<Novel>()), try then.fetchCount(FetchDescriptor<Artist>())
        )
        #expect(artists == novels || artists == novels + 1)
      }
      try await group.waitForAll()
    }
  }

  @Test(arguments: 1...6) func `snapshots stay the same while others write`(seed: UInt64) throws {
    let folder = try Folder()
    var configuration = ModelConfiguration(url: folder.url.appending(path: "a.roost"))
    configuration.cacheBytes = 1 << 20
    let container = try ModelContainer(for: Novel.self, configurations: configuration)
    var random = SplitMix64(seed: seed)
    func below(_ bound: Int) -> Int { Int(random.next() % UInt64(bound)) }
    var writers = (0..<4).map { _ in ModelContext(container) }
    var kept: [(context: ModelContext, content: [String])] = []
    for step in 0..<250 {
      let context = writers[below(4)]
      func some<T: PersistentModel>(_ type: T.Type) throws -> T? {
        let all = try context.fetch(FetchDescriptor<T>())
        return all.isEmpty ? nil : all[below(all.count)]
      }
      switch below(100) {
      case ..<12: context.insert(Novel("novel \(below(1000))"))
      case ..<35:
        let chapter = Chapter("chapter \(below(1000))", words: below(100))
        context.insert(chapter)
        chapter.novel = try some(Novel.self)
      case ..<50: try some(Chapter.self)?.words = below(100)
      case ..<58: try some(Chapter.self)?.novel = some(Novel.self)
      case ..<62: if let novel = try some(Novel.self) { context.delete(novel) }
      case ..<64: try ModelContext(container).update(model: Chapter.self) { $0.words += 1 }
      case ..<67: try container.checkpoint()
      case ..<69: try container.compact()
      case ..<77:
        let then = try container.snapshot()
        kept.append((then, try content(ModelContext(container))))
      case ..<80: if !kept.isEmpty { kept.remove(at: below(kept.count)) }
      default: do { try context.save() } catch is RoostError { context.rollback() }
      }
      if let one = kept.randomElement(using: &random), try content(one.context) != one.content {
        Issue.record("seed \(seed), step \(step): a snapshot changed")
      }
    }
    writers = []
    for one in kept where try content(one.context) != one.content { Issue.record("seed \(seed): a snapshot changed") }
    #expect(!kept.isEmpty)
    kept = []
    try container.close()
  }
}
