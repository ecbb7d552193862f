internal import RoostPages

/// Reading ahead, for a walk from leaf to leaf through a tree that is not in memory.
///
/// The branch above names the leaves that come next, wherever they lie. So when a walk comes to a leaf that is absent,
/// the device is asked for several of them at once, and works on them while the walk goes through the first. It asks
/// for few at first, because most ranges are short, and for more as the walk goes on. Where the kernel seems to have had
/// all that was asked for, it lets some opportunities pass, and more the oftener that happens.
struct LeavesAhead {
  private static let fewest = 4
  private static let most = 64
  private static let mostPauses = 63

  /// The branch whose children were asked for, in this direction, up to and without this one.
  private var branch = PageID.none
  private var isForward = true
  private var end = 0
  private var window = fewest
  /// Batches to let pass, and how many of those the last time.
  private var pauses = 0
  private var lastPauses = 0

  /// Asks for the children of a branch from `next` on, where that was not done yet.
  @inline(never)
  mutating func ask(_ page: PageID, _ memory: UnsafeRawPointer, next: Int, forward: Bool, frames: FrameMap) {
    if forward != isForward {
      isForward = forward
      window = Self.fewest
      branch = .none
    }
    let step = forward ? 1 : -1
    // How many children from `next` on were asked for already. More are due while that is less than half of what
    // would be asked for next.
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
    // One alone needs no word: its reading says as much.
    if pages.count < 2 { return }
    lastPauses = frames.willNeed(pages) ? 0 : min(2 * lastPauses + 1, Self.mostPauses)
    pauses = lastPauses
  }
}
