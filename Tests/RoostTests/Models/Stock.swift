import Foundation
import SwiftData

/// Wares with unique codes, for uniqueness and bulk writes.
@Model final class Ware {
  @Attribute(.unique) var code: String
  var title: String?
  var price: Double
  var count: Int
  var version: Int
  var updatedAt: Date?
  var tags: [String]
  var group: WareGroup?
  @Relationship(deleteRule: .cascade, inverse: \Part.ware) var parts: [Part] = []
  @Relationship(inverse: \WareLabel.wares) var labels: [WareLabel] = []
  @Relationship(inverse: \Seal.ware) var seal: Seal?
  #Index<Ware>([\.count])

  init(
    _ code: String, title: String? = nil, price: Double = 0, count: Int = 0, version: Int = 0, updatedAt: Date? = nil,
    tags: [String] = [], group: WareGroup? = nil
  ) {
    self.code = code
    self.title = title
    self.price = price
    self.count = count
    self.version = version
    self.updatedAt = updatedAt
    self.tags = tags
    self.group = group
  }
}

@Model final class WareGroup {
  @Attribute(.unique) var name: String
  @Relationship(inverse: \Ware.group) var wares: [Ware] = []

  init(_ name: String) { self.name = name }
}

@Model final class Part {
  var name: String
  var ware: Ware?

  init(_ name: String) { self.name = name }
}

@Model final class WareLabel {
  var text: String
  var wares: [Ware] = []

  init(_ text: String) { self.text = text }
}

@Model final class Seal {
  var number: Int
  var ware: Ware?

  init(_ number: Int) { self.number = number }
}

enum Stock {
  static func container() throws -> ModelContainer {
    try ModelContainer(
      for: Ware.self, WareGroup.self, Part.self, WareLabel.self, Seal.self,
      configurations: ModelConfiguration(isStoredInMemoryOnly: true))
  }

  /// The stored wares in a new context, by code.
  static func wares(_ container: ModelContainer) throws -> [String: Ware] {
    let all = try ModelContext(container).fetch(FetchDescriptor<Ware>())
    return Dictionary(uniqueKeysWithValues: all.map { ($0.code, $0) })
  }
}
