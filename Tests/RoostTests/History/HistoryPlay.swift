import RoostTestSupport
import SwiftData
import Testing

/// Random work of several contexts and authors, compared with a plain list of the changes.
private final class HistoryPlay {
  /// The changes of one commit, as texts.
  private struct Page: Equatable {
    var author: String?
    var inserted: Set<PersistentIdentifier> = []
    var updated: [PersistentIdentifier: Set<String>] = [:]
    /// The sign of each deleted ship.
    var deleted: [PersistentIdentifier: String] = [:]

    var isEmpty: Bool { inserted.isEmpty && updated.isEmpty && deleted.isEmpty }
  }

  private let configurations: [ModelConfiguration]
  private let folder: Folder?
  private var container: ModelContainer
  private var contexts: [ModelContext] = []
  private var random: SplitMix64
  /// By store, the expected transactions, and how many of the first ones were removed.
  private var pages: [String: [Page]] = [:]
  private var removed: [String: Int] = [:]
  /// By name, the number of transactions of each store that a consumer has acknowledged.
  private var consumers: [String: [String: Int]] = [:]
  /// Tokens, and the number of transactions before them in each store.
  private var tokens: [(token: DefaultHistoryToken, counts: [String: Int])] = []
  private var signs = 0

  init(seed: UInt64, isOnDisk: Bool) throws {
    random = SplitMix64(seed: seed)
    let folder = isOnDisk ? try Folder() : nil
    self.folder = folder
    let schemas = [Schema([Ship.self]), Schema([Vehicle.self, Car.self, Taxi.self, Depot.self])]
    configurations = schemas.enumerated().map { number, schema in
      guard let folder else { return ModelConfiguration("\(number)", schema: schema, isStoredInMemoryOnly: true) }
      return ModelConfiguration("\(number)", schema: schema, url: folder.file("\(number).roost"))
    }
    container = try Self.open(configurations)
    begin()
  }

  private static func open(_ configurations: [ModelConfiguration]) throws -> ModelContainer {
    let models: [any PersistentModel.Type] = [Ship.self, Taxi.self, Depot.self]
    return try ModelContainer(for: Schema(models), configurations: configurations)
  }

  private func begin() {
    contexts = (0..<3).map { number in
      let context = ModelContext(container)
      context.author = number == 2 ? nil : "author \(number)"
      return context
    }
  }

  func play(_ steps: Int) throws {
    for _ in 0..<steps {
      switch random.below(20) {
      case 0...12: try commit()
      case 13: try prune()
      case 14, 15: try consume()
      case 16: try reopen()
      default: tokens.append((try container.latestHistoryToken, counts))
      }
      if random.below(4) == 0 { try check() }
    }
    try check()
  }

  private var counts: [String: Int] { pages.mapValues(\.count) }

  // MARK: Work

