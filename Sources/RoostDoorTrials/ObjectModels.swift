internal import Foundation
internal import Roost

// Models of the random plays of contexts. Each calls ``DeinitHook`` in its `deinit`.

/// The code that models run in their `deinit`: a play reads and changes models there.
enum DeinitHook {
  // Unsafe, because a play runs on one thread, and one play at a time in a process.
  nonisolated(unsafe) static var body: ((any PersistentModel) -> Void)?
}

@Model class Farm {
  @Attribute(.unique) var number: Int
  var size = 0
  @Relationship(inverse: \Beast.farm) var beasts: [Beast] = []

  init(_ number: Int) { self.number = number }
  // A ranch has called it already.
  deinit { if type(of: self) == Farm.self { DeinitHook.body?(self) } }
}

/// A farm with lists that only this class declares.
@Model final class Ranch: Farm {
  @Relationship(deleteRule: .cascade, inverse: \Barn.ranch) var barns: [Barn] = []
  @Relationship(inverse: \Hand.ranches) var hands: [Hand] = []
  /// These relationships have no inverse.
  var guests: [Beast] = []

  override init(_ number: Int) { super.init(number) }
  deinit { DeinitHook.body?(self) }
}

@Model final class Beast {
  @Attribute(.unique) var number: Int
  var weight = 0
  var farm: Farm?
  @Relationship(.mutual) var mate: Beast?
  var rival: Beast?

  init(_ number: Int) { self.number = number }
  deinit { DeinitHook.body?(self) }
}

@Model final class Barn {
  @Attribute(.unique) var number: Int
  var height = 0
  var ranch: Ranch?

  init(_ number: Int) { self.number = number }
  deinit { DeinitHook.body?(self) }
}

@Model final class Hand {
  @Attribute(.unique) var number: Int
  var ranches: [Ranch] = []

  init(_ number: Int) { self.number = number }
  deinit { DeinitHook.body?(self) }
}

/// A value that a `deinit` changes. The play does not compare it.
@Model final class Tally {
  var count = 0
  var last: Tally?
  var scraps: [Tally] = []

  init() {}
}

@Model final class Coop {
  @Attribute(.unique) var number: Int
  @Relationship(deleteRule: .cascade, inverse: \Hen.coop) var hens: [Hen]?

  init(_ number: Int) { self.number = number }
}

@Model final class Hen {
  @Attribute(.unique) var number: Int
  var coop: Coop?

  init(_ number: Int) { self.number = number }
}
