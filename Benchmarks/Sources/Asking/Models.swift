import Foundation
import Roost

/// The queried models. There are few rows, so finding them takes little time compared with the rest
/// of the query.
@Model final class Singer {
  var name: String
  @Relationship(deleteRule: .cascade, inverse: \Record.singer) var records: [Record] = []

  init(_ name: String) { self.name = name }
}

@Model final class Record {
  @Attribute(.unique) var id: String
  var title: String
  var year: Int
  var price: Double
  var note: String?
  var isLive: Bool
  var released: Date
  var singer: Singer?
  #Index<Record>([\.year])

  init(_ number: Int, _ singer: Singer) {
    id = "record \(number)"
    title = "title \(number % 100)"
    year = 1950 + number % 60
    price = Double(number % 7)
    note = number % 3 == 0 ? nil : "note \(number)"
    isLive = number % 2 == 0
    released = Date(timeIntervalSinceReferenceDate: Double(number) * 86_400)
    self.singer = singer
  }
}
