import RoostBytes
package import RoostFile
import Synchronization

/// Writes values that are too large for a leaf.
extension WriteTransaction {
  /// Stores a value in runs of pages, compressed if that saves a page.
  ///
  /// Values of a megabyte or more are written to their places now, and the record only names the
  /// places. Smaller values stay drafts, and the module above puts their bytes into its record. If
  /// `mayName` is false, all values stay drafts: for values that replay computes again instead of
  /// reading them from the record.
  package func writeExtents(
    _ value: UnsafeRawBufferPointer, mayName: Bool = true
  ) throws(StoreError) -> ExtentList {
    guard value.count <= ExtentList.largestValue else {
      throw StoreError(
        .valueTooLarge, "the value has \(value.count) bytes, the most is \(ExtentList.largestValue)",
        path: store.path)
    }
    return try whole { () throws(StoreError) in try writeWhole(value, mayName) }
  }

  private func writeWhole(_ value: UnsafeRawBufferPointer, _ mayName: Bool) throws(StoreError) -> ExtentList {
    let isNamed = mayName && value.count >= ExtentList.namedFrom && canName
    var extents: [ExtentList.Extent] = []
    var done = 0
    while done < value.count {
      let count = min(ExtentList.chunk, value.count - done)
      extents.append(
        try writeExtent(UnsafeRawBufferPointer(rebasing: value[done..<done + count]), isNamed: isNamed))
      done += count
    }
    return try complete(extents, isNamed: isNamed)
  }

  /// Copies another snapshot's value in its stored form.
  ///
  /// - Parameter isNamed: whether the record names the new places; otherwise they are drafts like
  ///   other pages.
  package func copyExtents(
    _ list: ExtentList, from view: PageView, isNamed: Bool
  ) throws(StoreError) -> ExtentList {
    var copies: [ExtentList.Extent] = []
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: ExtentList.chunk, alignment: 16)
    defer { buffer.deallocate() }
    for extent in try view.extents(of: list) {
      let stored = UnsafeMutableRawBufferPointer(rebasing: buffer[..<Int(extent.storedBytes)])
      try view.readStored(extent, into: stored)
      copies.append(
        try place(UnsafeRawBufferPointer(stored), rawBytes: extent.rawBytes, check: extent.check, isNamed: isNamed))
    }
    return try complete(copies, isNamed: isNamed)
  }

  /// Makes the list of these extents, and logs its places. A long list gets another extent for
  /// itself.
  private func complete(_ extents: [ExtentList.Extent], isNamed: Bool) throws(StoreError) -> ExtentList {
    var named = extents
    var list = ExtentList(
      isNamed: isNamed, isIndirect: false, byteCount: extents.reduce(0) { $0 + UInt64($1.rawBytes) }, born: stamp,
      extents: extents)
    if extents.count > ExtentList.mostDirect {
      let inner = ExtentList.encode(extents)
      var outer: ExtentList.Extent?
      var failure: StoreError?
      inner.withUnsafeBytes { bytes in
        do throws(StoreError) { outer = try writeExtent(bytes, isNamed: isNamed) } catch { failure = error }
      }
      guard let outer else { throw failure! }
      list.isIndirect = true
      list.extents = [outer]
      named.append(outer)
    }
    if isNamed {
      let bytes = ExtentList.encode(named)
      try record(Store.PieceKind.extents, count: bytes.count) { $0.copyMemory(from: bytes, byteCount: bytes.count) }
    }
    return list
  }

  func writeExtent(
    _ value: UnsafeRawBufferPointer, isNamed: Bool
  ) throws(StoreError) -> ExtentList.Extent {
    let scratch = UnsafeMutableRawBufferPointer.allocate(
      byteCount: Compression.bound(value.count), alignment: 16)
    defer { scratch.deallocate() }
    var stored = value
    if value.count > Page.size, let count = Compression.compress(value, into: scratch),
      Self.pages(count) < Self.pages(value.count)
    {
      stored = UnsafeRawBufferPointer(rebasing: scratch[..<count])
    }
    return try place(stored, rawBytes: UInt32(value.count), check: Checksum.of(stored), isNamed: isNamed)
  }

  /// Stores bytes at new places: in the file if the record names them, else in frames.
  private func place(
    _ stored: UnsafeRawBufferPointer, rawBytes: UInt32, check: UInt64, isNamed: Bool
  ) throws(StoreError) -> ExtentList.Extent {
    let place = try store.space.takeRun(Self.pages(stored.count))
    return try put(stored, at: place, rawBytes: rawBytes, check: check, isNamed: isNamed)
  }

  /// Writes bytes to places that were taken for them.
  func put(
    _ stored: UnsafeRawBufferPointer, at place: UInt32, rawBytes: UInt32, check: UInt64, isNamed: Bool
  ) throws(StoreError) -> ExtentList.Extent {
    let pages = Self.pages(stored.count)
    let rest = Int(pages) * Page.size - stored.count
    let extent = ExtentList.Extent(
      place: place, storedBytes: UInt32(stored.count), rawBytes: rawBytes, check: check)
    if isNamed, let file = store.file {
      addNamedBirth(extent)
      // The frames stay unused, but code that frees the places reads their states.
      try store.frames.reserve(upTo: Int(place + pages))
      try file.write(stored, at: PageID(place).byteOffset)
      try Self.fillPage(file, after: PageID(place).byteOffset + UInt64(stored.count))
    } else {
      try claimExtent(place, pages: pages)
      let memory = frames.memory(PageID(place))
      memory.copyMemory(from: stored.baseAddress!, byteCount: stored.count)
      (memory + stored.count).initializeMemory(as: UInt8.self, repeating: 0, count: rest)
    }
    return extent
  }

  /// Writes zeros to the end of the page. A superblock counts whole pages, and the file must
  /// contain them.
  private static func fillPage(_ file: any StorageFile, after offset: UInt64) throws(StoreError) {
    let rest = (Page.size - Int(offset % UInt64(Page.size))) % Page.size
    if rest > 0 { try file.write([UInt8](repeating: 0, count: rest), at: Int(offset)) }
  }

  private static func pages(_ bytes: Int) -> UInt32 { UInt32((bytes + Page.size - 1) / Page.size) }

  /// Notes that a value's extents left their tree.
  package func killExtents(_ list: ExtentList) throws(StoreError) {
    var all = list.extents
    if list.isIndirect { all += try view.extents(of: list) }
    for extent in all where extent.place + extent.pages > store.space.limit {
      throw StoreError(.damaged, "an extent lies beyond the end of the file", page: UInt64(extent.place))
    }
    for extent in all {
      for place in extent.place..<extent.place + extent.pages where isImpossible(place, list.born) {
        throw StoreError(.damaged, "an extent is referenced twice, or is free", page: UInt64(extent.place))
      }
    }
    let isNamed = list.isNamed || store.isNamed(list.born)
    for extent in all {
      if list.born > newestProtectedStamp && !isNamed {
        for place in extent.place..<extent.place + extent.pages {
          store.frames.end(PageID(place))
          store.space.giveBack(place)
        }
      } else {
        bury(
          Death(place: extent.place, length: extent.pages, born: list.born, died: 0, named: isNamed))
      }
    }
  }
}

