import SwiftData
import Testing

/// Models of a program that changes over time and keeps their names.
private enum Early {
  @Model final class Meter {
    @Attribute(.unique) var code: Int
    var reading: Int
    var unit: String
    var place: Berth

    init(_ code: Int) {
      self.code = code
      reading = code
      unit = "m"
      place = Berth(pier: "p", place: code)
    }
  }

  @Model final class Visitor {
    var name = ""
    init() {}
  }
}

private enum Late {
  @Model final class Meter {
    @Attribute(.unique) var code: Int
    @Attribute(.preserveValueOnDeletion, originalName: "reading") var value: Int
    @Attribute(.preserveValueOnDeletion) var place: Berth
    var extra = "none"

    init(_ code: Int) {
      self.code = code
      value = code
      place = Berth(pier: "p", place: code)
    }
  }
}

private enum Wide {
  @Model class Form {
    var name: String
    init(_ name: String) { self.name = name }
  }
  @Model final class Round: Form {
    var size: Int
    override init(_ name: String) {
      size = 0
      super.init(name)
    }
  }
  @Model final class Edged: Form {
    var size: Int
    override init(_ name: String) {
      size = 0
      super.init(name)
    }
  }
}

private enum Narrow {
  @Model class Form {
    var name: String
    init(_ name: String) { self.name = name }
  }
  @Model final class Edged: Form {
    var size: Int
    override init(_ name: String) {
      size = 0
      super.init(name)
    }
  }
}

/// Classes that inherit, and models that change.
@Suite struct HistoryFamilyTests {
  private func names(_ transactions: [Transaction]) -> [String] {
    transactions.flatMap(\.changes).map(\.line).sorted()
  }

  @Test func `each change has its exact class, even for deleted models`() throws {
    let container = try Fleet.container()
    let context = ModelContext(container)
    let start = try container.latestHistoryToken
    let (plain, car, truck) = (Vehicle("v"), Car("c"), Truck("t"))
    let taxi = Taxi("x", number: 1, office: Office("o"))
    let expected = [plain, car, truck, taxi].map { type(of: $0)._$type.name }
    for vehicle in [plain, car, truck, taxi] { context.insert(vehicle) }
    try context.save()
    for vehicle in [plain, car, truck, taxi] { vehicle.weight = 7 }
    car.doors = 3
    truck.engine = 9
    try context.save()
    let before = try context.after(start)
    func check(_ told: [Transaction]) throws {
      let inserted = told[0].changes.filter { $0.line.hasPrefix("+") && !$0.line.hasSuffix("Office") }
      #expect(inserted.map(\.changedPersistentIdentifier.entityName) == expected)
      #expect(inserted.map(\.changedPersistentIdentifier) == [plain, car, truck, taxi].map(\.persistentModelID))
      #expect(Set(told[1].changes.map(\.changedPersistentIdentifier.entityName)) == Set(expected))
      let cars = told[1].changes(of: Car.self)
      #expect(Set(cars.map(\.changedPersistentIdentifier.entityName)) == ["Car", "Taxi"])
      #expect(told[1].changes(of: Vehicle.self).count == 4 && told[1].changes(of: Truck.self).count == 1)
      #expect(told[1].touches(Taxi.self) && !told[1].touches(Depot.self))
      for case .update(let update as DefaultHistoryUpdate<Car>) in cars {
        #expect(Set(update.updatedAttributes) == [\Car.weight, \Car.doors])
      }
      for case .update(let update as DefaultHistoryUpdate<Truck>) in told[1].changes {
        #expect(Set(update.updatedAttributes) == [\Truck.weight, \Truck.engine])
      }
    }
    try check(before)
    let token = try container.latestHistoryToken
    for vehicle in [taxi, plain] as [Vehicle] { context.delete(vehicle) }
    try context.save()
    // More deletions, so that the history must be read ahead.
    for vehicle in [truck, car] as [Vehicle] {
      context.delete(vehicle)
      try context.save()
    }
    try check(try context.after(start))
    let reversed = HistoryDescriptor<Transaction>(sortBy: [SortDescriptor(\.token, order: .reverse)])
    #expect(names(try context.fetchHistory(reversed)) == names(try context.all()))
    let gone = try context.after(token)
    #expect(names(gone).filter { $0.hasPrefix("-") } == ["-Car", "-Taxi", "-Truck", "-Vehicle"])
    for case .delete(let delete as DefaultHistoryDelete<Taxi>) in gone[0].changes {
      let (plate, number): (String?, Int?) = (delete.tombstone[\.plate], delete.tombstone[\.number])
      #expect(plate == "x" && number == 1)
    }
    #expect(gone.flatMap { $0.changes(of: Vehicle.self) }.count == 4)
    // In pieces, each of which reads ahead separately.
    let consumer = container.historyConsumer(named: "one")
    var seen: [Transaction] = []
    try consumer.consume(pieces: 1) { seen.append($0) }
    #expect(names(seen) == names(try context.all()))
  }

