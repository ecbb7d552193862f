import Foundation
import RoostImport
import SwiftData
import Testing

@Model final class Garden {
  @Attribute(.unique) var name: String
  @Relationship(inverse: \Plant.garden) var plants: [Plant] = []

  init(name: String) { self.name = name }
}

@Model final class Plant {
  @Attribute(.unique) var code: Int
  var name: String
  var height: Double?
  var planted = Date.now
  var garden: Garden?

  init(code: Int, name: String) {
    self.code = code
    self.name = name
  }
}

@Suite struct ImportExportGuideTests {
  private let container: ModelContainer
  private let folder: URL

  init() throws {
    container = try Self.container()
    folder = FileManager.default.temporaryDirectory.appending(path: "roost-guide-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  private static func container() throws -> ModelContainer {
    try ModelContainer(for: Plant.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
  }

  private func plants() throws -> [Int: Plant] {
    let found = try ModelContext(container).fetch(FetchDescriptor<Plant>())
    return Dictionary(uniqueKeysWithValues: found.map { ($0.code, $0) })
  }

  private func print(_ words: Any...) {}

  @Test func `files, existing models and bad records`() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let url = folder.appending(path: "plants.csv")
    let rejects = folder.appending(path: "rejects.csv")
    try Data("code,name,height\n1,Ash,12.5\n2,Elm,\n".utf8).write(to: url)
    try first(url)
    #expect(try plants().mapValues(\.name) == [1: "Ash", 2: "Elm"])

    try more(rejects)
    var importer = try container.importer(for: Plant.self)
    let run = try importer.start(.file(url))
    for await progress in run.progress {
      print(progress.records, progress.fraction ?? 0, progress.remaining ?? .zero)
    }
    let done = try await run.report
    #expect(done.progress.updated == 2)

    importer.options.name = "plants of 2024"
    importer.options.chunk = 1_000
    try await importer.run(.file(url))
  }

  private func more(_ rejects: URL) throws {
    var careful = try container.importer(for: Plant.self)
    careful.options.conflict = .skip
    try careful.run(.text("code,name\n1,Rose\n9,Oak\n", .csv))
    #expect(try plants().mapValues(\.name) == [1: "Ash", 2: "Elm", 9: "Oak"])

    var importer = try container.importer(for: Plant.self)
    do {
      try importer.run(.text("code,name\nx,Elm\n", .csv))
    } catch let error as RoostError {
      guard let fault = error.importFault else { throw error }
      print(fault.line!, fault.column!, fault.field!, fault.reason)  // 2 1 code wrongType
    }
    let error = #expect(throws: RoostError.self) { try importer.run(.text("code,name\nx,Elm\n", .csv)) }
    #expect(error?.importFault.map { [$0.line, $0.column] } == [2, 1] && error?.importFault?.reason == .wrongType)
    importer.options.badRecords = .skip(upTo: 100)
    importer.options.rejects = rejects
    let mixed = try importer.run(.text("code,name\nx,Elm\n2,Yew\n", .csv))
    for fault in mixed.faults { print(fault) }
    #expect(mixed.faults.count == 1 && mixed.progress.updated == 1)
    #expect(try String(contentsOf: rejects, encoding: .utf8) == "code,name\nx,Elm\n")
    try container.importer(forEntity: "Garden").run(.text("name\nKew\n", .csv))
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Garden>()) == 1)
  }

  @Test func `dates in other forms`() throws {
    var unix = try container.importer(for: Plant.self)
    unix.options.dates = .secondsSince1970
    try unix.run(.text("code;name;planted\n5;Fir;1714566600\n", .csv))
    unix.options.dates = .format("dd.MM.yyyy")
    try unix.run(.text("code;name;planted\n6;Larch;01.05.2024\n", .csv))
    let found = try plants()
    #expect(found[5]?.planted == Date(timeIntervalSince1970: 1_714_566_600))
    #expect(found[6]?.planted == Date(timeIntervalSince1970: 1_714_521_600))
  }

  private func first(_ url: URL) throws {
    let importer = try container.importer(for: Plant.self)
    let report = try importer.run(.file(url))
    print(report)
    #expect(report.progress.inserted == 2)
  }

  @Test func `models, snapshots and exports`() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let importer = try container.importer(for: Plant.self)
    let rows = [(number: 3, name: "Fir"), (number: 4, name: "Fig")]
    try importer.run(rows) { row in
      Plant(code: row.number, name: row.name)
    }
    let other = try Self.container()
    let snapshots = try ModelContext(container).fetchSnapshots(FetchDescriptor<Plant>())
    try other.importer(for: Plant.self).run(snapshots: snapshots)
    #expect(try ModelContext(other).fetchCount(FetchDescriptor<Plant>()) == 2)

    try importer.run(.text("code,name,height\n3,Fir,30\n", .csv))
    let backup = folder.appending(path: "tall.jsonl.lz4")
    let table = folder.appending(path: "tall.csv")
    let tall = FetchDescriptor<Plant>(
      predicate: #Predicate { ($0.height ?? 0) > 2 }, sortBy: [SortDescriptor(\.name)])
    try container.export(tall, to: .file(backup))
    try container.export(tall, to: .file(table, .csv(columns: ["code", "name"])))
    #expect(try String(contentsOf: table, encoding: .utf8) == "code,name\n3,Fir\n")
    #expect(try other.importer(for: Plant.self).run(.file(backup)).progress.updated == 1)
  }
}
