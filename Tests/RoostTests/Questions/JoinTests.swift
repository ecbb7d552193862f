import Foundation
import RoostTestSupport
import SwiftData
import Testing

struct Mail: RawRepresentable, Codable, Hashable, Sendable {
  let rawValue: String

  static func == (one: Mail, other: Mail) -> Bool { one.rawValue.lowercased() == other.rawValue.lowercased() }
  func hash(into hasher: inout Hasher) { hasher.combine(rawValue.lowercased()) }
}

@Model final class Postcard {
  var mail: Mail
  var isOld: Bool

  init(_ mail: Mail, isOld: Bool = false) {
    self.mail = mail
    self.isOld = isOld
  }
}

/// Joins without a declared relationship, compared with loops over arrays.
@Suite struct JoinTests {
  private func container() throws -> ModelContainer {
    try ModelContainer(
      for: Label.self, Disc.self, Cut.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
  }

  private func label(_ name: String, _ code: Int, area: String? = nil) -> Label {
    Label(name, spot: Site(city: "city \(code)", zip: Zip(code: code, area: area), open: true), rating: Double(code))
  }

  private func filled() throws -> ModelContext {
    let context = ModelContext(try container())
    for one in [label("a", 1), label("é", 2, area: "x"), label("c", 2)] { context.insert(one) }
    for (number, title) in ["a", "e\u{301}", "b", "a"].enumerated() { context.insert(Disc(title, number: number)) }
    try context.save()
    return ModelContext(context.container)
  }

  private let order = [SortDescriptor(\Disc.number)]

  @Test func `models with equal values are joined`() throws {
    let context = try filled()
    let rows = try context.select(
      Disc.self, \.number, joining: .inner(Label.self, on: .equal(\.title, \.name), select: \.name), sortBy: order)
    let typed: [(Int, String)] = rows
    #expect(typed.map { "\($0.0) \($0.1)" } == ["0 a", "1 é", "3 a"])
    let all = try context.select(
      Disc.self, \.number, \.title,
      joining: .left(Label.self, on: .equal(\.title, \.name), select: \.spot.zip.code, \.rating), sortBy: order)
    let whole: [(Int, String, (Int, Double)?)] = all
    #expect(whole.map { $0.2?.0 } == [1, 2, nil, 1] && whole.map { $0.2?.1 } == [1, 2, nil, 1])
    // Several models may match one.
    let many = try context.select(
      Disc.self, \.number,
      joining: .inner(
        Label.self, on: .equal(\.number, \.spot.zip.code), where: #Predicate { $0.isOpen == false },
        sortBy: [SortDescriptor(\.name, order: .reverse)], select: \.name), sortBy: order)
    #expect(many.map { "\($0.0) \($0.1)" } == ["1 a", "2 é", "2 c"])
    #expect(context.statistics.modelsFetched == 0)
  }

  @Test func `nil matches nothing`() throws {
    let context = try filled()
    let named = try context.select(
      Label.self, \.name, joining: .left(Label.self, on: .equal(\.spot.zip.area, \.spot.zip.area), select: \.name))
    #expect(named.map { "\($0.0) \($0.1 ?? "-")" }.sorted() == ["a -", "c -", "é é"])
    let mixed = try context.select(
      Label.self, \.name, joining: .inner(Disc.self, on: .equal(\.spot.zip.area, \.title), select: \.number))
    #expect(mixed.isEmpty)
  }

  @Test func `models are selected if others match, or if none does`() throws {
    let context = try filled()
    for isChanged in [false, true] {
      if isChanged { context.insert(Disc("c", number: 7)) }
      let known: [Match<Disc>] = [.exists(Label.self, on: .equal(\.title, \.name))]
      let unknown: [Match<Disc>] = [.none(Label.self, on: .equal(\.title, \.name), where: #Predicate { $0.rating > 1 })]
      func numbers(_ matches: [Match<Disc>], _ offset: Int = 0, limit: Int? = nil) throws -> [Int] {
        try context.select(Disc.self, \.number, matching: matches, sortBy: order, offset: offset, limit: limit)
      }
      #expect(try numbers(known) == (isChanged ? [0, 1, 3, 7] : [0, 1, 3]))
      #expect(try numbers(unknown) == [0, 2, 3] && numbers(known + unknown) == [0, 3])
      #expect(try numbers(known, 1, limit: 1) == [1] && numbers(known, 0, limit: 0).isEmpty)
      let pairs = try context.select(Disc.self, \.title, \.number, matching: unknown, sortBy: order, offset: 2)
      #expect(pairs.map(\.0) == ["a"])
      let ranks = try context.select(Disc.self, \.number, over: .position(), matching: unknown, sortBy: order)
      #expect(ranks.map(\.1) == [1, 2, 3])
      let joined = try context.select(
        Disc.self, \.number, joining: .left(Label.self, on: .equal(\.title, \.name), select: \.name),
        matching: unknown, sortBy: order)
      #expect(joined.map(\.1) == ["a", nil, "a"])
      // A nil key has no match.
      let areas = try context.select(
        Label.self, \.name, matching: [.none(Disc.self, on: .equal(\.spot.zip.area, \.title))])
      #expect(areas.sorted() == ["a", "c", "é"])
    }
    let error = #expect(throws: RoostError.self) {
      _ = try context.select(Disc.self, \.number, matching: [.exists(Label.self)])
    }
    #expect(error?.code == .badValue)
  }

  @Test func `a range of joined rows is selected`() throws {
    let context = try filled()
    func numbers(_ offset: Int, _ limit: Int?) throws -> [Int] {
      try context.select(
        Disc.self, \.number, joining: .inner(Label.self, on: .equal(\.title, \.name), select: \.name), sortBy: order,
        offset: offset, limit: limit
      ).map(\.0)
    }
    #expect(
      try numbers(0, 2) == [0, 1] && numbers(1, nil) == [1, 3] && numbers(3, 1).isEmpty && numbers(0, 0).isEmpty)
    #expect(throws: RoostError.self) { try numbers(-1, nil) }
    let error = #expect(throws: RoostError.self) {
      try context.select(Disc.self, \.number, joining: .inner(Label.self, select: \.name))
    }
    #expect(error?.description.contains("a join needs a key") == true)
  }

