import RoostTestSupport
import SwiftData
import Testing

/// Vehicles of all classes that are changed at random, compared with plain values.
struct FleetPlay {
  private enum Kind: CaseIterable { case vehicle, car, truck, taxi }

  /// The expected state of a vehicle.
  private struct Plain {
    var kind: Kind
    var plate: String
    var weight: Int
    var isOld = false
    /// Doors of a car, ten times the engine of a truck.
    var own = 0
    var note: String?
    var number = 0
    var tows: String?
    var wheels = 0

    func isKind(of other: Kind) -> Bool { other == .vehicle || other == kind || other == .car && kind == .taxi }
  }

  private struct World {
    var vehicles: [String: Plain] = [:]
    /// The vehicles of each depot, in order.
    var depots: [String: [String]] = [:]
  }

  private var generator: SplitMix64
  private let container: ModelContainer
  private var context: ModelContext
  private var now = World()
  private var saved = World()
  private var lastNumber = 0

  init(_ seed: UInt64) throws {
    generator = SplitMix64(seed: seed)
    container = try Fleet.container()
    context = ModelContext(container)
    context.insert(Office("city"))
    for number in 0..<3 {
      context.insert(Depot("d\(number)"))
      now.depots["d\(number)"] = []
    }
    for _ in 0..<8 { try insert() }
    try save()
  }

  // MARK: Finding

  private mutating func anyPlate() -> String? {
    let all = now.vehicles.keys.sorted()
    return all.isEmpty ? nil : all[generator.below(all.count)]
  }

  private mutating func anyDepot() -> String { "d\(generator.below(3))" }

  private func vehicle(_ plate: String) throws -> Vehicle {
    try #require(try context.fetch(FetchDescriptor<Vehicle>(predicate: #Predicate { $0.plate == plate })).first)
  }

  private func depot(_ name: String) throws -> Depot {
    try #require(try context.fetch(FetchDescriptor<Depot>(predicate: #Predicate { $0.name == name })).first)
  }

  // MARK: Changing

  mutating func step(_ story: String) throws {
    for _ in 0..<1 + generator.below(4) { try change() }
    if generator.chance(1, in: 3) { try check(story + ", before") }
    switch generator.below(8) {
    case 0, 1, 2: try save()
    case 3:
      context.rollback()
      now = saved
    case 4:
      try save()
      context = ModelContext(container)
    default: break
    }
    try check(story)
  }

  private mutating func save() throws {
    try context.save()
    saved = now
  }

  private mutating func insert() throws {
    lastNumber += 1
    var plain = Plain(
      kind: Kind.allCases[generator.below(4)], plate: "p\(lastNumber)", weight: generator.below(20))
    plain.own = generator.below(6)
    plain.number = lastNumber
    let made: Vehicle
    switch plain.kind {
    case .vehicle: made = Vehicle(plain.plate, weight: plain.weight)
    case .car: made = Car(plain.plate, weight: plain.weight, doors: plain.own)
    case .truck: made = Truck(plain.plate, weight: plain.weight, engine: Double(plain.own) / 10)
    case .taxi:
      let office = try #require(try context.fetch(FetchDescriptor<Office>()).first)
      made = Taxi(plain.plate, weight: plain.weight, doors: plain.own, number: lastNumber, office: office)
    }
    plain.wheels = generator.below(3)
    for size in 0..<plain.wheels {
      let wheel = Wheel(size)
      // Sometimes both sides are set already.
      if generator.chance(1, in: 2) { wheel.vehicle = made }
      made.wheels.append(wheel)
    }
    if generator.chance(1, in: 2) {
      let name = anyDepot()
      if generator.chance(1, in: 2) { made.depot = try depot(name) } else { try depot(name).vehicles.append(made) }
      now.depots[name]?.append(plain.plate)
    }
    context.insert(made)
    now.vehicles[plain.plate] = plain
  }

  private mutating func change() throws {
    guard let plate = anyPlate() else { return try insert() }
    switch generator.below(13) {
    case 0, 1: try insert()
    case 2: try changeInherited(plate)
    case 3: try changeOwn(plate)
    case 4, 5: try move(plate)
    case 6:
      let name = anyDepot()
      let list = now.depots[name, default: []].shuffled(using: &generator)
      now.depots[name] = list
      try depot(name).vehicles = list.map { try vehicle($0) }
    case 7: try tow(plate)
    case 11, 12: try changeWheels(plate)
    case 8, 9: if generator.chance(1, in: 2) { try delete([plate]) }
    default: try deleteMany()
    }
  }

