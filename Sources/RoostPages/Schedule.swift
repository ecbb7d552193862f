/// A moment at which something that runs beside it might come between.
///
/// All of them are cold: none lies on the way of a look-up that hits.
package enum SchedulePoint: Sendable {
  /// A reader has read what is published, and not said so yet.
  case readingPublished
  /// A reader has said which snapshot it uses, and not looked again yet.
  case pinned
  /// A reader is about to give its slot back.
  case endingRead
  /// A writer has the turn and has not begun.
  case beginningWrite
  /// A record is in the log and nobody knows it.
  case appended
  /// A commit gave the turn back and is not synced.
  case gaveTurn
  /// Under the lock of commits: readers are about to see a newer snapshot.
  case publishing
  /// The pins are known, and what they do not hold is not free yet.
  case reclaiming
  /// A checkpoint has chosen its snapshot, and the turn is not held.
  case checkpointBegan
  /// Its pages are written and synced, its superblock is not.
  case checkpointWritten
  /// Its superblock is synced, and the turn is not taken again.
  case checkpointSynced
  /// Its superblock counts; pages and segments are not free yet.
  case checkpointAdopted
  /// A segment of the log was chosen to be written again.
  case takingSegment
  /// Under the lock of frames: pages were chosen to leave, and who reads was not asked yet.
  case leaving
  /// Under the lock of frames: a frame's state was read and is about to be changed.
  case changingState
  /// Under the lock of frames: nobody stands in these frames, and their memory is about to go.
  case givingBack
  /// A page is about to be read from the file.
  case filling
  /// It was read, and its frame is not ready yet.
  case filled

  /// Whether a lock is held that every reader and writer may need, so that nobody else can be let in here.
  package var isUnderLock: Bool {
    switch self {
    case .publishing, .leaving, .changingState, .givingBack: true
    default: false
    }
  }
}

/// Called at each ``SchedulePoint``. A test delays threads in it, or lets others do something in between; a store that is
/// not tested has none.
package typealias Schedule = @Sendable (SchedulePoint) -> Void
