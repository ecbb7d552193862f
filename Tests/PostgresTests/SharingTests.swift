#if Postgres
  import Foundation
  import RoostPostgres
  import RoostTestSupport
  import SwiftData
  import Testing

  @Model private final class Shelf {
    var name: String
    @Relationship(deleteRule: .deny, inverse: \Book.shelf) var books: [Book] = []
    init(_ name: String) { self.name = name }
  }

  @Model private final class Book {
    var title: String
    var shelf: Shelf?
    init(_ title: String) { self.title = title }
  }

  @Model private final class Desk {
    var name: String
    @Relationship(deleteRule: .nullify, inverse: \Chair.desk) var chairs: [Chair] = []
    init(_ name: String) { self.name = name }
  }

  @Model private final class Chair {
    var name: String
    var desk: Desk?
    init(_ name: String) { self.name = name }
  }

  @Model private final class Album {
    var name: String
    @Relationship(deleteRule: .cascade, inverse: \Stamp.album) var stamps: [Stamp] = []
    init(_ name: String) { self.name = name }
  }

  @Model private final class Stamp {
    var name: String
    var album: Album
    init(_ name: String, in album: Album) {
      self.name = name
      self.album = album
    }
  }

  /// Several programs with one database.
  @Suite(.enabled(if: PostgresServer.missing == nil, "there is no PostgreSQL")) struct SharingTests {
    private let market = Market()

    private func fill() throws {
      let context = ModelContext(try market.open())
      let customer = Customer("Ada", city: "London")
      context.insert(customer)
      for number in 1...3 { customer.purchases.append(Purchase(number)) }
      try context.save()
    }

    @Test func `changes of different properties of one object are both kept`() throws {
      try fill()
      let (one, other) = (ModelContext(try market.open()), ModelContext(try market.open()))
      let first = try #require(try one.fetch(FetchDescriptor<Customer>()).first)
      let second = try #require(try other.fetch(FetchDescriptor<Customer>()).first)
      first.city = "Turin"
      second.name = "Ada L."
      try one.save()
      try other.save()
      #expect(second.city == "Turin")
      let third = try #require(try ModelContext(try market.open()).fetch(FetchDescriptor<Customer>()).first)
      #expect(third.city == "Turin" && third.name == "Ada L.")
    }

    @Test func `changes of the same property are a conflict, and the later one can be saved after it is decided`()
      throws
    {
      try fill()
      let (one, other) = (ModelContext(try market.open()), ModelContext(try market.open()))
      let first = try #require(try one.fetch(FetchDescriptor<Customer>()).first)
      let second = try #require(try other.fetch(FetchDescriptor<Customer>()).first)
      first.city = "Turin"
      second.city = "Paris"
      other.mergePolicy = .error
      try one.save()
      let error = #expect(throws: RoostError.self) { try other.save() }
      #expect(error?.code == .conflict)
      other.rollback()
      #expect(second.city == "Turin")
      second.city = "Paris"
      try other.save()
      #expect(try ModelContext(try market.open()).fetch(FetchDescriptor<Customer>()).first?.city == "Paris")
    }

    @Test(arguments: [false, true]) func `a member that needs its owner is deleted, moved, or goes with it`(
      _ isRead: Bool
    )
      throws
    {
      let ground = try Ground()
      func open() throws -> ModelContext {
        let schema = Schema([Album.self, Stamp.self])
        var configuration = PostgresConfiguration(ground.address, schema: schema, namespace: ground.namespace)
        configuration.followsOthers = false
        return ModelContext(try ModelContainer(for: schema, configurations: [configuration]))
      }
      func albums(_ context: ModelContext) throws -> [Album] {
        try context.fetch(FetchDescriptor<Album>(sortBy: [SortDescriptor(\.name)]))
      }
      let writer = try open()
      for name in ["a", "b", "c"] {
        let album = Album(name)
        writer.insert(album)
        for number in 1...3 { writer.insert(Stamp("\(name)\(number)", in: album)) }
      }
      try writer.save()
      let reader = try open()
      let seen = try albums(reader)
      if isRead { for album in seen { #expect(album.stamps.map(\.name).count == 3) } }
      let own = try albums(writer)
      // One stamp is deleted, one moves, and an album is deleted with all of its stamps.
      writer.delete(try #require(own[0].stamps.first { $0.name == "a1" }))
      try #require(own[0].stamps.first { $0.name == "a2" }).album = own[1]
      try #require(own[2].stamps.first { $0.name == "c1" }).album = own[1]
      try writer.save()
      writer.delete(own[2])
      try writer.save()
      let name = "a"
      let alone = try reader.fetch(FetchDescriptor<Album>(predicate: #Predicate { $0.name == name }))
      #expect(alone.map { $0.stamps.map(\.name) } == [["a3"]])
      let all = try albums(reader)
      #expect(all.map(\.name) == ["a", "b"])
      #expect(Set(all[1].stamps.map(\.name)) == ["b1", "b2", "b3", "a2", "c1"])
      for stamp in try reader.fetch(FetchDescriptor<Stamp>()) { #expect(!stamp.album.name.isEmpty) }
      try reader.save()
      all[1].stamps[0].name = "new"
      try reader.save()
      #expect(try ground.value("SELECT count(*)::text FROM @.stamp WHERE name = 'new'") == "1")
    }

    @Test func `the merge policy determines the values after a save`() throws {
      func saved(_ policy: ModelContext.MergePolicy) throws -> (row: [String?], shown: [String?]) {
        let ground = try Ground()
        func open() throws -> ModelContext {
          let schema = Schema([Customer.self, Purchase.self, Good.self])
          var configuration = PostgresConfiguration(ground.address, schema: schema, namespace: ground.namespace)
          configuration.followsOthers = false
          return ModelContext(try ModelContainer(for: schema, configurations: [configuration]))
        }
        let one = try open()
        let customer = Customer("Ada", city: "London")
        one.insert(customer)
        try one.save()
        let other = try open()
        other.mergePolicy = policy
        let seen = try #require(try other.fetch(FetchDescriptor<Customer>()).first)
        #expect(seen.name == "Ada")
        (customer.name, customer.city) = ("Ada L.", "Turin")
        try one.save()
        seen.city = "Paris"
        try other.save()
        let row = try ground.sql("SELECT name, city FROM @.customer")[0]
        return (row, [seen.name, seen.city])
      }
      for (policy, wanted) in [
        (ModelContext.MergePolicy.storeWins, ["Ada L.", "Turin"]), (.objectWins, ["Ada L.", "Paris"]),
        (.overwrite, ["Ada", "Paris"]),
      ] {
        let (row, shown) = try saved(policy)
        #expect(row == wanted && shown == wanted, "\(policy): \(row), \(shown)")
      }
    }

    @Test func `the order of a list is that of the last save`() throws {
      try fill()
      let (one, other) = (ModelContext(try market.open()), ModelContext(try market.open()))
      let first = try #require(try one.fetch(FetchDescriptor<Customer>()).first)
      first.purchases.swapAt(0, 2)
      first.purchases.insert(Purchase(9), at: 1)
      try one.save()
      let second = try #require(try other.fetch(FetchDescriptor<Customer>()).first)
      #expect(second.purchases.map(\.number) == [3, 9, 2, 1])
      second.purchases.remove(at: 0)
      try other.save()
      let third = ModelContext(try market.open())
      #expect(try third.fetch(FetchDescriptor<Customer>()).first?.purchases.map(\.number) == [9, 2, 1])
    }

    @Test func `an object that another program deleted is gone after the conflict`() throws {
      try fill()
      let (one, other) = (ModelContext(try market.open()), ModelContext(try market.open()))
      let purchases = FetchDescriptor<Purchase>(sortBy: [SortDescriptor(\.number)])
      let first = try one.fetch(purchases)
      let second = try other.fetch(purchases)
      one.delete(first[0])
      try one.save()
      second[0].note = "mine"
      second[1].note = "mine too"
      other.mergePolicy = .error
      let error = #expect(throws: RoostError.self) { try other.save() }
      #expect(error?.code == .deleted || error?.code == .conflict, "\(String(describing: error))")
      other.rollback()
      #expect(try other.fetch(purchases).map(\.number) == [2, 3])
    }

    @Test func `a new object with a stored unique value becomes the stored one`() throws {
      try fill()
      let context = ModelContext(try market.open())
      context.insert(Customer("Ada", city: "Rome"))
      try context.save()
      #expect(try context.fetchCount(FetchDescriptor<Customer>()) == 1)
      let other = ModelContext(try market.open())
      #expect(try other.fetch(FetchDescriptor<Customer>()).map(\.city) == ["Rome"])
    }

    @Test func `two programs that insert the same unique value have one object`() throws {
      let (one, other) = (ModelContext(try market.open()), ModelContext(try market.open()))
      one.insert(Customer("Bo", city: "A"))
      other.insert(Customer("Bo", city: "B"))
      try one.save()
      try other.save()
      #expect(try ModelContext(try market.open()).fetch(FetchDescriptor<Customer>()).map(\.city) == ["B"])
    }

    @Test func `a deletion is denied if another program has referenced the object meanwhile`() throws {
      let ground = try Ground()
      // A program that does not follow others.
      let deaf = try ground.open(Shelf.self, Book.self, address: ground.address)
      let shelf = Shelf("a")
      try ground.save(deaf, [shelf])
      let other = try ground.open(Shelf.self, Book.self)
      let book = Book("b")
      other.insert(book)
      book.shelf = try other.fetch(FetchDescriptor<Shelf>()).first
      try other.save()
      deaf.delete(shelf)
      let error = #expect(throws: RoostError.self) { try deaf.save() }
      #expect(error?.code == .denied)
    }

    @Test func `a row that another program made stops referencing the deleted object`() throws {
      let ground = try Ground()
      let deaf = try ground.open(Desk.self, Chair.self, address: ground.address)
      let desk = Desk("a")
      try ground.save(deaf, [desk])
      let other = try ground.open(Desk.self, Chair.self)
      let chair = Chair("b")
      other.insert(chair)
      chair.desk = try other.fetch(FetchDescriptor<Desk>()).first
      try other.save()
      deaf.delete(desk)
      try deaf.save()
      #expect(try ground.sql("SELECT name, desk::text FROM @.chair") == [["b", nil]])
    }

    @Test func `eight programs change one object, and no change is lost`() async throws {
      let context = ModelContext(try market.open())
      context.insert(Good("tea"))
      try context.save()
      let market = market
      await withTaskGroup(of: Void.self) { group in
        for _ in 0..<8 {
          group.addTask {
            do {
              let container = try market.open()
              for _ in 0..<25 {
                try container.write { context in
                  let good = try context.fetch(FetchDescriptor<Good>())[0]
                  good.stock += 1
                }
              }
            } catch { Issue.record(error) }
          }
        }
      }
      let seen = try ModelContext(try market.open()).fetch(FetchDescriptor<Good>())
      #expect(seen.map(\.stock) == [200])
    }
  }
#endif
