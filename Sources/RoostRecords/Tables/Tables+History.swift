internal import RoostBytes
internal import RoostFile
internal import RoostPages
internal import RoostTrees

/// Writes the history of a store.
///
/// A commit makes its own entry while it changes rows, and puts it into a tree of the same store.
/// Replay makes the same entry by the same code. So the log records only the data that replay
/// cannot derive.
///
/// ## Layout
/// Pieces of kind 37 begin with a byte that names their meaning.
/// ```
/// 0 about      u64 stamp, the author's UTF-8 (rest)
/// 1 mode       u64
/// 2 consumer   u64 transaction, u64 stamp, the name's UTF-8 (rest)
/// 3 removed    the consumer's name (rest)
/// 4 floor      u64: everything up to this transaction is removed
/// 5 writer     u64 process, the program's UTF-8 (rest): from this transaction on this program writes
/// ```
extension Tables {
  enum HistoryPiece: UInt8 {
    case about = 0
    case mode = 1
    case consumer = 2
    case removed = 3
    case floor = 4
    case writer = 5
  }

  private var transaction: WriteTransaction { forest.transaction }
  /// The number that this transaction gets if it is committed.
  private var number: UInt64 { transaction.base.transaction + 1 }

  /// The history as it is now. Changes of this transaction are added at its end.
  func historyReading() throws(StoreError) -> HistoryReading {
    historyReading(try historyTree(isNeeded: false), try historyState())
  }

  private func historyReading(_ tree: HistoryTree?, _ state: HistoryState) -> HistoryReading {
    HistoryReading(
      store: HistoryStoreID(high: transaction.store.identity.high, low: transaction.store.identity.low),
      tree: tree?.draft.tree, state: state, latest: transaction.base.transaction)
  }

  func historyState() throws(StoreError) -> HistoryState {
    guard historyTurn.isStateTouched else { return historyTurn.base }
    guard try forest.find(Self.meta) != nil else { return HistoryState() }
    return try HistoryState.read(bytes(Self.meta).tree)
  }

  private func historyTree(isNeeded: Bool) throws(StoreError) -> HistoryTree? {
    var found = try forest.find(HistoryTree.name)
    if found == nil {
      if !isNeeded { return nil }
      found = try forest.create(HistoryTree.name, .integers)
    }
    guard case .integers(let draft)? = found?.trunk else { throw Self.foreign }
    return HistoryTree(draft: draft, transaction: transaction)
  }

  private func putHistory(_ state: HistoryState) throws(StoreError) {
    historyTurn.isStateTouched = true
    if try forest.find(Self.meta) == nil { _ = try forest.create(Self.meta, .bytes) }
    try put(state.encoded, at: HistoryState.key, in: bytes(Self.meta))
  }

  private func put(_ value: [UInt8], at key: [UInt8], in tree: ByteTreeDraft) throws(StoreError) {
    try ByteKey.borrowing(key) { (key) throws(StoreError) in
      var failure: StoreError?
      value.withUnsafeBytes { bytes in
        do throws(StoreError) { try tree.put(key, bytes) } catch { failure = error }
      }
      if let failure { throw failure }
    }
  }

  func record(_ piece: HistoryPiece, _ words: [UInt64], text: String = "") throws(StoreError) {
    let text = Array(text.utf8)
    try transaction.record(Kind.history.rawValue, count: 1 + 8 * words.count + text.count) { memory in
      memory.set8(0, piece.rawValue)
      for (index, word) in words.enumerated() { memory.set64(1 + 8 * index, word) }
      text.withUnsafeBytes { bytes in
        guard let start = bytes.baseAddress else { return }
        (memory + (1 + 8 * words.count)).copyMemory(from: start, byteCount: bytes.count)
      }
    }
  }

  // MARK: The end of a transaction

  /// Appends the transaction's entry to the history if anything changed.
  func sealHistory() throws(StoreError) {
    if history.isOn,
      let entry = try HistoryEntryMaker(self, isFull: historyTurn.base.mode == .full).make(historyTurn.author),
      let tree = try historyTree(isNeeded: true)
    {
      let reading = historyReading(tree, try historyState())
      let last = try reading.lastHead()
      let stamp: HybridTime
      if let source = historyTurn.source {
        stamp = source.time(after: last?.head.stamp ?? reading.state.floorStamp)
        try record(.about, [stamp.bits], text: historyTurn.author)
        // The last entry is usually from this opening.
        if last?.head.last != source.lastOwn { try note(source.writer()) }
        historyTurn.hasEntry = true
      } else {
        guard let said = historyTurn.stamp else { throw Self.unreadable }
        stamp = said
        try noteReplayedWriter()
        #if DEBUG
          if forest.transaction.store.options.omission == .replayedHistory { return }
        #endif
      }
      try tree.append(number, stamp, entry: entry, after: last)
    }
    // A salvage may drop everything from a record, but its writer wrote the following records too.
    try noteReplayedWriter()
    if historyTurn.isStateTouched { try switchHistory() }
  }

