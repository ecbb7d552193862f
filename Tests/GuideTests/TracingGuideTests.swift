import Foundation
import SwiftData
import Synchronization
import Testing

enum TracingGuide {
  @Model final class Order {
    var number: Int

    init(_ number: Int) { self.number = number }
  }

  final class Book: Sendable {
    private let lines = Mutex<[String]>([])

    func add(_ line: String) { lines.withLock { $0.append(line) } }
    var all: [String] { lines.withLock { $0 } }
  }
}

/// The code of the guide to tracing.
@Suite struct TracingGuideTests {
  typealias Order = TracingGuide.Order

  private func fill(_ context: ModelContext) throws {
    for number in 0..<40 { context.insert(Order(number)) }
    context.author = "import"
    context.name = "orders"
    try context.save()
    #expect(try context.fetch(FetchDescriptor<Order>(predicate: #Predicate { $0.number > 37 })).count == 2)
  }

  @Test func events() throws {
    let book = TracingGuide.Book()
    var configuration = ModelConfiguration("shop", isStoredInMemoryOnly: true)
    configuration.trace = { event in
      book.add("\(event)")
    }
    let container = try ModelContainer(for: Order.self, configurations: configuration)
    try fill(ModelContext(container))
    #expect(book.all.map { String($0.prefix { $0 != " " }) } == ["opening", "save", "fetch"])
    #expect(book.all[2].contains("shop; Order; found 2, rows read 40, entries 0"))
    #expect(book.all[1].contains("author import; context orders; at GuideTests/TracingGuideTests.swift:"))
  }

  @Test func plans() throws {
    let book = TracingGuide.Book()
    var configuration = ModelConfiguration("shop", isStoredInMemoryOnly: true)
    configuration.trace = { event in
      if event.rowsRead > 10 * event.found + 10 { book.add(event.plan ?? "") }
    }
    try fill(ModelContext(try ModelContainer(for: Order.self, configurations: configuration)))
    #expect(book.all.count == 1 && book.all[0].contains("number"))
  }

  @Test func thresholds() throws {
    let book = TracingGuide.Book()
    var configuration = ModelConfiguration("shop", isStoredInMemoryOnly: true)
    configuration.trace = { event in
      book.add("\(event)")
    }
    configuration.traceThreshold = .milliseconds(100)
    configuration.traceThreshold = .seconds(1000)
    try fill(ModelContext(try ModelContainer(for: Order.self, configurations: configuration)))
    #expect(book.all.isEmpty)
  }
}
