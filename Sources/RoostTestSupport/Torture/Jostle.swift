internal import RoostFile
package import RoostPages

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Delays threads at the points of a schedule, so that other threads run in between.
///
/// Most calls pass, some are delayed, and some wait until other threads have ended whole
/// transactions, checkpoints or reads. Each seed has a favourite point, at which nearly all threads
/// wait. No thread waits long, because the awaited threads may wait for it.
package final class Jostle: @unchecked Sendable {
  // Unchecked because its fields are protected by `lock`.
  private let lock = Lock()
  private let changed = ConditionVariable()
  private var generator: SplitMix64
  private var ended = 0
  private var isOver = false
  private let favourite: SchedulePoint
  /// How often a thread waited until others had ended something.
  private var meetings = 0

  private static let points: [SchedulePoint] = [
    .readingPublished, .pinned, .endingRead, .beginningWrite, .appended, .gaveTurn, .publishing, .reclaiming,
    .checkpointBegan, .checkpointWritten, .checkpointSynced, .checkpointAdopted, .takingSegment, .leaving,
    .changingState, .givingBack, .filling, .filled,
  ]

  package init(seed: UInt64) {
    generator = SplitMix64(seed: seed)
    favourite = generator.pick(Self.points)
  }

  package var schedule: Schedule { { [self] point in pass(point) } }

  package var meetingCount: Int { lock.withLock { meetings } }

  /// Notes the end of a transaction, a checkpoint or another whole operation.
  package func end() {
    lock.withLock {
      ended += 1
      changed.broadcast()
    }
  }

  /// From now on no thread is delayed.
  package func stop() {
    lock.withLock {
      isOver = true
      changed.broadcast()
    }
  }

  private func pass(_ point: SchedulePoint) {
    lock.acquire()
    let draw = generator.below(isFrequent(point) ? 600 : 60)
    let (wait, count) = (generator.below(400), 1 + generator.below(4))
    if isOver || draw > (point == favourite ? 40 : 8) {
      lock.release()
      return
    }
    if draw > 4 && !point.isUnderLock {
      meet(count, milliseconds: point == favourite ? 4 : 2)
      lock.release()
      return
    }
    lock.release()
    if draw < 2 { sched_yield() } else { usleep(UInt32(wait)) }
  }

  /// Waits until this many operations have ended. The caller holds the lock.
  private func meet(_ count: Int, milliseconds: UInt64) {
    let target = ended + count
    let deadline = Clock.monotonicNanoseconds() + milliseconds * 1_000_000
    while ended < target && !isOver {
      if !changed.wait(lock, until: deadline) { return }
    }
    meetings += 1
  }

  private func isFrequent(_ point: SchedulePoint) -> Bool {
    switch point {
    case .changingState, .filling, .filled: true
    default: false
    }
  }
}
