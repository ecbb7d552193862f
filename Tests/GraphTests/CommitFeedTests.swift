import RoostTestSupport
import Testing

@testable import RoostGraph

/// The feed of recent commits, and how long it keeps them.
@Suite struct CommitFeedTests {
  private let author = Author()
  private final class Author: Sendable {}

  private func entry(_ number: UInt64, rows: Int = 1) -> CommitFeed.Entry {
    CommitFeed.Entry(
      number: number, rows: [0: (0..<UInt64(rows)).map { $0 + number }], author: ObjectIdentifier(author))
  }

  private func numbers(_ news: CommitFeed.News) -> [UInt64]? {
    if case .entries(let entries) = news { entries.map(\.number) } else { nil }
  }

  @Test func `entries that no context needs are removed`() {
    let feed = CommitFeed()
    feed.shows(1)
    for number in 2...5000 as ClosedRange<UInt64> { feed.add(entry(number)) }
    #expect(feed.count == 4999 && numbers(feed.news(after: 4990, through: 4993)) == [4991, 4992, 4993])
    feed.shows(4000)
    feed.hides(1)
    for number in 5001...5200 as ClosedRange<UInt64> { feed.add(entry(number)) }
    #expect(feed.count < 1500 && numbers(feed.news(after: 4000, through: 9000))?.count == 1200)
    #expect(numbers(feed.news(after: 1, through: 9000)) == nil)
    feed.hides(4000)
    for number in 5201...5400 as ClosedRange<UInt64> { feed.add(entry(number)) }
    #expect(feed.count <= 200)
  }

  @Test func `the limit holds whichever commits are shown`() {
    let feed = CommitFeed(mostRows: 100)
    feed.shows(0)
    for number in 1...1000 as ClosedRange<UInt64> { feed.add(entry(number, rows: 9)) }
    #expect(feed.count == 10)
    #expect(numbers(feed.news(after: 990, through: 1000)) == Array(991...1000))
    #expect(numbers(feed.news(after: 989, through: 1000)) == nil)
    feed.add(entry(1001, rows: 500))
    #expect(feed.count == 0 && numbers(feed.news(after: 1000, through: 1001)) == nil)
    feed.add(entry(1002))
    #expect(numbers(feed.news(after: 1001, through: 1002)) == [1002])
  }

  /// A commit that fails leaves its number to the next one.
  @Test(arguments: UInt64(1)...40) func `the feed equals a plain list`(seed: UInt64) {
    var generator = SplitMix64(seed: seed)
    let feed = CommitFeed(mostRows: 300)
    var all: [CommitFeed.Entry] = []
    var shown: [UInt64] = [0]
    feed.shows(0)
    var number: UInt64 = 0
    for _ in 0..<2000 {
      switch generator.below(6) {
      case 0..<3:
        if !generator.chance(1, in: 8) || number == 0 { number += 1 }
        let made = entry(number, rows: 1 + generator.below(6))
        all.append(made)
        feed.add(made)
      case 3:
        feed.shows(number)
        shown.append(number)
      case 4 where shown.count > 1: feed.hides(shown.remove(at: generator.below(shown.count)))
      default:
        guard let from = shown.randomElement(using: &generator) else { continue }
        let wanted = all.filter { $0.number > from }
        let found = feed.news(after: from, through: number)
        if case .entries(let entries) = found {
          #expect(entries.map(\.rows) == wanted.map(\.rows), "seed \(seed)")
        } else {
          // Only the limit removes entries that a context may need.
          #expect(wanted.map(\.size).reduce(0, +) > 300, "seed \(seed)")
        }
      }
    }
  }

  @Test func `contexts keep the entries that they may need, and no longer`() throws {
    let store = try SchoolStore.make()
    let (one, two) = (GraphContext(store), GraphContext(store))
    let school = School("Hill")
    try one.insert(school)
    try one.save()
    two.session.mergesChanges = false
    _ = try two.session.snapshot()
    for number in 0..<300 {
      school.name = "\(number)"
      try one.save()
    }
    #expect(store.feed.count >= 300)
    two.close()
    for number in 0..<300 {
      school.name = "\(number)"
      try one.save()
    }
    #expect(store.feed.count < 300)
    one.close()
  }
}