  private mutating func changeInherited(_ plate: String) throws {
    let (weight, isOld) = (generator.below(20), generator.chance(1, in: 2))
    let object = try vehicle(plate)
    object.weight = weight
    object.isOld = isOld
    now.vehicles[plate]?.weight = weight
    now.vehicles[plate]?.isOld = isOld
  }

  private mutating func changeOwn(_ plate: String) throws {
    let value = generator.below(6)
    let object = try vehicle(plate)
    if let car = object as? Car { car.doors = value }
    if let truck = object as? Truck { truck.engine = Double(value) / 10 }
    if let taxi = object as? Taxi {
      taxi.note = value == 0 ? nil : "n\(value)"
      now.vehicles[plate]?.note = taxi.note
    }
    if type(of: object) != Vehicle.self { now.vehicles[plate]?.own = value }
  }

  private mutating func changeWheels(_ plate: String) throws {
    let object = try vehicle(plate)
    let count = now.vehicles[plate]?.wheels ?? 0
    switch generator.below(3) {
    case 0 where count > 0:
      // Whether or not the list is loaded.
      if generator.chance(1, in: 2) {
        context.delete(object.wheels[generator.below(count)])
      } else {
        let all = FetchDescriptor<Wheel>(predicate: #Predicate { $0.vehicle?.plate == plate })
        context.delete(try #require(try context.fetch(all).first))
      }
      now.vehicles[plate]?.wheels = count - 1
    case 1:
      object.wheels.append(Wheel(count))
      now.vehicles[plate]?.wheels = count + 1
    default:
      let wheel = Wheel(count)
      wheel.vehicle = object
      context.insert(wheel)
      now.vehicles[plate]?.wheels = count + 1
    }
  }

  private mutating func move(_ plate: String) throws {
    let name = anyDepot()
    let object = try vehicle(plate)
    let isThere = now.depots[name]?.contains(plate) == true
    let leaves = generator.chance(1, in: 4)
    if !leaves, isThere { return }
    for other in now.depots.keys { now.depots[other]?.removeAll { $0 == plate } }
    if leaves {
      object.depot = nil
      return
    }
    now.depots[name]?.append(plate)
    if generator.chance(1, in: 2) { object.depot = try depot(name) } else { try depot(name).vehicles.append(object) }
  }

  private mutating func tow(_ plate: String) throws {
    let other = anyPlate() ?? plate
    if other == plate || generator.chance(1, in: 4) {
      try vehicle(plate).tows = nil
      now.vehicles[plate]?.tows = nil
      return
    }
    for one in now.vehicles.keys where now.vehicles[one]?.tows == other { now.vehicles[one]?.tows = nil }
    now.vehicles[plate]?.tows = other
    if generator.chance(1, in: 2) {
      try vehicle(plate).tows = vehicle(other)
    } else {
      try vehicle(other).towedBy = vehicle(plate)
    }
  }

  private mutating func delete(_ plates: [String]) throws {
    for plate in plates { context.delete(try vehicle(plate)) }
    forget(plates)
  }

  private mutating func forget(_ plates: [String]) {
    for plate in plates {
      now.vehicles[plate] = nil
      for name in now.depots.keys { now.depots[name]?.removeAll { $0 == plate } }
      for one in now.vehicles.keys where now.vehicles[one]?.tows == plate { now.vehicles[one]?.tows = nil }
    }
  }

  private mutating func deleteMany() throws {
    let least = 17
    let all = generator.chance(1, in: 2)
    let gone = now.vehicles.values.filter { $0.weight >= least && (all ? $0.isKind(of: .car) : $0.kind == .car) }
    try context.delete(model: Car.self, where: #Predicate { $0.weight >= least }, includeSubclasses: all)
    forget(gone.map(\.plate))
  }

  // MARK: Comparing

  private mutating func check(_ story: String) throws {
    try compare(Vehicle.self, .vehicle, story)
    try compare(Car.self, .car, story)
    try compare(Truck.self, .truck, story)
    try compare(Taxi.self, .taxi, story)
    try checkOwn(story)
    for (name, list) in now.depots.sorted(by: { $0.key < $1.key }) {
      let depot = try depot(name)
      #expect(depot.vehicles.map(\.plate) == list, "\(story), \(name)")
      #expect(depot.vehicles.allSatisfy { $0.depot === depot }, "\(story), \(name)")
    }
    let wheels = now.vehicles.values.reduce(0) { $0 + $1.wheels }
    #expect(try context.fetchCount(FetchDescriptor<Wheel>()) == wheels, "\(story)")
  }

  private mutating func compare<Model: Vehicle & PersistentModel>(
    _ type: Model.Type, _ kind: Kind, _ story: String
  ) throws {
    let least = generator.below(10)
    let expected = now.vehicles.values.filter { $0.isKind(of: kind) && $0.weight >= least }
      .sorted { ($0.weight, $0.plate) < ($1.weight, $1.plate) }
    var descriptor = FetchDescriptor<Model>(
      predicate: #Predicate { $0.weight >= least }, sortBy: [SortDescriptor(\.weight), SortDescriptor(\.plate)])
    let found = try context.fetch(descriptor)
    #expect(found.map(\.plate) == expected.map(\.plate), "\(story), \(kind)")
    #expect(try context.fetchCount(descriptor) == expected.count, "\(story), \(kind)")
    for (one, plain) in zip(found, expected) { look(one, plain, story) }
    let (offset, limit) = (generator.below(4), 1 + generator.below(5))
    descriptor.fetchOffset = offset
    descriptor.fetchLimit = limit
    let some = Array(expected.dropFirst(offset).prefix(limit))
    #expect(try context.fetch(descriptor).map(\.plate) == some.map(\.plate), "\(story), \(kind)")
    let names = try context.fetchIdentifiers(descriptor).map(\.entityName)
    #expect(names == some.map { name($0.kind) }, "\(story), \(kind)")
    let count = try context.fetchCount(FetchDescriptor<Model>())
    #expect(count == now.vehicles.values.count { $0.isKind(of: kind) }, "\(story), \(kind)")
  }

  private func name(_ kind: Kind) -> String {
    switch kind {
    case .vehicle: "Vehicle"
    case .car: "Car"
    case .truck: "Truck"
    case .taxi: "Taxi"
    }
  }

  private func look(_ one: Vehicle, _ plain: Plain, _ story: String) {
    #expect("\(type(of: one))" == name(plain.kind), "\(story), \(plain)")
    #expect(one.weight == plain.weight && one.isOld == plain.isOld, "\(story), \(plain)")
    #expect(one.tows?.plate == plain.tows && one.wheels.count == plain.wheels, "\(story), \(plain)")
    #expect(one.tows.map { $0.towedBy === one } ?? true, "\(story), \(plain)")
    if let car = one as? Car { #expect(car.doors == plain.own, "\(story), \(plain)") }
    if let truck = one as? Truck { #expect(truck.engine == Double(plain.own) / 10, "\(story), \(plain)") }
    if let taxi = one as? Taxi {
      #expect(taxi.number == plain.number && taxi.note == plain.note, "\(story), \(plain)")
      #expect(taxi.office.name == "city", "\(story), \(plain)")
    }
  }

  /// Predicates on properties that a subclass adds.
  private mutating func checkOwn(_ story: String) throws {
    let value = generator.below(6)
    let engine = Double(value) / 10
    func same<Model: Vehicle & PersistentModel>(
      _ predicate: Predicate<Model>, _ isWanted: (Plain) -> Bool, line: Int = #line
    ) throws {
      let expected = now.vehicles.values.filter(isWanted).map(\.plate).sorted()
      let found = try context.fetch(FetchDescriptor(predicate: predicate)).map(\.plate).sorted()
      #expect(found == expected, "\(story), line \(line)")
      #expect(try context.fetchCount(FetchDescriptor(predicate: predicate)) == expected.count, "\(story), line \(line)")
    }
    try same(#Predicate<Car> { $0.doors < value }) { $0.isKind(of: .car) && $0.own < value }
    try same(#Predicate<Truck> { $0.engine >= engine }) { $0.kind == .truck && $0.own >= value }
    try same(#Predicate<Taxi> { $0.note == nil || $0.doors == value }) {
      $0.kind == .taxi && ($0.note == nil || $0.own == value)
    }
    try same(#Predicate<Vehicle> { ($0 as? Car)?.doors == value }) { $0.isKind(of: .car) && $0.own == value }
    try same(#Predicate<Vehicle> { $0 is Taxi || $0.weight < value }) { $0.kind == .taxi || $0.weight < value }
    try same(#Predicate<Vehicle> { $0.tows is Car }) { one in
      one.tows.flatMap { now.vehicles[$0] }?.isKind(of: .car) == true
    }
    try same(#Predicate<Vehicle> { ($0.tows as? Truck)?.engine == engine }) { one in
      one.tows.flatMap { now.vehicles[$0] }.map { $0.kind == .truck && $0.own == value } == true
    }
  }
}
