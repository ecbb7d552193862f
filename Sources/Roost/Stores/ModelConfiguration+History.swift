public import Foundation
internal import RoostGraph
internal import RoostRecords

extension ModelConfiguration {
  /// What a store records of its commits.
  public enum History: Sendable, Hashable, CaseIterable {
    /// Nothing. Earlier history stays until it is removed.
    case off
    /// The inserted, changed and deleted models, the changed properties, and of deleted models the
    /// values that identify them.
    case changes
    /// Also the values of inserted models and of changed properties, and the values that they
    /// replaced: ``ModelContainer/snapshot(at:)`` needs them.
    case full
  }

  /// How long the history is kept.
  public struct HistoryRetention: Sendable, Hashable {
    let milliseconds: Int64

    /// Keeps the history of this many days, each of 24 hours.
    public static func days(_ count: Int) -> HistoryRetention { of(count, 86_400_000) }
    /// Keeps the history of this many hours.
    public static func hours(_ count: Int) -> HistoryRetention { of(count, 3_600_000) }
    /// Keeps the history of a duration, in milliseconds.
    public static func duration(_ duration: Duration) -> HistoryRetention {
      let (seconds, fraction) = duration.components
      let (whole, overflows) = seconds.multipliedReportingOverflow(by: 1000)
      if overflows { return HistoryRetention(milliseconds: seconds < 0 ? .min : .max) }
      return HistoryRetention(
        milliseconds: whole.addingReportingOverflow(fraction / 1_000_000_000_000_000).partialValue)
    }

    private static func of(_ count: Int, _ unit: Int64) -> HistoryRetention {
      let (whole, overflows) = Int64(count).multipliedReportingOverflow(by: unit)
      return HistoryRetention(milliseconds: overflows ? (count < 0 ? .min : .max) : whole)
    }
  }

  /// Makes a configuration of a store with or without a history. Stores have one by default.
  public init(
    _ name: String? = nil, schema: Schema? = nil, isStoredInMemoryOnly: Bool = false, allowsSave: Bool = true,
    groupContainer: GroupContainer = .automatic, cloudKitDatabase: CloudKitDatabase = .automatic,
    isHistoryEnabled: Bool
  ) {
    self.init(
      name, schema: schema, isStoredInMemoryOnly: isStoredInMemoryOnly, allowsSave: allowsSave,
      groupContainer: groupContainer, cloudKitDatabase: cloudKitDatabase)
    history = isHistoryEnabled ? .changes : .off
  }

  /// Makes a configuration of a store in a given file, with or without a history.
  public init(
    _ name: String? = nil, schema: Schema? = nil, url: URL, allowsSave: Bool = true,
    cloudKitDatabase: CloudKitDatabase = .automatic, isHistoryEnabled: Bool
  ) {
    self.init(name, schema: schema, url: url, allowsSave: allowsSave, cloudKitDatabase: cloudKitDatabase)
    history = isHistoryEnabled ? .changes : .off
  }

  /// Makes a configuration of a store in the user's data folder, or in memory, with its history and
  /// how long it is kept.
  public init(
    _ name: String? = nil, schema: Schema? = nil, isStoredInMemoryOnly: Bool = false, allowsSave: Bool = true,
    history: History, historyRetention: HistoryRetention? = nil
  ) {
    self.init(name, schema: schema, isStoredInMemoryOnly: isStoredInMemoryOnly, allowsSave: allowsSave)
    self.history = history
    self.historyRetention = historyRetention
  }

  /// Makes a configuration of a store in a given file, with its history and how long it is kept.
  ///
  /// - Parameters:
  ///   - name: for errors and traces; nil for the name of the file.
  ///   - schema: the models of this store; nil for those that no other configuration names.
  ///   - url: the file.
  ///   - allowsSave: false to open the store read-only.
  ///   - history: what the store records of its commits.
  ///   - historyRetention: how long the history is kept; nil for ever.
  public init(
    _ name: String? = nil, schema: Schema? = nil, url: URL, allowsSave: Bool = true, history: History,
    historyRetention: HistoryRetention? = nil
  ) {
    self.init(name, schema: schema, url: url, allowsSave: allowsSave)
    self.history = history
    self.historyRetention = historyRetention
  }

  func checkHistory() throws {
    guard let historyRetention, historyRetention.milliseconds < 0 else { return }
    throw RoostError(
      .badValue, "historyRetention of \(name) is negative: give a number of days, or nil to keep all history")
  }

  /// Sets the history of a store, and how long it is kept.
  func apply(to store: GraphStore) throws {
    guard allowsSave else { return }
    if let history {
      let mode: HistoryMode =
        switch history {
        case .off: .off
        case .changes: .changes
        case .full: .full
        }
      try store.setHistory(mode)
    }
    try historyRetention?.prune(store)
  }
}

extension ModelConfiguration.HistoryRetention {
  func prune(_ store: GraphStore) throws {
    let now = Date.now.timeIntervalSince1970 * 1000
    guard now > 0, let time = UInt64(exactly: now.rounded(.down)) else { return }
    let (limit, isBefore) = time.subtractingReportingOverflow(UInt64(clamping: milliseconds))
    if !isBefore { try store.pruneHistory(beforeMilliseconds: limit) }
  }
}
