public import Foundation
internal import RoostGraph

/// A condition on models of another class that no relationship connects.
///
/// ```swift
/// let kept = try context.select(
///   Order.self, \.number, matching: [.none(Refund.self, on: .equal(\.number, \.order))])
/// ```
///
/// Two models match if their values compare as ``JoinKey`` says.
public struct Match<Model: PersistentModel>: @unchecked Sendable {
  // Unchecked because key paths are not marked `Sendable`, although they never change.
  let side: JoinSide<Model>
  /// Whether a match must exist, or must not exist.
  let isWanted: Bool
  let select: (JoinQuestion<Model>) throws -> [[AnyHashable]?]

  /// At least one model of the other class matches.
  public static func exists<Other: PersistentModel>(
    _ other: Other.Type, on keys: JoinKey<Model, Other>..., where predicate: Predicate<Other>? = nil
  ) -> Match { Match(keys, predicate, isWanted: true) }

  /// No model of the other class matches.
  public static func none<Other: PersistentModel>(
    _ other: Other.Type, on keys: JoinKey<Model, Other>..., where predicate: Predicate<Other>? = nil
  ) -> Match { Match(keys, predicate, isWanted: false) }

  private init<Other: PersistentModel>(
    _ keys: [JoinKey<Model, Other>], _ predicate: Predicate<Other>?, isWanted: Bool
  ) {
    side = JoinSide(keys)
    self.isWanted = isWanted
    select = { question in
      try question.rows(keys.map { $0.other() }, [], of: FetchDescriptor(predicate: predicate)) { _ in }.map { $0.keys }
    }
  }
}

/// Leaves out rows that do not fulfil the conditions.
struct MatchRun<Model: PersistentModel> {
  private let match: Match<Model>
  let keys: [AnyJoinColumn<Model>]

  init(_ match: Match<Model>) throws {
    self.match = match
    keys = match.side.keys.map { $0.column() }
    if keys.isEmpty {
      throw RoostError(.badValue, "a condition on other models needs a key: write on: .equal(…)")
    }
  }

  func filtered(
    _ rows: [SelectRun<Model>.Row], _ state: ContextState, includePendingChanges: Bool
  ) throws -> [SelectRun<Model>.Row] {
    let found = try match.select(
      JoinQuestion(
        match.side, rows, columns: keys, state: state, includePendingChanges: includePendingChanges))
    var index = JoinIndex(match.side, found)
    state.notes?.changeLast { if $0.joining == .none || index.joining != .table { $0.joining = index.joining } }
    return try rows.filter { row in
      var isFound = false
      if let keys = try row.keys(keys) {
        try index.forEach(keys) { _ in
          isFound = true
          return false
        }
      }
      return isFound == match.isWanted
    }
  }
}
