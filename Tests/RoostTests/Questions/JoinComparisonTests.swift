import Foundation
import RoostTestSupport
import SwiftData
import Testing

@Model final class Stretch {
  var name: String
  var from: Int
  var to: Int?
  var shop: String
  var mark: Feeling

  init(_ name: String, from: Int, to: Int?, shop: String = "a", mark: Feeling = .calm) {
    self.name = name
    self.from = from
    self.to = to
    self.shop = shop
    self.mark = mark
  }
}

@Model final class Sojourn {
  var at: Int
  var length: Double
  var shop: String?
  var mark: Feeling
  #Index<Sojourn>([\.at])

  init(_ at: Int, length: Double = 0, shop: String? = "a", mark: Feeling = .calm) {
    self.at = at
    self.length = length
    self.shop = shop
    self.mark = mark
  }
}

/// Joins by ranges and other comparisons, full joins and cross joins, compared with loops over
/// arrays.
@Suite struct JoinComparisonTests {
  private func context(_ book: TraceBook = TraceBook()) throws -> ModelContext {
    ModelContext(try ModelContainer(for: Stretch.self, Sojourn.self, configurations: book.configuration()))
  }

  private func filled() throws -> ModelContext {
    let context = try context()
    for stretch in [
      Stretch("one", from: 0, to: 10), Stretch("two", from: 5, to: 20, shop: "b"), Stretch("open", from: 15, to: nil),
    ] { context.insert(stretch) }
    for at in [0, 5, 9, 10, 19, 40] { context.insert(Sojourn(at, shop: at == 40 ? nil : at < 9 ? "a" : "b")) }
    try context.save()
    return ModelContext(context.container)
  }

  private let order = [SortDescriptor(\Stretch.from)]

