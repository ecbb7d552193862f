import SwiftData
import Testing

@Suite struct InheritanceTests {
  /// A vehicle, two cars, two trucks and a taxi, saved.
  private func fill(_ context: ModelContext) throws {
    let office = Office("city")
    context.insert(Vehicle("v", weight: 5))
    context.insert(Car("c1", weight: 3, doors: 2))
    context.insert(Car("c2", weight: 8, doors: 5, engine: "gas"))
    context.insert(Truck("t1", weight: 20, engine: 2.5))
    context.insert(Truck("t2", weight: 30, engine: 9))
    context.insert(Taxi("x", weight: 4, doors: 5, number: 7, fare: 2, office: office))
    try context.save()
  }

  private func plates<Model: Vehicle & PersistentModel>(
    _ context: ModelContext, _ type: Model.Type, _ predicate: Predicate<Model>? = nil
  ) throws -> [String] {
    try context.fetch(FetchDescriptor<Model>(predicate: predicate)).map(\.plate).sorted()
  }

  @Test func `a fetch returns objects of subclasses with their own class`() throws {
    let container = try Fleet.container()
    try fill(ModelContext(container))
    let context = ModelContext(container)
    let all = try context.fetch(FetchDescriptor<Vehicle>(sortBy: [SortDescriptor(\.weight)]))
    #expect(all.map(\.plate) == ["c1", "x", "v", "c2", "t1", "t2"])
    #expect(all.map { "\(type(of: $0))" } == ["Car", "Taxi", "Vehicle", "Car", "Truck", "Truck"])
    #expect((all[1] as? Taxi)?.number == 7 && (all[1] as? Taxi)?.stand == Spot(street: "Main", number: 7))
    #expect((all[1] as? Taxi)?.office.name == "city" && (all[4] as? Truck)?.engine == 2.5)
    #expect(try plates(context, Car.self) == ["c1", "c2", "x"])
    #expect(try plates(context, Taxi.self) == ["x"] && plates(context, Truck.self) == ["t1", "t2"])
    #expect(try context.fetchCount(FetchDescriptor<Car>()) == 3)
    #expect(try context.fetch(FetchDescriptor<Taxi>()).first === all[1])
  }

  @Test func `the engine does sorting, limit and offset`() throws {
    let container = try Fleet.container()
    try fill(ModelContext(container))
    let context = ModelContext(container)
    var some = FetchDescriptor<Vehicle>(sortBy: [SortDescriptor(\.weight, order: .reverse)])
    some.fetchLimit = 2
    some.fetchOffset = 1
    #expect(try context.fetch(some).map(\.plate) == ["t1", "c2"])
    var cars = FetchDescriptor<Car>(sortBy: [SortDescriptor(\.doors), SortDescriptor(\.weight)])
    cars.fetchLimit = 2
    #expect(try context.fetch(cars).map(\.plate) == ["c1", "x"])
    #expect(try context.explain(cars).description.contains("memory") == false)
    let flags = FetchDescriptor<Taxi>(sortBy: [SortDescriptor(\.isOld), SortDescriptor(\.plate)])
    #expect(try context.explain(flags).description.contains("memory") == false)
    #expect(try context.fetchIdentifiers(some).map(\.entityName) == ["Truck", "Car"])
  }

