package import RoostFile

/// A page or an extent that left its tree.
package struct Death: Sendable {
  package var place: UInt32
  package var length: UInt32
  /// The stamp of the step that made it.
  package var born: UInt64
  /// The stamp of the commit that no longer has it.
  package var died: UInt64
  /// Whether a record in the log names its place. Then the place waits until that part of the log
  /// is retired.
  package var named: Bool
}

/// The free places, and the places that wait until no snapshot needs them.
///
/// Only the holder of the writer's turn uses it.
///
/// ## Invariants
/// 1. `free` is a subset of `spare`; the other places in `spare` wait.
/// 2. A waiting place is filed under the newest pin in [born, died). When that pin is gone, it
///    moves to the next older one.
/// 3. A checkpoint writes `spare`: the places that the tip does not reach.
package struct Space: Sendable {
  package private(set) var free = PlaceSet()
  package private(set) var spare = PlaceSet()
  /// Places from this one on were never taken.
  package private(set) var limit: UInt32
  /// The most places that this store may take.
  package var largest: UInt32 = .max - 1
  /// Regions of the map whose bits differ from the durable map: see ``FreeMapDisk``.
  package private(set) var changed = Set<Int>()
  /// The region noted last, because consecutive changes are usually in one region.
  private var recent = -1

  private var waiting: [UInt64: [Death]] = [:]
  private var named: [Death] = []

  package init(limit: UInt32) { self.limit = limit }

  package var hasWaiting: Bool { !waiting.isEmpty || !named.isEmpty }

  package var waitingCount: Int {
    waiting.values.joined().reduce(0) { $0 + Int($1.length) } + named.reduce(0) { $0 + Int($1.length) }
  }

  // MARK: Taking and releasing

  package mutating func take() throws(StoreError) -> UInt32 {
    if let place = free.takeLowest() {
      spare.remove(place)
      touch(place)
      return place
    }
    return try extend(by: 1)
  }

  /// Takes `length` consecutive places.
  package mutating func takeRun(_ length: UInt32) throws(StoreError) -> UInt32 {
    if length == 1 { return try take() }
    if let start = free.takeRun(Int(length), below: limit) {
      for place in start..<start + length {
        spare.remove(place)
        touch(place)
      }
      return start
    }
    return try extend(by: length)
  }

  /// Takes `length` consecutive places below `bound`; nil if there are none.
  package mutating func takeRun(_ length: UInt32, below bound: UInt32) -> UInt32? {
    guard let start = free.takeRun(Int(length), below: min(bound, limit)) else { return nil }
    for place in start..<start + length {
      spare.remove(place)
      touch(place)
    }
    return start
  }

  private mutating func extend(by length: UInt32) throws(StoreError) -> UInt32 {
    guard largest > limit, largest - limit >= length else { throw full }
    // A run stays within one slab, so that its frames are contiguous in memory.
    let slab = UInt32(FrameMap.slabPlaces)
    if limit / slab != (limit + length - 1) / slab {
      let start = UInt64(limit / slab + 1) * UInt64(slab)
      while UInt64(limit) < min(start, UInt64(largest)) {
        giveBack(limit)
        limit += 1
      }
      guard largest > limit, largest - limit >= length else { throw full }
    }
    let start = limit
    limit += length
    for place in start..<limit { touch(place) }
    return start
  }

  private var full: StoreError {
    StoreError(.diskFull, "the store has reached its largest size of \(largest) pages")
  }

  /// Releases a place that only its taker ever knew.
  package mutating func giveBack(_ place: UInt32) {
    spare.insert(place)
    free.insert(place)
    touch(place)
  }

  /// Takes a certain place, which the log names. Returns false if it is in use.
  package mutating func reserve(_ place: UInt32) -> Bool {
    while limit <= place {
      spare.insert(limit)
      free.insert(limit)
      touch(limit)
      limit += 1
    }
    guard free.remove(place) else { return false }
    spare.remove(place)
    touch(place)
    return true
  }

  /// Loads 64 bits of the durable map.
  package mutating func load(word: Int, bits: UInt64) {
    let known = word == 0 ? bits & ~3 : bits  // never the superblocks
    free.setWord(word, known)
    spare.setWord(word, known)
  }

  // MARK: Deaths

  /// Files deaths under the newest pins that still see them. `pins` ascend; `durable` is the
  /// durable snapshot's stamp. Calls `freed` for every place that is free at once.
  package mutating func bury(
    _ deaths: [Death], pins: [UInt64], durable: UInt64, freed: (UInt32) -> Void
  ) {
    for death in deaths {
      for place in death.place..<death.place + death.length {
        spare.insert(place)
        touch(place)
      }
    }
    file(deaths, pins, durable: durable, freed: freed)
  }

  /// Files places again whose pins are gone, except under pins older than `oldest`.
  package mutating func reclaim(
    pins: [UInt64], oldest: UInt64 = 0, durable: UInt64, freed: (UInt32) -> Void
  ) {
    for pin in waiting.keys where pin >= oldest && !pins.contains(pin) {
      guard let deaths = waiting.removeValue(forKey: pin) else { continue }
      file(deaths, pins, durable: durable, freed: freed)
    }
    if !named.isEmpty && named.contains(where: { $0.born <= durable }) {
      let old = named
      named = []
      file(old, pins, durable: durable, freed: freed)
    }
  }

  private mutating func file(_ deaths: [Death], _ pins: [UInt64], durable: UInt64, freed: (UInt32) -> Void) {
    // Neighbours usually wait for the same pin.
    var group: [Death] = []
    var groupPin: UInt64 = 0
    var died: UInt64 = 0
    var newest: UInt64?
    for death in deaths {
      if death.died != died {
        died = death.died
        newest = pins.last { $0 < died }
      }
      if death.named && death.born > durable {
        named.append(death)
        continue
      }
      if let pin = newest, pin >= death.born {
        if pin != groupPin && !group.isEmpty {
          waiting[groupPin, default: []].append(contentsOf: group)
          group.removeAll(keepingCapacity: true)
        }
        groupPin = pin
        group.append(death)
        continue
      }
      for place in death.place..<death.place + death.length {
        free.insert(place)
        freed(place)
      }
    }
    if !group.isEmpty { waiting[groupPin, default: []].append(contentsOf: group) }
  }

  // MARK: The end of the file

  /// Lowers the limit past free places at the end. Returns whether it changed.
  package mutating func trimTail() -> Bool {
    let length = free.tailLength(below: limit)
    if length == 0 { return false }
    for place in limit - length..<limit {
      free.remove(place)
      spare.remove(place)
      touch(place)
    }
    limit -= length
    return true
  }

  /// One past the highest place that the tip uses.
  package var usedLimit: UInt32 { limit - spare.tailLength(below: limit) }

  /// The bits of a map region for the checkpoint.
  package func spareWord(_ word: Int) -> UInt64 { spare.word(word) }

  /// Returns the changed regions, and marks them as unchanged.
  package mutating func takeChanged() -> Set<Int> {
    defer { changed = [] }
    recent = -1
    return changed
  }

  /// Notes that these regions were not written after all.
  package mutating func noteChanged(_ regions: Set<Int>) { changed.formUnion(regions) }

  @inline(__always)
  private mutating func touch(_ place: UInt32) {
    let region = Int(place) / FreeMapPage.places
    if region == recent { return }
    recent = region
    changed.insert(region)
  }
}
