internal import RoostFile

/// An operation of a store or a context, and how long it took. ``ModelConfiguration/trace``
/// receives it.
public struct TraceEvent: Sendable, CustomStringConvertible {
  /// The kinds of events.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// ``ModelContext/fetch(_:)`` and similar calls.
    case fetch
    /// Models were counted.
    case count
    /// Only the identifiers of models were fetched.
    case identifiers
    /// Models were read as ``ModelSnapshot``.
    case snapshots
    /// ``ModelContext/aggregate(_:where:includePendingChanges:_:fileID:line:)`` and similar calls.
    case aggregate
    /// ``ModelContext/select(_:_:where:matching:sortBy:offset:limit:includePendingChanges:fileID:line:)``
    /// and similar calls.
    case select
    /// Transactions of the history were fetched or deleted.
    case history
    /// `ModelContainer.export(_:to:)`.
    case export
    /// A context saved.
    case save
    /// ``ModelContext/insert(batch:fileID:line:)`` and the other writes that make no model for each
    /// row.
    case bulk
    /// A context took over commits of other contexts.
    case merge
    /// Changed pages were written to the file.
    case checkpoint
    /// A store was opened.
    case opening
    /// Commits were replayed from the log, because the store was not closed the last time.
    case recovery
    /// A page with one flipped bit was repaired in memory, or a damaged page was read from its copy.
    /// The threshold does not apply: every repair is reported.
    case repair
    /// A getter returned a default, because the property's type does not accept the stored value.
    /// ``TraceEvent/error`` names the model, the property and the value. It is reported once for
    /// each property of a store.
    case defaultGiven
  }

  /// The kind of event. It says what the other properties mean.
  public let kind: Kind
  /// The name of the configuration.
  public let store: String
  /// The duration.
  public let duration: Duration
  /// The name of the model.
  public var entity: String?
  /// How many rows were read.
  public var rowsRead = 0
  /// How many index entries were read.
  public var entriesRead = 0
  /// How many models, transactions or groups were found or counted.
  public var found = 0
  /// How many models were loaded from their rows. Models that the context has loaded already do not
  /// count.
  public var modelsFilled = 0
  /// How many commits a context took over, or a recovery replayed.
  public var commits = 0
  /// The bytes of the log that a save wrote, or that a recovery read.
  public var bytes = 0
  /// How many pages a save made, or a checkpoint wrote.
  public var pages = 0
  /// How many models a save inserted. In a bulk write, models that delete rules and references
  /// changed are counted too. If it changed more than 100,000 rows, ``updated`` and ``deleted`` are
  /// 0, and only ``found`` counts.
  public var inserted = 0
  /// How many models a save changed.
  public var updated = 0
  /// How many models a save deleted.
  public var deleted = 0
  /// The page and the bit of a repair.
  public var detail: String?
  /// The ``ModelContext/author`` of the context; nil for none.
  public var author: String?
  /// The ``ModelContext/name`` of the context; nil for none.
  public var context: String?
  /// The file of the call, such as `Module/File.swift`; nil for events that no call made.
  public var fileID: String?
  /// The line of the call in ``fileID``.
  public var line: Int?
  /// The error, if the operation failed. Failures are always reported.
  public var error: (any Error)?
  var lazyPlan: LazyText?

  init(_ kind: Kind, _ store: String, nanoseconds: UInt64) {
    self.kind = kind
    self.store = store
    duration = .nanoseconds(Int64(clamping: nanoseconds))
  }

  /// The plan of a fetch, as ``ModelContext/explain(_:)`` describes it. It is made at the first
  /// read, which must happen in the call that receives the event; a later first read returns nil.
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

/// A text that is made at its first read, as long as that is possible.
///
/// Unchecked, because only the thread that made the closure calls it, and the lock guards the rest.
final class LazyText: @unchecked Sendable {
  private let lock = Lock()
  private var made: String?
  private var make: (() -> String?)?
  private let thread = Thread.currentID

  init(_ make: @escaping () -> String?) { self.make = make }

  var text: String? {
    let (known, make) = lock.withLock { (made, self.make) }
    if known != nil || make == nil || Thread.currentID != thread { return known }
    // Not under the lock, because it reads the store.
    let text = make?()
    lock.withLock { made = text }
    return text
  }

  /// From here on the text cannot be made any more.
  func seal() { lock.withLock { make = nil } }
}
