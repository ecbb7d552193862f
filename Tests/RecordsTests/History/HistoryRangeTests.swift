import RoostFile
import RoostPages
import RoostTestSupport
import Testing

@testable import RoostRecords

/// Ranges of the history, read from either end.
@Suite struct HistoryRangeTests {
  private static let authors = ["", "one", "two"]

  private func numbers(_ reader: RecordReader, _ range: HistoryRange) throws -> [UInt64] {
    let cursor = try reader.history(range)
    var found: [UInt64] = []
    while let next = try cursor.move() { found.append(next.number) }
    return found
  }

  @Test(arguments: 1...UInt64(6)) func `a range has the same transactions from either end`(_ seed: UInt64) throws {
    var generator = SplitMix64(seed: seed &+ 100)
    let store = try RecordStore(inMemory: StoreOptions())
    try store.write { writer in try writer.change { $0 = try CatalogTests.library() } }
    var isOn = true
    var all: [(number: UInt64, author: String)] = [(1, "")]
    var gaps: [ClosedRange<UInt64>] = []
    var number: UInt64 = 1
    for step in 0..<400 {
      if generator.chance(1, in: 80) {
        isOn.toggle()
        try store.write { try $0.setHistory(isOn ? .changes : .off) }
        number += 1
        if isOn {
          // The switch itself is still in the gap.
          if let last = gaps.popLast() { gaps.append(last.lowerBound...number) }
        } else {
          gaps.append(number + 1...UInt64.max)
        }
      }
      let author = Self.authors[generator.below(3)]
      try store.write(author: author) { _ = try $0.table("Artist").insert(["name": .string("\(step)")]) }
      number += 1
      if isOn { all.append((number, author)) }
      if generator.chance(1, in: 200) {
        let floor = number / 3
        try store.write { _ = try $0.pruneHistory(through: floor) }
        // If there is nothing to remove, nothing is committed.
        number = try store.read { $0.commit }
        all.removeAll { $0.number <= floor }
      }
    }
    try store.read { reader in
      let floor = try reader.oldestToken.transaction
      for _ in 0..<300 {
        let (low, high) = (UInt64(generator.below(Int(number) + 3)), UInt64(generator.below(Int(number) + 3)))
        var range = HistoryRange(after: low, through: generator.chance(1, in: 8) ? .max : high, crossesGaps: true)
        let author = generator.chance(1, in: 3) ? Self.authors[generator.below(3)] : nil
        range.author = author
        let expected = all.filter {
          $0.number > low && $0.number <= range.through && (author == nil || $0.author == author)
        }.map(\.number)
        #expect(try numbers(reader, range) == expected)
        range.isReversed = true
        #expect(try numbers(reader, range) == expected.reversed())
        range.crossesGaps = false
        let (start, end) = (max(low, floor), min(range.through, number))
        let isCut = gaps.contains { $0.lowerBound <= end && $0.upperBound > start && start < end }
        for isReversed in [false, true] {
          range.isReversed = isReversed
          if isCut {
            let fault = #expect(throws: RecordFault.self) { try numbers(reader, range) }
            #expect(fault?.code == .expired)
          } else {
            #expect(try numbers(reader, range) == (isReversed ? expected.reversed() : expected))
          }
        }
      }
      #expect(try numbers(reader, HistoryRange(after: .max)).isEmpty)
      #expect(try numbers(reader, HistoryRange(after: .max, isReversed: true)).isEmpty)
    }
  }

  @Test func `a row whose members changed is reported, on either side of the change`() throws {
    let store = try RecordStore(inMemory: StoreOptions())
    try store.write { writer in
      try writer.change { catalog in
        try catalog.add(entity: "Album") { (entity) throws(RecordFault) in try entity.add("name", .string) }
        let album = try #require(catalog.entity("Album")?.id)
        try catalog.add(entity: "Track") { (entity) throws(RecordFault) in
          try entity.add("album", .reference(album), isOptional: true)
          try entity.add("other", .reference(album), isOptional: true)
        }
        try catalog.add(reference: "album", of: "Track", inverse: Catalog.Side("tracks"))
        try catalog.add(reference: "other", of: "Track")
      }
      for name in ["a", "b"] { _ = try writer.table("Album").insert(["name": .string(name)]) }
    }
    let (album, shown) = try store.read { reader in
      (
        try #require(reader.catalog.entity("Album")?.id),
        try reader.catalog.relationship("tracks", of: "Album").id.number
      )
    }
    var token = try store.read { try $0.latestToken }
    func told(_ body: (TableWriter) throws -> Void) throws -> [UInt64: [UInt32]] {
      try store.write { try body(try $0.table("Track")) }
      return try store.read { reader in
        var found: [UInt64: [UInt32]] = [:]
        let cursor = try reader.history(after: token)
        while let next = try cursor.move() {
          for change in try next.entry.changes(of: [album]) { found[change.row.number] = change.relationships }
        }
        token = try reader.latestToken
        return found
      }
    }
    let (one, two) = (Value.reference(RowID(1)), Value.reference(RowID(2)))
    #expect(try told { for _ in 0..<3 { _ = try $0.insert(["album": one]) } } == [1: [shown]])
    #expect(try told { try $0.update(RowID(1), ["album": two]) } == [1: [shown], 2: [shown]])
    #expect(try told { try $0.update(RowID(1), ["album": two]) } == [:])
    // That side has no property.
    #expect(try told { try $0.update(RowID(2), ["other": two]) } == [:])
    #expect(try told { try $0.delete(RowID(1)) } == [2: [shown]])
    #expect(try told { try $0.update(RowID(3), ["album": .null]) } == [1: [shown]])
  }
}
