import Foundation
import SwiftData

@Model final class Product {
  @Attribute(.unique) var code: String
  var stock: Int
  @Relationship(deleteRule: .deny, inverse: \Order.product) var orders: [Order] = []

  init(code: String, stock: Int) {
    self.code = code
    self.stock = stock
  }
}

@Model final class Order {
  #Index<Order>([\.placed])
  var customer: String
  var quantity: Int
  var placed: Date
  var product: Product?

  init(customer: String, quantity: Int, product: Product) {
    self.customer = customer
    self.quantity = quantity
    self.product = product
    placed = .now
  }
}
