internal import Foundation
internal import RoostRecords

/// The bounds that a predicate certainly requires, so that the rest of the history need not be
/// read: parts that are joined by `&&` and compare a property of the transaction with a value.
struct HistoryBounds {
  enum Comparison { case less, lessOrEqual, equal, greaterOrEqual, greater }

  enum Edge {
    case token(DefaultHistoryToken)
    case number(Int64)
    case time(Date)
  }

  struct Bound {
    var comparison: Comparison
    var edge: Edge
  }

  var bounds: [Bound] = []
  private(set) var authors: Set<String> = []
  private(set) var programs: Set<String> = []
  private(set) var processes: Set<String> = []
  private(set) var stores: Set<String>?
  /// Whether the bounds are the whole predicate. Otherwise the predicate is evaluated for each
  /// transaction.
  private(set) var isExact = true

  init(_ predicate: Predicate<DefaultHistoryTransaction>?) {
    guard let predicate else { return }
    var waiting: [any PredicateExpression<Bool>] = [predicate.expression]
    while let next = waiting.popLast() {
      if let sides = (next as? any JoinedTerm)?.sides {
        waiting += [sides.0, sides.1]
      } else if !(add(next, predicate.variable.key)) {
        isExact = false
      }
    }
  }

  /// Whether no transaction can fulfil the bounds: they name two authors, programs or processes.
  var contradictThemselves: Bool { authors.count > 1 || programs.count > 1 || processes.count > 1 }

  /// Whether the bounds leave out transactions in between.
  var leavesGaps: Bool { !authors.isEmpty || !programs.isEmpty || !processes.isEmpty }

  /// Whether, with several stores, a number alone does not identify the transaction of a token: the
  /// token's last transaction is in one store, and another store has a transaction with that
  /// number.
  var meansOneTransaction: Bool {
    bounds.contains { $0.token != nil && [.less, .equal, .greaterOrEqual].contains($0.comparison) }
  }

  /// Whether a token bounds the transactions from below.
  var hasLowerToken: Bool {
    bounds.contains { bound in
      guard case .token = bound.edge else { return false }
      return bound.comparison == .greater || bound.comparison == .greaterOrEqual
    }
  }

  private mutating func add(
    _ part: any PredicateExpression<Bool>, _ variable: PredicateExpressions.VariableID
  ) -> Bool {
    if let value = part as? PredicateExpressions.Value<Bool> { return value.value }
    guard let term = part as? any HistoryTerm, let found = term.term(variable),
      let property = HistoryProperty(found.path)
    else { return false }
    switch property {
    case .token:
      guard let token = found.value as? DefaultHistoryToken else { return false }
      bounds.append(Bound(comparison: found.comparison, edge: .token(token)))
    case .number:
      guard let number = found.value as? Int64 else { return false }
      bounds.append(Bound(comparison: found.comparison, edge: .number(number)))
    case .timestamp:
      guard let time = found.value as? Date, !time.timeIntervalSinceReferenceDate.isNaN else { return false }
      bounds.append(Bound(comparison: found.comparison, edge: .time(time)))
    case .author:
      guard found.comparison == .equal else { return false }
      // An empty author means no author, so no transaction has that name.
      let author = FlatValue.of(found.value)
      if author == nil {
        authors.insert("")
      } else if let author = author as? String, !author.isEmpty {
        authors.insert(author)
      } else {
        return false
      }
    case .program:
      guard found.comparison == .equal, let program = found.value as? String else { return false }
      programs.insert(program)
    case .process:
      guard found.comparison == .equal, let process = found.value as? String else { return false }
      processes.insert(process)
    case .store:
      guard found.comparison == .equal, let store = found.value as? String else { return false }
      stores = stores.map { $0.intersection([store]) } ?? [store]
    }
    return true
  }
}

extension HistoryDescriptor {
  /// Returns the tokens after which the predicate certainly requires transactions, for a store with
  /// transactions of its own.
  ///
  /// - Parameter path: the property with the token, as the module of the transactions writes it.
  /// - Returns: each token, and whether the predicate includes the transaction directly before it.
  package func lowerBounds<Token>(_ path: KeyPath<TransactionType, Token>) -> [(token: Token, isIncluded: Bool)] {
    guard let predicate else { return [] }
    var found: [(Token, Bool)] = []
    var waiting: [any PredicateExpression<Bool>] = [predicate.expression]
    while let next = waiting.popLast() {
      if let sides = (next as? any JoinedTerm)?.sides {
        waiting += [sides.0, sides.1]
        continue
      }
      guard let term = (next as? any HistoryTerm)?.term(predicate.variable.key), let token = term.value as? Token,
        term.path == path || term.path == \TransactionType.token
      else { continue }
      switch term.comparison {
      case .greater: found.append((token, false))
      case .greaterOrEqual, .equal: found.append((token, true))
      case .less, .lessOrEqual: break
      }
    }
    return found
  }
}

/// The properties of a transaction that bounds can use.
enum HistoryProperty {
  case token, number, timestamp, author, program, process, store