  @Test func `a value is in a range of the other model`() throws {
    let context = try filled()
    let rows = try context.select(
      Stretch.self, \.name,
      joining: .left(
        Sojourn.self, on: .atMost(\.from, \.at), .greater(\.to, \.at), sortBy: [SortDescriptor(\.at)], select: \.at),
      sortBy: order)
    #expect(
      rows.map { "\($0.0) \($0.1.map(String.init) ?? "-")" } == [
        "one 0", "one 5", "one 9", "two 5", "two 9", "two 10", "two 19", "open -",
      ])
    let sameShop = try context.select(
      Stretch.self, \.name,
      joining: .inner(
        Sojourn.self, on: .equal(\.shop, \.shop), .less(\.from, \.at), sortBy: [SortDescriptor(\.at)], select: \.at),
      sortBy: order)
    #expect(sameShop.map { "\($0.0) \($0.1)" } == ["one 5", "two 9", "two 10", "two 19"])
    let others = try context.select(
      Stretch.self, \.name,
      joining: .inner(
        Sojourn.self, on: .notEqual(\.shop, \.shop), .atLeast(\.from, \.at), sortBy: [SortDescriptor(\.at)],
        select: \.at),
      sortBy: order)
    #expect(others.map { "\($0.0) \($0.1)" } == ["two 0", "two 5", "open 9", "open 10"])
    #expect(context.statistics.modelsFetched == 0)
  }

  @Test func `a condition uses a range`() throws {
    let context = try filled()
    for isChanged in [false, true] {
      if isChanged { context.insert(Sojourn(16)) }
      let seen = try context.select(
        Stretch.self, \.name, matching: [.exists(Sojourn.self, on: .less(\.from, \.at), .equal(\.shop, \.shop))],
        sortBy: order)
      #expect(seen == (isChanged ? ["one", "two", "open"] : ["one", "two"]))
      let alone = try context.select(
        Stretch.self, \.name, matching: [.none(Sojourn.self, on: .atMost(\.from, \.at), .atLeast(\.to, \.at))],
        sortBy: order)
      #expect(alone == ["open"])
    }
  }

  @Test func `a full join keeps both classes`() throws {
    let context = try filled()
    for isChanged in [false, true] {
      if isChanged { context.insert(Stretch("new", from: 30, to: nil, shop: "c")) }
      let rows = try context.select(
        Stretch.self, \.name,
        joining: .full(
          Sojourn.self, on: .equal(\.from, \.at), sortBy: [SortDescriptor(\.at, order: .reverse)], select: \.at),
        sortBy: order)
      let typed: [(String?, Int?)] = rows
      let expected =
        ["one 0", "two 5", "open -"] + (isChanged ? ["new -"] : []) + ["- 40", "- 19", "- 10", "- 9"]
      #expect(typed.map { "\($0.0 ?? "-") \($0.1.map(String.init) ?? "-")" } == expected)
      let pairs = try context.select(
        Stretch.self, \.name, \.from,
        joining: .full(Sojourn.self, on: .equal(\.shop, \.shop), select: \.at, \.length), sortBy: order)
      let whole: [((String, Int)?, (Int, Double)?)] = pairs
      #expect(whole.contains { $0.0 == nil && $0.1?.0 == 40 } && whole.contains { $0.0?.0 == "two" && $0.1?.0 == 19 })
      let some = try context.select(
        Stretch.self, \.name, joining: .full(Sojourn.self, on: .equal(\.from, \.at), select: \.at), sortBy: order,
        offset: expected.count - 2, limit: 5)
      #expect(some.count == 2 && some.allSatisfy { $0.0 == nil })
    }
  }

  @Test func `a cross join must be explicit, and too many pairs are refused`() throws {
    let context = try filled()
    let all = try context.select(
      Stretch.self, \.name, joining: .inner(Sojourn.self, on: .all, sortBy: [SortDescriptor(\.at)], select: \.at),
      sortBy: order, limit: 8)
    #expect(all.map { "\($0.0) \($0.1)" }.prefix(7).last == "two 0" && all.count == 8)
    let error = #expect(throws: RoostError.self) {
      try context.select(Stretch.self, \.name, joining: .inner(Sojourn.self, select: \.at))
    }
    #expect(error?.description.contains("on: .all") == true)
    for number in 0..<4000 { context.insert(Sojourn(number)) }
    for number in 0..<4000 { context.insert(Stretch("\(number)", from: number, to: 0)) }
    try context.save()
    let many = #expect(throws: RoostError.self) {
      try context.select(Stretch.self, \.name, joining: .inner(Sojourn.self, on: .all, select: \.at))
    }
    #expect(many?.code == .badValue && many?.description.contains("10000000 pairs") == true)
  }

  @Test func `few rows look up their ranges`() throws {
    let book = TraceBook()
    let context = try context(book)
    for number in 0..<3000 { context.insert(Sojourn(number, length: Double(number))) }
    for number in 0..<3 { context.insert(Stretch("\(number)", from: number * 1000, to: number * 1000 + 5)) }
    try context.save()
    let reader = ModelContext(context.container)
    let told = try reader.explain {
      let found = try $0.select(
        Stretch.self, \.name,
        joining: .inner(Sojourn.self, on: .atMost(\.from, \.at), .greater(\.to, \.at), select: \.length), sortBy: order)
      #expect(found.count == 15 && found.map(\.1).last == 2004)
    }
    #expect(told.others.map(\.joining) == [.sorted] && told.others.first?.rowsRead == 15, "\(told)")
  }

  @Test(arguments: 1...10 as ClosedRange<UInt64>) func `joins equal loops over arrays`(_ seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    func below(_ bound: UInt64) -> Int { Int(random.next() % bound) }
    let context = try context()
    func insert() {
      context.insert(
        Stretch(
          "\(random.next())", from: below(9), to: below(3) == 0 ? nil : below(9),
          shop: ["a", "é", "e\u{301}"][below(3)],
          mark: Feeling.allCases[below(3)]))
      context.insert(
        Sojourn(
          below(9), length: [0, -0.0, 1, .nan, 3][below(5)], shop: below(3) == 0 ? nil : ["a", "é", "b"][below(3)],
          mark: Feeling.allCases[below(3)]))
    }
    for _ in 0..<below(30) + 3 { insert() }
    try context.save()
    for round in 0..<4 {
      let stretches = try context.fetch(FetchDescriptor<Stretch>(sortBy: [SortDescriptor(\.name)]))
      let visits = try context.fetch(FetchDescriptor<Sojourn>())
      func check(_ keys: JoinKey<Stretch, Sojourn>..., holds: (Stretch, Sojourn) -> Bool) throws {
        let (first, last) = (keys[0], keys[keys.count - 1])
        let found = try context.select(
          Stretch.self, \.name, joining: .full(Sojourn.self, on: first, last, select: \.persistentModelID),
          sortBy: [SortDescriptor(\.name)])
        var expected = stretches.flatMap { stretch -> [String] in
          let own = visits.filter { holds(stretch, $0) }.map { "\(stretch.name) \($0.persistentModelID.hashValue)" }
          return own.isEmpty ? ["\(stretch.name) -"] : own
        }
        expected += visits.filter { visit in !stretches.contains { holds($0, visit) } }.map {
          "- \($0.persistentModelID.hashValue)"
        }
        let texts = found.map { "\($0.0 ?? "-") \($0.1.map { "\($0.hashValue)" } ?? "-")" }
        #expect(texts.sorted() == expected.sorted(), "seed \(seed), round \(round)")
      }
      try check(.less(\.from, \.at)) { $0.from < $1.at }
      try check(.atMost(\.from, \.at), .greater(\.to, \.at)) { stretch, visit in
        stretch.from <= visit.at && (stretch.to.map { $0 > visit.at } ?? false)
      }
      try check(.notEqual(\.mark, \.mark), .atLeast(\.from, \.at)) { $0.mark != $1.mark && $0.from >= $1.at }
      try check(.equal(\.shop, \.shop), .less(\.from, \.at)) { $0.shop == $1.shop && $0.from < $1.at }
      try check(.greater(\.shop, \.shop)) { one, other in other.shop.map { one.shop > $0 } ?? false }
      try check(.all) { _, _ in true }
      if below(2) == 0 { try context.save() }
      insert()
      visits.first?.at = below(9)
      if let last = stretches.last { context.delete(last) }
    }
  }
}
