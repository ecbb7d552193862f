import Foundation
import RoostTestSupport
import SwiftData
import RoostImport
import Testing

@Model final class Gang {
  @Attribute(.unique) var name: String
  @Relationship(maximumModelCount: 3, inverse: \Hand.crew) var hands: [Hand] = []

  init(_ name: String) { self.name = name }
}

@Model final class Mooring {
  @Attribute(.unique) var number: Int
  @Relationship(inverse: \Hand.mooring) var hand: Hand?

  init(_ number: Int) { self.number = number }
}

@Model final class Skill {
  @Attribute(.unique) var name: String
  var hands: [Hand] = []

  init(_ name: String) { self.name = name }
}

@Model final class Hand {
  #Unique<Hand>([\.code], [\.first, \.last])
  #Index<Hand>([\.grade])
  var code: String?
  var first: String
  var last: String?
  var grade: Int
  var note: String?
  var crew: Gang?
  var mooring: Mooring?
  @Relationship(inverse: \Skill.hands) var skills: [Skill] = []

  init(_ record: WriterPlay.Record) {
    (code, first, last) = (record.code, record.first, record.last)
    (grade, note) = (record.grade, record.note)
  }
}

/// Random changes, each of which every writer makes in a store of its own: a save, a batch, imports of text, models and snapshots, and
/// applied snapshots. The stores must agree after each change, and so must the errors and the history.
///
/// Where writers differ by design, the play gives each of them what says the same:
///
/// | Difference | In the play |
/// |---|---|
/// | A reference of a new model that is nil changes nothing, and its lists add to those of the stored model. A text replaces what it names, and a snapshot replaces all. | Texts and snapshots name what the stored model will have: ``filled(_:)``. |
/// | A save takes a one-to-one partner from another model. A batch and an import of snapshots refuse that. | No element names the partner of another model. |
/// | The unique values of an element are those of two models. A save refuses it and names no property, an import of snapshots names one; with `.skip` that import keeps the first model. | Each element matches one model. |
/// | An import of models takes no stored models. | Elements with relationships are inserted in a batch instead. |
/// | `apply` changes the stored model. The unique policy does not decide. | It takes part in updates. Other elements are saved instead. |
/// | A save reports all errors. An import reports the first one, with the code `badInput` and a reason. | The reason must match, and the property must be one of those that the save names. |
/// | `.skip` keeps a model as it is. A save that keeps a model adds to its lists. | Elements have no lists under this policy. |
struct WriterPlay {
  enum Writer: CaseIterable { case save, batch, text, models, snapshots, applied }

  struct Record {
    var code: String?
    var first = ""
    var last: String?
    var grade = 0
    var note: String?
    var crew: String?
    var mooring: Int?
    var skills: [String] = []
  }

  /// What a store holds, in the order of its rows.
  private struct Content: Equatable {
    var hands: [String] = []
    var others: [String] = []
    /// Objects on a line each, as an export writes them.
    var exports: [String] = []
    /// Inserted, updated and deleted rows of all transactions.
    var history: [String] = []
  }

  private struct Failure: Equatable {
    var kind: String
    var fields: Set<String>
  }

  private let seed: Int
  private var random: SplitMix64
  private let containers: [ModelContainer]
  private var story: [String] = []
  private(set) var merges = 0
  private(set) var refusals = 0

