import SwiftData
import Testing

/// Wrong use throws an error that names the model, the property and the remedy. It is thrown once,
/// and the next save continues.
@Suite struct BadUseTests {
  private let container: ModelContainer
  private let context: ModelContext

  init() throws {
    container = try makeFirms()
    context = ModelContext(container)
  }

  private func refused(_ code: RoostError.Code, _ parts: String...) throws {
    let error = #expect(throws: RoostError.self) { try context.save() }
    #expect(error?.code == code)
    for part in parts { #expect(error?.description.contains(part) == true, "\(error?.description ?? "")") }
    try context.save()
  }

  @Test func `a deleted model cannot be changed`() throws {
    let firm = Firm("Hill")
    context.insert(firm)
    try context.save()
    context.delete(firm)
    try context.save()
    firm.name = "Lake"
    try refused(.deleted, "Firm 1.name", "make a new object")
    context.insert(firm)
    try refused(.deleted, "Firm 1", "make a new object")
  }

  @Test func `a deleted model cannot be referenced`() throws {
    let (firm, desk) = (Firm("Hill"), Desk("a"))
    context.insert(firm)
    context.insert(desk)
    try context.save()
    context.delete(firm)
    try context.save()
    desk.firm = firm
    try refused(.deleted, "Firm 1")
    #expect(desk.firm == nil)
    let other = Firm("Lake")
    context.insert(other)
    context.delete(desk)
    try context.save()
    other.desks.append(desk)
    try refused(.deleted, "Desk 1")
    #expect(other.desks.isEmpty)
  }

  @Test func `a model of another context cannot be referenced`() throws {
    let other = ModelContext(container)
    let firm = Firm("Hill")
    other.insert(firm)
    let desk = Desk("a")
    context.insert(desk)
    desk.firm = firm
    try refused(.foreign, "Firm", "fetch it here")
    #expect(desk.firm == nil)
    let own = Firm("Lake")
    context.insert(own)
    let loose = Desk("b")
    other.insert(loose)
    own.desks.append(loose)
    try refused(.foreign, "Desk", "fetch it here")
    #expect(own.desks.isEmpty)
    context.delete(loose)
    try refused(.foreign, "Desk")
    let elsewhere = ModelContext(try makeFirms())
    elsewhere.insert(own)
    let error = #expect(throws: RoostError.self) { try elsewhere.save() }
    #expect(error?.code == .foreign)
    try elsewhere.save()
  }

  @Test func `a model that the container does not know is refused`() throws {
    context.insert(Stranger())
    try refused(.unknownModel, "Stranger", "name it where the container is made")
    #expect(throws: RoostError.self) { try context.fetch(FetchDescriptor<Stranger>()) }
  }

  @Test func `a value that was never set is named in the error, and can be set`() throws {
    let firm = Firm("Hill")
    context.insert(firm)
    try context.save()
    let big = Firm(String(repeating: "x", count: 5000))
    context.insert(big)
    try context.save()
    context.uniquePolicy = .throw
    let same = Firm(String(repeating: "x", count: 5000))
    context.insert(same)
    let error = #expect(throws: RoostError.self) { try context.save() }
    #expect(error?.code == .notUnique && (error?.description.count ?? 0) < 1000)
    same.name = "y"
    try context.save()
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Firm>()) == 3)
  }
}
