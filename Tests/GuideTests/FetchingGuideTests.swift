import Foundation
import SwiftData
import Testing

enum Style: String, Codable, CaseIterable { case jazz, rock, soul }

@Model final class Release {
  var title: String
  @Relationship(inverse: \Tune.release) var tunes: [Tune] = []

  init(_ title: String) { self.title = title }
}

@Model final class Tune {
  var title: String
  var style: Style
  var seconds: Int
  var release: Release?
  #Index<Tune>([\.title], [\.style, \.seconds])

  init(_ title: String, style: Style, seconds: Int, release: Release? = nil) {
    self.title = title
    self.style = style
    self.seconds = seconds
    self.release = release
  }
}

@Suite struct FetchingGuideTests {
  private let context: ModelContext

  init() throws {
    context = ModelContext(
      try ModelContainer(for: Tune.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
    let release = Release("Night")
    for number in 1...200 {
      context.insert(
        Tune(
          "Tune \(number)", style: Style.allCases[number % 3], seconds: number,
          release: number % 2 == 0 ? release : nil))
    }
    try context.save()
  }

  @Test func `an order`() throws {
    let sorted = FetchDescriptor<Tune>(sortBy: [
      SortDescriptor(\.release?.title),
      SortDescriptor(\.style),
      SortDescriptor(\.title, comparator: .localizedStandard, order: .reverse),
    ])
    let tunes = try context.fetch(sorted)
    #expect(tunes.count == 200 && tunes[0].release == nil && tunes[0].style == .jazz)
    #expect(tunes.prefix(3).map(\.title) == ["Tune 195", "Tune 189", "Tune 183"])
  }

  @Test func `batches`() throws {
    var seconds = 0
    let byTitle = FetchDescriptor<Tune>(sortBy: [SortDescriptor(\.title)])
    for tune in try context.fetch(byTitle, batchSize: 50) {
      seconds += tune.seconds
    }
    #expect(seconds == 20_100)
  }

  @Test func `pages`() throws {
    var byTitle = FetchDescriptor<Tune>(sortBy: [SortDescriptor(\.title)])
    byTitle.fetchLimit = 20

    let page = try context.fetchPage(byTitle)
    let kept = try JSONEncoder().encode(page.next)

    let cursor = try JSONDecoder().decode(FetchCursor?.self, from: kept)
    let following = try context.fetchPage(byTitle, after: cursor)
    #expect(page.models.count == 20 && following.models.count == 20)
    #expect(page.models[19].title < following.models[0].title)
  }

  @Test func `sums`() throws {
    let long = #Predicate<Tune> { $0.seconds > 100 }
    let (count, total, longest) = try context.aggregate(
      Tune.self, where: long, .count, .sum(\.seconds), .max(\.seconds))
    let average = try context.average(of: \Tune.seconds)
    #expect(count == 100 && total == 15_050 && longest == 200 && average == 100.5)

    let styles = try context.aggregate(
      Tune.self, .count, .average(\.seconds), by: \.release?.title, \.style,
      having: { $0.values.0 > 10 },
      sortedBy: { $0.values.0 > $1.values.0 }, limit: 3)
    for group in styles {
      let (title, style) = group.key
      let (count, average) = group.values
      print(title ?? "no release", style, count, average ?? 0)
    }
    #expect(styles.count == 3 && styles[0].values.0 == 34)
  }

  @Test func `an explanation`() throws {
    let wanted = FetchDescriptor<Tune>(predicate: #Predicate { $0.seconds == 7 })
    let explanation = try context.explain(wanted)
    print(explanation)
    #expect(explanation.rowsRead == 200 && explanation.found == 1)
    #expect(explanation.missingIndex == #"#Index<Tune>([\.seconds])"#)
  }
}
