import Foundation
import RoostImport
import RoostTestSupport
import SwiftData
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

/// Random changes. Every writer makes each change in its own store: a save, a batch, imports of
/// text, models and snapshots, and applied snapshots. The stores, the errors and the histories must
/// agree after each change.
///
/// Where writers differ by design, the play gives each of them an equivalent change:
///
/// | Difference | In the play |
/// |---|---|
/// | A reference of a new model that is nil changes nothing, and its lists add to those of the stored model. A text replaces the properties that it names, and a snapshot replaces all. | Texts and snapshots contain all values that the stored model will have: ``take(_:_:_:)``. |
/// | `.skip` keeps a model as it is. In a save, a new model that is dropped still took its partner from the new models before it. | Changes of several elements name no partner under this policy. |
/// | A unique conflict together with a wanted partner: a batch may name the partner's property. With two matching models each writer names one of the two constraints. | Both are allowed. |
/// | A save writes all elements of a change or none. An import ends at the first bad one. | Changes of several elements contain no element that is refused. |
/// | An import of models takes no stored models. | Elements name new models that have the unique values of stored ones. Where the policy refuses these, a batch inserts the element instead. |
/// | `apply` changes the stored model. The unique policy does not decide, and it ignores unsaved changes. | It takes part in updates of one element. Other changes are saved instead. |
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

    /// Whether both have the same unique values.
    func isLike(_ other: Record) -> Bool {
      (code != nil && code == other.code) || (last != nil && first == other.first && last == other.last)
    }

    var hasLinks: Bool { crew != nil || mooring != nil || !skills.isEmpty }
  }

  /// The contents of a store, in the order of its rows.
  private struct Content: Equatable {
    var hands: [String] = []
    var others: [String] = []
    /// The objects as an export writes them, one on each line.
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
  /// How many elements took a one-to-one partner from another model.
  private(set) var takings = 0
  /// How many elements with relationships each writer wrote itself.
  private(set) var linked: [Writer: Int] = [:]

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
    // Includes two encodings of one text, which are equal in the store.
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

  /// Makes one change in all stores; returns false if they disagree.
  mutating func step() throws -> Bool {
    // Updates more often, because applied snapshots do nothing else.
    let conflict = random.chance(1, in: 3) ? .update : random.pick(ImportOptions.Conflict.allCases)
    let before = try content(containers[0])
    var known = try stored()
    let isOne = conflict == .insert || conflict == .throw || random.chance(1, in: 2)
    let count = isOne ? 1 : 1 + random.below(3)
    var named: Set<String> = []
    var elements: [(record: Record, full: Record)] = []
    for _ in 0..<count {
      var record = record(conflict != .skip)
      let others = known.filter { $0.mooring == record.mooring && !$0.isLike(record) }
      if conflict == .skip, count > 1 { record.mooring = nil }
      if count > 1 {
        record.crew = nil
        if known.filter({ $0.isLike(record) }).count > 1 { record.code = nil }
      }
      if record.mooring != nil, !others.isEmpty { takings += 1 }
      if record.mooring != nil { named.insert("mooring") }
      if known.filter({ $0.isLike(record) }).count > 1 { named.formUnion(["code", "first, last"]) }
      elements.append((record, conflict == .insert || conflict == .throw ? record : take(record, conflict, &known)))
    }
    story.append("\(conflict) \(elements.map(\.record))")
    var failures: [Failure?] = []
    for (writer, container) in zip(Writer.allCases, containers) {
      var links = 0
      failures.append(try Self.failure { links = try write(elements, writer, conflict, container) })
      linked[writer, default: 0] += links
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
        #expect(own.fields.isSubset(of: all.fields.union(named)), "\(writer), \(text)")
        #expect(!all.fields.isEmpty, "\(text)")
        if own.kind == "count" { #expect(!own.fields.isEmpty, "\(writer), \(text)") }
      }
      let found = try content(containers[place])
      #expect(found == wanted, "\(writer), \(text)")
      if found != wanted || own?.kind != failures[0]?.kind { return false }
    }
    return true
  }

  /// The stored models, as records.
  private func stored() throws -> [Record] {
    let context = ModelContext(containers[0])
    return try context.fetch(FetchDescriptor<Hand>()).map { hand in
      Record(
        code: hand.code, first: hand.first, last: hand.last, grade: hand.grade, note: hand.note, crew: hand.crew?.name,
        mooring: hand.mooring?.number, skills: hand.skills.map(\.name))
    }
  }

  /// The model of a record after the change, as a record with all properties.
  private func take(_ record: Record, _ conflict: ImportOptions.Conflict, _ known: inout [Record]) -> Record {
    var full = record
    if let number = record.mooring {
      for place in known.indices where known[place].mooring == number && !known[place].isLike(record) {
        known[place].mooring = nil
      }
    }
    let found = known.indices.filter { known[$0].isLike(record) }
    guard found.count < 2 else { return full }
    guard let place = found.first else {
      known.append(full)
      return full
    }
    let hand = known[place]
    full.crew = record.crew ?? hand.crew
    full.mooring = record.mooring ?? hand.mooring
    full.skills = hand.skills + record.skills.filter { !hand.skills.contains($0) }
    known[place] = full
    if conflict == .merge {
      known[place].code = record.code ?? hand.code
      known[place].last = record.last ?? hand.last
    }
    return full
  }

  // MARK: Writers

  /// Writes elements; returns the number of elements with relationships that the writer wrote
  /// itself.
  private func write(
    _ elements: [(record: Record, full: Record)], _ writer: Writer, _ conflict: ImportOptions.Conflict,
    _ container: ModelContainer
  ) throws -> Int {
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
    let links = elements.count { $0.full.hasLinks }
    switch writer {
    case .save:
      for element in elements {
        let hand = Hand(element.record)
        context.insert(hand)
        try link(hand, element.record, context)
      }
      try context.save()
    case .batch:
      try context.insert(batch: elements.map(\.record)) { record in
        let hand = Hand(record)
        try link(hand, record, context)
        return hand
      }
    case .text: try importer.run(.text(elements.map { try line($0.full) }.joined(separator: "\n"), .jsonLines))
    case .models:
      if conflict != .update, conflict != .merge, links > 0 {
        _ = try write(elements, .batch, conflict, container)
        return 0
      }
      try importer.run(models: elements.map { model($0.record) })
    case .snapshots: try importer.run(snapshots: elements.map { try snapshot($0.full, container) })
    case .applied:
      guard conflict == .update, elements.count == 1 else {
        _ = try write(elements, .save, conflict, container)
        return 0
      }
      for element in elements { _ = try context.apply(snapshot(element.full, container)) }
      try context.save()
    }
    return links
  }

  /// A model that references new models with the unique values of stored ones.
  private func model(_ record: Record) -> Hand {
    let hand = Hand(record)
    hand.crew = record.crew.map { Gang($0) }
    hand.mooring = record.mooring.map { Mooring($0) }
    hand.skills = record.skills.map { Skill($0) }
    return hand
  }

  private func snapshot(_ record: Record, _ container: ModelContainer) throws -> ModelSnapshot<Hand> {
    let context = ModelContext(container)
    let hand = Hand(record)
    context.insert(hand)
    try link(hand, record, context)
    defer { context.rollback() }
    return hand.snapshot
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

  // MARK: Results

  private static func failure(_ body: () throws -> Void) throws -> Failure? {
    do { try body() } catch let error as RoostError {
      guard let fault = error.importFault else {
        return Failure(kind: kind(error.code), fields: Set(error.faults.compactMap(\.property)))
      }
      // A wrong number of members is a fault of another model than the record's.
      if fault.reason == .invalid, fault.detail.contains(".hands: it has") {
        return Failure(kind: "count", fields: ["hands"])
      }
      let kind = fault.reason == .duplicate ? "duplicate" : "\(fault)"
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
      content.others.append("\(crew.name) \(crew.hands.map(\.first))")
    }
    for mooring in try context.fetch(FetchDescriptor<Mooring>()) {
      content.others.append("\(mooring.number) \(mooring.hand?.first ?? "-")")
      #expect(mooring.hand.map { $0.mooring === mooring } ?? true)
    }
    for skill in try context.fetch(FetchDescriptor<Skill>()) {
      content.others.append("\(skill.name) \(skill.hands.map(\.first))")
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

  /// Verifies indexes, links and counters of all stores.
  func verify() throws {
    for (writer, container) in zip(Writer.allCases, containers) {
      let found = try container.verify()
      #expect(found.isSound, "\(writer), seed \(seed): \(found)")
    }
  }
}

@Suite struct WriterPlayTests {
  @Test(arguments: 0..<24) func `by seed, all writers store and refuse the same as a save`(
    _ seed: Int
  ) throws {
    var play = try WriterPlay(seed)
    for _ in 0..<30 { if try !play.step() { return } }
    try play.verify()
    #expect(play.merges + play.refusals > 0)
    #expect(play.takings > 0)
    for writer in WriterPlay.Writer.allCases { #expect(play.linked[writer, default: 0] > 0, "\(writer)") }
  }
}