  init(_ seed: Int) throws {
    self.seed = seed
    random = SplitMix64(seed: UInt64(seed))
    containers = try Writer.allCases.map { _ in
      try ModelContainer(for: Hand.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    }
    for container in containers {
      let context = ModelContext(container)
      for name in ["a", "b", "ä"] { context.insert(Gang(name)) }
      for number in 0..<4 { context.insert(Mooring(number)) }
      for name in ["cook", "sail"] { context.insert(Skill(name)) }
      try context.save()
    }
  }

  // MARK: One change

  private mutating func record(_ hasLists: Bool) -> Record {
    // Both spellings of one text, in the store's eyes.
    let codes = ["1", "2", "3", "\u{E9}", "e\u{301}", "6", "7", "8", "9"]
    var record = Record(grade: random.below(4))
    if random.chance(4, in: 5) { record.code = random.pick(codes) }
    record.first = "f\(random.below(record.code == nil ? 4 : 40))"
    if random.chance(2, in: 3) { record.last = "l\(random.below(3))" }
    if random.chance(1, in: 2) { record.note = "n\(random.below(9))" }
    if random.chance(1, in: 2) { record.crew = random.pick(["a", "b", "ä", "a\u{308}"]) }
    if random.chance(1, in: 3) { record.mooring = random.below(4) }
    if hasLists, random.chance(1, in: 2) {
      record.skills = Array(["cook", "sail"].shuffled(using: &random).prefix(1 + random.below(2)))
    }
    return record
  }

  /// Makes one change in all stores; false where they disagree.
  mutating func step() throws -> Bool {
    let conflict = random.pick(ImportOptions.Conflict.allCases)
    var record = record(conflict != .skip)
    if let number = record.mooring, try isTaken(number) { record.mooring = nil }
    if try matches(record, ModelContext(containers[0])).count > 1 { record.code = nil }
    let before = try content(containers[0])
    story.append("\(conflict) \(record)")
    let full = conflict == .insert || conflict == .throw ? record : try filled(record)
    var failures: [Failure?] = []
    for (writer, container) in zip(Writer.allCases, containers) {
      failures.append(try failure { try write(record, full, writer, conflict, container) })
    }
    let wanted = try content(containers[0])
    if before.hands.count == wanted.hands.count, failures[0] == nil { merges += 1 }
    if failures[0] != nil { refusals += 1 }
    let text = "seed \(seed), \(story)"
    if failures[0] != nil { #expect(wanted == before, "\(text)") }
    for (place, writer) in Writer.allCases.enumerated().dropFirst() {
      let own = failures[place]
      #expect(own?.kind == failures[0]?.kind, "\(writer), \(text)")
      if let own, let all = failures[0] {
        #expect(own.fields.isSubset(of: all.fields), "\(writer), \(text)")
        if own.kind == "count" { #expect(!own.fields.isEmpty, "\(writer), \(text)") }
      }
      let found = try content(containers[place])
      #expect(found == wanted, "\(writer), \(text)")
      if found != wanted || own?.kind != failures[0]?.kind { return false }
    }
    return true
  }

  /// The stored models that have unique values of a record.
  private func matches(_ record: Record, _ context: ModelContext) throws -> [Hand] {
    let (code, first, last) = (record.code, record.first, record.last)
    return try context.fetch(FetchDescriptor<Hand>()).filter { hand in
      (code != nil && hand.code == code) || (last != nil && hand.first == first && hand.last == last)
    }
  }

  private func isTaken(_ number: Int) throws -> Bool {
    try ModelContext(containers[0]).fetch(FetchDescriptor<Mooring>()).contains { $0.number == number && $0.hand != nil }
  }

  /// What the stored model that a record is about will have, as a record that names all.
  private func filled(_ record: Record) throws -> Record {
    var full = record
    let context = ModelContext(containers[0])
    let found = try matches(record, context)
    guard found.count == 1, let hand = found.first else { return full }
    full.crew = record.crew ?? hand.crew?.name
    full.mooring = record.mooring ?? hand.mooring?.number
    let skills = hand.skills.map(\.name)
    full.skills = skills + record.skills.filter { !skills.contains($0) }
    return full
  }

  // MARK: Writers

  private func write(
    _ record: Record, _ full: Record, _ writer: Writer, _ conflict: ImportOptions.Conflict, _ container: ModelContainer
  ) throws {
    let context = ModelContext(container)
    context.uniquePolicy =
      switch conflict {
      case .update: .upsert
      case .merge: .mergeNonNil
      case .skip: .keepExisting
      case .insert, .throw: .throw
      }
    var importer = try container.importer(for: Hand.self)
    importer.options.conflict = conflict
    switch writer {
    case .save:
      let hand = Hand(record)
      context.insert(hand)
      try link(hand, record, context)
      try context.save()
    case .batch:
      try context.insert(batch: [record]) { record in
        let hand = Hand(record)
        try link(hand, record, context)
        return hand
      }
    case .text: try importer.run(.text(line(full), .jsonLines))
    case .models:
      if record.crew != nil || record.mooring != nil || !record.skills.isEmpty {
        return try write(record, full, .batch, conflict, container)
      }
      try importer.run(models: [Hand(record)])
    case .snapshots:
      let hand = Hand(full)
      context.insert(hand)
      try link(hand, full, context)
      let snapshot = hand.snapshot
      context.rollback()
      try importer.run(snapshots: [snapshot])
    case .applied:
      if conflict != .update { return try write(record, full, .save, conflict, container) }
      let hand = Hand(full)
      context.insert(hand)
      try link(hand, full, context)
      let snapshot = hand.snapshot
      context.rollback()
      _ = try context.apply(snapshot)
      try context.save()
    }
  }

  private func link(_ hand: Hand, _ record: Record, _ context: ModelContext) throws {
    if let name = record.crew {
      hand.crew = try context.fetch(FetchDescriptor<Gang>(predicate: #Predicate { $0.name == name })).first
    }
    if let number = record.mooring {
      hand.mooring = try context.fetch(FetchDescriptor<Mooring>(predicate: #Predicate { $0.number == number })).first
    }
    let skills = try context.fetch(FetchDescriptor<Skill>())
    if !record.skills.isEmpty { hand.skills = record.skills.compactMap { name in skills.first { $0.name == name } } }
  }

  private func line(_ record: Record) throws -> String {
    var values: [String: Any] = ["first": record.first, "grade": record.grade]
    values["code"] = record.code ?? NSNull()
    values["last"] = record.last ?? NSNull()
    values["note"] = record.note ?? NSNull()
    values["crew"] = record.crew
    values["mooring"] = record.mooring
    if !record.skills.isEmpty { values["skills"] = record.skills }
    let data = try JSONSerialization.data(withJSONObject: values, options: [.sortedKeys])
    return String(decoding: data, as: UTF8.self)
  }

  // MARK: What came of it

  private func failure(_ body: () throws -> Void) throws -> Failure? {
    do { try body() } catch let error as RoostError {
      guard let fault = error.importFault else {
        return Failure(kind: Self.kind(error.code), fields: Set(error.faults.compactMap(\.property)))
      }
      let kind = fault.reason == .duplicate ? "duplicate" : fault.field == "hands" ? "count" : "\(fault)"
      return Failure(kind: kind, fields: Set([fault.field].compactMap { $0 }))
    }
    return nil
  }

  private static func kind(_ code: RoostError.Code) -> String {
    switch code {
    case .notUnique: "duplicate"
    case .count: "count"
    default: "\(code)"
    }
  }

  private func content(_ container: ModelContainer) throws -> Content {
    let context = ModelContext(container)
    var content = Content()
    for hand in try context.fetch(FetchDescriptor<Hand>()) {
      content.hands.append(
        "\(hand.code ?? "-") \(hand.first) \(hand.last ?? "-") \(hand.grade) \(hand.note ?? "-") \(hand.crew?.name ?? "-") "
          + "\(hand.mooring?.number ?? -1) \(hand.skills.map(\.name))")
    }
    for crew in try context.fetch(FetchDescriptor<Gang>()) {
      content.others.append("\(crew.name) \(crew.hands.map(\.first).sorted())")
    }
    for mooring in try context.fetch(FetchDescriptor<Mooring>()) {
      content.others.append("\(mooring.number) \(mooring.hand?.first ?? "-")")
      #expect(mooring.hand.map { $0.mooring === mooring } ?? true)
    }
    for skill in try context.fetch(FetchDescriptor<Skill>()) {
      content.others.append("\(skill.name) \(skill.hands.map(\.first).sorted())")
    }
    content.exports = try export(container, Hand.self) + export(container, Skill.self)
    content.history = try context.all().flatMap { $0.changes.map(\.line) }.filter { $0.hasSuffix("Hand") }
    return content
  }

  private func export<Model: PersistentModel>(_ container: ModelContainer, _ type: Model.Type) throws -> [String] {
    let file = URL.temporaryDirectory.appending(path: "writers-\(UUID().uuidString).jsonl")
    defer { try? FileManager.default.removeItem(at: file) }
    try container.export(FetchDescriptor<Model>(), to: .file(file))
    return try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map(String.init)
  }

  /// Indexes, links and counters of all stores.
  func verify() throws {
    for (writer, container) in zip(Writer.allCases, containers) {
      let found = try container.verify()
      #expect(found.isSound, "\(writer), seed \(seed): \(found)")
    }
  }
}

@Suite struct WriterPlayTests {
  @Test(arguments: 0..<24) func `by seed, all writers store what a save stores, and refuse what it refuses`(
    _ seed: Int
  ) throws {
    var play = try WriterPlay(seed)
    for _ in 0..<20 { if try !play.step() { return } }
    try play.verify()
    #expect(play.merges + play.refusals > 0)
  }
}
