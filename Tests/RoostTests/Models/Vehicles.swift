import SwiftData

struct Spot: Codable, Hashable {
  var street: String
  var number: Int
}

/// A protocol of some classes, independent of their inheritance.
protocol Hired { var fare: Double { get } }

@Model class Vehicle {
  @Attribute(.unique) var plate: String
  var weight: Int
  var isOld = false
  var depot: Depot?
  @Relationship(deleteRule: .cascade, inverse: \Wheel.vehicle) var wheels: [Wheel] = []
  @Relationship(inverse: \Vehicle.towedBy) var tows: Vehicle?
  var towedBy: Vehicle?
  #Index<Vehicle>([\.weight])

  init(_ plate: String, weight: Int = 0) {
    self.plate = plate
    self.weight = weight
  }

  var decade: Int { weight / 10 }
}

@Model class Car: Vehicle {
  var doors: Int
  /// A sibling class has a property of this name with another type.
  var engine: String
  var driver: Driver?
  #Index<Car>([\.doors], [\.weight, \.doors])

  init(_ plate: String, weight: Int = 0, doors: Int = 4, engine: String = "petrol") {
    self.doors = doors
    self.engine = engine
    super.init(plate, weight: weight)
  }
}

@Model final class Truck: Vehicle {
  var engine: Double
  var spot: Spot?
  @Relationship(deleteRule: .cascade, inverse: \Crate.truck) var crates: [Crate] = []
  @Relationship(inverse: \Driver.trucks) var drivers: [Driver] = []
  #Index<Truck>([\.engine])

  init(_ plate: String, weight: Int = 0, engine: Double = 1) {
    self.engine = engine
    super.init(plate, weight: weight)
  }
}

@Model final class Taxi: Car, Hired {
  @Attribute(.unique) var number: Int
  var fare: Double
  var note: String?
  var stand: Spot
  var office: Office

  init(_ plate: String, weight: Int = 0, doors: Int = 4, number: Int, fare: Double = 1, office: Office) {
    self.number = number
    self.fare = fare
    stand = Spot(street: "Main", number: number)
    self.office = office
    super.init(plate, weight: weight, doors: doors)
  }
}

@Model final class Wheel {
  var size: Int
  var vehicle: Vehicle?

  init(_ size: Int) { self.size = size }
}

@Model final class Crate {
  var label: String
  var truck: Truck?

  init(_ label: String) { self.label = label }
}

@Model final class Driver {
  var name: String
  @Relationship(inverse: \Car.driver) var car: Car?
  var trucks: [Truck] = []

  init(_ name: String) { self.name = name }
}

@Model final class Depot {
  var name: String
  @Relationship(inverse: \Vehicle.depot) var vehicles: [Vehicle] = []
  /// One-way, to a class in the middle of the hierarchy.
  var favorite: Car?
  var best: [Car] = []

  init(_ name: String) { self.name = name }
}

@Model final class Office {
  var name: String
  @Relationship(inverse: \Taxi.office) var taxis: [Taxi] = []

  init(_ name: String) { self.name = name }
}

enum Fleet {
  static let models: [any PersistentModel.Type] = [Taxi.self, Truck.self, Depot.self]

  static func container(_ configuration: ModelConfiguration? = nil) throws -> ModelContainer {
    try ModelContainer(
      for: Schema(models), configurations: [configuration ?? ModelConfiguration(isStoredInMemoryOnly: true)])
  }

  static func context() throws -> ModelContext { ModelContext(try container()) }
}
