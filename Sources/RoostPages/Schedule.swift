/// A point in the code at which tests let other threads run.
///
/// All points are cold: none is on the path of a look-up that hits.
package enum SchedulePoint: Sendable {
  /// A reader has read the published snapshot, and has not pinned it yet.
  case readingPublished
  /// A reader has pinned its snapshot, and has not read the published one again yet.
  case pinned
  /// A reader is about to release its slot.
  case endingRead
  /// A writer has the turn and has not begun.
  case beginningWrite
  /// A record is in the log and the commit is not known yet.
  case appended
  /// A commit released the turn and is not synced.
  case gaveTurn
  /// Under the lock of commits: readers are about to see a newer snapshot.
  case publishing
  /// The pins were read, and unpinned places are not free yet.
  case reclaiming
  /// A checkpoint has chosen its snapshot, and the turn is released.
  case checkpointBegan
  /// Its pages are written and synced, but not its superblock.
  case checkpointWritten
  /// Its superblock is synced, and the turn is not taken again yet.
  case checkpointSynced
  /// Its superblock is adopted; pages and segments are not free yet.
  case checkpointAdopted
  /// A segment of the log was chosen for reuse.
  case takingSegment
  /// Under the lock of frames: pages were chosen for eviction, and readers were not checked yet.
  case leaving
  /// Under the lock of frames: a frame's state was read and is about to be changed.
  case changingState
  /// Under the lock of frames: no reader uses these frames, and their memory is about to be
  /// released.
  case givingBack
  /// A page is about to be read from the file.
  case filling
  /// The page was read, and its frame is not ready yet.
  case filled

  /// Whether a lock is held that every reader and writer may need, so that no other thread can run
  /// here.
  package var isUnderLock: Bool {
    switch self {
    case .publishing, .leaving, .changingState, .givingBack: true
    default: false
    }
  }
}

/// Called at each ``SchedulePoint``. Tests delay threads in it, or run other code in between. Other
/// stores have none.
package typealias Schedule = @Sendable (SchedulePoint) -> Void
