import Foundation
import SwiftData

/// The value that the repository returns, instead of a model.
struct OrderSummary: Codable, Sendable, Hashable {
  var customer: String
  var product: String
  var quantity: Int
}

enum RepositoryError: Error, Equatable {
  case unknownProduct(String)
  case soldOut(String, left: Int)
}

/// The only writer. Calls come from any task and run one after the other.
@ModelActor actor OrderRepository {
  func add(_ code: String, stock: Int) throws {
    modelContext.insert(Product(code: code, stock: stock))
    try modelContext.save()
  }

  func place(_ quantity: Int, of code: String, for customer: String) throws -> OrderSummary {
    guard let product = try product(code) else { throw RepositoryError.unknownProduct(code) }
    guard product.stock >= quantity else { throw RepositoryError.soldOut(code, left: product.stock) }
    product.stock -= quantity
    modelContext.insert(Order(customer: customer, quantity: quantity, product: product))
    do { try modelContext.save() } catch {
      // Nothing was stored. Roll back, so that the next call does not save half an order.
      modelContext.rollback()
      throw error
    }
    return OrderSummary(customer: customer, product: code, quantity: quantity)
  }

  private func product(_ code: String) throws -> Product? {
    try modelContext.fetch(FetchDescriptor<Product>(predicate: #Predicate { $0.code == code })).first
  }
}