  private func commit() throws {
    let context = contexts[random.below(contexts.count)]
    var page = Page(author: context.author)
    var cars = Page(author: context.author)
    let ships = try context.fetch(FetchDescriptor<Ship>(sortBy: [SortDescriptor(\.sign)]))
    let vehicles = try context.fetch(FetchDescriptor<Vehicle>(sortBy: [SortDescriptor(\.plate)]))
    var gone: Set<PersistentIdentifier> = []
    for _ in 0..<(1 + random.below(5)) {
      signs += 1
      switch random.below(8) {
      case 0, 1:
        let ship = Ship("\(signs)")
        context.insert(ship)
        page.inserted.insert(ship.persistentModelID)
      case 2:
        let vehicle = random.below(2) == 0 ? Vehicle("\(signs)") : Car("\(signs)")
        context.insert(vehicle)
        cars.inserted.insert(vehicle.persistentModelID)
      case 3, 4:
        guard let ship = ships.randomElement(using: &random), !gone.contains(ship.persistentModelID) else { continue }
        ship.tons = signs
        page.updated[ship.persistentModelID, default: []].insert("tons")
        if random.below(2) == 0 {
          ship.berth.place = signs
          page.updated[ship.persistentModelID, default: []].insert("berth")
        }
      case 5:
        guard let vehicle = vehicles.randomElement(using: &random), !gone.contains(vehicle.persistentModelID) else {
          continue
        }
        vehicle.weight = signs
        cars.updated[vehicle.persistentModelID, default: []].insert("weight")
      case 6:
        guard let ship = ships.randomElement(using: &random), gone.insert(ship.persistentModelID).inserted else {
          continue
        }
        page.updated[ship.persistentModelID] = nil
        page.deleted[ship.persistentModelID] = ship.sign
        context.delete(ship)
      default:
        guard let vehicle = vehicles.randomElement(using: &random), gone.insert(vehicle.persistentModelID).inserted
        else { continue }
        cars.updated[vehicle.persistentModelID] = nil
        cars.deleted[vehicle.persistentModelID] = vehicle.plate
        context.delete(vehicle)
      }
    }
    if random.below(8) == 0 {
      context.rollback()
      return
    }
    try context.save()
    for page in [page, cars] where !page.isEmpty {
      let some = page.inserted.first ?? page.updated.keys.first ?? page.deleted.keys.first
      pages[try #require(try stores(some)), default: []].append(page)
    }
  }

  private func stores(_ identifier: PersistentIdentifier?) throws -> String? { identifier?.store }

  private func prune() throws {
    guard let place = tokens.randomElement(using: &random) else { return }
    let token = place.token
    let deletion = try contexts[0].deleteHistory(
      HistoryDescriptor<Transaction>(predicate: #Predicate { $0.token <= token }))
    var isHeld = false
    for (store, count) in place.counts {
      let slowest = consumers.values.compactMap { $0[store] }.min() ?? .max
      if slowest < count { isHeld = true }
      removed[store] = max(removed[store] ?? 0, min(count, slowest))
    }
    #expect(deletion.isComplete || isHeld)
    if isHeld { #expect(deletion.heldBy.allSatisfy { consumers[$0] != nil }) }
  }

  private func consume() throws {
    let name = "consumer \(random.below(2))"
    let consumer = container.historyConsumer(named: name)
    if random.below(8) == 0 {
      #expect(try consumer.remove() == (consumers.removeValue(forKey: name) != nil))
      return
    }
    let piece = try consumer.changes(atMost: 1 + random.below(10))
    var known = consumers[name] ?? removedOfAll
    for store in counts.keys where known[store] == nil { known[store] = removed[store] ?? 0 }
    if let last = piece.indices.randomElement(using: &random) {
      try consumer.acknowledge(piece[last].token)
      for transaction in piece[...last] { known[transaction.storeIdentifier, default: 0] += 1 }
    }
    consumers[name] = known
    let rest = counts.map { store, count in count - (known[store] ?? 0) }.reduce(0, +)
    #expect(try consumer.changes(atMost: .max).count == rest)
  }

  private var removedOfAll: [String: Int] { counts.reduce(into: [:]) { $0[$1.key] = removed[$1.key] ?? 0 } }

  private func reopen() throws {
    guard folder != nil else { return }
    contexts = []
    let old = container
    container = try ModelContainer(for: Stranger.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    _ = consume old
    container = try Self.open(configurations)
    begin()
  }

  // MARK: Checking

  private func check() throws {
    let context = contexts[0]
    let all = try context.all()
    for (store, expected) in pages {
      let told = all.filter { $0.storeIdentifier == store }
      #expect(told.map(page) == Array(expected[(removed[store] ?? 0)...]))
      #expect(told.map(\.transactionIdentifier) == told.map(\.transactionIdentifier).sorted())
    }
    #expect(all.count == pages.map { $0.value.count - (removed[$0.key] ?? 0) }.reduce(0, +))
    let back = try context.fetchHistory(
      HistoryDescriptor<Transaction>(sortBy: [SortDescriptor(\.token, order: .reverse)]))
    #expect(back == all.reversed())
    #expect(try context.all(#Predicate { $0.author == "author 1" }) == all.filter { $0.author == "author 1" })
    guard let place = tokens.randomElement(using: &random) else { return }
    let isExpired = place.counts.contains { store, count in count < removed[store] ?? 0 }
    do {
      let behind = try context.after(place.token)
      #expect(!isExpired)
      // Commits of two stores within a millisecond have no order, so each store's are counted.
      var passed = place.counts.mapValues { -$0 }
      for (store, count) in removed { passed[store, default: 0] += count }
      let expected = all.filter { transaction in
        defer { passed[transaction.storeIdentifier, default: 0] += 1 }
        return passed[transaction.storeIdentifier, default: 0] >= 0
      }
      #expect(behind == expected)
    } catch let error as SwiftDataError where error == .historyTokenExpired {
      // A token is refused as soon as a transaction after it may be removed.
      #expect(
        place.counts.contains { store, count in count <= removed[store] ?? 0 } || removed.count > place.counts.count)
    }
  }

  private func page(_ transaction: Transaction) -> Page {
    var page = Page(author: transaction.author)
    for change in transaction.changes {
      let identifier = change.changedPersistentIdentifier
      switch change {
      case .insert: page.inserted.insert(identifier)
      case .update:
        let names = change.line.split(separator: " ").last.map { Set($0.split(separator: ",").map(String.init)) }
        page.updated[identifier] = names ?? []
      case .delete(let delete):
        func sign<One: HistoryDelete>(_ delete: One) -> String? {
          delete.tombstone.compactMap { $0 as? String }.first
        }
        page.deleted[identifier] = sign(delete)
      }
    }
    return page
  }
}

@Suite struct HistoryPlayTests {
  @Test(arguments: 1...UInt64(8)) func `random work in memory is recorded as it happened`(_ seed: UInt64) throws {
    try HistoryPlay(seed: seed, isOnDisk: false).play(150)
  }

  @Test(arguments: 1...UInt64(4)) func `random work on disk is recorded as it happened`(_ seed: UInt64) throws {
    try HistoryPlay(seed: seed, isOnDisk: true).play(80)
  }
}
