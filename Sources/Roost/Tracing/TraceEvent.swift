internal import RoostFile

/// Something that a store or a context did, and how long it took. ``ModelConfiguration/trace`` receives it.
public struct TraceEvent: Sendable, CustomStringConvertible {
  /// The kinds of events.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// ``ModelContext/fetch(_:)`` and the like.
    case fetch
    /// Models were counted.
    case count
    /// Only the identifiers of models were fetched.
    case identifiers
    /// Models were read as ``ModelSnapshot``.
    case snapshots
    /// ``ModelContext/aggregate(_:where:includePendingChanges:_:fileID:line:)`` and the like.
    case aggregate
    /// ``ModelContext/select(_:_:where:matching:sortBy:offset:limit:includePendingChanges:fileID:line:)`` and the like.
    case select
    /// Transactions were fetched from the history, or deleted there.
    case history
    /// `ModelContainer.export(_:to:)`.
    case export
    /// A context saved.
    case save
    /// ``ModelContext/insert(batch:fileID:line:)`` and the other writes that make no model for each row.
    case bulk
    /// A context went on to what others had committed.
    case merge
    /// Changed pages were written to the file.
    case checkpoint
    /// A store was opened.
    case opening
    /// Commits were read from the log, because the store was not closed the last time.
    case recovery
    /// One bit of a page had flipped in the file, and the page was repaired in memory. It is told whatever the threshold.
    case repair
    /// A getter gave a default, because the property's type does not accept what is stored: ``TraceEvent/error`` names the model, the
    /// property and the value. It is told once for each property of a store.
    case defaultGiven
  }

  /// The kind of event, which says what the other properties mean.
  public let kind: Kind
  /// The name of the configuration.
  public let store: String
  /// How long it took.
  public let duration: Duration
  /// The model's name.
  public var entity: String?
  /// Rows and entries of indexes that were read to answer.
  public var rowsRead = 0
  /// How many entries of indexes were read to answer.
  public var entriesRead = 0
  /// Models, transactions or groups that were found, or counted.
  public var found = 0
  /// Models whose values were read from their rows; those that a context has already are not.
  public var modelsFilled = 0
  /// Commits that a context went on over, or that were recovered.
  public var commits = 0
  /// Of a save the bytes of the log, of a recovery those that were read.
  public var bytes = 0
  /// Pages that a save made, or a checkpoint wrote.
  public var pages = 0
  /// Models that a save wrote. Of a write in bulk also those that rules and references changed; where it is about more than 100,000
  /// rows, ``updated`` and ``deleted`` are 0, and ``found`` alone tells.
  public var inserted = 0
  /// Models that a save changed.
  public var updated = 0
  /// Models that a save deleted.
  public var deleted = 0
  /// Of a repair the page and the bit.
  public var detail: String?
  /// The ``ModelContext/author`` of the context; nil for none.
  public var author: String?
  /// The ``ModelContext/name`` of the context; nil for none.
  public var context: String?
  /// The file of the call, such as `Module/File.swift`; nil for events that no call made.
  public var fileID: String?
  /// The line of the call in ``fileID``.
  public var line: Int?
  /// Why it failed. Failures are told however short they took.
  public var error: (any Error)?
  var lazyPlan: LazyText?

  init(_ kind: Kind, _ store: String, nanoseconds: UInt64) {
    self.kind = kind
    self.store = store
    duration = .nanoseconds(Int64(clamping: nanoseconds))
  }

  /// How a fetch is carried out, as ``ModelContext/explain(_:)`` says it. It is made when somebody asks, which must be in the call that
  /// receives the event: later it is nil, unless it was asked for before.
  public var plan: String? { lazyPlan?.text }

  /// One line.
  public var description: String {
    var parts = ["\(kind.rawValue) \(milliseconds) ms", store]
    if let entity { parts.append(entity) }
    switch kind {
    case .fetch, .count, .identifiers, .snapshots, .aggregate, .select, .export:
      parts.append("found \(found), rows read \(rowsRead), entries \(entriesRead), filled \(modelsFilled)")
    case .history: parts.append("found \(found)")
    case .save, .bulk:
      if kind == .bulk { parts.append("rows \(found)") }
      parts.append("inserted \(inserted), updated \(updated), deleted \(deleted), \(bytes) bytes, \(pages) pages")
    case .merge: parts.append("\(commits) commits")
    case .checkpoint: parts.append("\(pages) pages")
    case .recovery: parts.append("\(commits) commits, \(bytes) bytes")
    case .repair: parts.append(detail ?? "")
    case .opening, .defaultGiven: break
    }
    if let author { parts.append("author \(author)") }
    if let context { parts.append("context \(context)") }
    if let fileID { parts.append("at \(fileID)" + (line.map { ":\($0)" } ?? "")) }
    if let error { parts.append("failed: \(error)") }
    return parts.joined(separator: "; ")
  }

  private var milliseconds: String {
    let (seconds, attoseconds) = duration.components
    let micro = seconds * 1_000_000 + attoseconds / 1_000_000_000_000
    let rest = String(micro % 1000)
    return "\(micro / 1000)." + String(repeating: "0", count: 3 - rest.count) + rest
  }
}

/// A text that is made when somebody asks for it, as long as it can be.
///
/// Unchecked, because the closure is only called on the thread that made it, and all else is under the lock.
final class LazyText: @unchecked Sendable {
  private let lock = Lock()
  private var made: String?
  private var make: (() -> String?)?
  private let thread = Thread.currentID

  init(_ make: @escaping () -> String?) { self.make = make }

  var text: String? {
    let (known, make) = lock.withLock { (made, self.make) }
    if known != nil || make == nil || Thread.currentID != thread { return known }
    // Not under the lock: it asks the store.
    let text = make?()
    lock.withLock { made = text }
    return text
  }

  /// From here on it can be made no more.
  func seal() { lock.withLock { make = nil } }
}
