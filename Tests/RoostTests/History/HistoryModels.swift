import RoostGraph
import SwiftData

struct Berth: Codable, Hashable {
  var pier: String
  var place: Int
}

@Model final class Ship {
  @Attribute(.unique) var sign: String
  @Attribute(.preserveValueOnDeletion) var name: String
  @Attribute(.preserveValueOnDeletion) var tons: Int?
  @Attribute(.preserveValueOnDeletion) var berth: Berth
  var note = ""
  var plan: Berth
  var home: Harbor?
  @Relationship(inverse: \Cargo.ships) var cargoes: [Cargo] = []
  @Relationship(deleteRule: .cascade, inverse: \Boat.ship) var boats: [Boat] = []

  init(_ sign: String, _ name: String = "", tons: Int? = nil) {
    self.sign = sign
    self.name = name
    self.tons = tons
    berth = Berth(pier: "A", place: 1)
    plan = Berth(pier: "B", place: 2)
  }
}

@Model final class Harbor {
  #Unique<Harbor>([\.land, \.city])
  var land: String
  var city: String
  var depth = 10
  @Relationship(inverse: \Ship.home) var ships: [Ship] = []

  init(_ land: String, _ city: String) {
    self.land = land
    self.city = city
  }
}

@Model final class Cargo {
  var kind: String
  var ships: [Ship] = []

  init(_ kind: String) { self.kind = kind }
}

@Model final class Boat {
  var seats: Int
  var ship: Ship?

  init(_ seats: Int) { self.seats = seats }
}

/// A one-way relationship to ships, which do not know it.
@Model final class Convoy {
  var name: String
  var ships: [Ship] = []

  init(_ name: String) { self.name = name }
}

typealias Transaction = DefaultHistoryTransaction

func makeHarbor() throws -> ModelContainer {
  try ModelContainer(for: Ship.self, Convoy.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
}

extension ModelContext {
  func all(_ predicate: Predicate<Transaction>? = nil) throws -> [Transaction] {
    try fetchHistory(HistoryDescriptor<Transaction>(predicate: predicate))
  }

  func after(_ token: DefaultHistoryToken) throws -> [Transaction] { try all(#Predicate { $0.token > token }) }
}

extension HistoryChange {
  /// A change as one line: its kind, its class and its content.
  var line: String {
    switch self {
    case .insert: "+\(changedPersistentIdentifier.entityName)"
    case .update(let update): "~\(changedPersistentIdentifier.entityName) \(names(update).joined(separator: ","))"
    case .delete: "-\(changedPersistentIdentifier.entityName)"
    }
  }

  private func names(_ update: any HistoryUpdate) -> [String] {
    func open<One: HistoryUpdate>(_ one: One) -> [String] {
      one.updatedAttributes.map { path in
        One.Model._$type.number(of: path).map { One.Model._$type.propertyName($0) } ?? "?"
      }
    }
    return open(update)
  }
}
