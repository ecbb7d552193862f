import Foundation
import RoostImport
import SwiftData
import Testing

@Model final class Skiff {
  @Attribute(.unique) var name: String
  @Relationship(minimumModelCount: 1, maximumModelCount: 2, inverse: \Sculler.boat) var scullers: [Sculler] = []

  init(_ name: String) { self.name = name }
}

@Model final class Sculler {
  @Attribute(.unique) var name: String
  var boat: Skiff?
  var mentor: Sculler?

  init(_ name: String, _ boat: Skiff? = nil) {
    self.name = name
    self.boat = boat
  }
}

/// Texts that would leave a relationship with too few or too many members.
@Suite struct ImportCountTests {
  private let container: ModelContainer

  init() throws {
    container = try ModelContainer(for: Skiff.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let context = ModelContext(container)
    let (a, b) = (Skiff("a"), Skiff("b"))
    a.scullers = [Sculler("x")]
    b.scullers = [Sculler("y")]
    context.insert(a)
    context.insert(b)
    try context.save()
  }

  private func boats() throws -> [String] {
    try ModelContext(container).fetch(FetchDescriptor<Skiff>(sortBy: [SortDescriptor(\.name)])).map { boat in
      boat.name + boat.scullers.map(\.name).sorted().joined()
    }
  }

  @Test func `a record may not remove the last member`() throws {
    var importer = try container.importer(for: Sculler.self)
    let error = #expect(throws: RoostError.self) { try importer.run(.text("name,boat\nx,b\n", .csv)) }
    #expect(error?.code == .badInput && error?.importFault?.line == 2 && error?.importFault?.reason == .invalid)
    // The record has no such field.
    #expect(error?.importFault?.detail.hasPrefix("Skiff 1.scullers: it has 0, and needs 1") == true)
    #expect(error?.importFault?.field == nil)
    #expect(try boats() == ["ax", "by"])
    importer.options.badRecords = .skip(upTo: 9)
    let report = try importer.run(.text("name,boat\nx,b\nx,\nz,a\nx,b\n", .csv))
    // The last one may be removed, because another one was added.
    #expect(report.progress.bad == 2 && report.progress.inserted == 1 && report.progress.updated == 1)
    #expect(try boats() == ["az", "bxy"])
    // Other errors of a boat do not matter here.
    #expect(try importer.run(.text("name,boat\nz,a\n", .csv)).progress.updated == 1)
  }

  @Test func `a waiting reference does not hide the others`() throws {
    var importer = try container.importer(for: Sculler.self)
    importer.options.badRecords = .skip(upTo: 9)
    let lines = [
      #"{"name": "z", "boat": "b", "mentor": "later"}"#, #"{"name": "w", "boat": "b", "mentor": "later"}"#,
      #"{"name": "later"}"#,
    ]
    let report = try importer.run(.text(lines.joined(separator: "\n"), .jsonLines))
    #expect(report.progress.bad == 1 && report.progress.inserted == 2 && report.faults.first?.line == 2)
    #expect(try boats() == ["ax", "byz"] && report.unresolvedCount == 0)
    let other = try importer.run(.text(#"{"name": "x", "boat": null, "mentor": "nobody"}"#, .jsonLines))
    #expect(other.progress.bad == 1 && other.unresolvedCount == 0)
    #expect(try boats() == ["ax", "byz"])
  }
}

@Model final class Climber {
  @Attribute(.unique) var name: String
  var leader: Climber?
  @Relationship(maximumModelCount: 2, inverse: \Climber.leader) var team: [Climber] = []

  init(_ name: String) { self.name = name }
}

@Model final class Guide {
  @Attribute(.unique) var name: String
  @Relationship(minimumModelCount: 1, maximumModelCount: 2) var partners: [Guide] = []

  init(_ name: String) { self.name = name }
}

@Model final class Voice {
  @Attribute(.unique) var name: String
  @Relationship(.mutual, minimumModelCount: 2, maximumModelCount: 3) var choir: [Voice] = []

  init(_ name: String) { self.name = name }
}

/// Limits of relationships whose members come later: they are counted when waiting references are
/// resolved.
@Suite struct ImportWaitingCountTests {
  private let container: ModelContainer

  init() throws {
    container = try ModelContainer(
      for: Climber.self, Guide.self, Voice.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
  }

  private func partners() throws -> [String: [String]] {
    let context = ModelContext(container)
    let found = try context.fetch(FetchDescriptor<Guide>())
    return withExtendedLifetime(context) {
      Dictionary(uniqueKeysWithValues: found.map { ($0.name, $0.partners.map(\.name)) })
    }
  }

  @Test(arguments: [1, 9]) func `waiting references do not fill a list beyond its limit`(_ chunk: Int) throws {
    var importer = try container.importer(for: Climber.self)
    (importer.options.chunk, importer.options.badRecords) = (chunk, .skip(upTo: 9))
    let report = try importer.run(.text("name,leader\na,z\nb,z\nc,z\nz,\n", .csv))
    #expect(report.progress.bad == 0 && report.unresolvedCount == 1)
    let refused = try #require(report.unresolved.first)
    guard case .refused(let why) = refused.reason else { return #expect(Bool(false), "\(refused)") }
    #expect(why.contains("at most") && refused.property == "leader" && refused.key == "\"z\"")
    let context = ModelContext(container)
    let leader = try #require(try context.fetch(FetchDescriptor<Climber>()).first { $0.name == "z" })
    #expect(leader.team.map(\.name).sorted() == ["a", "b"])
  }

  @Test(arguments: [1, 2, 9]) func `snapshots whose members come later are valid`(_ chunk: Int) throws {
    let other = ModelContext(
      try ModelContainer(for: Guide.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
    let guides = ["a", "b", "c"].map { Guide($0) }
    for (place, guide) in guides.enumerated() {
      other.insert(guide)
      guide.partners = [guides[(place + 1) % 3], guides[(place + 2) % 3]]
    }
    try other.save()
    let snapshots = try other.fetchSnapshots(FetchDescriptor<Guide>(sortBy: [SortDescriptor(\.name)]))
    var importer = try container.importer(for: Guide.self)
    importer.options.chunk = chunk
    let report = try importer.run(snapshots: snapshots)
    #expect(report.progress.inserted == 3 && report.unresolvedCount == 0)
    #expect(try partners() == ["a": ["b", "c"], "b": ["c", "a"], "c": ["a", "b"]])
  }

  @Test func `a list with too few members at the end is reported, one with too many is not set`() throws {
    var importer = try container.importer(for: Guide.self)
    importer.options.chunk = 1
    let lines = [
      #"{"name": "a", "partners": ["nobody"]}"#, #"{"name": "b", "partners": ["c", "nobody"]}"#,
      #"{"name": "d", "partners": ["a", "b", "c"]}"#, #"{"name": "c", "partners": ["a"]}"#,
    ]
    let report = try importer.run(.text(lines.joined(separator: "\n"), .jsonLines))
    #expect(report.progress.inserted == 4)
    #expect(try partners() == ["a": [], "b": ["c"], "c": ["a"], "d": []])
    // Two members are missing, the first list is empty, and the third list would have three
    // members, which is too many.
    #expect(report.unresolved.filter { $0.reason == .missing }.count == 2)
    let refused = report.unresolved.compactMap { one in
      if case .refused(let why) = one.reason { "\(one.key) \(why.contains("at least"))" } else { nil }
    }
    #expect(refused == [#""nobody" true"#, #""a" false"#, #""b" false"#, #""c" false"#])
  }
  private func choirs() throws -> [String: [String]] {
    let context = ModelContext(container)
    let found = try context.fetch(FetchDescriptor<Voice>())
    return withExtendedLifetime(context) {
      Dictionary(uniqueKeysWithValues: found.map { ($0.name, $0.choir.map(\.name).sorted()) })
    }
  }

  private func three() -> [Voice] {
    let voices = ["a", "b", "c"].map { Voice($0) }
    for voice in voices { voice.choir = voices.filter { $0 !== voice } }
    return voices
  }

  /// A member that is added from the other side cannot make a list too short.
  @Test(arguments: [false, true], [1, 2, 9]) func `members are added from the other side`(
    _ isText: Bool, _ chunk: Int
  ) throws {
    var importer = try container.importer(for: Voice.self)
    importer.options.chunk = chunk
    let report: ImportReport
    if isText {
      let lines = [["a", "b", "c"], ["b", "a", "c"], ["c", "a", "b"]].map {
        #"{"name": "\#($0[0])", "choir": ["\#($0[1])", "\#($0[2])"]}"#
      }
      report = try importer.run(.text(lines.joined(separator: "\n"), .jsonLines))
    } else {
      let other = ModelContext(
        try ModelContainer(for: Voice.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
      for voice in three() { other.insert(voice) }
      try other.save()
      report = try importer.run(snapshots: other.fetchSnapshots(FetchDescriptor<Voice>()))
    }
    #expect(report.progress.inserted == 3 && report.unresolvedCount == 0)
    #expect(try choirs() == ["a": ["b", "c"], "b": ["a", "c"], "c": ["a", "b"]])
  }

  @Test func `a record does not fill the list of another beyond its limit`() throws {
    let context = ModelContext(container)
    for voice in three() { context.insert(voice) }
    try context.save()
    var importer = try container.importer(for: Voice.self)
    importer.options.badRecords = .skip(upTo: 9)
    let lines = [#"{"name": "d", "choir": ["a", "b"]}"#, #"{"name": "e", "choir": ["a", "b"]}"#]
    let text = try importer.run(.text(lines.joined(separator: "\n"), .jsonLines))
    #expect(text.progress.inserted == 1 && text.progress.bad == 1)
    let stored = try context.fetch(FetchDescriptor<Voice>())
    let new = Voice("f")
    context.insert(new)
    new.choir = stored.filter { "ab".contains($0.name) }
    let snapshot = new.snapshot
    context.rollback()
    #expect(try importer.run(snapshots: [snapshot]).progress.bad == 1)
    #expect(try choirs()["a"] == ["b", "c", "d"] && choirs()["b"] == ["a", "c", "d"])
  }
  @Test(arguments: [1, 9]) func `a model does not either`(_ chunk: Int) throws {
    var importer = try container.importer(for: Voice.self)
    (importer.options.chunk, importer.options.badRecords) = (chunk, .skip(upTo: 9))
    let voices = three()
    let late = ["d", "e"].map { Voice($0) }
    var given = voices
    let report = try importer.run(0..<5) { number in
      // They are made when the others are stored.
      if number == 3 { given += late }
      if number >= 3 { given[number].choir = Array(voices.prefix(2)) }
      return given[number]
    }
    #expect(report.progress.inserted == 4 && report.progress.bad == 1, "\(report.faults)")
    #expect(try choirs()["a"] == ["b", "c", "d"] && choirs()["b"] == ["a", "c", "d"])
  }
}
