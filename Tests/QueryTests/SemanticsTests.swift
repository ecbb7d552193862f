import Foundation
import RoostQuery
import RoostRecords
import Testing

/// Supported `#Predicate` expressions: the results of Roost and of Foundation must agree.
@Suite("Expressions of #Predicate") struct SemanticsTests {
  /// An object for each row, for Foundation.
  final class Plain: Equatable, @unchecked Sendable {
    static func == (one: Plain, other: Plain) -> Bool { one === other }

    // Unchecked because nothing changes after all objects were made.
    struct Item: Hashable {
      var name: String
      var score: Double?
    }
    enum Genre: String, Codable { case rock, jazz }

    var int = 0
    var oint: Int?
    var double = 0.0
    var text = ""
    var otext: String?
    var date = Date(timeIntervalSinceReferenceDate: 0)
    var odate: Date?
    var flag = false
    var tags: [String] = []
    var otags: [String]?
    var numbers: [Int] = []
    var map: [String: Int] = [:]
    var items: [Item] = []
    var genre: Genre { Genre(rawValue: otext ?? "") ?? .jazz }
    // Weak, because its kids reference it.
    weak var next: Plain?
    var kids: [Plain] = []

    init() {}
  }

  let plains: [Plain]
  let things: Things

  init() throws {
    let plains = (0..<4).map { _ in Plain() }
    plains[0].int = 3
    plains[0].oint = 5
    plains[0].double = .nan
    plains[0].text = "rock'n'roll"
    plains[0].otext = "rock"
    plains[0].date = Date(timeIntervalSinceReferenceDate: 100)
    plains[0].odate = Date(timeIntervalSinceReferenceDate: 200)
    plains[0].flag = true
    plains[0].tags = ["a", "b"]
    plains[0].otags = ["x"]
    plains[0].numbers = [1, 2, 3]
    plains[0].map = ["k": 4]
    plains[0].items = [.init(name: "one", score: 1), .init(name: "two", score: nil)]
    plains[1].int = -7
    plains[1].text = "Rockabilly"
    plains[1].date = Date(timeIntervalSinceReferenceDate: 50)
    plains[1].numbers = [9]
    plains[1].next = plains[0]
    plains[2].int = 10
    plains[2].otext = "jazz"
    plains[2].double = 2.5
    plains[2].oint = 0
    plains[2].next = plains[1]
    plains[3].text = "e\u{301}"
    plains[3].next = plains[0]
    for plain in plains { plain.next?.kids.append(plain) }
    self.plains = plains
    func optional(_ text: String?) -> Value { text.map { .string($0) } ?? .null }
    things = try Things(
      plains.map { plain in
        [
          "int": .int(Int64(plain.int)), "oint": plain.oint.map { .int(Int64($0)) } ?? .null,
          "double": .double(plain.double), "text": .string(plain.text), "otext": optional(plain.otext),
          "date": .date(plain.date.timeIntervalSinceReferenceDate),
          "odate": plain.odate.map { .date($0.timeIntervalSinceReferenceDate) } ?? .null, "flag": .bool(plain.flag),
          "tags": .array(plain.tags.map { .string($0) }),
          "otags": plain.otags.map { .array($0.map { .string($0) }) } ?? .null,
          "numbers": .array(plain.numbers.map { .int(Int64($0)) }),
          "map": .dictionary(Dictionary(uniqueKeysWithValues: plain.map.map { (.string($0), .int(Int64($1))) })),
          "items": .array(
            plain.items.map { .structure([.string($0.name), $0.score.map { .double($0) } ?? .null]) }),
          "next": plain.next.flatMap { next in plains.firstIndex { $0 === next } }
            .map { .reference(RowID(UInt64($0 + 1))) } ?? .null,
        ]
      })
  }

  /// Compares the results for each row. Where Foundation throws, Roost must report an error.
  private func check(
    _ predicate: Predicate<Plain>, _ condition: Condition, _ location: SourceLocation = #_sourceLocation
  ) throws {
    for (index, plain) in plains.enumerated() {
      let ours = try things.answer(condition, row: index + 1)
      switch Result(catching: { try predicate.evaluate(plain) }) {
      case .success(let holds): #expect(ours == .init(holds), "row \(index + 1)", sourceLocation: location)
      case .failure:
        if case .fault = ours { continue }
        Issue.record("row \(index + 1): Foundation throws, we say \(ours)", sourceLocation: location)
      }
    }
  }