/// Reads values that are too large for a leaf.
extension PageView {
  /// The extents that hold the value's bytes, in order.
  package func extents(of list: ExtentList) throws(StoreError) -> [ExtentList.Extent] {
    guard list.isIndirect else { return list.extents }
    let bytes = try read(list.extents[0])
    let inner = bytes.withUnsafeBytes { ExtentList.decode($0) }
    guard let inner, !inner.isEmpty, inner.reduce(0, { $0 + UInt64($1.rawBytes) }) == list.byteCount else {
      throw StoreError(.damaged, "the list of a value's extents is unreadable", page: UInt64(list.extents[0].place))
    }
    return inner
  }

  /// Reads the whole value.
  package func readExtents(_ list: ExtentList) throws(StoreError) -> [UInt8] {
    let extents = try extents(of: list)
    if list.byteCount > UInt64(ExtentList.chunk) {
      try refuseImpossible(extents)
      try Room.check(Int(list.byteCount))
    }
    var failure: StoreError?
    let bytes = [UInt8](unsafeUninitializedCapacity: Int(list.byteCount)) { buffer, count in
      let memory = UnsafeMutableRawBufferPointer(buffer)
      do throws(StoreError) {
        var done = 0
        for extent in extents {
          let part = UnsafeMutableRawBufferPointer(rebasing: memory[done..<done + Int(extent.rawBytes)])
          try read(extent, into: part)
          done += Int(extent.rawBytes)
        }
        count = done
      } catch {
        failure = error
        count = 0
      }
    }
    if let failure { throw failure }
    return bytes
  }

  /// Throws if extents overlap or lie outside the file. Their lengths are then meaningless, and no
  /// memory is allocated for them.
  private func refuseImpossible(_ extents: [ExtentList.Extent]) throws(StoreError) {
    guard let file = file?.takeUnretainedValue() as? any StorageFile else { return }
    let held = try file.size() / UInt64(Page.size)
    var end: UInt32 = 0
    for extent in extents.sorted(by: { $0.place < $1.place }) {
      let isThere =
        UInt64(extent.place) + UInt64(extent.pages) <= held
        || frames.holdsExtent(PageID(extent.place), pages: extent.pages)
      guard isThere, extent.place >= end else {
        throw frames.explained(
          StoreError(
            .damaged, "a value's extents overlap or lie outside the file", path: file.path,
            page: UInt64(extent.place)))
      }
      end = extent.place + extent.pages
    }
  }

