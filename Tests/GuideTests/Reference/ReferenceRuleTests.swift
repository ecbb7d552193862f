import Foundation
import SwiftData
import Testing

/// The examples in the comments of rules, derived values and full text.
@Suite struct ReferenceRuleTests {
  typealias Review = ReferenceExamples.Review
  typealias Note = ReferenceExamples.Note
  typealias Invoice = ReferenceExamples.Invoice
  typealias Line = ReferenceExamples.Line
  private let context: ModelContext

  init() throws {
    context = ModelContext(
      try ModelContainer(
        for: Review.self, Note.self, Invoice.self, Voyage.self,
        configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
  }

  @Test func `a form shows what is wrong`() throws {
    var shown: [String] = []
    func print(_ words: Any...) { shown.append(words.map { "\($0)" }.joined(separator: " ")) }
    let draft = Review(stars: 6, title: "Good")
    for fault in try context.faults(of: draft) { print(fault.property ?? "", fault.detail) }
    #expect(shown.count == 1 && shown[0].hasPrefix("stars "))

    let voyage = Voyage(from: .now, to: .distantPast)
    #expect(try context.faults(of: voyage).map(\.property) == ["end"])
  }

  @Test func `derived values`() throws {
    let invoice = Invoice()
    context.insert(invoice)
    invoice.lines = [Line(2, note: "first", date: .distantPast), Line(3, note: "last", date: .now)]
    try context.save()
    #expect(invoice.lineCount == 2 && invoice.total == 5 && invoice.lastNote == "last")

    typealias Note = ReferenceExamples.Computed.Note
    let notes = ModelContext(
      try ModelContainer(for: Note.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
    let note = Note(name: "list", title: "MILK")
    notes.insert(note)
    try notes.save()
    #expect(note.key == "milk")
    note.name = ""
    #expect(try notes.faults(of: note)[0].detail.contains("Enter a name of at most 80 characters"))
  }

  @Test func `full text`() throws {
    context.insert(Note(title: "Walls", body: "the Berlin Wall fell"))
    context.insert(Note(title: "Music", body: "recorded in Berlin"))
    try context.save()
    let wall = #Predicate<Note> { $0.matches("\"berlin wall\" OR wende*") }
    let notes = try context.fetch(FetchDescriptor(predicate: wall))
    #expect(notes.map(\.title) == ["Walls"])

    let text = "berl"
    let found = try context.search(Note.self, for: SearchInput.prefixes(of: text), limit: 20)
    #expect(found.count == 2)
  }
}
