internal import Foundation
internal import RoostFile
internal import RoostGraph
internal import RoostQuery
internal import RoostRecords
internal import Synchronization

/// The translation of a predicate, with parameters for the values in it.
///
/// It serves every predicate whose expression has the same type, key paths, operators and
/// variables, and whose values are nil at the same positions. Nothing else can change the
/// translation. The first uses of each template are checked: the predicate is translated again and
/// compared. A debug build checks every other use.
///
/// Unchecked because the lock guards the questions.
final class PredicateTemplate: @unchecked Sendable {
  private let key: Key
  /// The condition; nil if the translation depends on the values, or the engine cannot express all
  /// of it.
  private let condition: Condition?
  /// The entities whose rows the condition reads, besides the models' own.
  let passesThrough: [EntityMap]
  /// The values that are identifiers of rows, and their entities.
  private let rows: [(leaf: Int, map: EntityMap)]
  /// How many more uses are compared; negative after the template proved wrong.
  private let trials: Atomic<Int>
  private let isRefused = Atomic(false)
  private let lock = Lock()
  private var questions: [(orders: [Order], question: Question)] = []

  private static let mostTrials = 2
  private static let mostQuestions = 4

  /// The properties that a predicate must share to use the template.
  struct Key {
    let map: EntityMap
    let edition: any AnyObject & Sendable
    /// The values that are nil, by number of the leaf.
    let nils: UInt64
    // Key paths never change, although they are not marked `Sendable`.
    let keyPaths: [AnyKeyPath]
    let signs: [UInt8]
    /// For each variable, the first position of the same variable, counted after the model's.
    let variables: [Int]
  }

  init(
    _ key: Key, _ condition: Condition?, passesThrough: [EntityMap], rows: [(leaf: Int, map: EntityMap)] = []
  ) {
    self.rows = rows
    self.key = key
    self.condition = condition
    self.passesThrough = passesThrough
    trials = Atomic(Self.mostTrials)
  }

  /// Whether the template serves an expression.
  func fits(
    _ bases: LeafLayout.Bases, _ layout: LeafLayout, nils: UInt64, map: EntityMap, root: UInt,
    edition: any AnyObject & Sendable
  ) -> Bool {
    guard key.nils == nils, key.map === map, key.edition === edition else { return false }
    for (place, sign) in zip(layout.signs, key.signs) where place.address(bases).load(as: UInt8.self) != sign {
      return false
    }
    guard fits(bases, layout.variables, root: root) else { return false }
    for (place, known) in zip(layout.keyPaths, key.keyPaths) {
      let address = place.address(bases).load(as: UnsafeRawPointer.self)
      if address == UnsafeRawPointer(Unmanaged.passUnretained(known).toOpaque()) { continue }
      // A key path that was written elsewhere is another object, but may be equal.
      if place.address(bases).assumingMemoryBound(to: AnyKeyPath.self).pointee != known { return false }
    }
    return true
  }

  private func fits(_ bases: LeafLayout.Bases, _ variables: [ExpressionPlace], root: UInt) -> Bool {
    for (number, place) in key.variables.enumerated() {
      let variable = variables[number].address(bases).load(as: UInt.self)
      let first = place == 0 ? root : variables[place - 1].address(bases).load(as: UInt.self)
      if variable != first { return false }
      // A variable that was new in the template must be new here.
      if place == number + 1, variable == root { return false }
      if place == number + 1 {
        for before in 0..<number
        where variables[before].address(bases).load(as: UInt.self) == variable { return false }
      }
    }
    return true
  }

  // MARK: Use

  /// Returns the values, with rows for identifiers.
  func values(
    _ found: [Value], _ bases: LeafLayout.Bases, layout: LeafLayout, graph: GraphContext
  ) -> [Value] {
    if rows.isEmpty { return found }
    var values = found
    for (leaf, map) in rows {
      let own = layout.values[leaf]
      if let rows = own.leaf.rows(in: bases[own.place.base], map, graph) { values[leaf] = rows }
    }
    return values
  }

  var isUsable: Bool { condition != nil && !isRefused.load(ordering: .relaxed) }

  /// Returns the condition with values as its constants.
  func condition(_ values: [Value]) -> Condition {
    guard let condition else { preconditionFailure("a template without a condition is of no use") }
    return condition.bound(values)
  }

  /// Whether a use is to be compared with a new translation.
  var isOnTrial: Bool {
    #if DEBUG
      return true
    #else
      if trials.load(ordering: .relaxed) <= 0 { return false }
      return trials.subtract(1, ordering: .relaxed).oldValue > 0
    #endif
  }

  /// Whether a use need not be compared. In a debug build every other use is compared, so that the
  /// tests run both paths.
  var isTrusted: Bool {
    #if DEBUG
      return trials.subtract(1, ordering: .relaxed).newValue & 1 == 0
    #else
      return trials.load(ordering: .relaxed) <= 0
    #endif
  }

  /// Called if a new translation differs.
  func refuse() { isRefused.store(true, ordering: .relaxed) }

  /// Returns the question for models in an order; nil if it is not possible.
  func question(_ name: String, _ orders: [Order], ground: Ground) -> Question? {
    if let known = lock.withLock({ questions.first { $0.orders == orders }?.question }) { return known }
    guard let condition, let made = try? Question(Query(name, where: condition, by: orders), ground) else { return nil }
    lock.withLock {
      if questions.count == Self.mostQuestions { questions.removeFirst() }
      questions.append((orders, made))
    }
    return made
  }
}

/// A template, and the values of one predicate.
struct PreparedCondition {
  let template: PredicateTemplate
  let values: [Value]

  var condition: Condition { template.condition(values) }
}
