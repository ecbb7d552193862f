import RoostBytes
import RoostFile

/// The durable map of free places: the page of each region, and how the next map is written.
///
/// Everything here happens during the writer's turn, except the writing itself.
struct FreeMapDisk {
  /// The page of each region, with the checksum of its last write.
  private var regions: [Int: PageReference] = [:]
  /// The directory pages, the root last.
  private var directories: [PageID] = []
  /// The stamp of the pages above.
  private var stamp: UInt64 = 0

  /// The pages that a checkpoint must write, and the reference for its superblock.
  struct Image {
    var pages: [(page: PageID, bytes: [UInt8])] = []
    var root = PageReference.none
    var regions: Set<Int> = []
  }

  /// Takes places for the changed pages, buries the pages that they replace, and makes the bytes to
  /// write.
  ///
  /// If there is no room it changes nothing, because a page that is buried twice would be given out
  /// twice.
  mutating func prepare(
    _ space: inout Space, stamp now: UInt64, pins: [UInt64], durable: UInt64
  ) throws(StoreError) -> Image {
    let saved = space
    do throws(StoreError) { return try prepareChanged(&space, stamp: now, pins: pins, durable: durable) } catch {
      space = saved
      throw error
    }
  }

  /// Taking and burying change the map themselves, so both repeat until no further region changes.
  private mutating func prepareChanged(
    _ space: inout Space, stamp now: UInt64, pins: [UInt64], durable: UInt64
  ) throws(StoreError) -> Image {
    var fresh: [Int: PageID] = [:]
    var freshDirectories: [PageID] = []
    // Regions after the end of a file that became shorter are dropped.
    let kept = regions.filter { $0.key < Self.regionCount(space.limit) }
    var old = directories + regions.filter { kept[$0.key] == nil }.values.map(\.page)
    while true {
      let regionCount = Self.regionCount(space.limit)
      let missing = space.changed.filter { $0 < regionCount && fresh[$0] == nil }
      let directoryCount = Self.directoryCounts(regionCount).reduce(0, +)
      if missing.isEmpty && freshDirectories.count >= directoryCount && old.isEmpty { break }
      for region in missing.sorted() {
        fresh[region] = PageID(try space.take())
        if let replaced = kept[region] { old.append(replaced.page) }
      }
      while freshDirectories.count < directoryCount { freshDirectories.append(PageID(try space.take())) }
      // If the same snapshot is tried again, a crash may still find the pages of the first try. So
      // these wait for that snapshot, as the older ones wait for theirs.
      let died = max(now, stamp + 1)
      let deaths = old.map { Death(place: $0.place, length: 1, born: stamp, died: died, named: false) }
      space.bury(deaths, pins: pins, durable: durable) { _ in }
      old = []
    }
    var image = Image()
    image.regions = space.takeChanged()
    regions = kept
    for (region, page) in fresh.sorted(by: { $0.key < $1.key }) {
      let bytes = Self.regionPage(space, region, page: page, stamp: now)
      regions[region] = PageReference(page, check: Checksum.of(bytes))
      image.pages.append((page, bytes))
    }
    directories = freshDirectories
    stamp = now
    addDirectories(to: &image, regionCount: Self.regionCount(space.limit))
    return image
  }

  /// Notes that an image did not reach the file: its regions must be written again.
  func failed(_ image: Image, _ space: inout Space) { space.noteChanged(image.regions) }

  /// The number of regions of a file with this many pages.
  private static func regionCount(_ limit: UInt32) -> Int { (Int(limit) + FreeMapPage.places - 1) / FreeMapPage.places }

  private static func directoryCounts(_ regionCount: Int) -> [Int] {
    var counts: [Int] = []
    var below = max(regionCount, 1)
    repeat {
      below = (below + FreeMapPage.fanout - 1) / FreeMapPage.fanout
      counts.append(below)
    } while below > 1
    return counts
  }

  private static func regionPage(_ space: Space, _ region: Int, page: PageID, stamp: UInt64) -> [UInt8] {
    pageBytes { memory in
      FreeMapPage.writeHeader(memory, .freeMap, level: 0, count: FreeMapPage.words, page: page, stamp: stamp)
      for word in 0..<FreeMapPage.words {
        memory.set64(FreeMapPage.start + word * 8, space.spareWord(region * FreeMapPage.words + word))
      }
    }
  }

  private func addDirectories(to image: inout Image, regionCount: Int) {
    var below = (0..<max(regionCount, 1)).map { regions[$0] ?? .none }
    var next = 0
    for (depth, count) in Self.directoryCounts(regionCount).enumerated() {
      var level: [PageReference] = []
      for index in 0..<count {
        let page = directories[next]
        next += 1
        let children = below[index * FreeMapPage.fanout..<min((index + 1) * FreeMapPage.fanout, below.count)]
        let bytes = Self.pageBytes { memory in
          FreeMapPage.writeHeader(
            memory, .freeDirectory, level: UInt8(depth + 1), count: children.count, page: page, stamp: stamp)
          for (slot, child) in children.enumerated() { FreeMapPage.setChild(memory, slot, child: child) }
        }
        level.append(PageReference(page, check: Checksum.of(bytes)))
        image.pages.append((page, bytes))
      }
      below = level
    }
    image.root = below[0]
  }

