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

@Suite struct Swift5Tests {
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
