import Foundation
import Roost

/// A context with a few records, and the queries on it.
final class Asking: @unchecked Sendable {
  private let context: ModelContext
  private var kept: Predicate<Record>?

  init(rows: Int) throws {
    let container = try ModelContainer(
      for: Singer.self, Record.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    context = ModelContext(container)
    let singers = (0..<10).map { Singer("singer \($0)") }
    for number in 0..<rows { context.insert(Record(number, singers[number % 10])) }
    try context.save()
    // After this the code of a fetch is warm, but no predicate is known.
    _ = try context.fetch(FetchDescriptor<Singer>())
    _ = try context.fetchCount(FetchDescriptor<Record>())
  }

  func count(_ predicate: Predicate<Record>) throws -> Int {
    try context.fetchCount(FetchDescriptor<Record>(predicate: predicate))
  }

  func fetch(_ predicate: Predicate<Record>) throws -> Int {
    try context.fetch(FetchDescriptor<Record>(predicate: predicate)).count
  }

  func keep(_ predicate: Predicate<Record>) -> Int {
    kept = predicate
    return 1
  }

  /// Asks a kind often enough that its plan is trusted.
  func warm(_ kind: Kind) throws {
    for number in 0..<4 {
      _ = try count(kind.make(number))
      _ = try fetch(kind.make(number))
    }
  }

  func repeated(_ rounds: Int, _ body: (Int) throws -> Int) rethrows -> Int {
    var sum = 0
    for number in 0..<rounds { sum += try body(number) }
    return sum
  }

  /// The number of records that Foundation's evaluation finds.
  func evaluated(_ predicate: Predicate<Record>) throws -> Int {
    try context.fetch(FetchDescriptor<Record>()).count { try predicate.evaluate($0) }
  }
}
