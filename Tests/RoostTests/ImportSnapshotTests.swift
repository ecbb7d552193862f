import Foundation
import RoostImport
import RoostTestSupport
import SwiftData
import Synchronization
import Testing

/// References of snapshots that wait for the import's end, and the origin of an import.
@Suite struct ImportSnapshotTests {
  private let container: ModelContainer
  private let other: ModelContext

  init() throws {
    container = try ImportTests.container()
    other = ModelContext(try ImportTests.container())
  }

  private static let byName = FetchDescriptor<Knot>(sortBy: [SortDescriptor(\.name)])

  /// Snapshots of another store: each knot references the next one, in pairs.
  private func knots(_ leads: [String: String]) throws -> [ModelSnapshot<Knot>] {
    let names = Set(leads.keys).union(leads.values)
    let knots = Dictionary(uniqueKeysWithValues: names.map { ($0, Knot($0)) })
    for knot in knots.values { other.insert(knot) }
    for (name, next) in leads { knots[name]?.next = knots[next] }
    try other.save()
    return try other.fetchSnapshots(Self.byName)
  }

  private func importer(
    chunk: Int = 1, _ conflict: ImportOptions.Conflict = .update, name: String? = nil
  ) throws -> ModelImporter<Knot> {
    var importer = try container.importer(for: Knot.self)
    (importer.options.chunk, importer.options.conflict, importer.options.name) = (chunk, conflict, name)
    return importer
  }

  private func nexts(_ container: ModelContainer? = nil) throws -> [String: String] {
    let found = try ModelContext(container ?? self.container).fetch(Self.byName)
    return Dictionary(uniqueKeysWithValues: found.map { ($0.name, $0.next?.name ?? "-") })
  }