  private typealias Condition = RoostQuery.Expression

  private func compare(_ comparison: Condition.Comparison, _ one: Condition, _ two: Condition) -> Condition {
    .compare(comparison, one, two)
  }
  private func equals(_ one: Condition, _ two: Condition) -> Condition { .compare(.equal, one, two) }

  @Test func `comparisons, dates and nil`() throws {
    let now = Date(timeIntervalSinceReferenceDate: 75)
    try check(#Predicate { $0.date > now }, compare(.greater, things("date"), date(75)))
    try check(
      #Predicate { $0.odate ?? now > now }, compare(.greater, .coalesce(things("odate"), date(75)), date(75)))
    try check(#Predicate { $0.odate! > now }, compare(.greater, .unwrap(things("odate")), date(75)))
    try check(#Predicate { $0.oint == nil }, equals(things("oint"), null(.int)))
    try check(#Predicate { $0.oint != 5 }, compare(.notEqual, things("oint"), int(5)))
    try check(#Predicate { !($0.double < 5) }, .not(compare(.less, things("double"), double(5))))
    try check(#Predicate { $0.text < "a" }, compare(.less, things("text"), text("a")))
    try check(#Predicate { $0.text == "\u{e9}" }, equals(things("text"), text("\u{e9}")))
    try check(#Predicate<Plain> { _ in true }, bool(true))
    try check(#Predicate { $0.flag }, things("flag"))
    // With one more operator the type checker gives up.
    try check(
      #Predicate { $0.flag || $0.int > 2 && $0.int < 9 },
      .or([things("flag"), .and([compare(.greater, things("int"), int(2)), compare(.less, things("int"), int(9))])]))
  }

  @Test func `captured collections`() throws {
    let ids = [3, 10]
    let set: Set<Int> = [-7]
    let oids: [Int?] = [nil, 5]
    let kx = 3
    try check(#Predicate { ids.contains($0.int) }, .contains(array([.int(3), .int(10)], of: .int), things("int")))
    try check(
      #Predicate { set.contains($0.int) }, .contains(QueryTests.set([.int(-7)], of: .int), things("int")))
    try check(
      #Predicate { oids.contains($0.oint) }, .contains(array([.null, .int(5)], of: .int.optional), things("oint")))
    try check(#Predicate { [kx].contains($0.int) }, .contains(array([.int(3)], of: .int), things("int")))
  }

  @Test func `collections of the row`() throws {
    try check(#Predicate { $0.tags.contains("a") }, .contains(things("tags"), text("a")))
    let tagged = Condition.ifLet(1, things("otags"), .contains(.variable(1), text("x")), null(.bool))
    try check(#Predicate { $0.otags?.contains("x") ?? false }, .coalesce(tagged, bool(false)))
    try check(#Predicate { $0.tags.isEmpty }, .isEmpty(things("tags")))
    try check(#Predicate { $0.tags.isEmpty == false }, equals(.isEmpty(things("tags")), bool(false)))
    try check(#Predicate { $0.numbers.count > 1 }, compare(.greater, .count(things("numbers")), int(1)))
    let odd = compare(.equal, .arithmetic(.remainder, .variable(1), int(2)), int(1))
    try check(
      #Predicate { $0.numbers.filter { $0 % 2 == 1 }.count == 2 },
      equals(.count(.filter(1, things("numbers"), odd)), int(2)))
    try check(
      #Predicate { $0.numbers.allSatisfy { $0 > 1 } },
      .quantified(.all, 1, things("numbers"), compare(.greater, .variable(1), int(1))))
    try check(
      #Predicate { $0.items.contains { $0.name == "two" } },
      .quantified(.some, 1, things("items"), equals(.part(.variable(1), 0), text("two"))))
    try check(#Predicate { $0.numbers.max() == 3 }, equals(.maximum(things("numbers")), int(3)))
    try check(#Predicate { $0.numbers[1] == 2 }, equals(.element(things("numbers"), int(1)), int(2)))
    try check(#Predicate { $0.map["k"] == 4 }, equals(.lookup(things("map"), text("k")), int(4)))
    try check(
      #Predicate { $0.numbers.first == 9 }, equals(.first(things("numbers")), int(9)))
  }

  @Test func `references and inverse relationships`() throws {
    let next = things("next")
    try check(#Predicate { $0.next?.int == 3 }, equals(things("int", of: next), int(3)))
    try check(#Predicate { $0.next?.next?.int == 3 }, equals(things("int", of: things("next", of: next)), int(3)))
    try check(#Predicate { $0.next == nil }, equals(next, null(.plain(.reference(things.thing)))))
    try check(#Predicate { $0.next!.flag }, things("flag", of: .unwrap(next)))
    try check(
      #Predicate { $0.kids.contains { $0.int == 0 } },
      .quantified(.some, 1, things.kids(), equals(things("int", of: .variable(1)), int(0))))
    try check(
      #Predicate { $0.next?.kids.contains { $0.int == 0 } ?? false },
      .coalesce(
        .ifLet(
          1, next,
          .quantified(.some, 2, things.kids(of: .variable(1)), equals(things("int", of: .variable(2)), int(0))),
          null(.bool)), bool(false)))
    try check(
      #Predicate { $0.kids.first?.text == "Rockabilly" },
      equals(things("text", of: .first(things.kids())), text("Rockabilly")))
    try check(
      #Predicate { $0.kids.count == 2 && !$0.kids.isEmpty },
      .and([equals(.count(things.kids()), int(2)), .not(.isEmpty(things.kids()))]))
  }

  @Test func `texts`() throws {
    try check(#Predicate { $0.text.contains("ock") }, .text(.contains, things("text"), text("ock")))
    try check(#Predicate { $0.text.contains("") }, .text(.contains, things("text"), text("")))
    try check(#Predicate { $0.text.starts(with: "rock") }, .text(.starts, things("text"), text("rock")))
    try check(#Predicate { $0.text.contains(/^[rR]o/) }, .matches(things("text"), "^[rR]o"))
    try check(
      #Predicate { $0.otext?.contains("az") == true },
      equals(.ifLet(1, things("otext"), .text(.contains, .variable(1), text("az")), null(.bool)), bool(true)))
    try check(
      #Predicate { $0.text.isEmpty || $0.text.count == 1 },
      .or([.isEmpty(things("text")), equals(.count(things("text")), int(1))]))
  }

  @Test func `choices and optionals`() throws {
    try check(
      #Predicate { plain in
        if let number = plain.oint { number > 1 } else { plain.flag }
      }, .ifLet(1, things("oint"), compare(.greater, .variable(1), int(1)), things("flag")))
    try check(
      #Predicate { ($0.flag ? $0.int : $0.numbers.count) == 3 },
      equals(.conditional(things("flag"), things("int"), .count(things("numbers"))), int(3)))
    try check(
      #Predicate { $0.oint.flatMap { $0 > 1 } == true },
      equals(.ifLet(1, things("oint"), compare(.greater, .variable(1), int(1)), null(.bool)), bool(true)))
  }

  @Test func `numbers and ranges`() throws {
    try check(
      #Predicate { $0.int * 2 + 1 == 7 },
      equals(.arithmetic(.add, .arithmetic(.multiply, things("int"), int(2)), int(1)), int(7)))
    try check(#Predicate { $0.int / 2 == -3 }, equals(.arithmetic(.divide, things("int"), int(2)), int(-3)))
    try check(#Predicate { $0.int % 4 == -3 }, equals(.arithmetic(.remainder, things("int"), int(4)), int(-3)))
    try check(#Predicate { -$0.int == 7 }, equals(.negate(things("int")), int(7)))
    try check(#Predicate { (-7...3).contains($0.int) }, .within(int(-7), int(3), true, things("int")))
    try check(#Predicate { (-7..<3).contains($0.int) }, .within(int(-7), int(3), false, things("int")))
  }

  /// Foundation on Linux has no builders for these, so there is no result to compare with.
  @Test func `operations that only Roost has`() throws {
    #expect(try things.rows(.text(.hasPrefix, things("text"), text("Rock"))) == [2])
    #expect(try things.rows(.text(.containsLoosely, things("text"), text("ROCK"))) == [1, 2])
    #expect(try things.rows(.text(.containsLoosely, things("text"), text(""))) == [])
    #expect(try things.rows(.text(.hasSuffix, things("text"), text("roll"))) == [1])
    #expect(try things.rows(equals(.changed(.lowercased, things("text")), text("rockabilly"))) == [2])
    #expect(try things.rows(equals(.textOrder(.caseless, things("text"), text("ROCKABILLY")), int(0))) == [2])
    #expect(try things.rows(compare(.less, .textOrder(.localized, things("text"), text("k")), int(0))) == [3, 4])
    #expect(try things.rows(equals(things("int"), int(.max))) == [])
  }
}
