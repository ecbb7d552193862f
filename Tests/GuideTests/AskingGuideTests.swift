import Foundation
import SwiftData
import Testing

@Model final class Bill {
  var number: Int
  var email: String?
  var total: Decimal
  var place: Place?

  init(_ number: Int, email: String?, total: Decimal, place: Place? = nil) {
    self.number = number
    self.email = email
    self.total = total
    self.place = place
  }
}

@Model final class Place {
  var city: String
  @Relationship(inverse: \Bill.place) var bills: [Bill] = []

  init(_ city: String) { self.city = city }
}

@Model final class Client {
  @Attribute(.unique) var address: String
  var name: String

  init(_ address: String, name: String) {
    self.address = address
    self.name = name
  }
}

@Model final class Discount {
  var from: Decimal
  var to: Decimal?
  var percent: Int
  #Index<Discount>([\.from])

  init(from: Decimal, to: Decimal?, percent: Int) {
    self.from = from
    self.to = to
    self.percent = percent
  }
}

@Model final class Region {
  var name: String
  var whole: Region?
  @Relationship(inverse: \Region.whole) var parts: [Region] = []

  init(_ name: String, whole: Region? = nil) {
    self.name = name
    self.whole = whole
  }
}

@Suite struct AskingGuideTests {
  private let context: ModelContext

  init() throws {
    context = ModelContext(
      try ModelContainer(
        for: Bill.self, Client.self, Discount.self, Region.self,
        configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
    let berlin = Place("Berlin")
    context.insert(Bill(1, email: "a@x", total: 5, place: berlin))
    context.insert(Bill(2, email: "b@x", total: 30))
    context.insert(Bill(3, email: nil, total: 20, place: berlin))
    context.insert(Bill(4, email: "a@x", total: 20, place: berlin))
    context.insert(Client("a@x", name: "Ann"))
    try context.save()
  }

  @Test func `some properties`() throws {
    let numbers = try context.select(Bill.self, \.number, where: #Predicate { $0.total > 10 })

    let rows = try context.select(
      Bill.self, \.number, \.total, \.place?.city, sortBy: [SortDescriptor(\.number)], limit: 20)
    for (number, total, city) in rows {
      print(number, total, city ?? "unknown")
    }
    #expect(numbers.sorted() == [2, 3, 4])
    #expect(rows.map(\.1) == [5, 30, 20, 20] && rows.map(\.2) == ["Berlin", nil, "Berlin", "Berlin"])
  }

  @Test func `computed values`() throws {
    let hundreds = Computed(#Expression<Bill, Int> { $0.number / 100 })
    let domain = Computed(\Bill.email) { $0?.split(separator: "@").last.map(String.init) }

    let domains = try context.select(Bill.self, \.number, \.[domain], sortBy: [SortDescriptor(\.number)])

    let counts = try context.aggregate(Bill.self, .count, .sum(\.total), by: \.[domain])
    let largest = try context.aggregate(Bill.self, .max(\.total), by: \.[hundreds])
    #expect(domains.map(\.1) == ["x", "x", nil, "x"] && counts.map(\.key) == [nil, "x"])
    #expect(counts.map { $0.values.1 } == [20, 55] && largest.map(\.values) == [30])
  }

  @Test func `unions`() throws {
    context.insert(Client("c@x", name: "Cem"))
    let mails = Computed(\Client.address) { Optional($0) }
    let all = try context.union(.rows(Bill.self, \.email), .rows(Client.self, \.[mails]))

    let strangers = try context.except(
      .rows(Bill.self, \.email, where: #Predicate { $0.email != nil }), .rows(Client.self, \.[mails]))
    #expect(Set(all) == ["a@x", "b@x", "c@x", nil] && all.count == 4 && strangers == ["b@x"])
  }

  @Test func `each value once`() throws {
    let cities = try context.selectDistinct(Bill.self, \.place?.city)
    #expect(cities == [nil, "Berlin"])
  }

  @Test func `joins`() throws {
    let named = try context.select(
      Bill.self, \.number, \.total,
      joining: .left(Client.self, on: .equal(\.email, \.address), select: \.name),
      sortBy: [SortDescriptor(\.number)])
    for (number, total, name) in named {
      print(number, total, name ?? "nobody")
    }
    let unknown = try context.select(
      Bill.self, \.number, matching: [.none(Client.self, on: .equal(\.email, \.address))])
    #expect(named.map(\.2) == ["Ann", nil, nil, "Ann"] && unknown.sorted() == [2, 3])
  }

  @Test func `joins by ranges, and of both sides`() throws {
    context.insert(Discount(from: 10, to: 25, percent: 3))
    context.insert(Discount(from: 25, to: 100, percent: 5))
    context.insert(Client("c@x", name: "Cem"))
    let discounts = try context.select(
      Bill.self, \.number,
      joining: .left(Discount.self, on: .atLeast(\.total, \.from), .less(\.total, \.to), select: \.percent),
      sortBy: [SortDescriptor(\.number)])
    #expect(discounts.map(\.1) == [nil, 5, 3, 3])
    let all = try context.select(
      Bill.self, \.number, \.total,
      joining: .full(Client.self, on: .equal(\.email, \.address), select: \.name),
      sortBy: [SortDescriptor(\.number)])
    for (bill, name) in all {
      print(bill?.0 ?? 0, bill?.1 ?? 0, name ?? "nobody")
    }
    #expect(all.map { $0.0?.0 } == [1, 2, 3, 4, nil] && all.map(\.1) == ["Ann", nil, nil, "Ann", "Cem"])
  }

  @Test func `what a call reads`() throws {
    let told = try context.explain {
      try $0.select(
        Bill.self, \.number, joining: .left(Client.self, on: .equal(\.email, \.address), select: \.name))
    }
    print(told)
    #expect(told.selected == ["email", "number"] && !told.makesModels && told.others.count == 1)
  }

  @Test func `ranks, positions and running totals`() throws {
    let order = [SortDescriptor(\Bill.total, order: .reverse)]
    let best = try context.select(
      Bill.self, \.place?.city, \.number, over: .position(per: \.place?.city), atMost: 2, sortBy: order)

    let ranks = try context.select(Bill.self, \.number, over: .rank(), sortBy: order)

    let balance = try context.select(
      Bill.self, \.number, over: .running(.sum(\.total)), sortBy: [SortDescriptor(\.number)])
    #expect(best.count == 3 && Set(best.map(\.1)) == [2, 3, 4])
    #expect(ranks.map(\.1) == [1, 2, 2, 4] && ranks.first?.0 == 2)
    #expect(balance.map(\.1) == [5, 35, 55, 75])
  }

  @Test func `trees`() throws {
    let europe = Region("Europe")
    context.insert(europe)
    let berlin = Region("Berlin", whole: Region("Germany", whole: europe))
    for (region, depth) in try context.descendants(of: europe, along: \.parts) {
      print(String(repeating: "  ", count: depth) + region.name)
    }
    let above = try context.ancestors(of: berlin, along: \.whole)
    #expect(above.map(\.name) == ["Germany", "Europe"])
    #expect(try context.descendants(of: europe, along: \.parts).map(\.depth) == [1, 2])
  }
}
