internal import RoostPages

/// Reads ahead for a walk through the leaves of a tree that is not in memory.
///
/// The branch above names the next leaves, wherever they are in the file. When a walk reaches an
/// absent leaf, the device is asked for several leaves at once, and reads them while the walk uses
/// the first one. It asks for few at first, because most ranges are short, and for more as the walk
/// continues. If the kernel seems to have had all of them, it skips some requests, and more the
/// oftener that happens.
struct LeavesAhead {
  private static let fewest = 4
  private static let most = 64
  private static let mostPauses = 63

  /// The branch whose children were requested, the direction, and the end of the requested
  /// children.
  private var branch = PageID.none
  private var isForward = true
  private var end = 0
  private var window = fewest
  /// The number of batches to skip, and how many were skipped the last time.
  private var pauses = 0
  private var lastPauses = 0

  /// Requests the children of a branch from `next` on, unless that was done.
  @inline(never)
  mutating func ask(_ page: PageID, _ memory: UnsafeRawPointer, next: Int, forward: Bool, frames: FrameMap) {
    if forward != isForward {
      isForward = forward
      window = Self.fewest
      branch = .none
    }
    let step = forward ? 1 : -1
    // The number of requested children from `next` on. More are requested when it is less than half
    // of the next window.
    let known = page == branch ? max(0, (end - next) * step) : 0
    if known > window / 2 { return }
    let left = forward ? Branch.count(memory) - next : next + 1
    let wanted = min(known + window, left)
    guard wanted > known else { return }
    branch = page
    end = next + wanted * step
    window = min(window * 2, Self.most)
    if pauses > 0 {
      pauses -= 1
      return
    }
    var pages: [PageID] = []
    pages.reserveCapacity(wanted - known)
    for distance in known..<wanted {
      let child = Branch.reference(memory, next + distance * step).page
      if frames.isAbsent(child) { pages.append(child) }
    }
    // A request for one leaf is useless: reading it does the same.
    if pages.count < 2 { return }
    lastPauses = frames.willNeed(pages) ? 0 : min(2 * lastPauses + 1, Self.mostPauses)
    pauses = lastPauses
  }
}
