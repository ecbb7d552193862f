import RoostFile
import RoostTestSupport
import Synchronization
import Testing

@testable import RoostPages

/// Forced orders of events that happen by chance once in a million times.
@Suite struct ScheduleTests {
  /// Runs one action at one moment, once.
  final class Moment: @unchecked Sendable {
    // `@unchecked Sendable`: the test sets it up before any other thread runs.
    private let point: SchedulePoint
    private let isDue = Atomic<Bool>(false)
    private let come = Atomic<Bool>(false)
    var hasCome: Bool { come.load(ordering: .sequentiallyConsistent) }
    var action: @Sendable () -> Void = {}

    init(_ point: SchedulePoint) { self.point = point }

    func arm(_ action: @escaping @Sendable () -> Void) {
      self.action = action
      isDue.store(true, ordering: .sequentiallyConsistent)
    }

    func pass(_ now: SchedulePoint) {
      guard now == point, isDue.exchange(false, ordering: .sequentiallyConsistent) else { return }
      action()
      come.store(true, ordering: .sequentiallyConsistent)
    }
  }

  /// The sweep and the fill read a frame's state and stored the next one under their lock. But a
  /// writer, and the end of a checkpoint, change states without that lock. Before the fix, a
  /// written page became a draft again forever, and was counted as written twice; a place with a
  /// new page in between was not counted.
  @Test func `states that change meanwhile are not overwritten`() throws {
    let moment = Moment(.changingState)
    let frames = try Frames(file: nil, capacity: 64, validator: { _, _ in nil }, schedule: { moment.pass($0) })
    try frames.reserve(upTo: 100)
    let page = PageID(5)
    frames.begin(page)
    frames.settle(page)
    moment.arm { [unowned frames] in
      frames.end(page)
      frames.begin(page)
    }
    _ = frames.lock.withLock { frames.evict() }
    #expect(moment.hasCome)
    #expect(frames.map.state(page) == FrameState.ready | FrameState.draft | FrameState.used)

    frames.map.setState(page, FrameState.ready | FrameState.draft)
    moment.arm { [unowned frames] in frames.settle(page) }
    _ = try frames.map.page(PageReference(page))
    #expect(frames.map.state(page) == FrameState.ready | FrameState.used)
    #expect(frames.drafts.load(ordering: .relaxed) == 0)
  }
}
