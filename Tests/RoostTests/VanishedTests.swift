import SwiftData
import Testing

@Model final class Order {
  @Attribute(.unique) var number: Int
  var note = ""
  @Relationship(deleteRule: .cascade, inverse: \OrderLine.order) var lines: [OrderLine] = []
  /// One-way: the stamps do not reference their order.
  @Relationship(deleteRule: .cascade) var stamps: [OrderStamp] = []
  @Relationship(deleteRule: .nullify) var marks: [OrderStamp] = []
  @Relationship(deleteRule: .nullify, inverse: \OrderLine.second) var others: [OrderLine] = []

  init(_ number: Int) { self.number = number }
}

@Model final class OrderLine {
  var text: String
  var order: Order?
  var second: Order?

  init(_ text: String) { self.text = text }
}

@Model final class OrderStamp {
  var text: String

  init(_ text: String) { self.text = text }
}

/// Regression: a line appended to an order that another context had deleted was stored without an
/// order, under three policies and without an error. A change of the order's own note made the save
/// throw by default; code written for SwiftData expects that save to succeed.
@Suite struct VanishedTests {
  typealias Policy = ModelContext.MergePolicy

  private let container: ModelContainer
  private let (here, there): (ModelContext, ModelContext)
  private let order: Order

  init() throws {
    container = try ModelContainer(for: Order.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    (here, there) = (ModelContext(container), ModelContext(container))
    let made = Order(1)
    made.lines = [OrderLine("old")]
    there.insert(made)
    there.insert(Order(2))
    try there.save()
    order = try #require(
      try here.fetch(FetchDescriptor<Order>(predicate: #Predicate { $0.number == 1 })).first)
  }

  /// Changes the order here after it was read, then deletes it in the other context.
  private func change(_ policy: Policy, _ body: () throws -> Void) throws {
    here.mergePolicy = policy
    try body()
    there.delete(
      try #require(try there.fetch(FetchDescriptor<Order>(predicate: #Predicate { $0.number == 1 })).first))
    try there.save()
  }

  private func orders() throws -> [Int] {
    try ModelContext(container).fetch(FetchDescriptor<Order>(sortBy: [SortDescriptor(\.number)])).map(\.number)
  }

  private func lines() throws -> [String] {
    try ModelContext(container).fetch(FetchDescriptor<OrderLine>()).map {
      "\($0.text) \($0.order?.number ?? 0) \($0.second?.number ?? 0)"
    }
  }

  private func refused(_ code: RoostError.Code, _ words: String...) throws {
    let error = #expect(throws: RoostError.self) { try here.save() }
    #expect(error?.faults.contains { $0.code == code } == true, "\(error?.description ?? "")")
    for word in words { #expect(error?.description.contains(word) == true, "\(error?.description ?? "")") }
    #expect(here.hasChanges && order.note != "gone")
    // Nothing of the save was written.
    #expect(try orders() == [2] && lines() == [])
    here.rollback()
    #expect(!here.hasChanges)
    try here.save()
  }

  @Test(arguments: Policy.allCases, [false, true]) func `a change of a property`(policy: Policy, merges: Bool) throws {
    here.automaticallyMergesChanges = merges
    let second = try #require(try here.fetch(FetchDescriptor<Order>(predicate: #Predicate { $0.number == 2 })).first)
    try change(policy) {
      order.note = "mine"
      second.note = "kept"
    }
    if merges { _ = try here.fetchCount(FetchDescriptor<Order>()) }
    switch policy {
    case .error: try refused(.conflict, "Order 1", "another context deleted")
    case .overwrite: try refused(.deleted, "Order 1", "another context deleted", ".storeWins")
    case .objectWins, .storeWins:
      try here.save()
      #expect(here.lastSave.dropped == [order.persistentModelID])
      // The other changes of the save are stored.
      #expect(!here.hasChanges && order.isDeleted && order.note == "mine")
      #expect(try orders() == [2])
      #expect(try ModelContext(container).fetch(FetchDescriptor<Order>()).first?.note == "kept")
    }
  }

  @Test(arguments: Policy.allCases) func `a change of a row that a cascade deleted`(policy: Policy) throws {
    let line = try #require(order.lines.first)
    try change(policy) { line.text = "new" }
    switch policy {
    case .error: try refused(.conflict, "OrderLine 1")
    case .overwrite: try refused(.deleted, "OrderLine 1")
    case .objectWins, .storeWins:
      try here.save()
      #expect(here.lastSave.dropped == [line.persistentModelID] && line.isDeleted)
      #expect(try lines() == [])
    }
  }

  @Test(arguments: Policy.allCases, [false, true])
  func `a new line of a deleted order`(policy: Policy, isAppended: Bool) throws {
    try change(policy) {
      let line = OrderLine("new")
      if isAppended {
        order.lines.append(line)
      } else {
        here.insert(line)
        line.order = order
      }
    }
    if policy == .storeWins {
      try here.save()
      #expect(try lines() == ["new 0 0"])
    } else {
      try refused(policy == .error ? .conflict : .deleted, "OrderLine 2", "order", "Order 1", "another owner")
    }
  }

  @Test(arguments: Policy.allCases) func `a stored line that was moved to a deleted order`(policy: Policy) throws {
    let line = OrderLine("moved")
    here.insert(line)
    try here.save()
    here.mergePolicy = policy
    line.order = order
    there.delete(
      try #require(try there.fetch(FetchDescriptor<Order>(predicate: #Predicate { $0.number == 1 })).first))
    try there.save()
    if policy == .storeWins {
      try here.save()
      #expect(try lines() == ["moved 0 0"])
    } else {
      #expect(throws: RoostError.self) { try here.save() }
      // Another owner corrects it.
      line.order = try here.fetch(FetchDescriptor<Order>(predicate: #Predicate { $0.number == 2 })).first
      here.mergePolicy = .objectWins
      try here.save()
      #expect(try lines() == ["moved 2 0"])
    }
  }

  @Test(arguments: Policy.allCases)
  func `a new member of a one-way list of a deleted order`(policy: Policy) throws {
    try change(policy) { order.stamps.append(OrderStamp("new")) }
    if policy == .storeWins {
      try here.save()
    } else {
      try refused(policy == .error ? .conflict : .deleted, "OrderStamp 1", "Order 1", "another owner")
    }
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<OrderStamp>()) == (policy == .storeWins ? 1 : 0))
  }

  @Test func `a new member of a one-way list that owns nothing`() throws {
    try change(.objectWins) { order.marks.append(OrderStamp("new")) }
    try here.save()
    #expect(try orders() == [2])
    #expect(try ModelContext(container).fetch(FetchDescriptor<OrderStamp>()).map(\.text) == ["new"])
  }

  /// Only new members of an owning list are refused: the deletion included the stored ones.
  @Test func `a change of an order with stored members of a one-way list`() throws {
    order.stamps.append(OrderStamp("old"))
    try here.save()
    try change(.objectWins) {
      order.note = "mine"
      #expect(order.stamps.count == 1)
    }
    try here.save()
    #expect(here.lastSave.dropped == [order.persistentModelID])
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<OrderStamp>()) == 0)
  }

  @Test(arguments: Policy.allCases)
  func `a new line that does not belong to the deleted order`(policy: Policy) throws {
    try change(policy) {
      let line = OrderLine("new")
      here.insert(line)
      line.second = order
    }
    if policy == .error {
      try refused(.conflict, "OrderLine 2", "second", "Order 1")
    } else {
      try here.save()
      #expect(try lines() == ["new 0 0"])
    }
  }

  @Test(arguments: Policy.allCases) func `a deletion of a deleted model`(policy: Policy) throws {
    try change(policy) { here.delete(order) }
    try here.save()
    #expect(try orders() == [2] && lines() == [] && order.isDeleted)
  }
}