  /// Marks that the history ends, or begins again, with the next transaction.
  private func switchHistory() throws(StoreError) {
    let isOn = try historyState().mode != .off
    if isOn == history.isOn { return }
    let reading = try historyReading()
    let last = try reading.lastHead()
    guard let tree = try historyTree(isNeeded: true) else { return }
    if isOn {
      guard let last, last.head.isOpen else { throw HistoryBlock.unreadable(number) }
      try tree.put(last.key, HistoryBlock.gap(last.head.stamp, last: number))
    } else {
      try tree.put(number + 1, HistoryBlock.gap(last?.head.stamp ?? reading.state.floorStamp, last: nil))
    }
  }

  /// The present rows of an entity.
  func image(_ entity: Entity) throws(StoreError) -> HistoryImage {
    HistoryImage(
      entity, rows: try integers(Self.rows(entity.id)).tree, large: try bytes(Self.large(entity.id)).tree)
  }

  /// The rows of an entity before the transaction. Their pages are kept until it ends.
  func baseImage(_ entity: Entity) throws(StoreError) -> HistoryImage {
    let trees = RoostTrees.TreeCatalog(transaction.base, view: transaction.view)
    guard let rows = try trees.descriptor(Self.rows(entity.id)), rows.kind == .integers,
      let large = try trees.descriptor(Self.large(entity.id)), large.kind == .bytes
    else { throw Self.foreign }
    return HistoryImage(
      entity, rows: IntegerTree(rows.root, id: rows.id, view: transaction.view),
      large: ByteTree(large.root, id: large.id, view: transaction.view))
  }

  // MARK: Settings

  /// Sets what the history keeps from the next transaction on.
  func setHistory(_ mode: HistoryMode) throws(StoreError) {
    var state = try historyState()
    if state.mode == mode { return }
    state.mode = mode
    try putHistory(state)
    try record(.mode, [UInt64(mode.rawValue)])
  }

  /// Removes the entries of transactions up to this one, which no consumer needs.
  func removeHistory(upTo floor: UInt64) throws(StoreError) {
    let reading = try historyReading()
    var state = reading.state
    guard floor > state.floor else { return }
    state.floorStamp = try reading.stamp(atMost: floor)
    state.floor = floor
    if let tree = try historyTree(isNeeded: false) {
      try tree.remove(upTo: floor, reading)
      try forgetWriters(before: tree.firstKey() ?? .max)
    }
    try putHistory(state)
    try record(.floor, [floor])
  }

  // MARK: Consumers

  func consumersTree() throws(StoreError) -> ByteTreeDraft? {
    try forest.find(ConsumerPlace.tree) == nil ? nil : bytes(ConsumerPlace.tree)
  }

  func setConsumer(_ name: String, _ transaction: UInt64, stamp: HybridTime) throws(StoreError) {
    if try forest.find(ConsumerPlace.tree) == nil { _ = try forest.create(ConsumerPlace.tree, .bytes) }
    let value = ConsumerPlace.value(transaction, stamp)
    try put(value, at: Array(name.utf8), in: bytes(ConsumerPlace.tree))
    try record(.consumer, [transaction, stamp.bits], text: name)
  }

  func removeConsumer(_ name: String) throws(StoreError) -> Bool {
    guard let tree = try consumersTree() else { return false }
    let isThere = try ByteKey.borrowing(Array(name.utf8)) { (key) throws(StoreError) in try tree.remove(key) }
    if isThere { try record(.removed, [], text: name) }
    return isThere
  }

  // MARK: Replay

  func carryOutHistory(_ bytes: UnsafeRawBufferPointer) throws(StoreError) {
    guard let piece = bytes.first.flatMap(HistoryPiece.init(rawValue:)) else { throw Self.unreadable }
    let words = piece == .consumer ? 2 : piece == .removed ? 0 : 1
    guard bytes.count >= 1 + 8 * words, let start = bytes.baseAddress else { throw Self.unreadable }
    let rest = UnsafeRawBufferPointer(rebasing: bytes[(1 + 8 * words)...])
    guard let text = String(validating: rest, as: UTF8.self) else { throw Self.unreadable }
    switch piece {
    case .about: historyTurn.replay(text, HybridTime(bits: start.u64(1)))
    case .mode:
      guard let mode = UInt8(exactly: start.u64(1)).flatMap(HistoryMode.init(rawValue:)) else { throw Self.unreadable }
      try setHistory(mode)
    case .consumer: try setConsumer(text, start.u64(1), stamp: HybridTime(bits: start.u64(9)))
    case .removed: _ = try removeConsumer(text)
    case .floor: try removeHistory(upTo: start.u64(1))
    case .writer:
      guard text.utf8.count <= HistoryWriter.mostProgramBytes else { throw Self.unreadable }
      historyTurn.replay(HistoryWriter(text, process: start.u64(1)))
    }
  }
}
