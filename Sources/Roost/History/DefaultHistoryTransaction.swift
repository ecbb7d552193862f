public import Foundation
internal import RoostGraph
internal import RoostRecords

/// One commit of one of Roost's stores.
///
/// It stores its changes in few bytes. ``changes`` makes a value for each change at each call; an
/// import may have a million changes. ``changeCount`` and ``touches(_:)`` make none, and
/// ``forEachChange(_:)`` makes one at a time.
public struct DefaultHistoryTransaction: HistoryTransaction, CustomDebugStringConvertible {
  public typealias TokenType = DefaultHistoryToken
  public typealias TransactionIdentifier = Int64

  let account: HistoryAccount
  /// The place directly after this transaction: `token < $0.token` finds later transactions.
  public let token: DefaultHistoryToken

  init(_ account: HistoryAccount, _ token: DefaultHistoryToken) {
    self.account = account
    self.token = token
  }

  private var transaction: RoostRecords.HistoryCommit { account.transaction }

  /// The number of the transaction. It ascends with the commits of a store, with gaps.
  public var transactionIdentifier: Int64 { Int64(clamping: transaction.number) }
  /// The number of the transaction: ``transactionIdentifier``.
  public var id: Int64 { transactionIdentifier }
  /// The store that the transaction changed. Two stores may have transactions of the same number.
  public var storeIdentifier: String { account.store.identifier }
  /// The time of the commit, in milliseconds. In one store, no commit is older than the previous
  /// one, even if the clock was set back.
  public var timestamp: Date { Date(transaction.stamp) }
  /// The author of the context that saved; nil if it had none.
  public var author: String? { transaction.author.isEmpty ? nil : transaction.author }
  /// The program that wrote it: its bundle identifier, or the name of its executable if it has none. Empty if an earlier version of Roost
  /// wrote it.
  public var bundleIdentifier: String { transaction.writer.program }
  /// The number of the process that wrote it; empty if an earlier version of Roost wrote it. In a container it is often 1.
  public var processIdentifier: String { transaction.writer.processText }

  /// All changes, grouped by class: first insertions, then updates, then deletions. Changes of
  /// classes that the container does not have are left out.
  public var changes: [HistoryChange] {
    var all: [HistoryChange] = []
    forEachChange { all.append($0) }
    return all
  }

  /// The number of changes.
  public var changeCount: Int {
    var count = 0
    tell { count += $0.count }
    return count
  }

  /// Calls a closure with each change, one at a time.
  ///
  /// - Throws: what the closure throws.
  public func forEachChange<Failure: Error>(_ body: (HistoryChange) throws(Failure) -> Void) throws(Failure) {
    try each(nil, body)
  }

  /// Returns the changes of models of a class and its subclasses.
  public func changes<Model: PersistentModel>(of model: Model.Type) -> [HistoryChange] {
    guard let map = account.store.map(of: model) else { return [] }
    var all: [HistoryChange] = []
    each(map) { all.append($0) }
    return all
  }

  /// Whether a model of this class or of a subclass changed.
  public func touches(_ model: any PersistentModel.Type) -> Bool {
    guard let map = account.store.map(of: model), account.transaction.entry.entities.contains(map.entity.id) else {
      return false
    }
    var isTouched = false
    try? account.visit(of: [map.entity.id]) { step in
      if step.map.isKind(of: map) {
        isTouched = true
        throw Stop()
      }
    }
    return isTouched
  }

  private struct Stop: Error {}

  private func tell(_ body: (HistoryAccount.Step) -> Void) {
    // The history was read when it was fetched, so this throws nothing.
    try? account.visit { body($0) }
  }

  private func each<Failure: Error>(
    _ map: EntityMap?, _ body: (HistoryChange) throws(Failure) -> Void
  ) throws(Failure) {
    var failure: Failure?
    let writer = HistoryChangeWriter(account)
    try? account.visit { step in
      if let map, !step.map.isKind(of: map) { return writer.pass(step) }
      do throws(Failure) { try writer.write(step, body) } catch {
        failure = error
        throw Stop()
      }
    }
    if let failure { throw failure }
  }

  public static func == (one: DefaultHistoryTransaction, other: DefaultHistoryTransaction) -> Bool {
    one.transaction.token == other.transaction.token
  }

  public func hash(into hasher: inout Hasher) { hasher.combine(transaction.token) }

  public var debugDescription: String {
    "transaction \(transaction.number) of \(storeIdentifier), \(timestamp)\(author.map { ", by \($0)" } ?? ""): \(changeCount) changes"
  }
}

extension Date {
  /// The time of a commit. Later commits have later or equal times.
  init(_ stamp: HybridTime) {
    self.init(timeIntervalSinceReferenceDate: Double(Int64(stamp.milliseconds) - 978_307_200_000) / 1000)
  }
}
