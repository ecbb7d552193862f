import Foundation
import SwiftData
import Testing

/// Children of contexts with two stores.
@Suite struct ChildStoresTests {
  /// Before the fix, the process ended: the child fetched the rows of one store again in the other.
  @Test func `a child merges the parent's changes in each store`() throws {
    let container = try ChildPlay.container(withMusic: true)
    let parent = ModelContext(container)
    let (ware, group, artist) = (Ware("a"), WareGroup("g"), Artist("m"))
    for model in [ware, group, artist] as [any PersistentModel] { parent.insert(model) }
    artist.albums = [Album("x")]
    try parent.save()
    let child = try ModelContext(parent: parent)
    for own in try child.fetch(FetchDescriptor<Ware>()) { own.title = "c" }
    for own in try child.fetch(FetchDescriptor<WareGroup>()) { own.name = "h" }
    for own in try child.fetch(FetchDescriptor<Artist>()) { own.address.number = 1 }
    for own in try child.fetch(FetchDescriptor<Album>()) { own.year = 2000 }
    ware.count = 5
    ware.group = group
    artist.albums.first?.title = "y"
    try child.save()
    #expect(ware.title == "c" && ware.count == 5 && ware.group?.name == "h" && artist.address.number == 1)
    #expect(artist.albums.map { "\($0.title) \($0.year)" } == ["y 2000"])
    #expect(try child.fetch(FetchDescriptor<Ware>()).map(\.count) == [5])
    try parent.save()
    #expect(try ModelContext(container).fetch(FetchDescriptor<Album>()).map(\.title) == ["y"])
  }

  @Test(arguments: 0..<2) func `a save of a child with two stores merges as a save of a second context`(
    _ part: UInt64
  ) throws {
    for seed in part * 40..<part * 40 + 40 {
      let plain = try ChildPlay(seed: seed, isChild: false, withMusic: true)
      let child = try ChildPlay(seed: seed, isChild: true, withMusic: true)
      #expect(plain.hasFailed == child.hasFailed, "seed \(seed): \(plain.story), \(child.story)")
      // A child saves one store after the other.
      if plain.hasFailed.second { continue }
      let (wanted, found) = (try plain.stored(), try child.stored())
      #expect(found == wanted, "seed \(seed): \(plain.story)")
    }
  }

  @Test(arguments: 0..<2) func `a child with two stores shows its parent's models`(_ part: UInt64) throws {
    for seed in part * 40..<part * 40 + 40 {
      let play = try ChildPlay(threeFrom: seed, withMusic: true)
      #expect(play.difference == nil, "seed \(seed): \(play.story)")
    }
  }
}
