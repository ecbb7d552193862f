import Foundation
import SwiftData

/// The queries. Each call has a context of its own, which costs little and sees everything that is saved.
/// No call waits for the writer.
struct OrderQueries: Sendable {
  let container: ModelContainer

  func orders(of customer: String) throws -> [OrderSummary] {
    var descriptor = FetchDescriptor<Order>(
      predicate: #Predicate { $0.customer == customer }, sortBy: [SortDescriptor(\.placed)])
    descriptor.relationshipKeyPathsForPrefetching = [\.product]
    return try ModelContext(container).fetch(descriptor).map {
      OrderSummary(customer: $0.customer, product: $0.product?.code ?? "", quantity: $0.quantity)
    }
  }

  /// The engine computes the sum, without making models.
  func sold(_ code: String) throws -> Int {
    try ModelContext(container).aggregate(
      Order.self, where: #Predicate { $0.product?.code == code }, .sum(\.quantity))
  }

  func stock(_ code: String) throws -> Int? {
    try ModelContext(container).fetch(FetchDescriptor<Product>(predicate: #Predicate { $0.code == code })).first?.stock
  }
}
