internal import Foundation
internal import RoostGraph

extension Schema {
  /// Returns the definitions of indexes with a condition or with forms, and the faults that keep
  /// them from being stored.
  static func definitions<T: PersistentModel>(
    _ lists: [[IndexPart<T>]], where condition: Predicate<T>?, isUnique: Bool
  ) -> (found: [IndexDefinition], faults: [String]) {
    let macro = isUnique ? "#Unique" : "#Index"
    var faults = lists.flatMap { Schema.faults($0.map(\.keyPath), macro) }
    var tests: [IndexPlan.Test] = []
    if let condition {
      do { tests = try IndexCondition(condition).tests } catch {
        faults.append("\(macro) of \(T._$type.name) has a condition that a store cannot keep: \(error.detail)")
      }
    }
    var found: [IndexDefinition] = []
    for list in lists where !list.isEmpty {
      let one = IndexDefinition(list.map(\.named), where: tests, isUnique: isUnique)
      if !found.contains(one) { found.append(one) }
    }
    return (found, faults)
  }
}
