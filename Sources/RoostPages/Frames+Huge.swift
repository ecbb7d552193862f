#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif
internal import Synchronization

/// Uses huge pages for densely used parts of the cache.
///
/// A look-up in a large store usually misses the processor's translation buffer, so huge pages make
/// it faster. But a huge page at the first touch costs the time to zero 2 MiB, and holds 2 MiB for
/// one page of 4 KiB. So a stretch of 2 MiB begins with small pages, and becomes one huge page when
/// nearly all of its frames hold memory. The thread that touches the last of them waits while the
/// kernel copies 2 MiB; on a virtual machine that took 5 ms. No stretch is advised in advance,
/// because the kernel would make huge pages there again after an eviction.
///
/// A writer that adds many pages fills one stretch after the other. Its stretch becomes a huge page
/// after an eighth of it, if the one before is dense. Then the kernel copies little, and the other
/// pages need no fault.
extension Frames {
  /// The frames in one huge page.
  static let stretchPlaces = 512
  static let stretchBytes = stretchPlaces * Page.size
  /// The number of frames with memory at which a stretch becomes a huge page.
  static let denseFrames = 448
  /// That number for a stretch that a writer fills after a dense one.
  static let begunFrames = 64
  static let mostStretches = mostSlabs * FrameMap.slabPlaces / stretchPlaces

  /// Counts a frame that now holds memory. Returns true if its stretch should become a huge page;
  /// the caller requests that without the lock.
  func noteHeld(_ page: PageID) -> Bool {
    let all = resident.add(1, ordering: .relaxed).newValue
    let held = stretches[Int(page.place) / Self.stretchPlaces].add(1, ordering: .relaxed).newValue
    // A full cache evicts frames all the time, and each eviction splits its huge page.
    return held == Self.denseFrames && all <= capacity / 4 * 3
  }

  /// Counts the frame of a new page. Returns true also if the writer fills one stretch after the
  /// other, and has just begun this one.
  func noteBegun(_ page: PageID) -> Bool {
    let stretch = Int(page.place) / Self.stretchPlaces
    let isDense = noteHeld(page)
    if begunStretch.load(ordering: .relaxed) == stretch { return false }
    if isDense { return true }
    guard stretch > 0, stretches[stretch].load(ordering: .relaxed) == Self.begunFrames,
      stretches[stretch - 1].load(ordering: .relaxed) >= Self.denseFrames,
      resident.load(ordering: .relaxed) <= capacity / 4 * 3
    else { return false }
    begunStretch.store(stretch, ordering: .relaxed)
    return true
  }

  /// Counts frames whose memory was given back.
  func noteGiven(_ places: [UInt32]) {
    for place in places { stretches[Int(place) / Self.stretchPlaces].subtract(1, ordering: .relaxed) }
    resident.subtract(places.count, ordering: .relaxed)
  }

  /// Asks the kernel to make a huge page of a page's stretch. Kernels before Linux 6.1 refuse, and
  /// the stretch stays as it is.
  @inline(never)
  func collapse(_ page: PageID) {
    denseStretches.add(1, ordering: .relaxed)
    #if os(Linux)
      let first = PageID(page.place / UInt32(Self.stretchPlaces) * UInt32(Self.stretchPlaces))
      // MADV_COLLAPSE, for which older C libraries have no name.
      _ = madvise(map.memory(first), Self.stretchBytes, 25)
    #endif
  }
}
