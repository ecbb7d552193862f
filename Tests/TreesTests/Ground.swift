@testable import RoostPages
import RoostFile
import RoostTrees

/// A store in memory with one write transaction, and its expected content at any moment.
struct Ground {
  let store: Store
  let transaction: WriteTransaction

  init(fanout: Int = .max) throws {
    var options = StoreOptions()
    options.fanoutLimit = fanout
    let floor = Store.Floor(replay: { _, _, _ in }, seal: { _ in .empty })
    store = try Store.inMemory(options: options, floor: floor)
    transaction = try store.beginWrite()
  }

  /// The places that were taken and neither freed nor left.
  var live: Set<UInt32> {
    var places = Set(transaction.births.filter { !store.space.free.contains($0) })
    for death in transaction.deaths { places.subtract(death.place..<death.place + death.length) }
    return places
  }

  /// Begins a new step: from then on pages are copied before they change.
  func advance() throws { _ = try transaction.savepoint() }
}

extension Reached {
  var places: Range<UInt32> {
    switch self {
    case .page(let page): page.place..<page.place + 1
    case .extents(let list): list.extents[0].place..<list.extents[0].place + list.extents[0].pages
    }
  }
}