  /// Changes the stored knots between two steps.
  private func meddle(_ body: (ModelContext, [String: Knot]) -> Void) {
    let context = ModelContext(container)
    let all = (try? context.fetch(Self.byName)) ?? []
    body(context, Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0) }))
    try? context.save()
  }

  // MARK: Changes meanwhile

  @Test func `a deleted one leaves the others`() throws {
    let all = try knots(["k1": "k2", "k3": "k4"])
    let report = try importer().run(snapshots: all) { progress in
      if progress.records == 2 { meddle { context, knots in knots["k2"].map { context.delete($0) } } }
    }
    #expect(try nexts() == ["k1": "-", "k3": "k4", "k4": "-"])
    #expect(report.unresolvedCount == 1 && report.unresolved.map(\.reason) == [.missing])
    #expect(report.unresolved.first?.property == "next")
  }

  @Test func `values that are set meanwhile stay and are reported`() throws {
    let all = try knots(["k1": "k2", "k3": "k4"])
    let report = try importer().run(snapshots: all) { progress in
      if progress.records == 1 { meddle { _, knots in knots["k1"]?.next = Knot("x") } }
    }
    #expect(try nexts() == ["k1": "x", "k2": "-", "k3": "k4", "k4": "-", "x": "-"])
    #expect(report.unresolvedCount == 1 && report.unresolved.map(\.reason) == [.changed])
  }

  @Test(arguments: [1, 2, 9]) func `a later snapshot decides`(_ chunk: Int) throws {
    let all = try knots(["k1": "k2"])
    let knot = try #require(try other.fetch(Self.byName).first)
    knot.next = nil
    let report = try importer(chunk: chunk).run(snapshots: [all[0], knot.snapshot, all[1]])
    #expect(try nexts() == ["k1": "-", "k2": "-"] && report.unresolvedCount == 0)
    // In a merge, nil changes nothing.
    let merged = try importer(chunk: chunk, .merge).run(snapshots: [all[0], knot.snapshot, all[1]])
    #expect(try nexts() == ["k1": "k2", "k2": "-"] && merged.progress.updated == 3)
  }

  // MARK: Ends of an import

  @Test(arguments: [nil, "knots"]) func `after an error, references to existing models are set`(_ name: String?) throws
  {
    let all = try knots(["k1": "k2", "k2": "k9"])
    let stored = ModelContext(container)
    stored.insert(Knot("k5"))
    try stored.save()
    var snapshots = all
    snapshots.insert(try #require(try stored.fetchSnapshots(Self.byName).first), at: 2)
    #expect(throws: RoostError.self) { try importer(.insert, name: name).run(snapshots: snapshots) }
    #expect(try nexts() == ["k1": "k2", "k2": "-", "k5": "-"])
    // Only an import with a name can be continued.
    let report = try importer(.skip, name: name).run(snapshots: snapshots)
    #expect(report.progress.resumed == (name == nil ? 0 : 2))
    #expect(try nexts() == ["k1": "k2", "k2": name == nil ? "-" : "k9", "k5": "-", "k9": "-"])
  }

  private func importer(
    _ conflict: ImportOptions.Conflict, name: String?
  ) throws -> ModelImporter<Knot> { try importer(chunk: 1, conflict, name: name) }

  @Test(arguments: [nil, "knots"]) func `a cancellation does the same`(_ name: String?) async throws {
    let all = try knots(["k1": "k2", "k2": "k3", "k3": "k1"])
    let importer = try importer(.update, name: name)
    let (stream, told) = AsyncStream<ModelSnapshot<Knot>>.makeStream()
    let (seen, tell) = AsyncStream<Int>.makeStream()
    let task = Task { try await importer.run(snapshots: stream) { tell.yield($0.records) } }
    for snapshot in all.prefix(2) { told.yield(snapshot) }
    for await count in seen where count == 2 { break }
    task.cancel()
    let report = try await task.value
    #expect(report.isCancelled && report.progress.records == 2)
    #expect(try nexts() == ["k1": "k2", "k2": "-"])
    // Without a name the other one is never resolved.
    #expect(report.unresolvedCount == (name == nil ? 1 : 0))
    let rest = try importer.run(snapshots: all)
    #expect(rest.progress.resumed == (name == nil ? 0 : 2))
    #expect(try nexts()["k2"] == "k3")
  }

  @Test func `a chunk that is not stored leaves no row numbers`() throws {
    let all = try knots(["k1": "k3", "k2": "k4"])
    // The second chunk fails completely: its row numbers are reused.
    let stored = ModelContext(container)
    stored.insert(Knot("k4"))
    try stored.save()
    let error = #expect(throws: RoostError.self) {
      try importer(chunk: 2, .insert).run(snapshots: all) { _ in
        meddle { context, _ in for number in 0..<3 { context.insert(Knot("x\(number)")) } }
      }
    }
    #expect(error?.importFault?.reason == .duplicate && error?.importFault?.line == 4)
    #expect(try nexts()["k1"] == "-" && nexts()["k2"] == "-")
  }

  // MARK: Snapshots of this store

  @Test(arguments: 0..<30) func `by seed, deleted models are restored in any order`(_ seed: Int) throws {
    var random = SplitMix64(seed: UInt64(seed))
    let context = ModelContext(container)
    let knots = (0..<10).map { Knot("k\($0)") }
    for knot in knots {
      context.insert(knot)
      if random.chance(3, in: 4) { knot.next = knots[random.below(10)] }
    }
    try context.save()
    let before = try nexts()
    let snapshots = try context.fetchSnapshots(Self.byName).shuffled(using: &random)
    for knot in knots where random.chance(2, in: 3) { context.delete(knot) }
    try context.save()
    let report = try importer(chunk: 1 + random.below(12)).run(snapshots: snapshots)
    #expect(try nexts() == before && report.unresolvedCount == 0, "seed \(seed)")
  }

  // MARK: Kinds of imports

  @Test func `models do not continue a text's import, nor the reverse`() throws {
    var items = try container.importer(for: Item.self)
    (items.options.chunk, items.options.name) = (2, "nightly")
    let lines = (1...6).map { "\($0),t" }
    let text = (["code,title"] + lines.prefix(3) + ["x,t"] + lines.suffix(3)).joined(separator: "\n")
    #expect(throws: RoostError.self) { try items.run(.text(text, .csv)) }
    #expect(try ImportTests.items(container).count == 2)
    let error = #expect(throws: RoostError.self) { try items.run(models: (1...6).map { Item(100 + $0) }) }
    #expect(error?.description.contains("nightly") == true)
    #expect(try ImportTests.items(container).count == 2)
    var skipping = items
    skipping.options.badRecords = .skip(upTo: 1)
    #expect(try skipping.run(.text(text, .csv)).progress.resumed == 2)
    #expect(try ImportTests.items(container).count == 6)
    // The reverse.
    struct Stop: Error {}
    #expect(throws: Stop.self) {
      try items.run(0..<6) { number in
        if number == 4 { throw Stop() }
        return Item(200 + number)
      }
    }
    #expect(throws: RoostError.self) { try items.run(.text(text, .csv)) }
    #expect(throws: RoostError.self) { try items.run(snapshots: [ModelSnapshot<Item>]()) }
    #expect(try items.run(0..<6) { Item(200 + $0) }.progress.resumed == 4)
    #expect(try ImportTests.items(container).count == 12)
  }

  @Test func `two imports with one name do not run at the same time`() throws {
    var importer = try container.importer(for: Item.self)
    (importer.options.chunk, importer.options.name) = (1, "nightly")
    var refused = 0
    try importer.run(models: [Item(1), Item(2)]) { _ in
      do { try importer.run(models: [Item(3)]) } catch { refused += 1 }
      do { try importer.run(.text("code,title\n4,t", .csv)) } catch { refused += 1 }
    }
    #expect(refused == 4)
    #expect(try ImportTests.items(container).keys.sorted() == [1, 2])
    #expect(try importer.run(models: [Item(3)]).progress.inserted == 1)
  }
}