  @Test func `an observer of a class gets changes of its subclasses and no others`() throws {
    let container = try Fleet.container()
    let context = ModelContext(container)
    let start = try container.latestHistoryToken
    let store = try #require(start.tokenValue?.keys.first)
    for vehicle in [Vehicle("v"), Truck("t"), Car("c")] {
      context.insert(vehicle)
      try context.save()
    }
    func count(_ models: any PersistentModel.Type...) throws -> Int {
      try HistoryObserver(historyTokens: [store: start], observedModels: models, modelContainer: container).eventCounter
    }
    #expect(try [count(Vehicle.self), count(Car.self), count(Taxi.self), count(Truck.self, Car.self)] == [3, 1, 0, 2])
  }

  @Test func `unknown classes and models are left out`() throws {
    let folder = try Folder()
    func open(_ models: [any PersistentModel.Type]) throws -> ModelContainer {
      try ModelContainer(for: Schema(models), configurations: [ModelConfiguration(url: folder.file())])
    }
    do {
      let context = ModelContext(try open([Wide.Round.self, Wide.Edged.self, Early.Visitor.self]))
      let (round, other) = (Wide.Round("r"), Wide.Round("o"))
      for model in [Wide.Form("f"), round, other, Wide.Edged("e"), Early.Visitor()] as [any PersistentModel] {
        context.insert(model)
      }
      try context.save()
      context.insert(Early.Visitor())
      other.name = "changed"
      try context.save()
      context.delete(round)
      try context.save()
    }
    let context = ModelContext(try open([Narrow.Edged.self]))
    let told = try context.all()
    #expect(told.map { $0.changes.map(\.line) } == [["+Form", "+Edged"], [], []])
    #expect(told.map(\.changeCount) == [2, 0, 0])
    #expect(!told[1].touches(Early.Visitor.self) && told[1].changes(of: Early.Visitor.self).isEmpty)
  }

  @Test func `renamed properties have their new names, and removed ones are left out`() throws {
    let folder = try Folder()
    do {
      let container = try ModelContainer(for: Early.Meter.self, configurations: ModelConfiguration(url: folder.file()))
      let context = ModelContext(container)
      let (one, other) = (Early.Meter(1), Early.Meter(2))
      context.insert(one)
      context.insert(other)
      try context.save()
      one.reading = 5
      one.unit = "km"
      other.unit = "km"
      try context.save()
      other.unit = "mm"
      try context.save()
      context.delete(other)
      try context.save()
    }
    let container = try ModelContainer(for: Late.Meter.self, configurations: ModelConfiguration(url: folder.file()))
    let context = ModelContext(container)
    let told = try context.all()
    #expect(told.map { $0.changes.map(\.line) } == [["+Meter", "+Meter"], ["~Meter value"], [], ["-Meter"]])
    guard case .delete(let early as DefaultHistoryDelete<Late.Meter>)? = told[3].changes.first else {
      Issue.record("no deletion")
      return
    }
    // No other property was preserved at that time.
    #expect(early.tombstone[\.code] as? Int == 2 && Array(early.tombstone).count == 1)
    let one = try #require(try context.fetch(FetchDescriptor<Late.Meter>()).first)
    let token = try container.latestHistoryToken
    context.delete(one)
    try context.save()
    guard case .delete(let late as DefaultHistoryDelete<Late.Meter>)? = try context.after(token).first?.changes.first
    else {
      Issue.record("no deletion")
      return
    }
    let (value, place): (Int?, Berth?) = (late.tombstone[\.value], late.tombstone[\.place])
    #expect(value == 5 && place == Berth(pier: "p", place: 1) && late.tombstone[\.extra] == nil)
  }
}
