import Foundation
import SwiftData
import Testing

enum ShopV1: VersionedSchema {
  static let versionIdentifier = Schema.Version(1, 0, 0)
  static var models: [any PersistentModel.Type] { [Item.self] }

  @Model final class Item {
    var name: String
    var price: String

    init(_ name: String, price: String) {
      self.name = name
      self.price = price
    }
  }
}

enum ShopV2: VersionedSchema {
  static let versionIdentifier = Schema.Version(2, 0, 0)
  static var models: [any PersistentModel.Type] { [Item.self] }

  @Model final class Item {
    @Attribute(.unique) var name: String
    var price: Int

    init(_ name: String, price: Int) {
      self.name = name
      self.price = price
    }
  }
}

enum ShopPlan: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [ShopV1.self, ShopV2.self] }
  static var stages: [MigrationStage] {
    [
      .transform(from: ShopV1.Item.self, to: ShopV2.Item.self) { old, new in
        new.price = Int(((Double(old.price) ?? 0) * 100).rounded())
      },
      .removeDuplicates(of: ShopV1.Item.self, by: \.name, policy: .keepExisting),
    ]
  }
}

extension ShopPlan {
  static var keepsBackup: Bool { true }
}

@Suite struct MigrationGuideTests {
  @Test func `the shop is migrated to its second version`() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "guide-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appending(path: "shop.roost")
    do {
      let container = try ModelContainer(for: ShopV1.Item.self, configurations: ModelConfiguration(url: file))
      let context = ModelContext(container)
      for (name, price) in [("tea", "2.50"), ("milk", "19.99"), ("tea", "3")] {
        context.insert(ShopV1.Item(name, price: price))
      }
      try context.save()
    }
    let report = try ShopPlan.dryRun(url: file)
    print(report)

    #expect(
      "\(report)" == "version 1.0.0 → 2.0.0\nItem: 3 → 2; ~ price: string → int64; + unique name")
    #expect(report.isPossible)

    let container = try ModelContainer(
      for: ShopV2.Item.self, migrationPlan: ShopPlan.self, configurations: ModelConfiguration(url: file))

    let context = ModelContext(container)
    let items = try context.fetch(FetchDescriptor<ShopV2.Item>(sortBy: [SortDescriptor(\.name)]))
    #expect(items.map(\.name) == ["milk", "tea"] && items[0].price == 1999 && [250, 300].contains(items[1].price))
    for parked in try container.parkedData() { print(parked) }

    #expect(try container.parkedData().map(\.property) == ["@parked price"])
    #expect(container.migrationBackups.map(\.lastPathComponent) == ["shop.roost-before-migration"])
    try container.discardMigrationBackups()
    #expect(container.migrationBackups.isEmpty)
  }
}
