import Foundation
import SwiftData
import Testing

/// The models of the examples for values and sums.
enum ReferenceQueries {
  @Model final class Album {
    var title: String
    var genre: String
    @Relationship(inverse: \Track.album) var tracks: [Track] = []

    init(title: String, genre: String) { (self.title, self.genre) = (title, genre) }
  }

  @Model final class Track {
    @Attribute(.unique) var id: Int
    var title: String
    var year: Int
    var plays: Int
    var duration = 180.0
    var album: Album?

    init(_ id: Int, _ title: String, year: Int, plays: Int, album: Album? = nil) {
      (self.id, self.title, self.year, self.plays, self.album) = (id, title, year, plays, album)
    }
  }

  @Model final class Bill {
    var number: Int
    var total: Double
    var date: Date
    var client: String

    init(_ number: Int, total: Double, day: Double, client: String) {
      (self.number, self.total, self.client) = (number, total, client)
      date = Date(timeIntervalSinceReferenceDate: day * 86_400)
    }
  }

  @Model final class Order {
    var number: Int
    var total: Double
    var email: String

    init(_ number: Int, total: Double, email: String) { (self.number, self.total, self.email) = (number, total, email) }
  }

  @Model final class Customer {
    var address: String
    var name: String
    var city: String

    init(_ name: String, address: String, city: String) {
      (self.name, self.address, self.city) = (name, address, city)
    }
  }

  @Model final class Refund {
    var order: Int

    init(order: Int) { self.order = order }
  }

  @Model final class Folder {
    var name: String
    var parent: Folder?
    @Relationship(inverse: \Folder.parent) var folders: [Folder] = []

    init(_ name: String) { self.name = name }
  }
}

/// The examples in the comments of functions for values, sums and parts of a fetch.
@Suite struct ReferenceQueryTests {
  typealias Album = ReferenceQueries.Album
  typealias Track = ReferenceQueries.Track
  typealias Bill = ReferenceQueries.Bill
  typealias Order = ReferenceQueries.Order
  typealias Customer = ReferenceQueries.Customer
  typealias Refund = ReferenceQueries.Refund
  typealias Folder = ReferenceQueries.Folder
  typealias Note = ReferenceExamples.Note
  private let context: ModelContext

  init() throws {
    context = ModelContext(
      try ModelContainer(
        for: Album.self, Bill.self, Order.self, Customer.self, Refund.self, Folder.self, Note.self,
        configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
    let album = Album(title: "Low", genre: "rock")
    context.insert(album)
    for number in 1...12 {
      context.insert(Track(number, "Track \(number)", year: 1970 + number, plays: number, album: album))
    }
    context.insert(Track(13, "Single", year: 1960, plays: 40))
    for (number, client) in [(1, "Ada"), (2, "Ada"), (3, "Grace")] {
      context.insert(Bill(number, total: Double(number) * 10, day: Double(number), client: client))
    }
    context.insert(Order(1, total: 5, email: "ada@example.org"))
    context.insert(Order(2, total: 7, email: "none@example.org"))
    context.insert(Customer("Ada", address: "ada@example.org", city: "London"))
    context.insert(Refund(order: 2))
    try context.save()
  }

  private func print(_ words: Any...) {}

  @Test func `sums`() throws {
    let (count, length) = try context.aggregate(Track.self, .count, .sum(\.duration))
    #expect(count == 13 && length == 2340)

    let genres = try context.aggregate(
      Track.self, .count, .average(\.duration), by: \.album?.genre, having: { $0.values.0 > 10 })
    #expect(genres.map(\.key) == ["rock"])

    let clients = try context.aggregate(
      Bill.self, .first(\.number, by: \.date), .last(\.total, by: \.date), by: \.client)
    #expect(clients.map(\.key) == ["Ada", "Grace"] && clients[0].values == (1, 20))
  }

  @Test func `values`() throws {
    let titles = try context.select(Track.self, \.title, where: #Predicate { $0.year > 1977 })
    #expect(titles.count == 5)
    try pairs()
    let genres = try context.selectDistinct(Track.self, \.album?.genre)
    #expect(genres == [nil, "rock"])
  }

  private func pairs() throws {
    let rows = try context.select(Track.self, \.title, \.album?.title, sortBy: [SortDescriptor(\.title)])
    for (title, album) in rows { print(title, album ?? "") }
    #expect(rows.count == 13 && rows[0].0 == "Single" && rows[0].1 == nil)
  }

  @Test func `joins`() throws {
    let rows = try context.select(
      Order.self, \.number, \.total,
      joining: .left(Customer.self, on: .equal(\.email, \.address), select: \.name, \.city))
    for (number, total, customer) in rows { print(number, total, customer?.0 ?? "unknown") }
    #expect(rows.count == 2)

    let customers = try context.select(
      Order.self, \.number,
      joining: .left(Customer.self, on: .equal(\.email, \.address), select: \.name, \.city))
    #expect(customers.count == 2)

    let kept = try context.select(
      Order.self, \.number, matching: [.none(Refund.self, on: .equal(\.number, \.order))])
    #expect(kept == [1])
  }

  @Test func `ranks`() throws {
    let best = try context.select(
      Track.self, \.album?.title, \.title, over: .position(per: \.album?.title), atMost: 3,
      sortBy: [SortDescriptor(\.plays, order: .reverse)])
    #expect(best.count == 4)

    let ranks = try context.select(
      Track.self, \.title, \.plays, over: .rank(per: \.album?.title), atMost: 3,
      sortBy: [SortDescriptor(\.plays, order: .reverse)])
    #expect(ranks.count == 4)
  }

  @Test func `parts of a fetch`() throws {
    let id = 7
    let track = try context.first(Track.self, where: \.id, is: id)
    #expect(track?.title == "Track 7")

    var descriptor = FetchDescriptor<Track>(sortBy: [SortDescriptor(\.year)])
    descriptor.fetchLimit = 5
    var page = try context.fetchPage(descriptor)
    while let next = page.next { page = try context.fetchPage(descriptor, after: next) }
    #expect(page.models.last?.title == "Track 12")
  }

  @Test func `search`() throws {
    context.insert(Note(title: "Berlin walls", body: "they fell"))
    try context.save()
    for found in try context.search(Note.self, for: "berlin wall*", weights: [\.title: 4], limit: 10) {
      print(found.score, found.model.title, found.snippet(of: \.body).marked("*", "*"))
    }
    #expect(try context.search(Note.self, for: "berlin wall*").count == 1)
  }

  @Test func `a tree`() throws {
    let (root, child, grandchild) = (Folder("root"), Folder("child"), Folder("grandchild"))
    context.insert(root)
    root.folders = [child]
    child.folders = [grandchild]
    try context.save()
    var names: [String] = []
    func print(_ depth: Int, _ name: String) { names.append("\(depth) \(name)") }
    for (folder, depth) in try context.descendants(of: root, along: \.folders) { print(depth, folder.name) }
    #expect(names == ["1 child", "2 grandchild"])
  }
}