  private static func pageBytes(_ fill: (UnsafeMutableRawPointer) -> Void) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: Page.size) { buffer, count in
      fill(UnsafeMutableRawPointer(buffer.baseAddress!))
      count = Page.size
    }
  }

  // MARK: Reading

  /// Reads the map under `root` into `space`. Places from the limit of `space` on are rejected.
  ///
  /// - Parameters:
  ///   - repairs: repairs pages of the map; nil for none.
  ///   - onDamage: called with each page that cannot be read, after which reading continues; without
  /// it such a page is an error.
  static func load(
    _ root: PageReference, from file: any StorageFile, into space: inout Space, stamp: UInt64,
    repairs: PageRepairs? = nil, onDamage: ((StoreError) -> Void)? = nil
  ) throws(StoreError) -> FreeMapDisk {
    var disk = FreeMapDisk()
    disk.stamp = stamp
    if root == .none { return disk }
    let limit = space.limit
    var references = [root]
    var levels: [[PageID]] = []
    // The root says how deep the map is. It may be deeper than the file needs, because files become
    // shorter.
    var depth: UInt8?
    // Without this check a few pages could represent a map larger than any file.
    var seen = Set<UInt32>()
    var told = 0
    let onDamage = onDamage.map { tell in
      { (error: StoreError) in
        told += 1
        if told <= mostComplaints { tell(error) }
      }
    }
    while depth != 0 {
      levels.append(references.map(\.page))
      var below: [PageReference] = []
      for reference in references {
        guard
          let bytes = try page(
            reference, from: file, limit, kind: .freeDirectory, level: depth, seen: &seen, repairs: repairs,
            onDamage: onDamage)
        else {
          if depth == nil { return disk }
          // The children are unknown, but those of the next directory keep their numbers.
          below += Array(repeating: .none, count: FreeMapPage.fanout)
          // The damage was reported; a map this long adds no information.
          if below.count > mostRegions { return disk }
          continue
        }
        bytes.withUnsafeBytes { raw in
          let memory = raw.baseAddress!
          depth = Page.level(memory)
          for index in 0..<Int(memory.u16(Page.Field.count)) { below.append(FreeMapPage.child(memory, index)) }
        }
        guard below.count <= mostRegions else {
          throw StoreError(.damaged, "the free map is longer than any file", path: file.path)
        }
      }
      references = below
      depth = depth.map { $0 - 1 }
    }
    disk.directories = levels.reversed().flatMap { $0 }
    for (region, reference) in references.enumerated() where reference != .none {
      guard
        let bytes = try page(
          reference, from: file, limit, kind: .freeMap, level: 0, seen: &seen, repairs: repairs, onDamage: onDamage)
      else {
        continue
      }
      disk.regions[region] = reference
      bytes.withUnsafeBytes { raw in
        for word in 0..<FreeMapPage.words {
          let first = (region * FreeMapPage.words + word) * 64
          if first >= Int(limit) { break }
          var bits = raw.baseAddress!.u64(FreeMapPage.start + word * 8)
          if Int(limit) - first < 64 { bits &= (1 << UInt64(Int(limit) - first)) - 1 }
          if bits != 0 { space.load(word: region * FreeMapPage.words + word, bits: bits) }
        }
      }
    }
    return disk
  }

  /// The most reported complaints. One damaged directory may cause a complaint for each of its
  /// children.
  private static let mostComplaints = 100

  private static let mostRegions = 1 + Int(UInt32.max) / FreeMapPage.places

  /// The regions whose page lies at or above a place.
  func regions(from bound: UInt32) -> [Int] { regions.filter { $0.value.page.place >= bound }.map(\.key) }

  /// The pages of the durable map itself.
  var ownPages: [PageID] { directories + regions.values.map(\.page) }

  private static func page(
    _ reference: PageReference, from file: any StorageFile, _ limit: UInt32, kind: Page.Kind, level: UInt8?,
    seen: inout Set<UInt32>, repairs: PageRepairs?, onDamage: ((StoreError) -> Void)?
  ) throws(StoreError) -> [UInt8]? {
    do throws(StoreError) {
      if reference != .none, !seen.insert(reference.page.place).inserted {
        throw StoreError(
          .damaged, "a page of the free map is referenced twice", path: file.path, page: UInt64(reference.page.place))
      }
      return try page(reference, from: file, limit, kind: kind, level: level, repairs: repairs)
    } catch {
      guard let onDamage else { throw error }
      onDamage(error)
      return nil
    }
  }

  private static func page(
    _ reference: PageReference, from file: any StorageFile, _ limit: UInt32, kind: Page.Kind, level: UInt8?,
    repairs: PageRepairs?
  ) throws(StoreError) -> [UInt8] {
    guard reference != .none else {
      throw StoreError(.damaged, "a directory of the free map is missing", path: file.path)
    }
    let page = reference.page
    func damage(_ what: String) -> StoreError {
      StoreError(.damaged, what, path: file.path, page: UInt64(page.place), offset: page.byteOffset)
    }
    guard page.place >= 2, page.place < limit else { throw damage("the free map points outside the file") }
    var bytes = [UInt8](repeating: 0, count: Page.size)
    var failure: StoreError?
    bytes.withUnsafeMutableBytes { buffer in
      do throws(StoreError) { try file.readFully(into: buffer, at: page.byteOffset) } catch { failure = error }
    }
    if let failure { throw failure }
    let isRight =
      Checksum.of(bytes) == reference.check
      || bytes.withUnsafeMutableBytes { repairs?.mend($0, at: page, check: reference.check) == true }
    guard isRight else { throw damage("a page of the free map has a wrong checksum") }
    let complaint = bytes.withUnsafeBytes { FreeMapPage.complaint($0.baseAddress!, kind: kind, level: level) }
    if let complaint { throw damage(complaint) }
    return bytes
  }
}

extension Checksum {
  static func of(_ bytes: [UInt8]) -> UInt64 { bytes.withUnsafeBytes { Checksum.of($0) } }
}