  @Test func `few rows find their matches by an index`() throws {
    let book = TraceBook()
    let context = ModelContext(
      try ModelContainer(for: Label.self, Disc.self, Cut.self, configurations: book.configuration()))
    for number in 0..<3000 { context.insert(Disc("t\(number)", number: number)) }
    for number in 0..<5 { context.insert(label("t\(number * 7)", number * 11)) }
    try context.save()
    let other = ModelContext(context.container)
    let found = try other.select(
      Label.self, \.name, joining: .inner(Disc.self, on: .equal(\.name, \.title), select: \.number),
      sortBy: [SortDescriptor(\.rating)])
    #expect(found.map(\.1) == [0, 7, 14, 21, 28])
    let numbers = try other.select(
      Label.self, \.rating, joining: .inner(Disc.self, on: .equal(\.spot.zip.code, \.number), select: \.title),
      sortBy: [SortDescriptor(\.rating)])
    #expect(numbers.map(\.1) == ["t0", "t11", "t22", "t33", "t44"])
    // Five labels, read again after sorting, and their discs.
    #expect(book.of(.select).map(\.rowsRead) == [15, 15] && book.of(.select).map(\.found) == [5, 5])
    // The matches of many rows are found by reading all others once.
    let all = try other.select(
      Disc.self, \.number, joining: .inner(Label.self, on: .equal(\.title, \.name), select: \.name))
    #expect(all.count == 5 && book.of(.select).last?.rowsRead == 3005)
  }

