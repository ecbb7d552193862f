import RoostBytes
import RoostFile

/// A page or extent without which much other data cannot be found. The module above names them: see
/// ``Store/Essentials``.
package enum Essential: Hashable, Sendable {
  case page(PageReference)
  case extent(ExtentList.Extent)

  /// Its first place.
  var place: UInt32 {
    switch self {
    case .page(let reference): reference.page.place
    case .extent(let extent): extent.place
    }
  }

  /// All its places.
  package var places: Range<UInt32> {
    switch self {
    case .page: place..<place + 1
    case .extent(let extent): place..<place + extent.pages
    }
  }

  var check: UInt64 {
    switch self {
    case .page(let reference): reference.check
    case .extent(let extent): extent.check
    }
  }

  /// The number of bytes that its checksum covers.
  var byteCount: Int {
    switch self {
    case .page: Page.size
    case .extent(let extent): Int(extent.storedBytes)
    }
  }
}

/// A page and the place of its copy.
package struct PageCopy: Hashable, Sendable {
  package var page: PageID
  package var copy: PageID

  package init(page: PageID, copy: PageID) {
    self.page = page
    self.copy = copy
  }
}

/// Second copies of the few pages without which much other data cannot be found.
///
/// A copy has the bytes of its page, so the checksum in the page's parent covers it too. A copy
/// that is old, torn or damaged is never mistaken for the page. The superblock lists the copies. A
/// checkpoint makes copies of the essential pages that have none, and drops those of pages that are
/// no longer essential.
///
/// Everything here happens during the writer's turn, except the writing itself.
///
/// ## Invariants
/// 1. No place is in the table twice.
/// 2. A copy that the durable superblock lists is not overwritten.
package struct PageCopies {
  /// The number of copies that a superblock can list.
  package static let most = 480

  /// A copy's place, and the stamp of the first snapshot whose superblock lists it.
  private struct Held: Hashable {
    var place: UInt32
    var born: UInt64
  }

  /// Page → copy, as the last superblock lists them, even if its write failed.
  private var table: [UInt32: Held] = [:]
  /// Places of copies from a failed checkpoint. They may not have been written.
  private var abandoned: [Held] = []
  /// The stamp of the snapshot for which the table was made.
  private var stamp: UInt64
  /// Copies at this place or above get a lower one.
  private var bound = UInt32.max

  /// A copy that is not yet written.
  struct Fresh {
    var entry: PageCopy
    var bytes: [UInt8]
    /// The page contains references, whose checksums are known after their pages are written.
    var refersToPages: Bool
  }

  /// The copies that a checkpoint writes, and the list for its superblock.
  struct Image {
    var list: [PageCopy] = []
    var fresh: [Fresh] = []
  }

  /// Takes over the list of a superblock. An entry is ignored if its copy is at a free place, or at
  /// a place of the map.
  init(_ list: [PageCopy], stamp: UInt64, _ space: Space, mapPages: [PageID]) {
    self.stamp = stamp
    let taken = Set(mapPages)
    for entry in list where !space.spare.contains(entry.copy.place) && !taken.contains(entry.copy) {
      table[entry.page.place] = Held(place: entry.copy.place, born: stamp)
    }
  }

  var count: Int { table.count }

  /// Moves copies that lie at `bound` or above at the next checkpoint, and returns their number.
  mutating func leave(from bound: UInt32) -> Int {
    self.bound = min(self.bound, bound)
    return table.values.count { $0.place >= bound }
  }

  /// Takes places for copies of essential pages that have none, and frees the copies of pages that
  /// are no longer essential.
  ///
  /// An essential page that cannot be read, or for which there is no room, gets no copy.
  mutating func prepare(
    _ space: inout Space, _ essentials: [Essential], view: PageView?, stamp now: UInt64, pins: [UInt64],
    durable: UInt64, mayTake: Bool
  ) -> Image {
    var kept: [UInt32: Held] = [:]
    var image = Image()
    for essential in essentials {
      let places = essential.places
      guard kept.count + places.count <= Self.most else { continue }
      let missing = places.filter { place in
        guard kept[place] == nil, let copy = table[place], copy.place < bound else { return kept[place] == nil }
        kept[place] = copy
        return false
      }
      guard mayTake, !missing.isEmpty, let view, let bytes = view.stored(essential) else { continue }
      for place in missing {
        guard let copy = Self.take(&space, apartFrom: place) else { break }
        kept[place] = Held(place: copy, born: now)
        let start = Int(place - places.lowerBound) * Page.size
        image.fresh.append(
          Fresh(
            entry: PageCopy(page: PageID(place), copy: PageID(copy)), bytes: Array(bytes[start..<start + Page.size]),
            refersToPages: view.refersToPages(essential)))
      }
    }
    let old = abandoned + table.filter { kept[$0.key] != $0.value }.values
    let died = max(now, stamp + 1)
    // An examination compares the copies of the snapshot that it pins. So dead copies wait for it
    // as pages do.
    let deaths = old.sorted { $0.place < $1.place }.map {
      Death(place: $0.place, length: 1, born: $0.born, died: died, named: false)
    }
    space.bury(deaths, pins: pins, durable: durable) { _ in }
    image.list = kept.map { PageCopy(page: PageID($0.key), copy: PageID($0.value.place)) }.sorted { $0.page < $1.page }
    (table, abandoned, stamp, bound) = (kept, [], now, .max)
    return image
  }

  /// Notes that an image may not have reached the file: its copies are made again.
  mutating func failed(_ image: Image) {
    for one in image.fresh {
      if let copy = table.removeValue(forKey: one.entry.page.place) { abandoned.append(copy) }
    }
  }

  /// Takes a place that is not next to the page if possible, because damage often affects
  /// neighbouring pages.
  private static func take(_ space: inout Space, apartFrom page: UInt32) -> UInt32? {
    var refused: [UInt32] = []
    while let place = try? space.take() {
      if place > page + 1 || place + 1 < page {
        for other in refused { space.giveBack(other) }
        return place
      }
      refused.append(place)
    }
    let place = refused.popLast()
    for other in refused { space.giveBack(other) }
    return place
  }
}

extension PageView {
  /// The bytes of an essential page or extent in whole pages, as far as they are known before a
  /// checkpoint; nil if they cannot be read.
  fileprivate func stored(_ essential: Essential) -> [UInt8]? {
    switch essential {
    case .page(let reference):
      slot.enter()
      defer { slot.leave() }
      guard let memory = try? frames.page(reference) else { return nil }
      return [UInt8](UnsafeRawBufferPointer(start: memory, count: Page.size))
    case .extent(let extent):
      var bytes = [UInt8](repeating: 0, count: Int(extent.pages) * Page.size)
      let isRead = bytes.withUnsafeMutableBytes { buffer in
        let target = UnsafeMutableRawBufferPointer(rebasing: buffer[..<Int(extent.storedBytes)])
        do throws(StoreError) { try readStored(extent, into: target) } catch { return false }
        return true
      }
      return isRead ? bytes : nil
    }
  }

  fileprivate func refersToPages(_ essential: Essential) -> Bool {
    guard case .page(let reference) = essential else { return false }
    slot.enter()
    defer { slot.leave() }
    guard let memory = try? frames.page(reference) else { return false }
    return Page.level(memory) > 0 || memory.u32(Page.Field.tree) == Page.catalogTree
  }
}
