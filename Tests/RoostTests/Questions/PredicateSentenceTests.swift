import SwiftData
import Testing

/// Descriptions of parts of predicates in messages.
@Suite struct PredicateSentenceTests {
  /// The explanation of a part that is computed on models.
  private static func sentence(_ predicate: Predicate<Oddment>) throws -> String {
    let context = try OddPlace(.saved).context
    let text = try context.explain(FetchDescriptor(predicate: predicate)).description
    let lines = text.split(separator: "\n").compactMap { line in
      line.split(separator: "test in memory ", omittingEmptySubsequences: false).dropFirst().first
    }
    return lines.joined(separator: "; ")
  }

  @Test func names() throws {
    let c = "$0.(a computed Int)"
    let (date, moods, k) = (Date(timeIntervalSinceReferenceDate: 4), [Humor.calm], 5)
    #expect(try Self.sentence(#Predicate { $0.plain == k }) == "\(c) == 5")
    #expect(try Self.sentence(#Predicate { $0.plain > 1 || $0.name == "x" }) == "\(c) > 1 || $0.name == \"x\"")
    #expect(try Self.sentence(#Predicate { !($0.plain > 1 && $0.flag) }) == "!(\(c) > 1 && $0.flag)")
    #expect(
      try Self.sentence(#Predicate { ($0.plain + $0.k) * 2 - 1 > -$0.k }) == "(\(c) + $0.k) * 2 - 1 > -$0.k")
    #expect(
      try Self.sentence(#Predicate { $0.plain > 1 || $0.shed?.head?.town == "Bern" })
        == "\(c) > 1 || $0.shed?.head?.town == \"Bern\"")
    #expect(
      try Self.sentence(#Predicate { $0.plain > 1 || $0.oname?.isEmpty ?? true })
        == "\(c) > 1 || $0.oname?.isEmpty ?? true")
    #expect(
      try Self.sentence(#Predicate { $0.plain > 1 || $0.kids.contains { $0.n > 4 && $0.word == nil } })
        == "\(c) > 1 || $0.kids.contains { $1.n > 4 && $1.word == nil }")
    #expect(
      try Self.sentence(#Predicate { $0.plain > 1 || $0.kids.filter { $0.n > 4 }.count == 2 })
        == "\(c) > 1 || $0.kids.filter { $1.n > 4 }.count == 2")
    #expect(
      try Self.sentence(#Predicate { $0.plain > 1 || $0.date > date || moods.contains($0.mood) })
        == "\(c) > 1 || $0.date > Date(4.0) || [.calm].contains($0.mood)")
    #expect(
      try Self.sentence(#Predicate { $0.plain > 1 || $0.tags[1] == $0.name.lowercased() })
        == "\(c) > 1 || $0.tags[1] == $0.name.lowercased()")
    #expect(
      try Self.sentence(#Predicate { $0.plain > 1 || $0.table["a", default: 2] == 3 })
        == "\(c) > 1 || $0.table[\"a\", default: 2] == 3")
    #expect(
      try Self.sentence(#Predicate { $0.plain > 1 || ($0 as? Gizmo)?.hours == 1 || $0 is Gizmo })
        == "\(c) > 1 || ($0 as? Gizmo)?.hours == 1 || $0 is Gizmo")
    #expect(
      try Self.sentence(#Predicate { ($0.flag ? $0.plain : 2) == 3 && $0.k > 1 }) == "($0.flag ? \(c) : 2) == 3")
    #expect(
      try Self.sentence(#Predicate { $0.plain > 1 || $0.name.contains(#/a.b/#) })
        == "\(c) > 1 || $0.name.contains(/a.b/)")
    #expect(
      try Self.sentence(#Predicate { $0.plain > 1 || (1...3).contains($0.k) })
        == "\(c) > 1 || (1...3).contains($0.k)")
    #expect(
      try Self.sentence(#Predicate { $0.plain > 1 || $0.oname.flatMap { $0 == "a" } == true })
        == "\(c) > 1 || $0.oname.flatMap { $1 == \"a\" } == true")
  }

  /// Regression: the number of elements was computed, which trapped.
  @Test func `ranges of any size are described by their bounds`() throws {
    let (all, half, few) = (Int.min...Int.max, Int.min..<Int.max, 2..<5)
    let (from, upTo, through, words) = (7..., ..<7, ...7, "a"..<"b")
    let c = "$0.(a computed Int)"
    #expect(
      try Self.sentence(#Predicate { $0.plain > 1 || all.contains($0.k) })
        == "\(c) > 1 || (\(Int.min)...\(Int.max)).contains($0.k)")
    #expect(
      try Self.sentence(#Predicate { $0.plain > 1 || half.contains($0.k) })
        == "\(c) > 1 || (\(Int.min)..<\(Int.max)).contains($0.k)")
    #expect(
      try Self.sentence(#Predicate { $0.plain > 1 || few.contains($0.k) }) == "\(c) > 1 || (2..<5).contains($0.k)")
    #expect(
      try Self.sentence(#Predicate { $0.plain > 1 || from.contains($0.k) }) == "\(c) > 1 || (7...).contains($0.k)")
    #expect(
      try Self.sentence(#Predicate { $0.plain > 1 || upTo.contains($0.k) }) == "\(c) > 1 || (..<7).contains($0.k)")
    #expect(
      try Self.sentence(#Predicate { $0.plain > 1 || through.contains($0.k) })
        == "\(c) > 1 || (...7).contains($0.k)")
    #expect(
      try Self.sentence(#Predicate { $0.plain > 1 || words.contains($0.name) })
        == "\(c) > 1 || (\"a\"..<\"b\").contains($0.name)")
  }

  @Test func `only a collection with a known size is counted`() throws {
    let (row, set, repeated) = (ContiguousArray(0..<9), Set(0..<7), Threes())
    #expect(
      try Self.sentence(#Predicate { $0.plain > 1 || row.contains($0.k) })
        == "$0.(a computed Int) > 1 || [9 values].contains($0.k)")
    #expect(
      try Self.sentence(#Predicate { $0.plain > 1 || set.contains($0.k) })
        == "$0.(a computed Int) > 1 || [7 values].contains($0.k)")
    #expect(
      try Self.sentence(#Predicate { $0.plain > 1 || repeated.contains($0.k) })
        == "$0.(a computed Int) > 1 || [3, 3, 3, 3, …].contains($0.k)")
  }

  @Test func `long descriptions are shortened`() throws {
    let (text, list) = (String(repeating: "x", count: 100), Array(0..<100))
    let sentence = try Self.sentence(#Predicate { $0.plain > 1 || $0.name == text || list.contains($0.k) })
    #expect(sentence.contains("xxx…\"") && sentence.contains("[100 values].contains($0.k)") && sentence.count < 150)
  }
}

/// A collection that is too large to count.
private struct Threes: Collection, Codable {
  var startIndex: Int { 0 }
  var endIndex: Int { .max }
  func index(after i: Int) -> Int { i + 1 }
  subscript(position: Int) -> Int { 3 }
}
