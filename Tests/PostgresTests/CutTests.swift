#if Postgres
  import Foundation
  import RoostTestSupport
  import SwiftData
  import Testing

  import RoostPostgres

  @Model private final class Shelf {
    var name: String
    var rounds = 0
    @Relationship(deleteRule: .cascade, inverse: \Book.shelf) var books: [Book] = []
    init(_ name: String) { self.name = name }
  }

  @Model private final class Book {
    var title: String
    var round: Int
    var shelf: Shelf?
    init(_ title: String, _ round: Int) { (self.title, self.round) = (title, round) }
  }

  /// A context that saves repeatedly, through a proxy that cuts the connection.
  private final class Desk {
    let ground: Ground
    let proxy: CutProxy
    let context: ModelContext
    let shelf: Shelf
    var round = 0

    init() throws {
      ground = try Ground()
      proxy = try CutProxy()
      context = try ground.open(Shelf.self, Book.self, address: proxy.address)
      shelf = Shelf("all")
      context.insert(shelf)
      try context.save()
    }

    /// Changes a row, deletes two and inserts two.
    func change() {
      round += 1
      shelf.rounds = round
      for book in shelf.books { context.delete(book) }
      for name in ["a", "b"] {
        let book = Book("\(name) \(round)", round)
        context.insert(book)
        book.shelf = shelf
      }
    }

    /// Whether a new container sees the whole round; nil if it sees a part of it.
    func isSaved() throws -> Bool? {
      let fresh = try ground.open(Shelf.self, Book.self)
      let number = round
      let books = try fresh.fetch(FetchDescriptor<Book>(predicate: #Predicate { $0.round == number }))
      let shelves = try fresh.fetch(FetchDescriptor<Shelf>())
      guard shelves.count == 1, let shelf = shelves.first else { return nil }
      let whole = (round, 2, 2)
      let none = (round - 1, 0, round == 1 ? 0 : 2)
      let seen = (shelf.rounds, books.count, shelf.books.count)
      return seen == whole ? true : seen == none ? false : nil
    }
  }

  @Suite(.server, .enabled(if: CutProxy.socketFolder() != nil, "the server has no socket in a folder"))
  struct CutTests {
    /// The numbers of bytes that a save of a round sends and receives.
    private func sizes(_ desk: Desk) throws -> [CutProxy.Direction: Int] {
      // The first round deletes nothing.
      for _ in 1...2 {
        desk.change()
        try desk.context.save()
      }
      var sizes: [CutProxy.Direction: Int] = [:]
      let before = CutProxy.Direction.allCases.map { desk.proxy.passed($0) }
      desk.change()
      try desk.context.save()
      for (direction, before) in zip(CutProxy.Direction.allCases, before) {
        sizes[direction] = desk.proxy.passed(direction) - before
      }
      return sizes
    }

    @Test(arguments: CutProxy.Direction.allCases)
    func `a save whose connection is cut is complete or absent, and can be repeated`(
      _ direction: CutProxy.Direction
    ) throws {
      let desk = try Desk()
      let size = try #require(try sizes(desk)[direction])
      var outcomes: [String: Int] = [:]
      // Some places, and all places near the end. `ROOST_CUTS=all` cuts at every byte.
      let isWhole = ProcessInfo.processInfo.environment["ROOST_CUTS"] == "all"
      let places = Set(stride(from: 0, through: size, by: isWhole ? 1 : 16)).union(max(0, size - 30)...size)
      for bytes in places.sorted() {
        desk.change()
        let cuts = desk.proxy.cuts
        desk.proxy.cut(direction, after: bytes)
        let error = refusal { try desk.context.save() }
        desk.proxy.pass()
        let isSaved = try desk.isSaved()
        let isCut = desk.proxy.cuts > cuts
        outcomes["\(isCut ? "cut" : "whole"), \(error?.code.rawValue ?? "saved")", default: 0] += 1
        #expect(error == nil || error?.code == .lost, "\(bytes): \(String(describing: error))")
        #expect(isSaved == (error == nil), "after \(bytes) bytes")
        if error != nil { try desk.context.save() }
        #expect(try desk.isSaved() == true, "saved again after \(bytes) bytes")
      }
      print("cuts \(direction): \(size) bytes, \(outcomes)")
      // A commit needs all bytes of the client, up to the last message, and none of the server.
      let isNeeded = direction == .toServer
      #expect((outcomes["cut, lost", default: 0] > 0) == isNeeded)
    }

    @Test(arguments: CutProxy.Direction.allCases)
    func `a save whose outcome cannot be found out is uncertain, and is not done twice`(
      _ direction: CutProxy.Direction
    ) throws {
      let desk = try Desk()
      let size = try #require(try sizes(desk)[direction])
      var outcomes: [String: Int] = [:]
      for bytes in Set([0, 1, size - 1] + stride(from: 0, to: size, by: size / 6)).sorted() {
        desk.change()
        desk.proxy.cut(direction, after: bytes)
        desk.proxy.refuse(true)
        let error = refusal { try desk.context.save() }
        #expect(error?.code == .commitUncertain)
        let isSaved = try desk.isSaved()
        #expect(isSaved != nil)
        outcomes["\(isSaved.map { $0 ? "there" : "not there" } ?? "torn")", default: 0] += 1
        #expect(refusal { try desk.context.save() }?.code == .commitUncertain)
        desk.proxy.refuse(false)
        desk.proxy.pass()
        try desk.context.save()
        #expect(try desk.isSaved() == true, "after \(bytes) bytes")
      }
      print("uncertain \(direction): \(size) bytes, \(outcomes)")
    }

    @Test func `another context does not overwrite an uncertain save that was committed`() throws {
      let desk = try Desk()
      let other = ModelContext(desk.context.container)
      other.mergePolicy = .error
      let shelf = try #require(try other.fetch(FetchDescriptor<Shelf>()).first)
      desk.shelf.name = "first"
      // The server commits, and its answer is lost.
      desk.proxy.cut(.toClient, after: 0)
      desk.proxy.refuse(true)
      #expect(refusal { try desk.context.save() }?.code == .commitUncertain)
      desk.proxy.refuse(false)
      desk.proxy.pass()
      shelf.name = "second"
      let error = #expect(throws: RoostError.self) { try other.save() }
      #expect(error?.code == .conflict)
      #expect(try desk.ground.value("SELECT name FROM @.shelf") == "first")
    }

    @Test func `statements that reach the server late are not committed`() throws {
      let desk = try Desk()
      let size = try #require(try sizes(desk)[.toServer])
      for bytes in [0, size / 2] {
        desk.change()
        desk.proxy.cut(.toServer, after: bytes, .late)
        let error = refusal { try desk.context.save() }
        #expect(error?.code == .lost)
        desk.proxy.release()
        #expect(try desk.isSaved() == false)
        try desk.context.save()
        #expect(try desk.isSaved() == true)
      }
    }

    @Test func `a transaction is ended if the server does not notice the cut`() throws {
      let desk = try Desk()
      let size = try #require(try sizes(desk)[.toServer])
      // The last messages are those of `COMMIT`. So the proof's row is inserted, and blocks the
      // second insertion.
      for missing in [6] {
        desk.change()
        desk.proxy.cut(.toServer, after: size - missing, .clientOnly)
        let error = refusal { try desk.context.save() }
        let isSaved = try desk.isSaved()
        #expect(error == nil || error?.code == .lost)
        #expect(isSaved == (error == nil))
        if error != nil { try desk.context.save() }
        #expect(try desk.isSaved() == true)
      }
    }

    @Test(arguments: CutProxy.Direction.allCases)
    func `a start that is cut makes all tables or none`(_ direction: CutProxy.Direction) throws {
      let proxy = try CutProxy()
      // It stays open until after the cuts, so that its last message is not the one that is cut.
      let first = try Ground().open(Shelf.self, Book.self, address: proxy.address)
      defer { withExtendedLifetime(first) {} }
      let size = proxy.passed(direction)
      var outcomes: [String: Int] = [:]
      for bytes in stride(from: 0, to: size, by: max(1, size / 40)) {
        let ground = try Ground()
        let cuts = proxy.cuts
        proxy.cut(direction, after: bytes)
        let error = refusal { _ = try ground.open(Shelf.self, Book.self, address: proxy.address) }
        proxy.pass()
        // The last bytes may not be needed, or may never be sent.
        let isNeeded = proxy.cuts > cuts && bytes < size * 9 / 10
        #expect(
          error?.code == .lost || error?.code == .unreachable || error == nil && !isNeeded,
          "\(bytes): \(String(describing: error))")
        let made = try ground.value("SELECT count(*)::text FROM pg_tables WHERE schemaname = '\(ground.namespace)'")
        #expect(made == "0" || made == "6", "after \(bytes) bytes")
        outcomes["\(error?.code.rawValue ?? "made"), \(made ?? "") tables", default: 0] += 1
        try ground.save(ground.open(Shelf.self, Book.self), [Shelf("a")])
      }
      print("starts \(direction): \(size) bytes, \(outcomes)")
    }

    @Test func `old proofs of commits are removed`() throws {
      let desk = try Desk()
      try desk.ground.sql("INSERT INTO @.roost_commit VALUES ('', gen_random_uuid(), now() - interval '2 days', true)")
      let fresh = try desk.ground.open(Shelf.self, Book.self)
      fresh.insert(Book("one", 0))
      try fresh.save()
      #expect(
        try desk.ground.value("SELECT count(*)::text FROM @.roost_commit WHERE time < now() - interval '1 day'") == "0")
    }
  }
#endif
