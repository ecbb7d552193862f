#if Postgres
  import Foundation
  import RoostPostgres
  import RoostTestSupport
  import SwiftData
  import Testing

  @Model private final class Coin {
    var number: Int
    var side: Int8
    init(_ number: Int) { (self.number, side) = (number, Int8(number % 7)) }
  }

  /// A fetch decodes rows while the server sends more.
  @Suite(.server) struct StreamTests {
    private static let count = 3000
    private let ground: Ground
    private let order = [SortDescriptor(\Coin.number)]

    init() throws {
      ground = try Ground()
      try ground.save(ground.open(Coin.self), (0..<Self.count).map { Coin($0) })
    }

    @Test(.enabled(if: CutProxy.socketFolder() != nil, "the server has no socket in a folder"))
    func `a fetch that is cut between its rows starts again, and has each row once`() throws {
      let proxy = try CutProxy()
      let context = try ground.open(Coin.self, address: proxy.address)
      let before = proxy.passed(.toClient)
      #expect(try context.fetch(FetchDescriptor(sortBy: order)).map(\.number) == Array(0..<Self.count))
      let size = proxy.passed(.toClient) - before
      #expect(size > 40 * Self.count)
      for bytes in [0, size / 3, size * 9 / 10] {
        let fresh = try ground.open(Coin.self, address: proxy.address)
        let cuts = proxy.cuts
        proxy.cut(.toClient, after: bytes)
        let found = try fresh.fetch(FetchDescriptor(sortBy: order)).map(\.number)
        #expect(found == Array(0..<Self.count), "after \(bytes) bytes")
        #expect(proxy.cuts == cuts + 1)
      }
    }

    @Test func `a row that cannot be read ends a fetch, and the connection stays`() throws {
      try ground.sql("UPDATE @.coin SET side = 300 WHERE number = 1500")
      let context = try ground.open(Coin.self)
      let store = try #require(context.container.dataStores.first as? PostgresStore)
      let process = store.process
      let error = #expect(throws: RoostError.self) { try context.fetch(FetchDescriptor(sortBy: order)) }
      #expect(error?.code == .unreadable && error?.description.contains("Coin.side") == true)
      let others = #Predicate<Coin> { $0.number != 1500 }
      #expect(try context.fetch(FetchDescriptor(predicate: others)).count == Self.count - 1)
      #expect(try context.fetchCount(FetchDescriptor<Coin>()) == Self.count)
      #expect(store.process == process)
    }
  }
#endif
