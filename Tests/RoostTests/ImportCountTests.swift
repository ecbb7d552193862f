import Foundation
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

/// Texts that would leave a relationship with too few members or too many.
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

  @Test func `a record may not take the last member away`() throws {
    var importer = try container.importer(for: Sculler.self)
    let error = #expect(throws: RoostError.self) { try importer.run(.text("name,boat\nx,b\n", .csv)) }
    #expect(error?.code == .badInput && error?.importFault?.line == 2 && error?.importFault?.field == "scullers")
    #expect(try boats() == ["ax", "by"])
    importer.options.badRecords = .skip(upTo: 9)
    let report = try importer.run(.text("name,boat\nx,b\nx,\nz,a\nx,b\n", .csv))
    // The last one may go, because another one came.
    #expect(report.progress.bad == 2 && report.progress.inserted == 1 && report.progress.updated == 1)
    #expect(try boats() == ["az", "bxy"])
    // What else is wrong with a boat is nobody's doing here.
    #expect(try importer.run(.text("name,boat\nz,a\n", .csv)).progress.updated == 1)
  }

  @Test func `a reference that waits does not hide the others`() throws {
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
