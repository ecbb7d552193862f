import Foundation
import RoostTestSupport
import SwiftData
import Testing

/// Random changes and questions. The store must find the objects for which `matches` is true.
@Suite struct FullTextPlayTests {
  private static let words = [
    "berlin", "wall", "walls", "walled", "hero", "heroes", "running", "runs", "Über", "café", "naïve", "日本語", "東京",
    "low",
    "station", "o'clock", "2024", "x-ray", "don't", "the", "of",
  ]

  private static func text(_ random: inout SplitMix64, atMost count: Int) -> String {
    (0...random.below(count)).map { _ in random.pick(words) }.joined(separator: random.chance(1, in: 5) ? ", " : " ")
  }

  private static func question(_ random: inout SplitMix64, depth: Int = 0) -> String {
    let word = random.pick(words)
    switch random.below(depth > 2 ? 5 : 9) {
    case 0: return word
    case 1: return "\"\(text(&random, atMost: 3))\""
    case 2: return "\(word.prefix(1 + random.below(3)))*"
    case 3: return (random.chance(1, in: 2) ? "title:" : "body:") + "\"\(word)\""
    case 4: return "NEAR(\(random.pick(words)) \(random.pick(words)), \(random.below(6)))"
    case 5: return question(&random, depth: depth + 1) + " " + question(&random, depth: depth + 1)
    case 6: return "(\(question(&random, depth: depth + 1)) OR \(question(&random, depth: depth + 1)))"
    default: return "(\(question(&random, depth: depth + 1)) NOT \(question(&random, depth: depth + 1)))"
    }
  }

