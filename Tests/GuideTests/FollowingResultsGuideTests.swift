import Foundation
import Observation
import SwiftData
import Testing

enum FollowingResultsGuide {
  @Model final class Task {
    var title: String
    var project: String
    var isDone = false

    init(_ title: String, project: String) {
      self.title = title
      self.project = project
    }
  }
}

/// The code of the guide to live results.
@Suite(.timeLimit(.minutes(30))) struct FollowingResultsGuideTests {
  typealias Task = FollowingResultsGuide.Task
  private let container: ModelContainer
  private let context: ModelContext
  private let open = FetchDescriptor<Task>(predicate: #Predicate { !$0.isDone }, sortBy: [SortDescriptor(\.title)])

  init() throws {
    container = try ModelContainer(for: Task.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    context = ModelContext(container)
    for (title, project) in [("sweep", "Home"), ("call", "Work"), ("bake", "Home")] {
      context.insert(Task(title, project: project))
    }
    try context.save()
  }

  @Test func `follow a fetch`() async throws {
    var all: [[String]] = []
    func show(_ titles: [String]) {
      all.append(titles)
      if titles.isEmpty { return try! container.close() }
      try! context.fetch(self.open)[0].isDone = true
      try! context.save()
    }
    let open = FetchDescriptor<Task>(predicate: #Predicate { !$0.isDone }, sortBy: [SortDescriptor(\.title)])
    for try await change in container.changes(of: open) {
      show(change.results.map(\.title))
    }
    #expect(all == [["bake", "call", "sweep"], ["call", "sweep"], ["sweep"], []])
  }

  @Test func `show what has changed`() async throws {
    var printed: [String] = []
    // Each change causes the next one.
    func print(_ text: String) {
      printed.append(text)
      guard text.hasPrefix("-") || printed.count == 3 else { return }
      try! context.fetch(open).first?.isDone = true
      try! context.save()
    }
    var shown: [ModelSnapshot<Task>] = []
    var changes = container.changes(of: open).makeAsyncIterator()
    while let change = try await changes.next() {
      for position in change.difference.deletions { print("- \(change.formerResults[position].title)") }
      for position in change.difference.insertions { print("+ \(change.results[position].title)") }
      for move in change.difference.moves { print("\(move.from) → \(move.to)") }
      for position in change.difference.updates { print("~ \(change.results[position].title)") }
      let results = change.results
      change.difference.apply(to: &shown) { results[$0] }
      if shown.isEmpty { break }
    }
    #expect(shown.isEmpty && printed.first == "+ bake" && printed.last == "- sweep")
  }

  @Test func `sections, and values`() async throws {
    var sectioned = container.changes(of: open, sectionBy: \.project).makeAsyncIterator()
    if let change = try await sectioned.next(), let sections = change.results.sections {
      for section in sections { print(section.title, section.map(\.title)) }
      let first = change.results.indexPath(0)
      print(first[0], first[1], sections["Home"]?.count ?? 0)
    }
    var again = container.changes(of: open, sectionBy: \.project).makeAsyncIterator()
    let sections = try #require(await again.next()?.results.sections)
    #expect(sections.sectionTitles == ["Home", "Work"] && sections["Home"]?.map(\.title) == ["bake", "sweep"])
    let id = try #require(try context.fetchIdentifiers(open).first)
    var counts = container.countChanges(of: open).makeAsyncIterator()
    var last = container.changes(in: [Task.self]) { try $0.maximum(of: \Task.title) }.makeAsyncIterator()
    var one = container.changes(of: id, as: Task.self).makeAsyncIterator()
    #expect(try await counts.next() == 3)
    let greatest = try #require(await last.next())
    #expect(greatest == "sweep")
    #expect(try await one.next()??.title == "bake")
  }

  @Test func `observe the models of a context`() throws {
    nonisolated(unsafe) var isTold = false
    @Sendable func print(_ items: Any...) { if items.first as? String == "read the sections again" { isTold = true } }
    let observer = try ResultsObserver<Task, String>(
      filterBy: #Predicate { !$0.isDone }, sectionBy: \.project, modelContext: context)
    withObservationTracking {
      for section in observer.sections! { print(section.title, section.map(\.title)) }
    } onChange: {
      print("read the sections again")
    }
    try context.fetch(open)[0].project = "Work"
    #expect(isTold && observer.sections?["Work"]?.count == 2)
  }
}
