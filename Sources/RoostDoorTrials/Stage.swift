internal import Foundation
package import Roost

/// A store full of things, and two contexts: one shows the saved state, the other has unsaved
/// changes of half of them.
struct Stage {
  let saved: ModelContext
  let pending: ModelContext
  private let store: StageStore

  init(seed: UInt64, in store: StageStore = .inMemory) throws {
    var pool = Pool(seed: seed)
    self.store = store
    let container = try store.make(Self.schema)
    saved = try store.context(container)
    pending = try store.context(container)
    saved.autosaveEnabled = false
    pending.autosaveEnabled = false
    try Self.fill(pending, 16, from: 0, pool: &pool)
    try pending.save()
    try pending.parent?.save()
    try Self.disturb(pending, &pool)
    try Self.fill(pending, 6, from: 100, pool: &pool)
  }

  private static let schema = Schema([Thing.self, Special.self, Owner.self, Piece.self])

  /// Returns a context of a new container, which has fetched nothing; nil if the store cannot be
  /// opened twice.
  func stranger() throws -> ModelContext? { try store.reopen.map { ModelContext(try $0(Self.schema)) } }

  private static func fill(_ context: ModelContext, _ count: Int, from first: Int, pool: inout Pool) throws {
    var owners = try context.fetch(FetchDescriptor<Owner>(sortBy: [SortDescriptor(\.age)]))
    for _ in 0..<3 {
      let owner = Owner(&pool)
      context.insert(owner)
      if !owners.isEmpty, pool.coin() { owner.boss = pool.pick(owners) }
      owners.append(owner)
    }
    for number in 0..<count {
      let thing = pool.below(4) == 0 ? Special(first + number, &pool) : Thing(first + number, &pool)
      context.insert(thing)
      if pool.below(3) > 0 { thing.owner = pool.pick(owners) }
      thing.pieces = (0..<pool.below(4)).map { _ in Piece(&pool) }
      thing.spares = (0..<pool.below(3)).map { _ in Piece(&pool) }
    }
  }

  /// Changes some things and the models that they reference, and deletes some.
  private static func disturb(_ context: ModelContext, _ pool: inout Pool) throws {
    let things = try context.fetch(FetchDescriptor<Thing>(sortBy: [SortDescriptor(\.k)]))
    for thing in things {
      switch pool.below(6) {
      case 0: context.delete(thing)
      case 1:
        thing.name = pool.value(String.self)
        thing.ok = pool.optional(Int.self)
        thing.ratio = pool.value(Double.self)
        thing.price = pool.value(Decimal.self)
        thing.badge = pool.value(Badge.self)
        thing.extent = pool.extent()
      case 2: thing.owner = nil
      case 3: thing.pieces.append(Piece(&pool))
      default: break
      }
    }
    guard pool.coin() else { return }
    for owner in try context.fetch(FetchDescriptor<Owner>(sortBy: [SortDescriptor(\.age)])) where pool.coin() {
      owner.age = pool.value(Int.self)
    }
  }
}

/// The store of a stage's things.
package struct StageStore {
  /// Makes a container of an empty store.
  let make: (Schema) throws -> ModelContainer
  /// Makes another container of the store.
  let reopen: ((Schema) throws -> ModelContainer)?
  /// Makes a context of a container.
  var context: (ModelContainer) throws -> ModelContext = { ModelContext($0) }

  package init(
    make: @escaping (Schema) throws -> ModelContainer, reopen: ((Schema) throws -> ModelContainer)? = nil
  ) {
    (self.make, self.reopen) = (make, reopen)
  }

  static var inMemory: StageStore {
    StageStore { schema in
      try ModelContainer(for: schema, configurations: [ModelConfiguration(isStoredInMemoryOnly: true)])
    }
  }

  /// A store that child contexts show.
  package static var ofParents: StageStore {
    var store = inMemory
    store.context = { container in
      let parent = ModelContext(container)
      parent.autosaveEnabled = false
      return try ModelContext(parent: parent)
    }
    return store
  }
}