  @Test(arguments: [2, 40]) func `a type with its own equality joins by it, with few rows and many`(count: Int)
    throws
  {
    let context = ModelContext(
      try ModelContainer(for: Postcard.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
    for number in 0..<count { context.insert(Postcard(Mail(rawValue: "A\(number)@x"))) }
    context.insert(Postcard(Mail(rawValue: "a1@X"), isOld: true))
    try context.save()
    let found = try context.select(
      Postcard.self, \.mail,
      joining: .inner(
        Postcard.self, on: .equal(\.mail, \.mail), where: #Predicate { !$0.isOld }, select: \.mail),
      where: #Predicate { $0.isOld })
    #expect(found.map(\.1.rawValue) == ["A1@x"])
  }

  @Test func `nil matches nothing in generic code too`() throws {
    func key<Key: Hashable & Sendable>(_ one: KeyPath<Label, Key>, _ other: KeyPath<Label, Key>) -> JoinKey<
      Label, Label
    > {
      .equal(one, other)
    }
    let named = try filled().select(
      Label.self, \.name,
      joining: .inner(Label.self, on: key(\.spot.zip.area, \.spot.zip.area), select: \.name))
    #expect(named.map(\.1) == ["é"])
  }

  @Test(arguments: 1...10 as ClosedRange<UInt64>) func `joins equal loops over arrays`(_ seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    func below(_ bound: UInt64) -> Int { Int(random.next() % bound) }
    let words = ["a", "b", "é", "e\u{301}", "Z", ""]
    let context = ModelContext(try container())
    func insertLabel() {
      let one = label("\(random.next())", below(8), area: below(3) == 0 ? nil : words[below(6)])
      one.rating = [0, -0.0, 1, .nan, 2][below(5)]
      one.isOpen = below(2) == 0
      context.insert(one)
    }
    func insertDisc() {
      let disc = Disc(words[below(6)], number: below(8))
      disc.length = [0, -0.0, 1, .nan, 3][below(5)]
      disc.mood = Feeling.allCases[below(3)]
      context.insert(disc)
    }
    for _ in 0..<below(60) { insertLabel() }
    for _ in 0..<below(60) { insertDisc() }
    try context.save()
    for round in 0..<6 {
      let least = below(8)
      let isOpen = below(2) == 0
      let discs = try context.fetch(
        FetchDescriptor<Disc>(
          predicate: #Predicate { $0.number >= least }, sortBy: [SortDescriptor(\.number), SortDescriptor(\.key)]))
      let labels = try context.fetch(
        FetchDescriptor<Label>(predicate: #Predicate { $0.isOpen == isOpen }, sortBy: [SortDescriptor(\.name)]))
      func expected(_ isLeft: Bool, _ belong: (Disc, Label) -> Bool) -> [String] {
        discs.flatMap { disc in
          let own = labels.filter { belong(disc, $0) }.map { "\(disc.key) \($0.name)" }
          return own.isEmpty && isLeft ? ["\(disc.key) -"] : own
        }
      }
      func found(_ isLeft: Bool, _ keys: JoinKey<Disc, Label>...) throws -> [String] {
        let order = [SortDescriptor(\Disc.number), SortDescriptor(\.key)]
        func join<Result>(_ join: Join<Disc, Result>, _ text: (Result) -> String) throws -> [String] {
          try context.select(
            Disc.self, \.key, joining: join, where: #Predicate { $0.number >= least }, sortBy: order
          ).map { "\($0.0) \(text($0.1))" }
        }
        let isOpen = #Predicate<Label> { $0.isOpen == isOpen }
        let byName = [SortDescriptor(\Label.name)]
        let (first, second) = (keys[0], keys[keys.count - 1])
        return isLeft
          ? try join(.left(Label.self, on: first, second, where: isOpen, sortBy: byName, select: \.name)) { $0 ?? "-" }
          : try join(.inner(Label.self, on: first, second, where: isOpen, sortBy: byName, select: \.name)) { $0 }
      }
      let isLeft = below(2) == 0
      let place: Comment = "seed \(seed), round \(round)"
      #expect(
        try found(isLeft, .equal(\.title, \.spot.zip.area)) == expected(isLeft) { $0.title == $1.spot.zip.area }, place)
      #expect(
        try found(isLeft, .equal(\.number, \.spot.zip.code)) == expected(isLeft) { $0.number == $1.spot.zip.code },
        place)
      #expect(try found(isLeft, .equal(\.length, \.rating)) == expected(isLeft) { $0.length == $1.rating }, place)
      #expect(
        try found(isLeft, .equal(\.number, \.spot.zip.code), .equal(\.title, \.spot.zip.area))
          == expected(isLeft) { $0.number == $1.spot.zip.code && $0.title == $1.spot.zip.area }, place)
      let isNone = below(2) == 0
      let isWanted = #Predicate<Label> { $0.isOpen == isOpen }
      let matching = try context.select(
        Disc.self, \.key, where: #Predicate { $0.number >= least },
        matching: [
          isNone
            ? .none(Label.self, on: .equal(\.length, \.rating), where: isWanted)
            : .exists(Label.self, on: .equal(\.length, \.rating), where: isWanted)
        ], sortBy: [SortDescriptor(\.number), SortDescriptor(\.key)])
      let matched = discs.filter { disc in labels.contains { $0.rating == disc.length } != isNone }
      #expect(matching == matched.map(\.key), place)
      switch below(4) {
      case 0: try context.save()
      case 1: for disc in discs.prefix(3) { disc.title = words[below(6)] }
      case 2:
        insertLabel()
        insertDisc()
      default: if let last = labels.last { context.delete(last) }
      }
    }
  }
}
