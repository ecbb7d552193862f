import Foundation
import SwiftData
import Testing

enum TimeGuide {
  @Model final class Song {
    var title: String

    init(_ title: String) { self.title = title }
  }
}

/// What the guide on contexts that stay shows.
@Suite struct TimeGuideTests {
  typealias Song = TimeGuide.Song

  @Test func `a context that does not move`() throws {
    let container = try ModelContainer(for: Song.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let first = ModelContext(container)
    first.insert(Song("Warszawa"))
    try first.save()
    let then = try container.snapshot()
    let writer = ModelContext(container)
    writer.insert(Song("Heroes"))
    try writer.save()
    let before = try then.fetchCount(FetchDescriptor<Song>())
    let now = try writer.fetchCount(FetchDescriptor<Song>())
    #expect(before == 1 && now == 2)
    do {
      try then.deleteAll(model: Song.self)
    } catch let error as RoostError where error.storeError?.code == .readOnly {
      print("take the models from a context that follows")
    }
    #expect(throws: RoostError.self) { try then.deleteAll(model: Song.self) }
  }
}
