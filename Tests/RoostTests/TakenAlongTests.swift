import SwiftData
import Testing

/// Models that a delete rule includes, and models that it no longer includes because they moved.
@Suite struct TakenAlongTests {
  private let container: ModelContainer
  private let context: ModelContext

  init() throws {
    container = try makeDrawers()
    context = ModelContext(container)
  }

  private func numbers() throws -> [Int] {
    try ModelContext(container).fetch(FetchDescriptor<Leaflet>(sortBy: [SortDescriptor(\.number)])).map(\.number)
  }

  @Test(arguments: [false, true])
  func `a moved model stays, even if it takes over a value of a deleted one`(isToNew: Bool) throws {
    let (old, other) = (Drawer("old"), Drawer("other"))
    let (moving, going) = (Leaflet(1, old), Leaflet(2, other))
    for model in [moving, going, Leaflet(3, old)] { context.insert(model) }
    try context.save()
    let target = isToNew ? Drawer("new") : other
    moving.drawer = target
    moving.number = 2
    context.delete(going)
    context.delete(old)
    try context.save()
    #expect(try numbers() == [2] && !moving.isDeleted && moving.drawer === target)
    let stored = try ModelContext(container).fetch(FetchDescriptor<Leaflet>())
    #expect(stored.map { $0.drawer?.name } == [target.name])
  }

  @Test func `the delete rule of a required reference uses its present target`() throws {
    let reader = Borrower("Ann", BorrowerCard(1))
    context.insert(reader)
    try context.save()
    reader.card = BorrowerCard(2)
    context.delete(reader)
    try context.save()
    let stored = ModelContext(container)
    #expect(try stored.fetch(FetchDescriptor<BorrowerCard>()).map(\.number) == [1])
    #expect(try stored.fetchCount(FetchDescriptor<Borrower>()) == 0)
  }

  /// A context that holds only fetched models.
  private func stored() throws -> (context: ModelContext, drawer: Drawer, topic: Topic) {
    let (drawer, topic) = (Drawer("d"), Topic("t"))
    for number in 1...3 { context.insert(Leaflet(number, drawer, topic)) }
    try context.save()
    let other = ModelContext(container)
    return (
      other, try #require(try other.fetch(FetchDescriptor<Drawer>()).first),
      try #require(try other.fetch(FetchDescriptor<Topic>()).first)
    )
  }

  @Test func `unloaded models are restored in lists that were read meanwhile`() throws {
    let (context, drawer, topic) = try stored()
    context.delete(drawer)
    #expect(topic.slips.isEmpty)
    context.insert(drawer)
    #expect(topic.slips.map(\.number) == [1, 2, 3] && drawer.slips.count == 3)
    try context.save()
    #expect(try numbers() == [1, 2, 3])
  }

  @Test func `a model that two deletions include is restored with the last of them`() throws {
    let (context, drawer, topic) = try stored()
    let slips = drawer.slips
    context.delete(drawer)
    context.delete(topic)
    context.insert(drawer)
    #expect(slips.allSatisfy(\.isDeleted) && drawer.slips.isEmpty)
    context.insert(topic)
    #expect(slips.allSatisfy { !$0.isDeleted } && drawer.slips.count == 3 && topic.slips.count == 3)
    try context.save()
    #expect(try numbers() == [1, 2, 3])
    // In the other order, and after a save.
    context.delete(topic)
    context.delete(drawer)
    context.insert(drawer)
    try context.save()
    #expect(try numbers() == [] && slips.allSatisfy(\.isDeleted) && !drawer.isDeleted)
  }

  @Test func `a model that the program deleted too stays deleted`() throws {
    let (context, drawer, _) = try stored()
    let slip = drawer.slips[0]
    context.delete(drawer)
    context.delete(slip)
    context.insert(drawer)
    #expect(slip.isDeleted && drawer.slips.count == 2)
    try context.save()
    #expect(try numbers().count == 2)
  }
}
