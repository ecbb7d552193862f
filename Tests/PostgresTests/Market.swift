#if Postgres
  import Foundation
  import RoostPostgres
  import RoostTestSupport
  import SwiftData

  @Model final class Customer {
    @Attribute(.unique) var name: String
    var city: String?
    @Relationship(deleteRule: .cascade, inverse: \Purchase.customer) var purchases: [Purchase] = []

    init(_ name: String, city: String? = nil) {
      self.name = name
      self.city = city
    }
  }

  @Model final class Purchase {
    var number: Int
    var note: String
    var customer: Customer?
    var goods: [Good] = []

    init(_ number: Int, note: String = "") {
      self.number = number
      self.note = note
    }
  }

  @Model final class Good {
    var title: String
    var stock = 0
    @Relationship(inverse: \Purchase.goods) var purchases: [Purchase] = []

    init(_ title: String, stock: Int = 0) {
      self.title = title
      self.stock = stock
    }
  }

  /// The database of a market. Each container is one of the programs that use it.
  struct Market {
    let namespace = PostgresServer.freshNamespace()

    func open() throws -> ModelContainer {
      let schema = Schema([Customer.self, Purchase.self, Good.self])
      return try ModelContainer(
        for: schema,
        configurations: [
          PostgresConfiguration(PostgresServer.shared().address, schema: schema, namespace: namespace)
        ])
    }
  }
#endif
