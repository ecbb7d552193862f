#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif
import RoostFile
import Synchronization

/// Evicts pages in batches, without ever waiting for a reader.
///
/// A sweep marks clean frames as leaving if they were not read since the last sweep. They are
/// evicted when every look-up that was running at that moment has ended and no cursor holds them. A
/// reader that asks for one before that keeps it. It is not chosen again before that departure has
/// ended.
extension Frames {
  private static var batch: Int { 256 }
  private static var mostPending: Int { 8 }
  /// The number of states that one sweep visits at most.
  private static var mostSteps: Int { 1 << 16 }

  /// Evicts a batch. A sweep may visit many thousand states and find only drafts, so the next sweep
  /// waits until there are considerably more frames. The caller holds the lock.
  func makeRoom() {
    evict()
    let now = resident.load(ordering: .relaxed)
    let step = max(32, min(capacity / 64, Self.batch))
    crowded.store(now > capacity ? now + step : capacity, ordering: .relaxed)
  }

  /// Finishes old departures and starts a new one. Returns false if nothing changed. The caller
  /// holds the lock.
  @discardableResult
  func evict() -> Bool {
    let hasFinished = finishDepartures()
    if leaving.count >= Self.mostPending { return hasFinished }
    let (places, hasSwept) = chooseLeaving()
    if places.isEmpty { return hasFinished || hasSwept }
    schedule?(.leaving)
    leaving.append(Departure(places: places, activities: slots.activities()))
    finishDepartures()
    return true
  }

  /// Evicts until at most `capacity` frames hold memory, or nothing more can be evicted.
  package func trim() {
    lock.withLock {
      var rounds = resident.load(ordering: .relaxed) / Self.batch * 3 + 8
      var idleRounds = 0
      let mostIdle = placeEnd / Self.mostSteps + 1
      while resident.load(ordering: .relaxed) > capacity && rounds > 0 && idleRounds < mostIdle {
        idleRounds = evict() ? 0 : idleRounds + 1
        rounds -= 1
      }
      crowded.store(max(capacity, resident.load(ordering: .relaxed)), ordering: .relaxed)
    }
  }

  /// Sweeps until it has a batch. Returns the chosen places, and whether the sweep changed states.
  private func chooseLeaving() -> (places: [UInt32], hasSwept: Bool) {
    let limit = placeEnd
    var places: [UInt32] = []
    var vacated: [UInt32] = []
    var hasSwept = false
    var steps = 0
    let mostSteps = min(limit, Self.mostSteps)
    while places.count < Self.batch && vacated.count < Self.batch && steps < mostSteps {
      steps += 1
      sweepPlace += 1
      if sweepPlace >= limit { sweepPlace = 2 }
      let index = sweepPlace & (FrameMap.slabPlaces - 1)
      let cell = slab(sweepPlace >> FrameMap.slabShift).states + index
      let state = cell.pointee.load(ordering: .acquiring)
      if state == FrameState.vacant {
        if Self.change(cell, from: state, to: FrameState.filling) { vacated.append(UInt32(sweepPlace)) }
        continue
      }
      if state & FrameState.ready == 0 || state & FrameState.draft != 0 { continue }
      if state & FrameState.used != 0 {
        schedule?(.changingState)
        Self.change(cell, from: state, to: state & ~FrameState.used)
        hasSwept = true
        continue
      }
      if listed.contains(UInt32(sweepPlace)) { continue }
      let marked = (state & ~FrameState.ready) | FrameState.leaving
      if Self.change(cell, from: state, to: marked) {
        places.append(UInt32(sweepPlace))
        listed.insert(UInt32(sweepPlace))
      }
    }
    giveBack(vacated)
    return (places, hasSwept || !vacated.isEmpty)
  }

  /// Returns whether a departure ended.
  @discardableResult
  private func finishDepartures() -> Bool {
    let before = leaving.count
    leaving.removeAll { departure in
      guard slots.haveMoved(since: departure.activities) else { return false }
      // Read only now, because a look-up that has just ended may have left a hold.
      let held = slots.heldPlaces()
      var gone: [UInt32] = []
      for place in departure.places {
        listed.remove(place)
        let cell = map.stateCell(PageID(place))
        let state = cell.pointee.load(ordering: .acquiring)
        guard state & FrameState.leaving != 0 else { continue }
        // The writer may end the frame at this moment; then it is no longer leaving.
        if held.contains(place) {
          let kept = (state & ~FrameState.leaving) | FrameState.ready
          Self.change(cell, from: state, to: kept)
        } else if Self.change(cell, from: state, to: FrameState.filling) {
          gone.append(place)
        }
      }
      giveBack(gone)
      return true
    }
    return leaving.count < before
  }

  private func giveBack(_ places: [UInt32]) {
    guard !places.isEmpty else { return }
    var start = 0
    let sorted = places.sorted()
    schedule?(.givingBack)
    for index in sorted.indices {
      let isLast = index + 1 == sorted.count
      let continues =
        !isLast && sorted[index + 1] == sorted[index] + 1
        && sorted[index + 1] >> UInt32(FrameMap.slabShift) == sorted[index] >> UInt32(FrameMap.slabShift)
      if continues { continue }
      let bytes = (index - start + 1) * Page.size
      _ = madvise(map.memory(PageID(sorted[start])), bytes, Int32(MADV_DONTNEED))
      start = index + 1
    }
    for place in places { map.setState(PageID(place), 0) }
    noteGiven(places)
  }
}
