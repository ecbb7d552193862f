package import RoostFile
package import RoostKV
internal import RoostPages
internal import RoostTrees

/// Checks a whole file: each page must be in exactly one place.
package enum Audit {
  /// Makes a checkpoint and reports all errors in its state.
  package static func findings(_ store: KeyValueStore) throws(StoreError) -> [String] {
    let examination = try store.store.examine()
    var findings: [String] = []
    var uses: [UInt32: String] = [:]
    func use(_ place: UInt32, _ length: UInt32, what: String) {
      for member in place..<place + length {
        if let other = uses.updateValue(what, forKey: member) {
          findings.append("4: place \(member) belongs to \(other) and to \(what)")
        }
        if member >= examination.pageCount { findings.append("4: place \(member) of \(what) is beyond the end") }
      }
    }
    use(0, 2, what: "the superblocks")
    for page in examination.mapPages { use(page.place, 1, what: "the free map") }
    for entry in examination.copies { use(entry.copy.place, 1, what: "the copy of page \(entry.page.place)") }
    let view = examination.view
    findings += copyFindings(examination)
    let catalog = TreeCatalog(examination.snapshot, view: view)
    let root = ByteTree(examination.snapshot.catalog, id: TreeCatalog.treeID, view: view)
    findings += root.verify(stampBound: examination.snapshot.stamp) { reached in
      if case .page(let page) = reached { use(page.place, 1, what: "the catalog") }
    }.map(\.description)
    for (name, descriptor) in try catalog.all() {
      let text = String(decoding: name, as: UTF8.self)
      var lists: [ExtentList] = []
      let reach: (Reached) -> Void = { reached in
        switch reached {
        case .page(let page): use(page.place, 1, what: text)
        case .extents(let list): lists.append(list)
        }
      }
      let bound = examination.snapshot.stamp
      let wrong =
        descriptor.kind == .bytes
        ? ByteTree(descriptor.root, id: descriptor.id, view: view)
          .verify(stampBound: bound, extents: descriptor.extents, reach)
        : IntegerTree(descriptor.root, id: descriptor.id, view: view)
          .verify(stampBound: bound, extents: descriptor.extents, reach)
      findings += wrong.map { "\(text): \($0)" }
      for list in lists {
        if list.isIndirect { use(list.extents[0].place, list.extents[0].pages, what: text + "'s list of extents") }
        for extent in try view.extents(of: list) { use(extent.place, extent.pages, what: text + "'s extents") }
      }
    }
    for place in 0..<examination.pageCount {
      let isFree = examination.free.contains(place)
      if isFree, let other = uses[place] { findings.append("4: place \(place) is free and belongs to \(other)") }
      if !isFree, uses[place] == nil { findings.append("4: place \(place) has no owner") }
    }
    findings += try store.store.checkInvariants()
    return findings
  }

  /// The errors in copies of pages. A store may have no copies: an older version wrote it.
  private static func copyFindings(_ examination: Examination) -> [String] {
    if examination.copies.isEmpty { return [] }
    let essentials = TreeCatalog.essentials(examination.snapshot, examination.view)
    var findings = examination.damagedCopies(essentials).map { "page \($0.damaged.place): \($0.sentence)" }
    let places = Set(essentials.flatMap(\.places))
    for entry in examination.copies where !places.contains(entry.page.place) {
      findings.append("page \(entry.page.place) has a copy and needs none")
    }
    return findings
  }
}
