import Foundation
import Roost
import RoostTestSupport

/// A store of animals: a class, its subclass, a subclass of that, another subclass without its own
/// properties, and stored structs.
enum ZooFixture {
  static func make(_ path: String) throws {
    let container = try ModelContainer(
      for: Schema([ZooAnimal.self, ZooDog.self, ZooPuppy.self, ZooCat.self, ZooKeeper.self]),
      configurations: ModelConfiguration(url: URL(fileURLWithPath: path)))
    let context = ModelContext(container)
    let keeper = ZooKeeper(name: "Ann", home: ZooPlace(city: "Bonn", street: ZooStreet(name: "Am Hof", number: 3)))
    let other = ZooKeeper(name: "Bob", home: ZooPlace(city: "Kiel", street: nil))
    other.office = ZooPlace(city: "Jena", street: ZooStreet(name: "Markt", number: 1))
    for one in [keeper, other] { context.insert(one) }
    let animals = [
      ZooAnimal(name: "Worm", legs: 0), ZooDog(name: "Rex", legs: 4, tricks: 3, keeper: keeper),
      ZooPuppy(name: "Bit", legs: 4, tricks: 1, keeper: other, weeks: 9), ZooCat(name: "Tom", legs: 4),
      ZooDog(name: "Tripod", legs: 3, tricks: 5, keeper: keeper), ZooCat(name: "Ina", legs: 4),
    ]
    // One save each, so that rows are numbered in this order.
    for animal in animals {
      context.insert(animal)
      try context.save()
    }
    try container.close()
  }
}

struct ZooPlace: Codable, Equatable {
  var city: String
  var street: ZooStreet?
}

struct ZooStreet: Codable, Equatable {
  var name: String
  var number: Int
}

@Model class ZooAnimal {
  @Attribute(.unique) var name: String
  var legs: Int

  init(name: String, legs: Int) {
    self.name = name
    self.legs = legs
  }
}

@Model class ZooDog: ZooAnimal {
  var tricks: Int
  var note: String?
  var keeper: ZooKeeper

  init(name: String, legs: Int, tricks: Int, keeper: ZooKeeper) {
    self.tricks = tricks
    self.keeper = keeper
    super.init(name: name, legs: legs)
  }
}

@Model final class ZooPuppy: ZooDog {
  var weeks: Int

  init(name: String, legs: Int, tricks: Int, keeper: ZooKeeper, weeks: Int) {
    self.weeks = weeks
    super.init(name: name, legs: legs, tricks: tricks, keeper: keeper)
  }
}

@Model final class ZooCat: ZooAnimal {
  override init(name: String, legs: Int) { super.init(name: name, legs: legs) }
}

@Model final class ZooKeeper {
  var name: String
  var home: ZooPlace
  var office: ZooPlace?
  @Relationship(inverse: \ZooDog.keeper) var dogs: [ZooDog] = []

  init(name: String, home: ZooPlace) {
    self.name = name
    self.home = home
  }
}
