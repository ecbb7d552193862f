import Foundation
import SwiftData

/// An error that says which answer was wrong.
struct Wrong: Error {
  var what: String
}

func check(_ condition: Bool, _ what: String) throws { if !condition { throw Wrong(what: what) } }

@main enum Shop {
  static func main() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "repository-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let container = try ModelContainer(
      for: Product.self, configurations: ModelConfiguration(url: folder.appending(path: "shop.roost")))
    let repository = OrderRepository(modelContainer: container)
    let queries = OrderQueries(container: container)
    try await repository.add("tea", stock: 60)
    try await repository.add("cups", stock: 1000)

    // One hundred concurrent requests.
    var placed = 0
    try await withThrowingTaskGroup(of: Int.self) { group in
      for request in 0..<100 {
        group.addTask { try await serve("customer \(request % 10)", repository, queries) }
      }
      for try await count in group { placed += count }
    }

    try check(placed == 160, "\(placed) orders were placed")
    try check(try queries.stock("tea") == 0 && queries.sold("tea") == 60, "tea was sold twice, or lost")
    try check(try queries.stock("cups") == 900 && queries.sold("cups") == 100, "cups were sold twice, or lost")
    let json = try JSONEncoder().encode(try queries.orders(of: "customer 3"))
    try check(try JSONDecoder().decode([OrderSummary].self, from: json).count >= 10, "a customer's orders are wrong")
    print("the repository is right: \(placed) orders placed, \(200 - placed) refused")
  }

  /// Orders one of each product that is in stock, and returns the number of orders.
  private static func serve(
    _ customer: String, _ repository: OrderRepository, _ queries: OrderQueries
  ) async throws -> Int {
    _ = try await repository.place(1, of: "cups", for: customer)
    do {
      let order = try await repository.place(1, of: "tea", for: customer)
      // Every task finds an order that was acknowledged.
      try check(try queries.orders(of: customer).contains(order), "an order that was placed is not there")
      return 2
    } catch RepositoryError.soldOut { return 1 }
  }
}
