import RoostFile
import RoostTestSupport
import Testing

@testable import RoostPages

/// Taking, burying and reclaiming places, compared with a check of every pin.
@Suite struct SpaceTests {
  private struct Page {
    var born: UInt64
    var died: UInt64?
  }

  @Test(arguments: UInt64(1)...8) func `a place is free exactly when no pin sees its page`(seed: UInt64) throws {
    var generator = SplitMix64(seed: seed)
    var space = Space(limit: 2)
    var pages: [UInt32: Page] = [:]
    var now: UInt64 = 1
    // The tip and the durable snapshot are always pinned; readers pin former tips.
    var readers: [UInt64] = []
    var durable: UInt64 = 1
    func pins() -> [UInt64] { (readers + [now, durable]).sorted() }
    func isSeen(_ page: Page) -> Bool {
      guard let died = page.died else { return true }
      return pins().contains { page.born <= $0 && $0 < died }
    }
    for step in 0..<400 {
      switch generator.below(8) {
      case 0: readers.append(now)
      case 1: if !readers.isEmpty { readers.remove(at: generator.below(readers.count)) }
      case 2: durable = now
      default:
        let next = now + 1 + UInt64(generator.below(3))
        for _ in 0...generator.below(4) {
          let place = try space.take()
          #expect(pages[place].map(isSeen) != true, "seed \(seed), step \(step): \(place) is still seen")
          pages[place] = Page(born: next, died: nil)
        }
        var deaths: [Death] = []
        for (place, page) in pages.sorted(by: { $0.key < $1.key }) where page.died == nil && page.born < next {
          guard generator.chance(1, in: 3) else { continue }
          deaths.append(Death(place: place, length: 1, born: page.born, died: next, named: false))
          pages[place]?.died = next
        }
        now = next
        space.bury(deaths, pins: pins(), durable: durable) { _ in }
      }
      space.reclaim(pins: pins(), durable: durable) { _ in }
      #expect(space.checkInvariants() == [])
      for (place, page) in pages {
        #expect(space.free.contains(place) == !isSeen(page), "seed \(seed), step \(step), place \(place)")
        #expect(space.spare.contains(place) == (page.died != nil))
      }
    }
  }

  @Test func `a named extent waits for the durable snapshot to pass its birth`() throws {
    var space = Space(limit: 2)
    let place = try space.takeRun(3)
    space.bury(
      [Death(place: place, length: 3, born: 5, died: 6, named: true)], pins: [6], durable: 4
    ) { _ in }
    #expect(!space.free.contains(place))
    space.reclaim(pins: [6], durable: 4) { _ in }
    #expect(!space.free.contains(place))
    space.reclaim(pins: [7], durable: 7) { _ in }
    #expect(space.free.count == 3)
    #expect(space.checkInvariants() == [])
  }

  @Test func `a run stays within one slab and within the largest size`() throws {
    var space = Space(limit: 16_380)
    space.largest = 16_400
    #expect(try space.takeRun(10) == 16_384)
    #expect(space.free.count == 4)
    #expect(failure { () throws(StoreError) in _ = try space.takeRun(7) } == .diskFull)
    #expect(space.limit <= 16_400)
    #expect(try space.takeRun(6) == 16_394)
    #expect(failure { () throws(StoreError) in _ = try space.takeRun(5) } == .diskFull)
    for place in UInt32(16_380)..<16_384 { #expect(try space.take() == place) }
    #expect(failure { () throws(StoreError) in _ = try space.take() } == .diskFull)
  }

  @Test func `a run that the largest size truncates leaves the limit below it`() {
    var space = Space(limit: 16_380)
    space.largest = 16_386
    #expect(failure { () throws(StoreError) in _ = try space.takeRun(5) } == .diskFull)
    #expect(space.limit <= 16_386)
  }

  @Test func `the tail is trimmed up to the last page`() throws {
    var space = Space(limit: 2)
    let places = try (0..<10).map { _ throws(StoreError) in try space.take() }
    for place in places[6...] { space.giveBack(place) }
    let moved = space.trimTail()
    #expect(moved)
    #expect(space.limit == 8)
    let movedAgain = space.trimTail()
    #expect(!movedAgain)
    #expect(space.free.count == 0)
    #expect(space.spare.count == 0)
  }
}
