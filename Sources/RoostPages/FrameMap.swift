import RoostBytes
public import RoostFile
public import Synchronization

/// The state of a frame, as bits of one byte for each place.
@usableFromInline package enum FrameState {
  /// The frame may be read.
  @inlinable package static var ready: UInt8 { 1 }
  /// The page has not been written to the file.
  @inlinable package static var draft: UInt8 { 2 }
  /// The frame was read since the last sweep.
  @inlinable package static var used: UInt8 { 4 }
  /// The frame is part of an extent and has no header.
  @inlinable package static var extent: UInt8 { 16 }
  /// The frame's memory is being read from the file, or given back.
  @inlinable package static var filling: UInt8 { 32 }
  /// The frame was chosen for eviction, which waits until no reader can be using it.
  @inlinable package static var leaving: UInt8 { 64 }
  /// The frame holds no page, but its memory was touched.
  @inlinable package static var vacant: UInt8 { 128 }
}

/// 64 MiB of frames, mirroring 16,384 places of the file, with a state byte and a checksum for
/// each.
@usableFromInline package struct Slab {
  @usableFromInline package var memory: UnsafeMutableRawPointer
  @usableFromInline package var states: UnsafeMutablePointer<Atomic<UInt8>>
  @usableFromInline package var checks: UnsafeMutablePointer<UInt64>
}

/// Finds the frame of a page: its place determines the address.
///
/// The frame of place p is at `slabs[p >> 14].memory + (p & 16383) × 4096`. A look-up that hits is
/// a byte test and arithmetic: no lock, no hash, no reference count. Everything else is done by
/// ``Frames``, which owns this memory and outlives every copy of this struct.
@usableFromInline package struct FrameMap: @unchecked Sendable {
  // Unchecked because the table of slabs only grows, under the lock of `Frames`, and is read
  // through `slabCount`.
  @inlinable package static var slabShift: Int { 14 }
  @inlinable package static var slabPlaces: Int { 1 << 14 }

  @usableFromInline package struct Header: ~Copyable {
    @usableFromInline package let slabCount = Atomic<Int>(0)
    @usableFromInline package let slabs: UnsafeMutablePointer<Slab>
    @usableFromInline package let owner: Unmanaged<Frames>

    package init(slabs: UnsafeMutablePointer<Slab>, owner: Unmanaged<Frames>) {
      self.slabs = slabs
      self.owner = owner
    }
  }

  @usableFromInline package let header: UnsafeMutablePointer<Header>
  @usableFromInline package let slabs: UnsafeMutablePointer<Slab>

  package init(header: UnsafeMutablePointer<Header>) {
    self.header = header
    slabs = header.pointee.slabs
  }

  /// The page's memory, read from the file if it is absent.
  ///
  /// It stays valid until the reader leaves its slot, or while the slot holds the page.
  @inlinable @inline(__always)
  package func page(_ reference: PageReference) throws(StoreError) -> UnsafeRawPointer {
    let place = Int(truncatingIfNeeded: reference.page.place)
    let number = place &>> Self.slabShift
    if number < header.pointee.slabCount.load(ordering: .acquiring) {
      let slab = slabs + number
      let index = place & (Self.slabPlaces &- 1)
      // Sequentially consistent, because this load must not happen before the store that entered
      // the reader's slot.
      let state = slab.pointee.states[index].load(ordering: .sequentiallyConsistent)
      if state & (FrameState.ready | FrameState.used) == FrameState.ready | FrameState.used {
        return UnsafeRawPointer(slab.pointee.memory + (index &<< 12))
      }
    }
    return try absent(reference)
  }

  /// The memory of a page that is in the cache; nil if it would have to be read.
  package func present(_ page: PageID) -> UnsafeRawPointer? {
    guard Int(page.place) >> Self.slabShift < header.pointee.slabCount.load(ordering: .acquiring) else { return nil }
    return state(page) & FrameState.ready != 0 ? UnsafeRawPointer(memory(page)) : nil
  }

  /// Whether a look-up of this page would read the file. The answer may be outdated at the look-up.
  @inlinable @inline(__always)
  package func isAbsent(_ page: PageID) -> Bool {
    let place = Int(truncatingIfNeeded: page.place)
    let number = place &>> Self.slabShift
    guard number < header.pointee.slabCount.load(ordering: .relaxed) else { return true }
    let held = FrameState.ready | FrameState.leaving | FrameState.filling
    return slabs[number].states[place & (Self.slabPlaces &- 1)].load(ordering: .relaxed) & held == 0
  }

  /// Announces that these pages will be read soon. Returns false if that was probably unnecessary.
  package func willNeed(_ pages: [PageID]) -> Bool { header.pointee.owner.takeUnretainedValue().willNeed(pages) }

  /// The memory of a page that this transaction made; it is never absent.
  @inlinable @inline(__always)
  package func memory(_ page: PageID) -> UnsafeMutableRawPointer {
    let place = Int(truncatingIfNeeded: page.place)
    return slabs[place &>> Self.slabShift].memory + ((place & (Self.slabPlaces &- 1)) &<< 12)
  }

  @inlinable @inline(__always)
  package func state(_ page: PageID) -> UInt8 {
    let place = Int(truncatingIfNeeded: page.place)
    return slabs[place &>> Self.slabShift].states[place & (Self.slabPlaces &- 1)].load(ordering: .acquiring)
  }

  @inlinable @inline(__always)
  package func setState(_ page: PageID, _ state: UInt8) {
    let place = Int(truncatingIfNeeded: page.place)
    slabs[place &>> Self.slabShift].states[place & (Self.slabPlaces &- 1)].store(state, ordering: .releasing)
  }

  /// The checksum with which a page was written. 0 if it is unknown, or if the place is impossible:
  /// a damaged branch may contain any number.
  package func check(_ page: PageID) -> UInt64 {
    let place = Int(page.place)
    let number = place >> Self.slabShift
    guard number < header.pointee.slabCount.load(ordering: .relaxed) else { return 0 }
    return slabs[number].checks[place & (Self.slabPlaces - 1)]
  }

  package func setCheck(_ page: PageID, _ check: UInt64) {
    let place = Int(page.place)
    slabs[place >> Self.slabShift].checks[place & (Self.slabPlaces - 1)] = check
  }

  /// The atomic state of a place, for code that changes bits concurrently with readers.
  package func stateCell(_ page: PageID) -> UnsafeMutablePointer<Atomic<UInt8>> {
    let place = Int(page.place)
    return slabs[place >> Self.slabShift].states + (place & (Self.slabPlaces - 1))
  }

  /// The copy of a page, if it has one.
  func copy(of page: PageID) -> PageID? { header.pointee.owner.takeUnretainedValue().copy(of: page) }

  /// Repairs pages of this store; nil if this process may not.
  func explained(_ error: StoreError) -> StoreError { header.pointee.owner.takeUnretainedValue().explained(error) }

  var repairs: PageRepairs? { header.pointee.owner.takeUnretainedValue().repairs }

  @usableFromInline @inline(never)
  package func absent(_ reference: PageReference) throws(StoreError) -> UnsafeRawPointer {
    try header.pointee.owner.takeUnretainedValue().fill(reference)
  }
}
