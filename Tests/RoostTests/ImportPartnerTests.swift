import Foundation
import RoostImport
import RoostTestSupport
import SwiftData
import Testing

/// Partners that wait for each other until an import's end, while other records take them.
@Suite struct ImportPartnerTests {
  private let container: ModelContainer

  init() throws { container = try ImportMutualTests.container() }

  enum Way: CaseIterable, Sendable { case texts, snapshots }

  /// The partner of each record; nil does not set one.
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

  @Test(arguments: Way.allCases) func `a partner that was set meanwhile stays`(_ way: Way) throws {
    let report = try run([("a", "z"), ("z", nil), ("c", "d"), ("d", nil)], way, chunk: 1) { records in
      if records == 2 { marry("x", "z") }
    }
    #expect(try spouses() == ["a": "-", "z": "x", "x": "z", "c": "d", "d": "c"])
    #expect(report.unresolved.map(\.reason) == [.changed] && report.unresolvedCount == 1)
  }

  @Test(arguments: Way.allCases, [1, 2, 9])
  func `of two records that wait for one, the later gets it`(_ way: Way, _ chunk: Int) throws {
    let report = try run([("a", "z"), ("b", "z"), ("c", "z"), ("z", nil)], way, chunk: chunk)
    #expect(try spouses() == ["a": "-", "b": "-", "c": "z", "z": "c"])
    #expect(report.unresolved.allSatisfy { $0.reason == .changed })
  }

  @Test(arguments: Way.allCases, [1, 2, 9])
  func `a later record is not undone by one that waited`(_ way: Way, _ chunk: Int) throws {
    // The new record names another partner, or another record names it.
    _ = try run([("x", nil), ("a", "z"), ("z", "x")], way, chunk: chunk)
    #expect(try spouses() == ["a": "-", "x": "z", "z": "x"])
    _ = try run([("b", "y"), ("y", nil), ("c", "y")], way, chunk: chunk)
    #expect(try spouses() == ["a": "-", "x": "z", "z": "x", "b": "-", "y": "c", "c": "y"])
  }

  @Test(arguments: Way.allCases, [1, 2, 9])
  func `a record takes the partner of an earlier one`(_ way: Way, _ chunk: Int) throws {
    _ = try run([("x", nil), ("z", "x"), ("a", "z")], way, chunk: chunk)
    #expect(try spouses() == ["a": "z", "x": "-", "z": "a"])
    // A record that waits for a waiting one.
    _ = try run([("e", "f"), ("g", "h"), ("f", "h"), ("h", nil)], way, chunk: chunk)
    #expect(try spouses().filter { "efgh".contains($0.key) } == ["e": "-", "f": "h", "g": "-", "h": "f"])
  }

  /// The store has the state that a program would make that knew all names from the beginning,
  /// record by record.
  @Test(arguments: 0..<60) func `by seed, the last record decides, whichever records wait`(
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
    // If a partner was given up for another, the one before may have been restored: it waits too.
    #expect(found["user"] == wanted["user"], "seed \(seed)")
    for (one, other) in wanted { #expect(found[one] == other, "seed \(seed), \(way): \(one)") }
  }

  // MARK: Interrupted imports

  private static func state(_ container: ModelContainer) throws -> [String] {
    let context = ModelContext(container)
    let found = try context.fetch(ImportMutualTests.byName)
    return withExtendedLifetime(context) {
      found.map { mate in
        "\(mate.name) \(mate.spouse?.name ?? "-") \(mate.friends.map(\.name).sorted()) \(mate.heroes.map(\.name))"
      }
    }
  }

  /// A record waits for a partner that has come and itself waits for another. Setting the first
  /// reference at the interruption would be too early.
  @Test func `a partner that waits for another is not taken when an import is interrupted`() throws {
    var importer = try container.importer(for: Mate.self)
    (importer.options.chunk, importer.options.name) = (1, "mates")
    let lines = [#"{"name": "a", "spouse": "t"}"#, #"{"name": "t", "spouse": "u"}"#]
    #expect(throws: RoostError.self) { try importer.run(.text((lines + ["x"]).joined(separator: "\n"), .jsonLines)) }
    #expect(try spouses() == ["a": "-", "t": "-"])
    let report = try importer.run(.text((lines + [#"{"name": "u"}"#]).joined(separator: "\n"), .jsonLines))
    #expect(try spouses() == ["a": "-", "t": "u", "u": "t"] && report.unresolved.map(\.reason) == [.changed])
  }

  @Test(arguments: 0..<40) func `by seed, a repeatedly interrupted import stores the same as a complete one`(
    _ seed: Int
  ) throws {
    var random = SplitMix64(seed: UInt64(seed))
    let names = (0..<6).map { "m\($0)" }
    func some(_ count: Int) -> String {
      let some = names.shuffled(using: &random).prefix(random.below(count + 1))
      return "[" + some.map { "\"\($0)\"" }.joined(separator: ", ") + "]"
    }
    var lines = names.shuffled(using: &random).map { name in
      var parts = ["\"name\": \"\(name)\""]
      if random.chance(2, in: 3) { parts.append("\"spouse\": \"\(names[random.below(6)])\"") }
      if random.chance(1, in: 2) { parts.append("\"heroes\": \(some(3))") }
      if random.chance(1, in: 3) { parts.append("\"friends\": \(some(2))") }
      return "{" + parts.joined(separator: ", ") + "}"
    }
    // Later records change some of them.
    for _ in 0..<random.below(4) {
      let (one, other) = (names[random.below(6)], names[random.below(6)])
      let first = lines.firstIndex { $0.hasPrefix("{\"name\": \"\(one)\"") } ?? 0
      let place = first + 1 + random.below(lines.count - first)
      lines.insert("{\"name\": \"\(one)\", \"spouse\": \"\(other)\"}", at: place)
    }
    let chunk = 1 + random.below(3)
    func run(_ container: ModelContainer, _ lines: [String], _ name: String?) throws {
      var importer = try container.importer(for: Mate.self)
      (importer.options.chunk, importer.options.name) = (chunk, name)
      try importer.run(.text(lines.joined(separator: "\n"), .jsonLines))
    }
    let whole = try ImportMutualTests.container()
    try run(whole, lines, nil)
    for end in 1..<lines.count where random.chance(2, in: 3) {
      #expect(throws: RoostError.self) { try run(container, lines.prefix(end) + ["x"], "mates") }
    }
    try run(container, lines, "mates")
    #expect(try Self.state(container) == Self.state(whole), "seed \(seed), chunks of \(chunk): \(lines)")
  }
}
