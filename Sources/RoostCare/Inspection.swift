internal import RoostBytes
package import RoostFile
package import RoostPages
internal import RoostTrees

/// A walk through all pages of one state of a store. It continues after damage.
///
/// It compares the reached places with the map of free places: together they must be all places,
/// each once. The modules above examine the meaning of entries.
package struct Inspection {
  private let examination: Examination
  package private(set) var report = Verification()
  private var reached = PlaceSet()
  /// Places that the superblock lists as copies and that something else uses too.
  package private(set) var contestedCopies: Set<UInt32> = []
  /// Whether everything was reached. Otherwise unreached places are not reported.
  private var isComplete: Bool

  package init(_ examination: Examination) {
    self.examination = examination
    isComplete = examination.knowsFree
  }

  package mutating func run() {
    let start = Clock.monotonicNanoseconds()
    for complaint in examination.complaints { add(complaint) }
    report.notes = examination.notes.map {
      Verification.Finding(page: $0.page, tree: nil, sentence: $0.detail, invariant: nil)
    }
    report.pages = Int(examination.pageCount)
    report.freePages = examination.free.count
    // Two pages are superblocks.
    examination.pace?.begin(pages: report.pages - report.freePages - 2)
    for page in examination.mapPages { reach(page, nil) }
    examination.pace?.count(pages: examination.mapPages.count + examination.copies.count)
    inspectTrees()
    for entry in examination.copies {
      if reached.contains(entry.copy.place) { contestedCopies.insert(entry.copy.place) }
      reach(entry.copy, nil)
    }
    compareCopies()
    comparePlaces()
    report.pagesRead = reached.count
    report.seconds = Double(Clock.monotonicNanoseconds() - start) / 1e9
  }

  // MARK: Findings

  package mutating func add(_ error: StoreError) {
    let invariant: Int? = error.code == .logMissing ? 9 : nil
    add(error.page, nil, sentence: error.detail, invariant: invariant)
  }

  /// The most reported findings, because a damaged file may have more than memory holds.
  private static let mostFindings = 10_000

  package mutating func add(_ page: UInt64?, _ tree: String?, sentence: String, invariant: Int?) {
    if report.findings.count >= Self.mostFindings { return report.hasMore = true }
    report.findings.append(
      Verification.Finding(page: page, tree: tree, sentence: sentence, invariant: invariant))
  }

  private mutating func add(_ found: [Finding], _ tree: String?) {
    for finding in found {
      if finding.isUnreadable { isComplete = false }
      let page = finding.page == .none ? nil : UInt64(finding.page.place)
      add(page, tree, sentence: finding.sentence, invariant: finding.isUnreadable ? nil : 5)
    }
  }

  // MARK: Trees

  private mutating func inspectTrees() {
    let snapshot = examination.snapshot
    let catalog = ByteTree(snapshot.catalog, id: TreeCatalog.treeID, view: examination.view)
    var pages: [PageID] = []
    let pace = examination.pace
    let found = catalog.verify(stampBound: snapshot.stamp) { reached in
      if case .page(let page) = reached { pages.append(page) }
      pace?.countHalf()
    }
    add(found, nil)
    for page in pages { reach(page, nil) }
    var names: [(name: String, descriptor: TreeDescriptor?)] = []
    do throws(StoreError) {
      // `verify` reported unreadable entries.
      try catalog.survey(gap: { _ in }) { (key, value) in
        if !key.isEmpty { names.append((String(decoding: key, as: UTF8.self), TreeDescriptor(value.bytes))) }
      }
    } catch { add(error) }
    var owners: [UInt32: String] = [:]
    for (name, descriptor) in names {
      if pace?.isEnded == true { return }
      guard let descriptor else {
        isComplete = false
        add(nil, name, sentence: "the catalog's entry is unreadable", invariant: 5)
        continue
      }
      if let other = owners.updateValue(name, forKey: descriptor.id) {
        add(nil, name, sentence: "the tree and \"\(other)\" have the same number, \(descriptor.id)", invariant: 5)
      }
      inspect(name, descriptor)
    }
  }

  private mutating func inspect(_ name: String, _ descriptor: TreeDescriptor) {
    let bound = examination.snapshot.stamp
    var pages: [PageID] = []
    var lists: [ExtentList] = []
    let pace = examination.pace
    let note = { (reached: Reached) in
      switch reached {
      case .page(let page):
        pages.append(page)
        pace?.countHalf()
      case .extents(let list): lists.append(list)
      }
    }
    let found =
      switch descriptor.kind {
      case .bytes:
        ByteTree(descriptor.root, id: descriptor.id, view: examination.view)
          .verify(stampBound: bound, extents: descriptor.extents, note)
      case .integers:
        IntegerTree(descriptor.root, id: descriptor.id, view: examination.view)
          .verify(stampBound: bound, extents: descriptor.extents, note)
      }
    add(found, name)
    for page in pages { reach(page, name) }
    for list in lists { inspect(list, name) }
    report.trees += 1
    report.entries = report.entries.addingCapped(descriptor.root.count)
    report.largeValues += lists.count
  }

  // MARK: Large values

  private mutating func inspect(_ list: ExtentList, _ tree: String) {
    if list.born > examination.snapshot.stamp {
      add(
        list.extents.first.map { UInt64($0.place) }, tree, sentence: "a large value is younger than its snapshot",
        invariant: 5)
    }
    for extent in list.extents { reach(extent, tree) }
    var extents = list.extents
    if list.isIndirect {
      do throws(StoreError) { extents = try examination.view.extents(of: list) } catch {
        isComplete = false
        return add(error.page, tree, sentence: error.detail, invariant: nil)
      }
      guard extents.reduce(0, { $0 + UInt64($1.pages) }) <= UInt64(examination.pageCount) else {
        isComplete = false
        return add(
          UInt64(list.extents[0].place), tree, sentence: "a large value has more pages than the file", invariant: 4)
      }
      for extent in extents { reach(extent, tree) }
    }
    let buffer = UnsafeMutableRawBufferPointer.allocate(
      byteCount: extents.reduce(1) { max($0, Int($1.rawBytes)) }, alignment: 16)
    defer { buffer.deallocate() }
    for extent in extents {
      let part = UnsafeMutableRawBufferPointer(rebasing: buffer[..<Int(extent.rawBytes)])
      do throws(StoreError) { try examination.view.read(extent, into: part) } catch {
        add(error.page ?? UInt64(extent.place), tree, sentence: error.detail, invariant: nil)
      }
      examination.pace?.count(pages: Int(extent.pages))
    }
  }

  // MARK: Copies

  private mutating func compareCopies() {
    if examination.copies.isEmpty { return }
    for found in examination.damagedCopies(TreeCatalog.essentials(examination.snapshot, examination.view))
    where !contestedCopies.contains(found.damaged.place) {
      add(UInt64(found.damaged.place), nil, sentence: found.sentence, invariant: nil)
    }
  }

  // MARK: Places

  /// Reports only the first wrong page of an extent.
  private mutating func reach(_ extent: ExtentList.Extent, _ tree: String) {
    var isTold = false
    for place in extent.place..<extent.place + extent.pages {
      guard let complaint = reach(place), !isTold else { continue }
      add(UInt64(place), tree, sentence: complaint, invariant: 4)
      isTold = true
    }
  }

  private mutating func reach(_ page: PageID, _ tree: String?) {
    if let complaint = reach(page.place) { add(UInt64(page.place), tree, sentence: complaint, invariant: 4) }
  }

  /// Notes that the page is in use. Returns the error if it cannot be.
  private mutating func reach(_ place: UInt32) -> String? {
    guard place >= 2, place < examination.pageCount else { return "the page lies outside the file" }
    if !reached.insert(place) { return "the page is used twice" }
    return examination.free.contains(place) ? "the page is in use, but free in the map" : nil
  }

  private mutating func comparePlaces() {
    guard isComplete else { return }
    var start: UInt32?
    for place in 2..<max(2, examination.pageCount) + 1 {
      let isLost =
        place < examination.pageCount && !reached.contains(place) && !examination.free.contains(place)
      if isLost {
        start = start ?? place
      } else if let first = start {
        let last = place - 1
        let which = first == last ? "the page is" : "the pages up to \(last) are"
        add(UInt64(first), nil, sentence: "\(which) neither in use nor free", invariant: 4)
        start = nil
      }
    }
  }
}

extension Int {
  /// Adds a number from a file. The sum never exceeds the largest number.
  package func addingCapped(_ more: UInt64) -> Int {
    let (sum, overflows) = addingReportingOverflow(Int(clamping: more))
    return overflows ? .max : sum
  }
}
