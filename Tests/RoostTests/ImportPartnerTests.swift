import Foundation
import RoostTestSupport
import SwiftData
import Testing

/// Partners that wait for each other until an import's end, while others marry them.
@Suite struct ImportPartnerTests {
  private let container: ModelContainer

  init() throws { container = try ImportMutualTests.container() }

  enum Way: CaseIterable, Sendable { case texts, snapshots }

  /// Who is to lead to whom, one record each; nil says nothing.
  typealias Couples = [(name: String, spouse: String?)]

  private func spouses() throws -> [String: String] {
    let context = ModelContext(container)
    let found = try context.fetch(ImportMutualTests.byName)
    for mate in found { #expect(mate.spouse.map { $0.spouse === mate } ?? true, "\(mate.name)") }
    return withExtendedLifetime(context) {
      Dictionary(uniqueKeysWithValues: found.map { ($0.name, $0.spouse?.name ?? "-") })
    }
  }

  private func marry(_ one: String, _ other: String) {
    let context = ModelContext(container)
    guard let all = try? context.fetch(ImportMutualTests.byName) else { return }
    let (a, b) = (all.first { $0.name == one } ?? Mate(one), all.first { $0.name == other } ?? Mate(other))
    for mate in [a, b] where mate.modelContext == nil { context.insert(mate) }
    a.spouse = b
    #expect(throws: Never.self) { try context.save() }
  }

  private func run(
    _ couples: Couples, _ way: Way, chunk: Int, then: @escaping (Int) throws -> Void = { _ in }
  ) throws -> ImportReport {
    var importer = try container.importer(for: Mate.self)
    importer.options.chunk = chunk
    func progress(_ now: ImportProgress) { #expect(throws: Never.self) { try then(now.records) } }
    switch way {
    case .texts:
      let lines = couples.map { name, spouse in
        "{\"name\": \"\(name)\"" + (spouse.map { ", \"spouse\": \"\($0)\"" } ?? "") + "}"
      }
      return try importer.run(.text(lines.joined(separator: "\n"), .jsonLines), progress: progress)
    case .snapshots:
      let context = ModelContext(try ImportMutualTests.container())
      var mates: [String: Mate] = [:]
      for name in Set(couples.flatMap { [$0.name] + ($0.spouse.map { [$0] } ?? []) }) {
        mates[name] = Mate(name)
        mates[name].map(context.insert)
      }
      try context.save()
      importer.options.conflict = .merge
      let snapshots = try couples.map { name, spouse in
        let mate = try #require(mates[name])
        mate.spouse = spouse.flatMap { mates[$0] }
        defer { context.rollback() }
        return mate.snapshot
      }
      return try importer.run(snapshots: snapshots, progress: progress)
    }
  }

  @Test(arguments: Way.allCases) func `a partner whom somebody gave it meanwhile stays`(_ way: Way) throws {
    let report = try run([("a", "z"), ("z", nil), ("c", "d"), ("d", nil)], way, chunk: 1) { records in
      if records == 2 { marry("x", "z") }
    }
    #expect(try spouses() == ["a": "-", "z": "x", "x": "z", "c": "d", "d": "c"])
    #expect(report.unresolved.map(\.reason) == [.changed] && report.unresolvedCount == 1)
  }

  @Test(arguments: Way.allCases, [1, 2, 9])
  func `of two records that wait for one, the later has it`(_ way: Way, _ chunk: Int) throws {
    let report = try run([("a", "z"), ("b", "z"), ("c", "z"), ("z", nil)], way, chunk: chunk)
    #expect(try spouses() == ["a": "-", "b": "-", "c": "z", "z": "c"])
    #expect(report.unresolved.allSatisfy { $0.reason == .changed })
  }

  @Test(arguments: Way.allCases, [1, 2, 9])
  func `a later record is not undone by one that waited`(_ way: Way, _ chunk: Int) throws {
    // The one that comes names another one, or another one names it.
    _ = try run([("x", nil), ("a", "z"), ("z", "x")], way, chunk: chunk)
    #expect(try spouses() == ["a": "-", "x": "z", "z": "x"])
    _ = try run([("b", "y"), ("y", nil), ("c", "y")], way, chunk: chunk)
    #expect(try spouses() == ["a": "-", "x": "z", "z": "x", "b": "-", "y": "c", "c": "y"])
  }

  @Test(arguments: Way.allCases, [1, 2, 9])
  func `a record takes the partner of one that stands before it`(_ way: Way, _ chunk: Int) throws {
    _ = try run([("x", nil), ("z", "x"), ("a", "z")], way, chunk: chunk)
    #expect(try spouses() == ["a": "z", "x": "-", "z": "a"])
    // Whoever waits for one that waits.
    _ = try run([("e", "f"), ("g", "h"), ("f", "h"), ("h", nil)], way, chunk: chunk)
    #expect(try spouses().filter { "efgh".contains($0.key) } == ["e": "-", "f": "h", "g": "-", "h": "f"])
  }

  /// What stands in the store is what somebody would have said who knew all of them from the beginning, each name for
  /// one record, one after the other.
  @Test(arguments: 0..<60) func `by seed, the last word wins, whatever waits and whoever comes between`(
    _ seed: Int
  ) throws {
    var random = SplitMix64(seed: UInt64(seed))
    let names = (0..<8).map { "m\($0)" }
    let order = names.shuffled(using: &random)
    let couples: Couples = order.map { name in
      (name, random.chance(2, in: 3) ? names.filter { $0 != name }.randomElement(using: &random) : nil)
    }
    let moment = 1 + random.below(couples.count)
    let groom = order.prefix(moment).randomElement(using: &random) ?? order[0]
    var wanted: [String: String] = [:]
    func lead(_ one: String, _ other: String) {
      for mate in [one, other] {
        if let former = wanted.removeValue(forKey: mate) { wanted[former] = nil }
      }
      (wanted[one], wanted[other]) = (other, one)
    }
    for (place, couple) in couples.enumerated() {
      if let spouse = couple.spouse { lead(couple.name, spouse) }
      if place + 1 == moment { lead("user", groom) }
    }
    let way = random.chance(1, in: 2) ? Way.texts : .snapshots
    _ = try run(couples, way, chunk: 1) { records in
      if records == moment { marry("user", groom) }
    }
    let found = try spouses().filter { $0.value != "-" }
    // Where one was given up for another the one before may have come back: it waits too.
    #expect(found["user"] == wanted["user"], "seed \(seed)")
    for (one, other) in wanted { #expect(found[one] == other, "seed \(seed), \(way): \(one)") }
  }
}
