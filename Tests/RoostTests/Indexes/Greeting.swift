import Foundation
import Roost

/// A model with indexes of folded texts, of keys, and of parts of dates.
@Model final class Greeting {
  #Index<Greeting>(
    [.folded(\.sender)], [.folded(\.receiver), .ascending(\.number)], [.keys(\.labels)],
    [.ascending(\.place), .keys(\.prices).descending], [.year(\.sent)], [.month(\.sent), .day(\.sent)],
    [.weekday(\.read), .hour(\.read)])

  var number: Int
  var sender: String
  var receiver: String?
  var place: String
  var labels: [String: String]
  var prices: [Int: Double]?
  var sent: Date
  var read: Date?

  init(_ number: Int, from sender: String, sent: Date) {
    (self.number, self.sender, self.sent) = (number, sender, sent)
    (place, labels) = ("", [:])
  }
}
