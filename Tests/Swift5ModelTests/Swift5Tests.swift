import Foundation
import SwiftData
import Testing

// Compiled in the mode of Swift 5, without any upcoming feature.

enum Weather: Int, Codable { case sun = 1, rain }

protocol Titled { var title: String { get } }

@Model
final class Trip: Titled {
  @Attribute(.unique, originalName: "name") var title: String
  var start: Date
  var weather: Weather? = nil
  var notes = ""
  @Relationship(deleteRule: .cascade, inverse: \Stop.trip)
  var stops: [Stop] = [Stop]()
  @Transient var isShown = false

  init(title: String, start: Date = .now) {
    self.title = title
    self.start = start
  }
}

@Model
class Stop {
  var trip: Trip?
  var place: String

  init(place: String) { self.place = place }
}

@Model
final class Receipt {
  @Attribute(.unique) let id = UUID()
  let total: Int
  let shop: Shop
  let currency = "EUR"
  var note = ""

  init(total: Int, shop: Shop) {
    self.total = total
    self.shop = shop
  }
}

@Model
final class Shop {
  let name: String
  @Relationship(inverse: \Receipt.shop) var receipts: [Receipt] = []

  init(name: String) { self.name = name }
}

@Suite struct Swift5Tests {
  /// Much code for SwiftData declares what never changes by `let`, above all `@Attribute(.unique) let id`. The compiler warns, and
  /// the values are stored. They were refused, or left out: then each object made up another `id`.
  @Test func constants() throws {
    let container = try ModelContainer(
      for: Receipt.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let context = ModelContext(container)
    let receipt = Receipt(total: 12, shop: Shop(name: "corner"))
    #expect(receipt.total == 12 && receipt.shop.name == "corner" && receipt.currency == "EUR")
    context.insert(receipt)
    try context.save()

    let descriptor = FetchDescriptor<Receipt>(predicate: #Predicate { $0.total > 10 && $0.shop.name == "corner" })
    let again = try #require(ModelContext(container).fetch(descriptor).first)
    #expect(again !== receipt && again.id == receipt.id && again.total == 12 && again.currency == "EUR")
    #expect(again.shop.name == "corner" && again.shop.receipts.count == 1)
    let entity = Schema([Receipt.self]).entitiesByName["Receipt"]
    #expect(entity?.uniquenessConstraints == [["id"]] && entity?.attributesByName["total"] != nil)
  }

  @Test func models() {
    let trip = Trip(title: "t")
    trip.stops.append(Stop(place: "p"))
    trip.weather = .rain
    #expect(trip.stops.first?.place == "p" && trip.weather == .rain && trip.notes.isEmpty)
    let schema = Schema([Trip.self])
    #expect(schema.entitiesByName["Trip"]?.attributesByName["title"]?.originalName == "name")
    #expect(schema.entitiesByName["Stop"]?.relationshipsByName["trip"]?.inverseName == "stops")
  }

  @Test func existentials() {
    let all: [any PersistentModel] = [Trip(title: "a"), Stop(place: "b")]
    #expect(Set(all.map { $0.persistentModelID }).count == 2)
  }
}