  private func read(_ extent: ExtentList.Extent) throws(StoreError) -> [UInt8] {
    var failure: StoreError?
    let bytes = [UInt8](unsafeUninitializedCapacity: Int(extent.rawBytes)) { buffer, count in
      do throws(StoreError) {
        try read(extent, into: UnsafeMutableRawBufferPointer(buffer))
        count = Int(extent.rawBytes)
      } catch { failure = error }
    }
    if let failure { throw failure }
    return bytes
  }

  /// Reads one extent: from its draft frames, or from the file without the cache.
  package func read(
    _ extent: ExtentList.Extent, into target: UnsafeMutableRawBufferPointer
  ) throws(StoreError) {
    if extent.storedBytes == extent.rawBytes { return try readStored(extent, into: target) }
    let scratch = UnsafeMutableRawBufferPointer.allocate(byteCount: Int(extent.storedBytes), alignment: 16)
    defer { scratch.deallocate() }
    try readStored(extent, into: scratch)
    if !Compression.decompress(UnsafeRawBufferPointer(scratch), into: target) {
      throw StoreError(.damaged, "an extent does not decompress", page: UInt64(extent.place))
    }
  }

  /// Reads an extent's stored bytes and compares their checksum.
  func readStored(
    _ extent: ExtentList.Extent, into target: UnsafeMutableRawBufferPointer
  ) throws(StoreError) {
    let page = PageID(extent.place)
    if frames.holdsExtent(page, pages: 1) {
      slot.enter()
      defer { slot.leave() }
      // The slot is entered first, so that a draft seen now cannot be evicted after a checkpoint
      // wrote it. Pages are evicted one by one, and only after all pages of the extent are in the
      // file.
      if frames.holdsExtent(page, pages: extent.pages) {
        target.copyMemory(from: UnsafeRawBufferPointer(start: frames.memory(page), count: target.count))
        guard Checksum.of(UnsafeRawBufferPointer(target)) == extent.check else { throw mismatch(extent, nil) }
        return
      }
    }
    guard let file = file?.takeUnretainedValue() as? any StorageFile else {
      throw StoreError(.damaged, "an extent in memory is missing", page: UInt64(extent.place))
    }
    do throws(StoreError) { try file.readFully(into: target, at: page.byteOffset) } catch {
      if readCopies(extent, file, into: target) { return }
      throw error
    }
    if Checksum.of(UnsafeRawBufferPointer(target)) == extent.check { return }
    guard
      frames.repairs?.mend(target, at: page, check: extent.check) == true || readCopies(extent, file, into: target)
    else { throw mismatch(extent, file) }
  }

  /// Reads the pages of a damaged extent from their copies. Returns false if those do not have the
  /// checksum either.
  private func readCopies(
    _ extent: ExtentList.Extent, _ file: any StorageFile, into target: UnsafeMutableRawBufferPointer
  ) -> Bool {
    var damaged: [PageCopy] = []
    let found = [UInt8](target)
    for index in 0..<Int(extent.pages) {
      let page = PageID(extent.place + UInt32(index))
      guard let copy = frames.copy(of: page) else { continue }
      let range = index * Page.size..<min((index + 1) * Page.size, target.count)
      let part = UnsafeMutableRawBufferPointer(rebasing: target[range])
      do throws(StoreError) { try file.readFully(into: part, at: copy.byteOffset) } catch { return false }
      if !part.elementsEqual(found[range]) { damaged.append(PageCopy(page: page, copy: copy)) }
    }
    guard Checksum.of(UnsafeRawBufferPointer(target)) == extent.check else { return false }
    for entry in damaged { frames.repairs?.note(entry.page, readFrom: entry.copy) }
    return true
  }

  private func mismatch(_ extent: ExtentList.Extent, _ file: (any StorageFile)?) -> StoreError {
    frames.explained(
      StoreError(.damaged, "an extent has a wrong checksum", path: file?.path, page: UInt64(extent.place)))
  }
}

extension FrameMap {
  /// Whether all pages of an extent are in their frames.
  func holdsExtent(_ page: PageID, pages: UInt32) -> Bool {
    let end = Int(page.place) + Int(pages)
    guard end <= header.pointee.slabCount.load(ordering: .acquiring) << Self.slabShift else { return false }
    let wanted = FrameState.ready | FrameState.extent
    for place in page.place..<UInt32(end)
    where stateCell(PageID(place)).pointee.load(ordering: .sequentiallyConsistent) & wanted != wanted {
      return false
    }
    return true
  }
}
