public import Foundation
internal import RoostGraph
internal import RoostRecords

extension ModelConfiguration {
  /// What a store keeps of its commits.
  public enum History: Sendable, Hashable, CaseIterable {
    /// Nothing. What was kept before stays until it is removed.
    case off
    /// Which models were inserted, changed and deleted, which properties changed, and of deleted ones what identifies them.
    case changes
    /// The values of inserted models and of changed properties too, and those that they replaced: ``ModelContainer/snapshot(at:)`` needs them.
    case full
  }

  /// For how long.
  public struct HistoryRetention: Sendable, Hashable {
    let milliseconds: Int64

    /// Keeps the history of so many days, each of 24 hours.
    public static func days(_ count: Int) -> HistoryRetention { of(count, 86_400_000) }
    /// Keeps the history of so many hours.
    public static func hours(_ count: Int) -> HistoryRetention { of(count, 3_600_000) }
    /// Keeps the history of so long a time, to the millisecond.
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

  /// A store that keeps a history, as all do without being asked, or one that keeps none.
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

  /// A store in a given file that keeps a history, or one that keeps none.
  public init(
    _ name: String? = nil, schema: Schema? = nil, url: URL, allowsSave: Bool = true,
    cloudKitDatabase: CloudKitDatabase = .automatic, isHistoryEnabled: Bool
  ) {
    self.init(name, schema: schema, url: url, allowsSave: allowsSave, cloudKitDatabase: cloudKitDatabase)
    history = isHistoryEnabled ? .changes : .off
  }

  /// A store in the user's data folder, or in memory, with what its history keeps and for how long.
  public init(
    _ name: String? = nil, schema: Schema? = nil, isStoredInMemoryOnly: Bool = false, allowsSave: Bool = true,
    history: History, historyRetention: HistoryRetention? = nil
  ) {
    self.init(name, schema: schema, isStoredInMemoryOnly: isStoredInMemoryOnly, allowsSave: allowsSave)
    self.history = history
    self.historyRetention = historyRetention
  }

  /// A store in a given file, with what its history keeps and for how long.
  ///
  /// - Parameters:
  ///   - name: for errors and traces; nil for the name of the file.
  ///   - schema: the models of this store; nil for those that no other configuration names.
  ///   - url: the file.
  ///   - allowsSave: false to open the store for reading alone.
  ///   - history: what the store keeps of its commits.
  ///   - historyRetention: for how long; nil for ever.
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

  /// Lets a store keep what is asked for, and no longer than that.
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