  @Test(arguments: UInt64(1)...5) func `the store finds the objects for which matches is true`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let folder = try ScratchFolder()
    func open() throws -> ModelContext {
      try ModelContext(
        ModelContainer(
          for: Memoir.self, LongMemoir.self, Cabinet.self,
          configurations: ModelConfiguration(url: URL(filePath: folder.file("store.roost")))))
    }
    var context = try open()
    var (questions, found) = (0, 0)
    for round in 0..<30 {
      for _ in 0..<random.below(12) { try change(context, &random) }
      switch random.below(10) {
      case 0: context.rollback()
      case 1...5: try context.save()
      case 6:
        try context.save()
        try context.container.close()
        context = try open()
      default: break
      }
      let all = try context.fetch(FetchDescriptor<Memoir>())
      for _ in 0..<4 {
        let question = Self.question(&random)
        let least = random.below(60)
        let expected = all.filter { $0.matches(question) && $0.number >= least }
        let predicate = #Predicate<Memoir> { $0.matches(question) && $0.number >= least }
        let answer = try context.fetch(FetchDescriptor(predicate: predicate))
        #expect(
          Set(answer.map(\.persistentModelID)) == Set(expected.map(\.persistentModelID)),
          "seed \(seed), round \(round): \(question)")
        #expect(try context.fetchCount(FetchDescriptor(predicate: predicate)) == expected.count)
        let ranked = try context.search(
          Memoir.self, for: question, where: #Predicate { $0.number >= least }, weights: [\.title: 3])
        #expect(
          Set(ranked.map(\.model.persistentModelID)) == Set(expected.map(\.persistentModelID)),
          "seed \(seed), round \(round), ranked: \(question)")
        #expect(zip(ranked, ranked.dropFirst()).allSatisfy { $0.score >= $1.score })
        let first = try context.search(
          Memoir.self, for: question, where: #Predicate { $0.number >= least }, weights: [\.title: 3], limit: 3)
        #expect(
          first.map(\.model.persistentModelID) == ranked.prefix(3).map(\.model.persistentModelID),
          "seed \(seed), round \(round), first: \(question)")
        (questions, found) = (questions + 1, found + expected.count)
      }
    }
    try context.save()
    #expect(try context.container.verify().findings.isEmpty)
    #expect(questions == 120 && found > 50, "seed \(seed)")
  }

  /// Texts with diacritics, capitals, ligatures and Korean syllables, which an index folds
  /// differently than a comparison.
  private static let pieces = [
    "abc", "ABC", "a\u{301}bc", "abc\u{301}", "ab\u{301}c", "áb", "straße", "STRASSE", "ﬁsh", "fish", "İstanbul",
    "istanbul",
    "한국어", "하", "각", "日本語", "東京都", "がぎぐ", "か\u{3099}きく", "कि", "क", " ", "\"", "K", "\u{212A}elvin", "ab", "bc", "c",
  ]

  private static func joined(_ random: inout SplitMix64, atMost count: Int) -> String {
    (0...random.below(count)).map { _ in random.pick(pieces) }.joined()
  }

  @Test(arguments: UInt64(1)...3) func `a substring index finds the matches of contains`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let context = ModelContext(
      try ModelContainer(for: Slogan.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
    for _ in 0..<800 {
      context.insert(
        Slogan(Self.joined(&random, atMost: 6), random.chance(1, in: 3) ? nil : Self.joined(&random, atMost: 4)))
    }
    try context.save()
    let all = try context.fetch(FetchDescriptor<Slogan>())
    var (found, byIndex) = (0, 0)
    for _ in 0..<60 {
      let part = Self.joined(&random, atMost: 3)
      let asked: [Predicate<Slogan>] = [
        #Predicate { $0.text.contains(part) }, #Predicate { $0.note?.contains(part) == true },
        #Predicate { $0.text.hasPrefix(part) }, #Predicate { $0.text.hasSuffix(part) },
        #Predicate { $0.text.localizedStandardContains(part) },
      ]
      for predicate in asked {
        let expected = all.filter { (try? predicate.evaluate($0)) == true }
        let answer = try context.fetch(FetchDescriptor(predicate: predicate))
        #expect(answer.map(\.text) == expected.map(\.text), "seed \(seed): \(predicate) \(part)")
        found += expected.count
        let plan = try "\(context.explain(FetchDescriptor(predicate: predicate)))"
        byIndex += plan.contains("full text index substrings of Slogan") ? 1 : 0
      }
    }
    #expect(found > 100 && byIndex > 40, "seed \(seed): \(found) found, \(byIndex) by the index")
  }

  private func change(_ context: ModelContext, _ random: inout SplitMix64) throws {
    let some = try context.fetch(FetchDescriptor<Memoir>())
    switch random.below(12) {
    case 0...4:
      let (title, body) = (Self.text(&random, atMost: 3), Self.text(&random, atMost: 20))
      if random.chance(1, in: 4) {
        context.insert(LongMemoir(title, to: random.pick(Self.words), body: body, number: random.below(100)))
      } else {
        context.insert(Memoir(title, random.chance(1, in: 5) ? nil : body, number: random.below(100)))
      }
    case 5...6: if !some.isEmpty { random.pick(some).title = Self.text(&random, atMost: 3) }
    case 7: if !some.isEmpty { random.pick(some).body = random.chance(1, in: 3) ? nil : Self.text(&random, atMost: 9) }
    case 8: if !some.isEmpty { context.delete(random.pick(some)) }
    case 9:
      // Deleting a cabinet deletes its contents.
      let cabinets = try context.fetch(FetchDescriptor<Cabinet>())
      if cabinets.isEmpty || random.chance(1, in: 2) {
        let cabinet = Cabinet(random.pick(Self.words))
        context.insert(cabinet)
        if !some.isEmpty { random.pick(some).cabinet = cabinet }
      } else {
        context.delete(random.pick(cabinets))
      }
    case 10:
      try context.save()
      let (least, title) = (random.below(100), Self.text(&random, atMost: 2))
      try context.update(model: Memoir.self, where: #Predicate { $0.number > least }) { $0.title = title }
    default:
      try context.save()
      let texts = (0..<random.below(40)).map { _ in Self.text(&random, atMost: 12) }
      try context.insert(batch: texts) { Memoir($0, $0, number: 7) }
      if random.chance(1, in: 3) { try context.delete(model: Memoir.self, where: #Predicate { $0.matches("low") }) }
    }
  }
}
