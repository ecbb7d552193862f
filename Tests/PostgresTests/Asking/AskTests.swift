#if Postgres
  import Foundation
  import Roost
  import RoostPostgres
  import RoostTestSupport
  import Testing

  @Model final class Shop {
    var name: String
    var town: String?
    @Relationship(deleteRule: .cascade, inverse: \Sale.shop) var sales: [Sale] = []
    @Relationship(inverse: \Label.shops) var labels: [Label] = []
    @Relationship(inverse: \Licence.shop) var licence: Licence?

    init(_ name: String, town: String? = nil) { (self.name, self.town) = (name, town) }
  }

  @Model final class Sale {
    var number: Int
    var price: Double
    var day: String
    var shop: Shop?

    init(_ number: Int, price: Double = 1, day: String = "", in shop: Shop? = nil) {
      (self.number, self.price, self.day, self.shop) = (number, price, day, shop)
    }
  }

  @Model final class Label {
    var word: String
    var shops: [Shop] = []

    init(_ word: String) { self.word = word }
  }

  @Model final class Licence {
    var code: UInt64
    var shop: Shop?

    init(_ code: UInt64) { self.code = code }
  }

  /// Two values of each kind, so that columns are compared with each other.
  @Model final class DecimalPair {
    var number: Int
    var text: String?
    var otherText: String?
    var ratio: Double?
    var otherRatio: Double?
    var price: Decimal
    var otherPrice: Decimal
    var flag: Bool?
    var other: DecimalPair?
    @Relationship(inverse: \DecimalPair.other) var others: [DecimalPair] = []

    init(_ number: Int, _ texts: (String?, String?), _ ratios: (Double?, Double?), _ prices: (Decimal, Decimal)) {
      (self.number, text, otherText) = (number, texts.0, texts.1)
      ((ratio, otherRatio), (price, otherPrice)) = (ratios, prices)
      flag = number % 3 == 0 ? nil : number % 3 == 1
    }
  }

  @Model final class Node {
    var number: Int
    var above: Node?
    @Relationship(inverse: \Node.above) var below: [Node] = []

    init(_ number: Int, below above: Node?) { (self.number, self.above) = (number, above) }
  }

  /// Queries that random predicates do not cover.
  @Suite struct AskTests {
    private let namespace = PostgresServer.freshNamespace()
    private static let schema = Schema([Shop.self, Sale.self, Label.self, Licence.self, Node.self, DecimalPair.self])

    private func container(_ zone: PostgresZone = .single) throws -> ModelContainer {
      try ModelContainer(
        for: Self.schema,
        configurations: [
          PostgresConfiguration(
            PostgresServer.shared().address, zone: zone, schema: Self.schema, namespace: namespace)
        ])
    }

    private func tally(_ container: ModelContainer) throws -> AskTally {
      try #require(container.dataStores.first as? PostgresStore).tally
    }

    private func sorted(_ context: ModelContext, _ predicate: Predicate<Sale>) throws -> [Int] {
      try context.fetch(FetchDescriptor(predicate: predicate, sortBy: [SortDescriptor(\.number)])).map(\.number)
    }

    @Test func `identifiers find models that were never fetched`() throws {
      let first = ModelContext(try container())
      let sales = (0..<5).map { Sale($0) }
      for sale in sales { first.insert(sale) }
      let shop = Shop("a")
      first.insert(shop)
      sales[2].shop = shop
      try first.save()
      let some = [1, 3].map { sales[$0].persistentModelID }
      let (one, owner) = (sales[4].persistentModelID, shop.persistentModelID)
      #expect(try sorted(ModelContext(container()), #Predicate { some.contains($0.persistentModelID) }) == [1, 3])
      #expect(try sorted(ModelContext(container()), #Predicate { $0.persistentModelID == one }) == [4])
      #expect(try sorted(ModelContext(container()), #Predicate { $0.shop?.persistentModelID == owner }) == [2])
      let other = try container()
      let context = ModelContext(other)
      #expect(
        try context.fetchCount(FetchDescriptor<Sale>(predicate: #Predicate { $0.shop?.persistentModelID == owner }))
          == 1)
      #expect(try sorted(context, #Predicate { $0.shop?.persistentModelID != owner }) == [0, 1, 3, 4])
      #expect(try tally(other).whole == 1)
    }

    @Test func `unsaved changes of related models are seen`() throws {
      let container = try container()
      let context = ModelContext(container)
      let shop = Shop("old")
      for number in 0..<3 { context.insert(Sale(number, in: number == 1 ? shop : nil)) }
      try context.save()
      let isNew = #Predicate<Sale> { $0.shop?.name == "new" }
      #expect(try sorted(context, isNew) == [])
      shop.name = "new"
      #expect(try sorted(context, isNew) == [1])
      #expect(try context.fetchCount(FetchDescriptor(predicate: isNew)) == 1)
      var limited = FetchDescriptor<Sale>(sortBy: [SortDescriptor(\.shop?.name, order: .reverse)])
      limited.fetchLimit = 1
      #expect(try context.fetch(limited).map(\.number) == [1])
      // The stored value has not changed.
      #expect(try sorted(ModelContext(container), isNew) == [])
      context.rollback()
      #expect(try sorted(context, isNew) == [])
    }

    /// Before the fix, a limit ended the pages after the first one, and a cursor named a row that only its container has.
    @Test(arguments: [SortOrder.forward, .reverse]) func `each page can be read in another container`(
      order: SortOrder
    ) throws {
      let first = ModelContext(try container())
      for number in 0..<60 { first.insert(Sale(number, price: 1, day: "day \(number / 20)")) }
      try first.save()
      for sort in [[SortDescriptor(\Sale.day, order: order)], [SortDescriptor(\Sale.number, order: order)], []] {
        var descriptor = FetchDescriptor<Sale>(sortBy: sort)
        descriptor.fetchLimit = 7
        let isSortedByNumber = sort.first?.keyPath == \Sale.number
        var numbers: [Int] = []
        var cursor: FetchCursor?
        repeat {
          let container = try container()
          let context = ModelContext(container)
          // Its rows have other numbers than those of the container before.
          let last = numbers.last ?? 30
          _ = try context.fetch(FetchDescriptor<Sale>(predicate: #Predicate { $0.number == last }))
          let page = try context.fetchPage(descriptor, after: cursor)
          numbers += page.models.map(\.number)
          cursor = try page.next.map { try JSONDecoder().decode(FetchCursor.self, from: JSONEncoder().encode($0)) }
          // The server returns the page, the row before it and the row after it.
          if isSortedByNumber { #expect(try tally(container).limited == 1) }
        } while cursor != nil && numbers.count < 100
        #expect(numbers.sorted() == Array(0..<60))
        if isSortedByNumber { #expect(numbers == (order == .forward ? Array(0..<60) : (0..<60).reversed())) }
      }
    }

    @Test func `pages of an order come from the server`() throws {
      let container = try container()
      let context = ModelContext(container)
      for number in 0..<40 { context.insert(Sale(number, price: number % 7 == 0 ? .nan : Double(number % 5))) }
      try context.save()
      let other = try self.container()
      let reader = ModelContext(other)
      let expected = (0..<40).sorted { one, two in
        func rank(_ number: Int) -> (Int, Int) { (number % 7 == 0 ? 9 : number % 5, number) }
        return rank(one) < rank(two)
      }
      for start in stride(from: 0, to: 40, by: 8) {
        var page = FetchDescriptor<Sale>(
          predicate: #Predicate { $0.number >= 0 }, sortBy: [SortDescriptor(\.price), SortDescriptor(\.number)])
        (page.fetchOffset, page.fetchLimit) = (start, 8)
        #expect(try reader.fetch(page).map(\.number) == Array(expected[start..<start + 8]))
      }
      #expect(try tally(other).limited == 5)
    }

    /// Texts whose characters are one for Swift and several for the server.
    private static let texts = [
      "cafe\u{301}", "café", "cafe", "a\r\nb", "a\nb", "\r", "\n", "K", "\u{212A}", "👩‍👧", "👩", "e", "\u{301}", "", "ﬁ",
      "한", "\u{1112}\u{1161}\u{11AB}",
      "\u{1112}\u{1161}", "q\u{307}\u{323}", "q\u{323}\u{307}", "ǆ", "İ", "ı", "i", "I", "ß", "SS", "ς", "Σ",
      "A\u{30A}", "Å", "\u{212B}",
    ]

    @Test func `texts are compared by characters`() throws {
      let container = try container()
      let context = ModelContext(container)
      for (number, text) in Self.texts.enumerated() { context.insert(Sale(number, day: text)) }
      try context.save()
      let all = try context.fetch(FetchDescriptor<Sale>())
      for order in [SortOrder.forward, .reverse] {
        var first = FetchDescriptor<Sale>(
          sortBy: [SortDescriptor(\.day, comparator: .lexical, order: order), SortDescriptor(\.number, order: order)])
        let expected = all.sorted { ($0.day, $0.number) < ($1.day, $1.number) }.map(\.number)
        first.fetchLimit = 9
        let found = try context.fetch(first).map(\.number)
        #expect(found == Array((order == .forward ? expected : expected.reversed()).prefix(9)))
      }
      #expect(try tally(container).limited == 2)
      for part in Self.texts {
        let asked: [Predicate<Sale>] = [
          #Predicate { $0.day == part }, #Predicate { $0.day < part }, #Predicate { $0.day >= part },
          #Predicate { $0.day.contains(part) }, #Predicate { !$0.day.starts(with: part) },
          #Predicate { $0.day.localizedStandardContains(part) }, #Predicate { $0.day.count == part.count },
          #Predicate { $0.day.caseInsensitiveCompare(part) == .orderedSame },
          #Predicate { [part, "e"].contains($0.day) }, #Predicate { part.contains($0.day) },
        ]
        for (number, predicate) in asked.enumerated() {
          let expected = try all.filter { try predicate.evaluate($0) }.map(\.number).sorted()
          #expect(try sorted(context, predicate) == expected, "\(number) of \(part.debugDescription)")
          #expect(try context.fetchCount(FetchDescriptor(predicate: predicate)) == expected.count)
          var limited = FetchDescriptor(predicate: predicate, sortBy: [SortDescriptor(\.number)])
          limited.fetchLimit = 3
          #expect(try context.fetch(limited).map(\.number) == Array(expected.prefix(3)))
        }
      }
    }

    /// Citus refuses a statement if its planner drops the join with related rows.
    @Test func `a test of related rows may be false for all of them`() throws {
      let context = ModelContext(try container())
      for number in 0..<3 {
        let shop = Shop("\(number)")
        context.insert(shop)
        for sale in 0..<number { context.insert(Sale(sale, in: shop)) }
        if number == 2 { shop.labels = [Label("two")] }
      }
      try context.save()
      let two = 2
      let asked: [Predicate<Shop>] = [
        #Predicate { $0.sales.contains { $0.number >= 0 && two > 2 } },
        #Predicate { $0.sales.contains { two > 2 || $0.number == 1 } },
        #Predicate { $0.sales.allSatisfy { $0.number >= 0 && two > 2 } },
        #Predicate { $0.sales.filter { $0.number >= 0 && two > 2 }.isEmpty },
        #Predicate { $0.sales.filter { $0.number >= 0 && two > 2 }.count == 0 },
        #Predicate { $0.labels.contains { $0.word == "two" && two > 2 } },
        #Predicate { $0.labels.allSatisfy { $0.word == "two" && two > 2 } },
        #Predicate { shop in shop.labels.contains { $0.word == shop.name && two > 2 } },
        #Predicate { shop in two > 2 && shop.sales.allSatisfy { _ in shop.sales.isEmpty } },
      ]
      let all = try context.fetch(FetchDescriptor<Shop>())
      for (number, predicate) in asked.enumerated() {
        let expected = Set(try all.filter { try predicate.evaluate($0) }.map(\.name))
        let found = try ModelContext(container()).fetch(FetchDescriptor(predicate: predicate)).map(\.name)
        #expect(Set(found) == expected && found.count == expected.count, "question \(number)")
      }
    }

    @Test func `texts that the server cannot store are never found`() throws {
      let context = ModelContext(try container())
      for number in 0..<3 { context.insert(Sale(number, day: "\(number)")) }
      try context.save()
      let text = "1\u{0}"
      #expect(try sorted(context, #Predicate { $0.day == text || $0.number == 2 }) == [2])
      #expect(try sorted(context, #Predicate { $0.day < text }) == [0, 1])
      #expect(try sorted(context, #Predicate { $0.day.localizedStandardContains(text) }) == [])
      #expect(try sorted(context, #Predicate { [text, "1"].contains($0.day) }) == [1])
    }

    @Test func `a list of many constants is one parameter`() throws {
      let container = try container()
      let context = ModelContext(container)
      for number in 0..<3 { context.insert(Sale(number * 1000)) }
      try context.save()
      let (many, set) = (Array(1...100_000), Set((1...100_000).map { "\($0)" }))
      #expect(try sorted(context, #Predicate { many.contains($0.number) }) == [1000, 2000])
      #expect(try sorted(context, #Predicate { set.contains($0.day) }) == [])
      #expect(try tally(container).whole == 2)
    }

    @Test(arguments: [10, 500, 5000]) func `a condition may have any number of parts`(count: Int) throws {
      let container = try container()
      let context = ModelContext(container)
      for number in 0..<3 { context.insert(Sale(number)) }
      try context.save()
      let parts = (1...count).map { number in #Predicate<Sale> { $0.number == number && $0.day == "" } }
      #expect(try sorted(context, Predicate(any: parts)) == [1, 2])
      #expect(try sorted(context, Predicate(all: [Predicate(any: parts), #Predicate { $0.number > 1 }])) == [2])
      // The program tests a condition that is too long for the server.
      let tally = try tally(container)
      #expect(tally.count == 2)
      #expect(count > 500 || tally.whole == 2)
    }

    @Test func `a condition may be deep`() throws {
      let container = try container()
      let context = ModelContext(container)
      for number in 0..<3 { context.insert(Sale(number)) }
      try context.save()
      var deep = #Predicate<Sale> { $0.number == 1 }
      for _ in 0..<20 {
        let (inner, outer) = (deep, deep)
        deep = #Predicate { !inner.evaluate($0) && ($0.number < 2 ? !outer.evaluate($0) : true) }
        if try tally(container).count > 8 { break }
        _ = try context.fetchCount(FetchDescriptor(predicate: deep))
        let all = try context.fetch(FetchDescriptor<Sale>(sortBy: [SortDescriptor(\.number)]))
        #expect(try sorted(context, deep) == all.filter { try deep.evaluate($0) }.map(\.number))
      }
      var chain = #Predicate<Sale> { $0.number == 1 }
      for _ in 0..<90 {
        let inner = chain
        chain = #Predicate { !inner.evaluate($0) }
      }
      #expect(try sorted(context, chain) == [1])
    }

    @Test func `relationships are followed on the server`() throws {
      let container = try container()
      let context = ModelContext(container)
      let labels = ["red", "old"].map { Label($0) }
      for label in labels { context.insert(label) }
      for number in 0..<4 {
        let shop = Shop("\(number)", town: number == 3 ? nil : "t")
        context.insert(shop)
        shop.labels = Array(labels.prefix(number))
        if number == 2 { shop.licence = Licence(.max) }
        for sale in 0..<number { context.insert(Sale(sale, price: Double(sale), in: shop)) }
      }
      try context.save()
      let other = try self.container()
      let reader = ModelContext(other)
      func names(_ predicate: Predicate<Shop>) throws -> String {
        let found = try reader.fetch(FetchDescriptor(predicate: predicate, sortBy: [SortDescriptor(\.name)]))
        #expect(try reader.fetchCount(FetchDescriptor(predicate: predicate)) == found.count)
        return found.map(\.name).joined()
      }
      let red = labels[0].persistentModelID
      #expect(try names(#Predicate { $0.sales.isEmpty }) == "0")
      #expect(try names(#Predicate { $0.sales.count > 1 }) == "23")
      #expect(try names(#Predicate { $0.sales.contains { $0.price == 1 } }) == "23")
      #expect(try names(#Predicate { $0.sales.allSatisfy { $0.price < 1 } }) == "01")
      #expect(try names(#Predicate { $0.labels.contains { $0.persistentModelID == red } }) == "123")
      #expect(try names(#Predicate { $0.labels.contains { $0.word == "old" } && $0.town == nil }) == "3")
      #expect(try names(#Predicate { $0.labels.filter { $0.word == "old" }.count == 0 }) == "01")
      #expect(try names(#Predicate { $0.licence?.code == 18_446_744_073_709_551_615 }) == "2")
      #expect(try names(#Predicate { $0.licence == nil }) == "013")
      #expect(try tally(other).whole == 9)
      let towns = #Predicate<Sale> { $0.shop?.town == nil && $0.shop != nil && $0.price < 2 }
      #expect(try sorted(reader, towns) == [0, 1])
      #expect(try tally(other).whole == 10)
    }

    @Test func `columns are compared as Swift compares values`() throws {
      let container = try container()
      let context = ModelContext(container)
      let texts: [String?] = [nil, "a", "é", "e\u{301}", ""]
      let ratios: [Double?] = [nil, .nan, 0, -0.0, 1, -.infinity]
      let prices: [Decimal] = [.nan, 0, 1, -1, 1000]
      var pairs: [DecimalPair] = []
      for (place, text) in texts.enumerated() {
        for other in texts.indices {
          let number = place * texts.count + other
          let pair = DecimalPair(
            number, (text, texts[other]), (ratios[number % 6], ratios[number / 5 % 6]), (prices[place], prices[other]))
          context.insert(pair)
          if number % 4 > 0 { pair.other = pairs.last }
          pairs.append(pair)
        }
      }
      try context.save()
      let (some, many): ([String?], Set<Double>) = ([nil, "e\u{301}"], [0, .nan])
      let asked: [Predicate<DecimalPair>] = [
        #Predicate { $0.text == $0.otherText }, #Predicate { !($0.text == $0.otherText) },
        #Predicate { $0.text != $0.otherText }, #Predicate { $0.ratio == $0.otherRatio },
        #Predicate { $0.ratio != $0.otherRatio }, #Predicate { ($0.ratio ?? 0) < ($0.otherRatio ?? 0) },
        #Predicate { !(($0.ratio ?? 0) <= ($0.otherRatio ?? 0)) },
        #Predicate { ($0.ratio ?? 0) >= ($0.otherRatio ?? .nan) },
        #Predicate { ($0.text ?? "") < ($0.otherText ?? "b") }, #Predicate { $0.price < $0.otherPrice },
        #Predicate { $0.price <= $0.otherPrice }, #Predicate { $0.price == $0.otherPrice },
        #Predicate { some.contains($0.text) }, #Predicate { !some.contains($0.text) },
        #Predicate { many.contains($0.ratio ?? .nan) }, #Predicate { $0.flag == ($0.other?.flag) },
        #Predicate { $0.flag != true }, #Predicate { $0.other?.other == $0.other },
        #Predicate { $0.other == $0.other?.other?.other },
        #Predicate { $0.other?.text == $0.text }, #Predicate { !($0.other?.ratio == $0.otherRatio) },
        #Predicate { if let text = $0.text { text == ($0.otherText ?? "") } else { $0.ratio == nil } },
        #Predicate { ($0.flag ?? false) == ($0.text == $0.otherText) },
        #Predicate { $0.others.contains { $0.text == $0.otherText } },
        #Predicate { $0.others.allSatisfy { $0.ratio != nil } },
      ]
      for (number, predicate) in asked.enumerated() {
        let expected = try pairs.filter { try predicate.evaluate($0) }.map(\.number)
        let descriptor = FetchDescriptor(predicate: predicate, sortBy: [SortDescriptor(\.number)])
        #expect(try context.fetch(descriptor).map(\.number) == expected, "\(number)")
        #expect(try context.fetchCount(descriptor) == expected.count, "\(number)")
      }
      #expect(try tally(container).whole == asked.count)
      func keys(_ order: SortDescriptor<DecimalPair>) throws {
        let all = try context.fetch(FetchDescriptor<DecimalPair>(sortBy: [order, SortDescriptor(\.number)])).map(
          \.number)
        var first = FetchDescriptor<DecimalPair>(sortBy: [order, SortDescriptor(\.number)])
        first.fetchLimit = 7
        #expect(try context.fetch(first).map(\.number) == Array(all.prefix(7)))
      }
      let before = try tally(container).limited
      for order in [SortOrder.forward, .reverse] {
        try keys(SortDescriptor(\.ratio, order: order))
        try keys(SortDescriptor(\.price, order: order))
        try keys(SortDescriptor(\.other?.ratio, order: order))
      }
      #expect(try tally(container).limited == before + 6)
    }

    /// The program can test its part only if it has the referenced rows.
    @Test func `a part that the program tests follows references to rows that were not fetched`() throws {
      let context = ModelContext(try container())
      var last: Node?
      for number in 0..<8 {
        let node = Node(number, below: last)
        context.insert(node)
        last = node
      }
      try context.save()
      func numbers(_ predicate: Predicate<Node>, by order: SortDescriptor<Node> = SortDescriptor(\.number)) throws
        -> [Int]
      {
        let reader = ModelContext(try container())
        return try reader.fetch(FetchDescriptor(predicate: predicate, sortBy: [order])).map(\.number)
      }
      #expect(try numbers(#Predicate { $0.number > 5 && ($0.above?.above?.number ?? 0) + 0 == 5 }) == [7])
      #expect(try numbers(#Predicate { $0.number > 5 && ($0.above?.above?.above?.number ?? 0) * 1 == 4 }) == [7])
      #expect(
        try numbers(#Predicate { $0.number < 2 && $0.below.contains { $0.below.contains { $0.number * 1 == 3 } } }) == [
          1
        ])
      let order = SortDescriptor(\Node.above?.above?.number, order: .reverse)
      #expect(try numbers(#Predicate { $0.number > 5 }, by: order) == [7, 6])
    }

    @Test func `identifiers with other zones name other rows`() throws {
      let zone = PostgresZone.properties(
        .property(\Shop.name), .property(\Sale.shop), .property(\Label.word), .property(\Licence.shop),
        .property(\Node.number), .property(\DecimalPair.number))
      let container = try container(zone)
      let context = ModelContext(container)
      for name in ["a", "b"] {
        let shop = Shop(name)
        context.insert(shop)
        for number in 0..<2 { context.insert(Sale(number, in: shop)) }
      }
      try context.save()
      let sales = try context.fetch(FetchDescriptor<Sale>())
      let some = sales.filter { $0.number == 0 }.map(\.persistentModelID)
      let reader = ModelContext(try self.container(zone))
      #expect(try sorted(reader, #Predicate { some.contains($0.persistentModelID) }) == [0, 0])
      let shops = try reader.fetch(FetchDescriptor<Shop>(sortBy: [SortDescriptor(\.name)]))
      let first = try #require(shops.first?.persistentModelID)
      #expect(try sorted(reader, #Predicate { $0.shop?.persistentModelID == first }) == [0, 1])
      #expect(try sorted(reader, #Predicate { $0.shop?.name == "b" && $0.number == 1 }) == [1])
      #expect(try reader.fetchCount(FetchDescriptor<Shop>(predicate: #Predicate { $0.sales.count == 2 })) == 2)
    }

    @Test func `an explanation says which side tests each part`() throws {
      let context = ModelContext(try container())
      for number in 0..<3 { context.insert(Sale(number, day: "\(number)")) }
      try context.save()
      let predicate = #Predicate<Sale> { $0.number > 0 && $0.day.contains("1") && $0.price + 1 > 0 }
      let text = try context.explain(FetchDescriptor(predicate: predicate)).description
      #expect(text.contains("the server tests $0.number > 0\n"), "\(text)")
      #expect(
        text.contains("the server tests, and the program tests rows in doubt $0.day.contains(\"1\")\n"), "\(text)")
      #expect(text.contains("the program tests ($0.price + 1.0) > 0.0\n"), "\(text)")
      #expect(try context.fetch(FetchDescriptor(predicate: predicate)).map(\.number) == [1])
    }
  }
#endif
