import Foundation
import SwiftData
import Testing

@Model final class Album {
  @Attribute(.unique) var title: String
  var year: Int

  init(title: String, year: Int) {
    self.title = title
    self.year = year
  }
}

/// The code of the front page.
@Suite struct RoostGuideTests {
  @Test func `a model, a fetch and a change`() throws {
    let url = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).roost")
    defer { try? FileManager.default.removeItem(at: url) }

    let container = try ModelContainer(for: Album.self, configurations: ModelConfiguration(url: url))
    let context = ModelContext(container)
    context.insert(Album(title: "Blue", year: 1971))
    try context.save()

    let old = #Predicate<Album> { $0.year < 1980 }
    for album in try context.fetch(FetchDescriptor(predicate: old, sortBy: [SortDescriptor(\.title)])) {
      album.title += " (again)"
    }
    try context.save()

    let titles = try ModelContext(container).fetch(FetchDescriptor<Album>()).map(\.title)
    #expect(titles == ["Blue (again)"])
  }
}
