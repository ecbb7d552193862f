import Foundation
import Roost
import SwiftData
import Testing

/// Joins that read both sides along indexes, in the order of a key.
@Suite struct MergeJoinTests {
  private func filled(_ bytes: Int? = nil, count: Int = 2000) throws -> ModelContext {
    var configuration = ModelConfiguration(isStoredInMemoryOnly: true)
    configuration.queryBytes = bytes
    let context = ModelContext(
      try ModelContainer(for: Label.self, Disc.self, Cut.self, configurations: configuration))
    for number in 0..<count {
      let disc = Disc("t\(number % (count / 2))", number: number)
      disc.length = Double(number)
      context.insert(disc)
    }
    try context.save()
    return ModelContext(context.container)
  }

  private func texts(_ context: ModelContext, merges: Bool, on keys: JoinKey<Disc, Disc>...) throws -> [String] {
    let (first, last) = (keys[0], keys[keys.count - 1])
    return try ForcedWay.$mergesJoins.withValue(merges) {
      let inner = try context.select(
        Disc.self, \.number, joining: .inner(Disc.self, on: first, last, select: \.number, \.title)
      ).map { "inner \($0.0) \($0.1)" }
      let left = try context.select(
        Disc.self, \.number, \.title,
        joining: .left(Disc.self, on: first, last, where: #Predicate { $0.number < 10 }, select: \.length),
        where: #Predicate { $0.number % 3 == 0 }
      ).map { "left \($0.0) \($0.1) \($0.2 ?? -1)" }
      return (inner + left).sorted()
    }
  }

  @Test func `a merge finds the pairs of a table`() throws {
    let context = try filled(count: 200)
    for keys in [
      [JoinKey<Disc, Disc>.equal(\.title, \.title)], [.equal(\.number, \.number)],
      [.equal(\.title, \.title), .less(\.length, \.length)], [.notEqual(\.length, \.length), .equal(\.title, \.title)],
    ] {
      let merged = try texts(context, merges: true, on: keys[0], keys[keys.count - 1])
      #expect(merged == (try texts(context, merges: false, on: keys[0], keys[keys.count - 1])) && merged.count > 150)
    }
    let long = String(repeating: "x", count: 600)
    for (number, title) in [long + "a", long + "b", long + "a", "\u{e9}", "e\u{301}", ""].enumerated() {
      context.insert(Disc(title, number: 5000 + number))
    }
    try context.save()
    let merged = try texts(context, merges: true, on: .equal(\.title, \.title))
    #expect(merged == (try texts(context, merges: false, on: .equal(\.title, \.title))))
    #expect(merged.filter { $0.contains("inner 500") }.count == 10)
  }

  @Test func `few pairs need few rows, and explain says so`() throws {
    let context = try filled()
    func told(_ order: [SortDescriptor<Disc>], limit: Int?, other: [SortDescriptor<Disc>] = []) throws
      -> FetchExplanation
    {
      try context.explain {
        try $0.select(
          Disc.self, \.number,
          joining: .inner(Disc.self, on: .equal(\.number, \.number), sortBy: other, select: \.title),
          sortBy: order, limit: limit)
      }
    }
    let order = [SortDescriptor(\Disc.number)]
    let few = try told(order, limit: 5)
    #expect(few.others.map(\.joining) == [.merge] && few.rowsRead < 20 && few.sorting == .index, "\(few)")
    #expect(few.others[0].rowsRead < 10 && few.description.contains("merged along an index"), "\(few)")
    // The numbers are rows, not groups or pairs.
    #expect(few.found >= 5 && few.description.hasPrefix("Disc: \(few.found) rows found"), "\(few)")
    let other = few.others[0]
    #expect(other.found >= 5 && other.description.hasPrefix("Disc: \(other.found) rows found"), "\(few)")
    #expect(try told([], limit: 5).others.map(\.joining) == [.merge])
    // Each row by itself costs more than all at once.
    #expect(try told(order, limit: nil).others.map(\.joining) != [.merge])
    // Another order than that of the key.
    #expect(try told([SortDescriptor(\.number, order: .reverse)], limit: 5).others.map(\.joining) != [.merge])
    #expect(try told([SortDescriptor(\.length)], limit: 5).others.map(\.joining) != [.merge])
    #expect(try told(order, limit: 5, other: [SortDescriptor(\.title)]).others.map(\.joining) != [.merge])
    context.insert(Disc("new", number: 1))
    #expect(try told(order, limit: 5).others.map(\.joining) != [.merge])
    let found = try context.select(
      Disc.self, \.number, joining: .inner(Disc.self, on: .equal(\.number, \.number), select: \.title),
      sortBy: order, limit: 5)
    #expect(found.map(\.0) == [0, 1, 1, 1, 1])
  }

  @Test func `what fits in no table is merged`() throws {
    let context = try filled(1 << 17)
    // A table of all rows takes more than the call may take, and few pairs belong together.
    func pairs() throws -> [(Int, String)] {
      try context.select(
        Disc.self, \.number,
        joining: .inner(
          Disc.self, on: .equal(\.title, \.title), .less(\.length, \.length), select: \.title),
        where: #Predicate { $0.number < 400 })
    }
    #expect(try pairs().count == 400)
    let error = #expect(throws: RoostError.self) {
      try ForcedWay.$mergesJoins.withValue(false) { try pairs() }
    }
    #expect(error?.code == .tooLarge)
    // The pairs are kept.
    let all = #expect(throws: RoostError.self) {
      try context.select(
        Disc.self, \.number, joining: .inner(Disc.self, on: .equal(\.title, \.title), select: \.number))
    }
    #expect(all?.code == .tooLarge, "\(String(describing: all))")
  }
}