  @Test func `predicates can use inherited properties and those of subclasses`() throws {
    let container = try Fleet.container()
    try fill(ModelContext(container))
    let context = ModelContext(container)
    func found<Model: Vehicle & PersistentModel>(_ predicate: Predicate<Model>, _ expected: [String]) throws {
      #expect(try plates(context, Model.self, predicate) == expected)
      let explanation = try context.explain(FetchDescriptor(predicate: predicate)).description
      #expect(!explanation.contains("memory"), "\(explanation)")
      #expect(try context.fetchCount(FetchDescriptor(predicate: predicate)) == expected.count)
    }
    try found(#Predicate<Vehicle> { $0 is Car }, ["c1", "c2", "x"])
    try found(#Predicate<Vehicle> { $0 is Taxi || $0 is Truck }, ["t1", "t2", "x"])
    try found(#Predicate<Vehicle> { !($0 is Car) }, ["t1", "t2", "v"])
    try found(#Predicate<Vehicle> { ($0 as? Car)?.doors == 5 }, ["c2", "x"])
    try found(#Predicate<Vehicle> { ($0 as? Truck)?.engine == 9 }, ["t2"])
    try found(#Predicate<Vehicle> { ($0 as? Car)?.engine == "gas" && $0.weight > 3 }, ["c2"])
    try found(
      #Predicate<Vehicle> { if let taxi = $0 as? Taxi { taxi.fare > 1 && taxi.number == 7 } else { false } }, ["x"])
    try found(#Predicate<Car> { $0.plate == "x" && $0.doors > 2 }, ["x"])
    try found(#Predicate<Car> { $0.weight >= 4 && $0.doors * 2 == 10 }, ["c2", "x"])
    try found(#Predicate<Taxi> { $0.weight == 4 && $0.doors == 5 && $0.number < 8 && $0.note == nil }, ["x"])
    try found(#Predicate<Taxi> { $0.stand.street == "Main" && $0.office.name == "city" }, ["x"])
    try found(#Predicate<Truck> { $0.engine > 1 && $0.engine < 5 }, ["t1"])
    try found(#Predicate<Truck> { $0.engine == 0 }, [])
    try found(#Predicate<Car> { $0.doors == 0 }, [])
    #expect(try plates(context, Taxi.self, #Predicate { $0.decade == 0 && $0.number == 7 }) == ["x"])
  }

  @Test func `a relationship to a base class holds objects of any subclass`() throws {
    let container = try Fleet.container()
    do {
      let context = ModelContext(container)
      try fill(context)
      let depot = Depot("north")
      context.insert(depot)
      depot.vehicles = try context.fetch(FetchDescriptor<Vehicle>(sortBy: [SortDescriptor(\.plate, order: .reverse)]))
      let taxi = try #require(try context.fetch(FetchDescriptor<Taxi>()).first)
      #expect(taxi.depot === depot)
      depot.favorite = taxi
      depot.best = try context.fetch(FetchDescriptor<Car>(sortBy: [SortDescriptor(\.plate)]))
      let van = Truck("late")
      van.depot = depot
      van.wheels = [Wheel(1), Wheel(2)]
      context.insert(van)
      taxi.tows = van
      #expect(depot.vehicles.last === van && van.towedBy === taxi)
      try context.save()
    }
    let context = ModelContext(container)
    let depot = try #require(try context.fetch(FetchDescriptor<Depot>()).first)
    #expect(depot.vehicles.map(\.plate) == ["x", "v", "t2", "t1", "c2", "c1", "late"])
    #expect(depot.vehicles.map { "\(type(of: $0))" } == ["Taxi", "Vehicle", "Truck", "Truck", "Car", "Car", "Truck"])
    #expect((depot.favorite as? Taxi)?.number == 7 && depot.best.map(\.plate) == ["c1", "c2", "x"])
    #expect(depot.favorite?.tows === depot.vehicles.last && depot.vehicles.last?.towedBy === depot.favorite)
    #expect(depot.vehicles.last?.wheels.map(\.size) == [1, 2])
    let many = FetchDescriptor<Depot>(predicate: #Predicate { $0.vehicles.contains { $0 is Truck } })
    #expect(try context.fetchCount(many) == 1)
    let none = FetchDescriptor<Depot>(predicate: #Predicate { $0.best.contains { $0.doors == 3 } })
    #expect(try context.fetchCount(none) == 0)
    let wide = FetchDescriptor<Depot>(predicate: #Predicate { $0.best.contains { $0.doors > 4 && $0.weight > 7 } })
    #expect(try context.fetchCount(wide) == 1)
    #expect(try context.fetchCount(FetchDescriptor<Depot>(predicate: #Predicate { $0.favorite is Taxi })) == 1)
    #expect(
      try context.fetchCount(FetchDescriptor<Depot>(predicate: #Predicate { ($0.favorite?.doors ?? 0) > 4 })) == 1)
  }

  @Test func `delete rules apply at every level`() throws {
    let context = try Fleet.context()
    let (office, driver) = (Office("city"), Driver("Ann"))
    let taxi = Taxi("x", number: 1, office: office)
    let truck = Truck("t")
    for vehicle in [taxi, truck] as [Vehicle] { vehicle.wheels = [Wheel(1), Wheel(2)] }
    truck.crates = [Crate("a"), Crate("b")]
    truck.drivers = [driver]
    taxi.driver = driver
    context.insert(taxi)
    context.insert(truck)
    try context.save()
    #expect(driver.car === taxi && driver.trucks.first === truck && office.taxis.first === taxi)
    context.delete(truck as Vehicle)
    #expect(driver.trucks.isEmpty)
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<Wheel>()) == 2)
    #expect(try context.fetchCount(FetchDescriptor<Crate>()) == 0)
    // A taxi always has an office.
    context.delete(office)
    let error = #expect(throws: RoostError.self) { try context.save() }
    let fault = try #require(error?.faults.first)
    #expect(error?.code == .denied && error?.faults.count == 1 && fault.property == "office")
    #expect(fault.model == taxi.persistentModelID && fault.others == [office.persistentModelID])
    #expect(fault.detail.contains("must reference an object, and Office 1 will be deleted: delete it too"))
    context.rollback()
    #expect(taxi.office === office)
    context.delete(driver)
    try context.save()
    #expect(taxi.driver == nil)
    context.delete(taxi)
    context.delete(office)
    try context.save()
    #expect(
      try context.fetchCount(FetchDescriptor<Vehicle>()) == 0 && context.fetchCount(FetchDescriptor<Wheel>()) == 0)
  }

  @Test func `a subclass's property that was never set is refused`() throws {
    let context = try Fleet.context()
    let truck = Truck(backingData: _BackingData<Vehicle>())
    truck.plate = "t"
    truck.weight = 1
    context.insert(truck)
    #expect(throws: RoostError.self) { try context.save() }
  }

  @Test func `unique values are unique in the whole family`() throws {
    let context = try Fleet.context()
    let office = Office("city")
    context.insert(Truck("same"))
    context.insert(Taxi("one", number: 1, office: office))
    context.insert(Car("other"))
    context.insert(Car("another"))
    try context.save()
    let again = ModelContext(context.container)
    again.insert(Car("same"))
    #expect(throws: RoostError.self) { try again.save() }
    again.rollback()
    let taxi = try #require(try again.fetch(FetchDescriptor<Taxi>()).first)
    again.insert(Taxi("two", number: 2, office: taxi.office))
    try again.save()
    #expect(try plates(again, Vehicle.self) == ["another", "one", "other", "same", "two"])
  }

  @Test func `unsaved changes are found through every class`() throws {
    let context = try Fleet.context()
    try fill(context)
    context.insert(Truck("t3", weight: 6, engine: 2))
    let car = try #require(try context.fetch(FetchDescriptor<Car>(predicate: #Predicate { $0.plate == "c1" })).first)
    car.weight = 100
    let taxi = try #require(try context.fetch(FetchDescriptor<Taxi>()).first)
    context.delete(taxi)
    let sorted = FetchDescriptor<Vehicle>(sortBy: [SortDescriptor(\.weight)])
    #expect(try context.fetch(sorted).map(\.plate) == ["v", "t3", "c2", "t1", "t2", "c1"])
    #expect(try context.fetchCount(FetchDescriptor<Car>()) == 2 && context.fetchCount(FetchDescriptor<Taxi>()) == 0)
    #expect(try context.fetchCount(FetchDescriptor<Truck>(predicate: #Predicate { $0.engine < 3 })) == 2)
    #expect(try context.fetchIdentifiers(sorted).map(\.entityName).last == "Car")
    var stored = FetchDescriptor<Vehicle>()
    stored.includePendingChanges = false
    #expect(try context.fetchCount(stored) == 6)
    try context.delete(model: Car.self, includeSubclasses: false)
    #expect(try plates(context, Vehicle.self) == ["t1", "t2", "t3", "v"])
    context.rollback()
    try context.delete(model: Car.self, includeSubclasses: false)
    #expect(try plates(context, Car.self) == ["x"])
    try context.delete(model: Vehicle.self, where: #Predicate { $0 is Truck })
    try context.save()
    #expect(try plates(context, Vehicle.self) == ["v", "x"])
  }

  @Test func `an identifier has the class, and finds the object through every class`() throws {
    let container = try Fleet.container()
    let writing = ModelContext(container)
    let taxi = Taxi("x", number: 1, office: Office("city"))
    let truck = Truck("t")
    writing.insert(taxi)
    writing.insert(truck)
    try writing.save()
    let (id, other) = (taxi.persistentModelID, truck.persistentModelID)
    #expect(id.entityName == "Taxi" && other.entityName == "Truck")
    let context = ModelContext(container)
    let none: Vehicle? = context.registeredModel(for: id)
    #expect(none == nil)
    let found = try #require(try context.existingModel(for: id) as Vehicle?)
    #expect(found is Taxi && context.registeredModel(for: id) as Taxi? === found)
    #expect(try context.existingModel(for: id) as Truck? == nil)
    #expect(context.model(for: other) is Truck)
    // For a program that knows only a base class.
    let byBase = PersistentIdentifier(store: id.store, entity: "Vehicle", id.key)
    #expect(try context.existingModel(for: byBase) as Vehicle? === found)
    let bySibling = PersistentIdentifier(store: other.store, entity: "Car", other.key)
    #expect(try context.existingModel(for: bySibling) as Vehicle? == nil)
    let ids = [id, other]
    let both = FetchDescriptor<Vehicle>(predicate: #Predicate { ids.contains($0.persistentModelID) })
    #expect(try context.fetchCount(both) == 2)
    #expect(try context.fetchCount(FetchDescriptor<Car>(predicate: #Predicate { $0.persistentModelID == id })) == 1)
    #expect(try context.fetchCount(FetchDescriptor<Car>(predicate: #Predicate { $0.persistentModelID == other })) == 0)
  }

  @Test func `notifications and other contexts have every class`() throws {
    let container = try Fleet.container()
    let (writing, reading) = (ModelContext(container), ModelContext(container))
    let taxi = Taxi("x", number: 1, office: Office("city"))
    writing.insert(taxi)
    try writing.save()
    let seen = try #require(try reading.fetch(FetchDescriptor<Taxi>()).first)
    #expect(seen.fare == 1)
    taxi.fare = 5
    taxi.weight = 6
    // Unsafe, because notifications are posted and received on this thread.
    nonisolated(unsafe) var names: [String] = []
    let token = NotificationCenter.default.addObserver(
      forName: ModelContext.didSave, object: writing, queue: nil
    ) { note in
      for id in note.userInfo?["updated"] as? [PersistentIdentifier] ?? [] { names.append(id.entityName) }
    }
    try writing.save()
    NotificationCenter.default.removeObserver(token)
    #expect(names == ["Taxi"])
    #expect(try reading.fetch(FetchDescriptor<Depot>()).isEmpty)
    #expect(seen.fare == 5 && seen.weight == 6)
    writing.delete(taxi)
    try writing.save()
    #expect(try reading.fetch(FetchDescriptor<Vehicle>()).isEmpty)
  }

  @Test func `two referenced objects are exchanged in one save`() throws {
    let context = try Fleet.context()
    let all = ["a", "b", "c", "d"].map { Vehicle($0) }
    for one in all { context.insert(one) }
    all[0].tows = all[1]
    all[2].tows = all[3]
    try context.save()
    all[0].tows = all[3]
    all[2].tows = all[1]
    #expect(all[1].towedBy === all[2] && all[3].towedBy === all[0])
    try context.save()
    let found = try ModelContext(context.container).fetch(FetchDescriptor<Vehicle>(sortBy: [SortDescriptor(\.plate)]))
    #expect(found.map { $0.tows?.plate } == ["d", nil, "b", nil])
    #expect(found.map { $0.towedBy?.plate } == [nil, "c", nil, "a"])
  }
}
