import Foundation
import RoostImport
import SwiftData
import Testing

@Model final class Review {
  @Attribute(.unique) var code: String
  @Validate(.range(1...5)) var stars: Int
  @Validate(.notEmpty) @Validate(.length(...80), message: "Use at most 80 characters") var title: String
  @Validate(.pattern("[A-Z]{2}[0-9]+")) var tag: String?
  @Validate(.oneOf(["web", "app"])) var source: String
  @Validate(.length(...3)) var photos: [Photo] = []
  var visited: Date?
  var written: Date

  init(_ code: String, stars: Int, title: String, source: String = "web", written: Date = .now) {
    (self.code, self.stars, self.title, self.source, self.written) = (code, stars, title, source, written)
  }
}

@Model final class Photo {
  var name: String
  @Relationship(inverse: \Review.photos) var review: Review?

  init(_ name: String) { self.name = name }
}

extension Review: Validatable {
  func validate(_ validation: Validation) throws {
    if let visited, visited > written {
      validation.refuse("it was written before the visit", at: \Review.visited)
    }
    if validation.change == .delete, source == "archive" {
      validation.refuse("a review of the archive stays")
    }
  }
}

@Suite struct ValidatingModelsGuideTests {
  private let container: ModelContainer
  private let context: ModelContext

  init() throws {
    container = try ModelContainer(for: Review.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    context = ModelContext(container)
  }

  @Test func `a save reports all faults`() throws {
    var problems: [String] = []
    context.insert(Review("r1", stars: 6, title: " "))
    do {
      try context.save()
    } catch let error as RoostError where error.code == .invalid {
      for fault in error.faults {
        problems.append("\(fault.property ?? ""): \(fault.detail)")
      }
    }
    #expect(
      problems == [
        "stars: it is 6, and must be in 1...5", "title: it has only white space, and must have a text",
      ])
    #expect(context.hasChanges)
  }

  @Test func `a model checks itself`() throws {
    let review = Review("r1", stars: 5, title: "Fine")
    review.visited = .distantFuture
    context.insert(review)
    let error = #expect(throws: RoostError.self) { try context.save() }
    #expect(error?.faults.map(\.property) == ["visited"])
    review.visited = nil
    try context.save()
    context.delete(review)
    try context.save()
  }

  @Test func `a form checks before the save`() throws {
    let draft = Review("r2", stars: 0, title: "Fine")
    let faults = try context.faults(of: draft)
    let stars = faults.first { $0.property == "stars" }
    #expect(faults.count == 1 && stars?.rule == .range(1...5) && stars?.value == "0")
  }

  @Test func `a bad record is left out`() throws {
    let csv = "code,stars,title,source,written\na,5,Fine,web,2026-01-01T00:00:00Z\nb,9,Bad,web,2026-01-01T00:00:00Z\n"
    var importer = try container.importer(for: Review.self)
    importer.options.badRecords = .skip(upTo: 100)
    let report = try importer.run(.text(csv, .csv))
    let reasons = report.faults.map(\.reason)
    #expect(reasons == [.invalid] && report.progress.inserted == 1)
  }

  @Test func `rules are readable`() {
    let schema = Schema([Review.self])
    let attribute = schema.entitiesByName["Review"]?.attributesByName["stars"]
    let rules = attribute?.rules.map(\.description)
    #expect(rules == ["range(1...5)"])
  }
}