  init?(_ keyPath: AnyKeyPath) {
    guard let known = Self.known[keyPath] else { return nil }
    self = known
  }

  /// The key paths, as this module writes them and as generic code does.
  // Unsafe, because a key path is not marked `Sendable`, although it never changes.
  private nonisolated(unsafe) static let known: [AnyKeyPath: HistoryProperty] = {
    typealias Transaction = DefaultHistoryTransaction
    var all: [AnyKeyPath: HistoryProperty] = [
      \Transaction.token: .token, \Transaction.transactionIdentifier: .number, \Transaction.id: .number,
      \Transaction.timestamp: .timestamp, \Transaction.author: .author, \Transaction.storeIdentifier: .store,
      \Transaction.bundleIdentifier: .program, \Transaction.processIdentifier: .process,
    ]
    func add<TX: HistoryTransaction>(_ type: TX.Type) {
      all[\TX.token] = .token
      all[\TX.transactionIdentifier] = .number
      all[\TX.timestamp] = .timestamp
      all[\TX.author] = .author
      all[\TX.storeIdentifier] = .store
    }
    add(Transaction.self)
    return all
  }()
}

/// A comparison of a property with a value.
private struct FoundTerm {
  var path: AnyKeyPath
  var comparison: HistoryBounds.Comparison
  var value: Any
}

/// Two parts that must both be true.
private protocol JoinedTerm {
  var sides: (any PredicateExpression<Bool>, any PredicateExpression<Bool>) { get }
}

extension PredicateExpressions.Conjunction: JoinedTerm {
  fileprivate var sides: (any PredicateExpression<Bool>, any PredicateExpression<Bool>) { (lhs, rhs) }
}

private protocol HistoryTerm {
  func term(_ variable: PredicateExpressions.VariableID) -> FoundTerm?
}

extension PredicateExpressions.Comparison: HistoryTerm {
  fileprivate func term(_ variable: PredicateExpressions.VariableID) -> FoundTerm? {
    let comparison: HistoryBounds.Comparison =
      switch op {
      case .lessThan: .less
      case .lessThanOrEqual: .lessOrEqual
      case .greaterThan: .greater
      case .greaterThanOrEqual: .greaterOrEqual
      @unknown default: .equal
      }
    if let path = path(lhs, variable), let value = constant(rhs) {
      return FoundTerm(path: path, comparison: comparison, value: value)
    }
    guard let path = path(rhs, variable), let value = constant(lhs) else { return nil }
    let turned: HistoryBounds.Comparison =
      switch comparison {
      case .less: .greater
      case .lessOrEqual: .greaterOrEqual
      case .equal: .equal
      case .greaterOrEqual: .lessOrEqual
      case .greater: .less
      }
    return FoundTerm(path: path, comparison: turned, value: value)
  }
}

extension PredicateExpressions.Equal: HistoryTerm {
  fileprivate func term(_ variable: PredicateExpressions.VariableID) -> FoundTerm? {
    if let path = path(lhs, variable), let value = constant(rhs) {
      return FoundTerm(path: path, comparison: .equal, value: value)
    }
    guard let path = path(rhs, variable), let value = constant(lhs) else { return nil }
    return FoundTerm(path: path, comparison: .equal, value: value)
  }
}

private func path(
  _ expression: any PredicateExpression, _ variable: PredicateExpressions.VariableID
) -> AnyKeyPath? { (expression as? any NamedExpression)?.path(from: variable) }

private func constant(_ expression: any PredicateExpression) -> Any? {
  (expression as? any ConstantExpression)?.constant
}

/// A property of the variable.
private protocol NamedExpression {
  func path(from variable: PredicateExpressions.VariableID) -> AnyKeyPath?
}

extension PredicateExpressions.KeyPath: NamedExpression {
  fileprivate func path(from variable: PredicateExpressions.VariableID) -> AnyKeyPath? {
    (root as? any NamedVariable)?.key == variable ? keyPath : nil
  }
}

private protocol NamedVariable {
  var key: PredicateExpressions.VariableID { get }
}

extension PredicateExpressions.Variable: NamedVariable {}

/// An expression that does not depend on the variable.
private protocol ConstantExpression {
  var constant: Any? { get }
}

extension PredicateExpressions.Value: ConstantExpression {
  fileprivate var constant: Any? { value }
}

extension PredicateExpressions.NilLiteral: ConstantExpression {
  fileprivate var constant: Any? { Wrapped?.none as Any }
}

extension PredicateExpressions.KeyPath: ConstantExpression {
  fileprivate var constant: Any? {
    guard let value = (root as? any ConstantExpression)?.constant as? Root.Output else { return nil }
    return value[keyPath: keyPath as Swift.KeyPath<Root.Output, Output>]
  }
}

extension PredicateExpressions.ForcedUnwrap: ConstantExpression {
  fileprivate var constant: Any? { (inner as? any ConstantExpression)?.constant.flatMap { FlatValue.of($0) } }
}
