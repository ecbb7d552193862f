import Foundation
import SwiftData
import Testing

@Model final class Dish {
  @Attribute(.unique) var name: String
  var price: Int

  init(_ name: String, price: Int) {
    self.name = name
    self.price = price
  }
}

@Model final class Meal {
  var guest: String
  var dishName: String

  init(_ guest: String, dishName: String) {
    self.guest = guest
    self.dishName = dishName
  }
}

@Model final class Supplier {
  var name: String
  var dish: Dish?

  init(_ name: String, dish: Dish?) {
    self.name = name
    self.dish = dish
  }
}

/// The code of the guide to several stores.
@Suite struct SeveralStoresGuideTests {
  private let folder = FileManager.default.temporaryDirectory.appending(path: "guide-\(UUID().uuidString)")

  /// Makes a file with some dishes.
  private func fill(_ name: String, _ dishes: String...) throws {
    let configuration = ModelConfiguration(url: folder.appending(path: name))
    let container = try ModelContainer(for: Dish.self, configurations: configuration)
    let context = ModelContext(container)
    for dish in dishes { context.insert(Dish(dish, price: 5)) }
    try context.save()
    try container.close()
  }

  @Test func `one container, two files`() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    try fill("menu.roost", "Soup")
    let menu = ModelConfiguration(
      "menu", schema: Schema([Dish.self]), url: folder.appending(path: "menu.roost"), allowsSave: false)
    let visits = ModelConfiguration(
      "visits", schema: Schema([Meal.self]), url: folder.appending(path: "visits.roost"))
    let container = try ModelContainer(for: Dish.self, Meal.self, configurations: menu, visits)
    let context = ModelContext(container)
    if let dish = try context.fetch(FetchDescriptor<Dish>()).first {
      context.insert(Meal("Ann", dishName: dish.name))
    }
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<Meal>()) == 1)

    let names = try context.fetch(FetchDescriptor<Meal>()).map(\.dishName)
    let dishes = try context.fetch(FetchDescriptor<Dish>(predicate: #Predicate { names.contains($0.name) }))
    #expect(dishes.map(\.name) == ["Soup"])

    let file = folder.appending(path: "backup.roost")
    try container.backup(to: file, of: visits)
    #expect(FileManager.default.fileExists(atPath: file.path))
    #expect(throws: RoostError.self) { try container.backup(to: folder.appending(path: "all.roost")) }

    context.insert(Dish("Pie", price: 7))
    context.insert(Meal("Bob", dishName: "Pie"))
    let error = #expect(throws: RoostError.self) { try context.save() }
    #expect(error?.storeError?.code == .readOnly)
    context.rollback()
    #expect(try context.fetchCount(FetchDescriptor<Meal>()) == 1)
    #expect(try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).count == 2)
  }

  @Test func `one file for each customer`() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    try fill("hill.roost", "Soup", "Pie")
    try fill("lake.roost", "Fish")
    func open(_ customer: String) throws -> ModelContainer {
      try ModelContainer(
        for: Dish.self, configurations: ModelConfiguration(url: folder.appending(path: "\(customer).roost")))
    }

    let (hill, lake) = (try open("hill"), try open("lake"))
    let snapshots = try hill.fetchSnapshots(FetchDescriptor<Dish>())
    try lake.importer(for: Dish.self).run(snapshots: snapshots)
    let context = ModelContext(lake)
    let order = FetchDescriptor<Dish>(sortBy: [SortDescriptor(\.name)])
    #expect(try context.fetch(order).map(\.name) == ["Fish", "Pie", "Soup"])
    let stranger = try #require(try ModelContext(hill).fetch(FetchDescriptor<Dish>()).first)
    context.insert(stranger)
    let error = #expect(throws: RoostError.self) { try context.save() }
    #expect(error?.code == .foreign)
  }

  @Test func `which store has a model`() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    func configuration(_ name: String, _ models: any PersistentModel.Type...) -> ModelConfiguration {
      ModelConfiguration(name, schema: Schema(models), url: folder.appending(path: "\(name).roost"))
    }
    try fill("one.roost", "Soup")
    try fill("two.roost", "Fish")
    let twice = try ModelContainer(
      for: Dish.self, configurations: configuration("one", Dish.self), configuration("two", Dish.self))
    #expect(try ModelContext(twice).fetch(FetchDescriptor<Dish>()).map(\.name) == ["Soup"])
    try twice.close()

    func text(_ body: () throws -> Void) -> String {
      do { try body() } catch { return "\(error)" }
      return "no error"
    }
    let apart = text {
      _ = try ModelContainer(
        for: Dish.self, Supplier.self, configurations: configuration("three", Dish.self),
        configuration("four", Supplier.self))
    }
    #expect(apart.contains("a relationship stays within one store [Supplier.dish]"), "\(apart)")
    let nowhere = text {
      _ = try ModelContainer(for: Dish.self, Meal.self, configurations: configuration("five", Dish.self))
    }
    #expect(nowhere.hasPrefix("loadIssueModelContainer: no configuration names Meal"), "\(nowhere)")
    let same = text {
      let six = ModelConfiguration("six", schema: Schema([Meal.self]), url: folder.appending(path: "seven.roost"))
      _ = try ModelContainer(for: Dish.self, Meal.self, configurations: configuration("seven", Dish.self), six)
    }
    #expect(same.hasPrefix("duplicateConfiguration"), "\(same)")
  }

  @Test func `a save writes all stores or none`() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let faults = StoreFaults()
    let menu = ModelConfiguration("menu", schema: Schema([Dish.self]), url: folder.appending(path: "menu.roost"))
    var visits = ModelConfiguration("visits", schema: Schema([Meal.self]), url: folder.appending(path: "visits.roost"))
    visits.faults = faults
    let container = try ModelContainer(for: Dish.self, Meal.self, configurations: menu, visits)
    let (context, other) = (ModelContext(container), ModelContext(container))
    context.insert(Dish("Soup", price: 5))
    context.insert(Meal("Ann", dishName: "Soup"))
    faults.fail(.diskFull)
    #expect(throws: RoostError.self) { try context.save() }
    #expect(try other.fetchCount(FetchDescriptor<Dish>()) == 0)
    faults.heal()
    try context.save()
    #expect(try other.fetchCount(FetchDescriptor<Dish>()) == 1 && other.fetchCount(FetchDescriptor<Meal>()) == 1)
  }
}
