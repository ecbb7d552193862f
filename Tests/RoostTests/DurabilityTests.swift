import SwiftData
import Testing

@Suite struct DurabilityTests {
  @Test func `a context that does not wait for the disk saves too`() throws {
    let container = try makeContainer()
    let context = ModelContext(container)
    #expect(context.durability == .full)
    context.insert(Artist("before"))
    context.durability = .relaxed
    #expect(context.durability == .relaxed)
    context.insert(Artist("after"))
    try context.save()
    let names = try ModelContext(container).fetch(FetchDescriptor<Artist>(sortBy: [SortDescriptor(\.name)])).map(\.name)
    #expect(names == ["after", "before"])
    context.durability = .full
    context.insert(Artist("full"))
    try context.save()
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Artist>()) == 3)
  }
}
