internal import RoostGraph

/// The snapshots of a chunk as rows.
struct SnapshotContentRows: ChunkRows {
  private let run: BulkImport
  private(set) var chunk: BulkChunk
  private(set) var elements: [Int] = []
  private(set) var rows: [Int?] = []
  private let contents: [SnapshotContent]
  private var places = IdentifierMap<Int>()
  /// For each row, the references to targets that do not exist, or were not imported yet.
  private var strays: [(row: Int, property: Int, targets: [PersistentIdentifier])] = []

  init(_ contents: [SnapshotContent], _ run: BulkImport, faults: inout [Int: ImportFault]) throws {
    (self.contents, self.run) = (contents, run)
    chunk = run.chunk(joins: false)
    for (element, content) in contents.enumerated() {
      rows.append(nil)
      if faults[element] != nil { continue }
      guard content.type.isKind(of: run.map.type) else {
        let detail = "the snapshot is of \(content.type.name), and the import of \(run.map.type.name)"
        try run.note(ImportFault(.unknown, detail), element, among: &faults)
        continue
      }
      do { try run.check(content.values) } catch let fault as ImportFault {
        try run.note(fault, element, among: &faults)
        continue
      }
      rows[element] = chunk.rows.count
      var row = BulkRow(values: content.values, links: [])
      row.own = target(content.identifier)
      row.refusal = content.refused.min { $0.key < $1.key }?.value
      if places[content.identifier] == nil { places[content.identifier] = chunk.rows.count }
      elements.append(element)
      chunk.rows.append(row)
    }
    for row in chunk.rows.indices { chunk.rows[row].links = links(row) }
  }

  private func target(_ identifier: PersistentIdentifier) -> BulkTarget? {
    if let place = places[identifier] { return .row(place) }
    if let key = run.rows[identifier] { return .earlier(key) }
    guard identifier.key.isLasting, identifier.store == run.target.store.identifier else { return nil }
    return .stored(identifier)
  }

  private mutating func links(_ row: Int) -> [BulkLink] {
    let content = contents[elements[row]]
    guard let map = run.target.store.map(of: content.type.model) else { return content.links.map { _ in .absent } }
    return content.form.links.enumerated().map { place, property in
      let mayCome = run.target.store.leadsToItself(map, property)
      switch content.links[place] {
      case .absent: return .absent
      case .one(let one):
        // The other side of the relationship has the reference.
        guard map.field(property) != nil else { return .absent }
        guard let one else { return run.options.conflict == .merge ? .absent : .one(nil) }
        if let found = target(one) { return .one(found) }
        strays.append((row, property, [one]))
        return .absent
      case .many(let many):
        if many.isEmpty, run.options.conflict != .update { return .absent }
        let found = many.compactMap { target($0) }
        if found.count == many.count { return .many(found) }
        // All of them wait, so that their order stays.
        if mayCome {
          strays.append((row, property, many))
          return .absent
        }
        guard run.target.store.isByLinks(map, property) else { return found.isEmpty ? .absent : .many(found) }
        strays.append((row, property, many.filter { target($0) == nil }))
        return found.isEmpty ? .absent : .many(found)
      }
    }
  }

  func stored(_ stored: BulkStored, by run: BulkImport) {
    for (row, content) in elements.map({ contents[$0] }).enumerated() {
      run.rows[content.identifier] = stored.rows[row].key
      guard stored.rows[row].state == .updated else { continue }
      for (place, property) in content.form.links.enumerated() {
        if case .absent = chunk.rows[row].links[place] { continue }
        run.waiting[late(row, property, in: stored)] = nil
      }
    }
    for (row, property, targets) in strays { wait(row, property, targets: targets, in: stored) }
    for (row, property, place) in stored.missing {
      let content = contents[elements[row]]
      guard let link = content.link(property) else { continue }
      switch link {
      case .one(let one?): wait(row, property, targets: [one], in: stored)
      case .many(let many):
        let mayCome = run.target.store.map(of: content.type.model).map { run.target.store.leadsToItself($0, property) }
        wait(row, property, targets: mayCome == true ? many : [many[place]], in: stored)
      default: continue
      }
    }
  }

  private func late(_ row: Int, _ property: Int, in stored: BulkStored) -> BulkImport.LateReference {
    BulkImport.LateReference(
      owner: stored.rows[row].key, type: ObjectIdentifier(contents[elements[row]].type), property: property)
  }

  /// Lets references wait for their targets, or reports them if the targets cannot come.
  private func wait(_ row: Int, _ property: Int, targets: [PersistentIdentifier], in stored: BulkStored) {
    if stored.rows[row].state == .kept { return }
    let type = contents[elements[row]].type
    if let map = run.target.store.map(of: type.model), run.target.store.leadsToItself(map, property) {
      run.waiting[late(row, property, in: stored)] = targets
      return
    }
    for target in targets { run.noteUnresolved(type, stored.rows[row].key, property: property, target: target) }
  }
}

extension BulkImport {
  func store(snapshots: some Sequence<SnapshotContent>) throws {
    let contents = Array(snapshots)
    var faults: [Int: ImportFault] = [:]
    try store(contents.count, &faults) { try SnapshotContentRows(contents, self, faults: &$0) }
  }
}
