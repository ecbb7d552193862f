import Foundation
import Roost

enum ErrandState: String, Codable, CaseIterable { case open, waiting, done }

/// A model with an index of each kind.
@Model final class Errand {
  #Index<Errand>([\.number])
  #Index<Errand>([\.due], [\.list, \.due], where: { !$0.isDone })
  #Index<Errand>([\.rank], where: { $0.rank >= 10 && $0.rank < 50 })
  #Index<Errand>([\.title], where: { $0.note != nil || $0.state == ErrandState.waiting })
  #Index<Errand>([\.number], where: { $0.state != ErrandState.done })
  #Index<Errand>(
    [.lowercased(\.title)], [.lowercased(\.note), .ascending(\.number)], [.count(\.tags)], [.elements(\.tags)],
    [.ascending(\.list), .elements(\.tags), .ascending(\.rank)], [.ascending(\.list), .descending(\.rank)],
    [.ascending(\.rank), .descending(\.number)],
    [.elements(\.codes)])
  #Unique<Errand>([\.list, \.number], where: { !$0.isDone })

  var number: Int
  var title: String
  var note: String?
  var due: Date?
  var list: String
  var rank: Int
  var isDone: Bool
  var state: ErrandState
  var tags: [String]
  var codes: Set<Int>?

  init(_ number: Int, list: String = "inbox") {
    self.number = number
    self.list = list
    title = "Errand \(number)"
    rank = number
    isDone = false
    state = .open
    tags = []
  }
}
