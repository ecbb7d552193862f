import SwiftData
import Testing

/// Families as a whole: random changes, large numbers, and stores that knew fewer classes.
@Suite struct FamilyTests {
  @Test(arguments: 0..<15) func `objects of all classes equal plain values`(_ seed: UInt64) throws {
    var play = try FleetPlay(seed)
    for step in 0..<20 { try play.step("seed \(seed), step \(step)") }
  }

  @Test func `counting a class reads no rows`() throws {
    let container = try Fleet.container()
    let writing = ModelContext(container)
    let office = Office("city")
    for number in 0..<10_000 {
      switch number % 100 {
      case 0: writing.insert(Taxi("\(number)", weight: number, number: number, office: office))
      case 1...9: writing.insert(Car("\(number)", weight: number, doors: number % 5))
      case 10...29: writing.insert(Truck("\(number)", weight: number, engine: Double(number)))
      default: writing.insert(Vehicle("\(number)", weight: number))
      }
    }
    try writing.save()
    let context = ModelContext(container)
    #expect(try context.fetchCount(FetchDescriptor<Taxi>()) == 100)
    #expect(try context.fetchCount(FetchDescriptor<Car>()) == 1000)
    #expect(try context.fetchCount(FetchDescriptor<Vehicle>()) == 10_000)
    // With only the class index, so that no rows are tested.
    let taxis = try context.explain(FetchDescriptor<Taxi>()).description
    #expect(taxis.contains("@@class") && !taxis.contains("test"), "\(taxis)")
    let cars = try context.explain(FetchDescriptor<Car>()).description
    #expect(cars.contains("@@class") && !cars.contains("test"), "\(cars)")
    // An index of a subclass contains only its rows, so its order can be used too.
    var first = FetchDescriptor<Truck>(sortBy: [SortDescriptor(\.engine, order: .reverse)])
    first.fetchLimit = 3
    #expect(try context.fetch(first).map(\.engine) == [9929, 9928, 9927])
    let trucks = try context.explain(first).description
    #expect(trucks.contains("Truck/engine") && !trucks.contains("sort"), "\(trucks)")
    let strong = try context.explain(FetchDescriptor<Truck>(predicate: #Predicate { $0.engine > 9000 })).description
    #expect(strong.contains("Truck/engine"), "\(strong)")
    #expect(context.statistics.faultsFilled == 0 && context.statistics.modelsFetched == 3)
  }
}
