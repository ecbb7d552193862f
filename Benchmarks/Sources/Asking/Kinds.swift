import Foundation
import Roost

struct Kind: Sendable {
  let name: String
  /// Makes a predicate with other constants for each number.
  let make: @Sendable (Int) -> Predicate<Record>
}

/// Kinds of predicates, each with its own type of expression.
enum Kinds {
  static let all = [
    Kind(name: "id == text") { number in
      let id = "record \(number % 25)"
      return #Predicate<Record> { $0.id == id }
    },
    Kind(name: "year == number") { number in
      let year = 1950 + number % 25
      return #Predicate<Record> { $0.year == year }
    },
    Kind(name: "year == number && price < number") { number in
      let (year, price) = (1950 + number % 25, Double(number % 9))
      return #Predicate<Record> { $0.year == year && $0.price < price }
    },
    Kind(name: "singer?.name == text") { number in
      let name = "singer \(number % 12)"
      return #Predicate<Record> { $0.singer?.name == name }
    },
    Kind(name: "texts.contains(title)") { number in
      let titles = ["title \(number % 25)", "title \((number + 1) % 25)"]
      return #Predicate<Record> { titles.contains($0.title) }
    },
    Kind(name: "note == text?") { number in
      let note: String? = "note \(number % 25)"
      return #Predicate<Record> { $0.note == note }
    },
    Kind(name: "isLive && released < date && price >= number") { number in
      let (day, price) = (Date(timeIntervalSinceReferenceDate: Double(number % 25) * 86_400), Double(number % 7))
      return #Predicate<Record> { $0.isLive && $0.released < day && $0.price >= price }
    },
    Kind(name: "title.hasPrefix(text) || year > number") { number in
      let (title, year) = ("title \(number % 3)", 1950 + number % 25)
      return #Predicate<Record> { $0.title.hasPrefix(title) || $0.year > year }
    },
    Kind(name: "evaluate(other) && year > number") { number in
      let (price, year) = (Double(number % 9), 1950 + number % 25)
      let isCheap = #Predicate<Record> { $0.price < price }
      return #Predicate<Record> { isCheap.evaluate($0) && $0.year > year }
    },
  ]

  static var list: String { all.enumerated().map { "  \($0.offset)  \($0.element.name)" }.joined(separator: "\n") }
}
