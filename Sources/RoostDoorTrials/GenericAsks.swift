internal import Foundation
internal import Roost

/// The common properties of the models, for generic code.
protocol Called {
  var name: String { get }
  var oname: String? { get set }
}

extension Thing: Called {}
extension Owner: Called {}

/// Predicates on a protocol's requirements.
///
/// The key path of a requirement depends on the build: an optimised build may know the model, and
/// use the model's own property. Either way the answer must be that of plain Swift.
struct GenericAsks<Model: PersistentModel & Called> {
  let context: ModelContext
  let name: String

  /// Returns the first fault; nil if there is none.
  func complaint() -> String? {
    do { return try look() } catch { return "a predicate of a protocol throws \(error)" }
  }

  private func look() throws -> String? {
    let (name, some, maybe) = (name, [name, "é"], Optional(name))
    let asked: [(String, Predicate<Model>, (Model) -> Bool)] = [
      ("name ==", #Predicate { $0.name == name }, { $0.name == name }),
      ("name < && contains", #Predicate { $0.name < name && $0.name.contains("a") }, Self.isBelow(name)),
      ("!= nil", #Predicate { $0.oname != nil || $0.name == name }, { $0.oname != nil || $0.name == name }),
      ("oname ==", #Predicate { $0.oname == maybe }, { $0.oname == maybe }),
      ("?? lists", #Predicate { some.contains($0.oname ?? name) }, { some.contains($0.oname ?? name) }),
    ]
    let all = try context.fetch(FetchDescriptor<Model>())
    for (text, predicate, test) in asked {
      let expected = Set(all.filter(test).map(\.persistentModelID))
      let order = [SortDescriptor(\Model.name), SortDescriptor(\Model.persistentModelID)]
      let found = try context.fetch(FetchDescriptor(predicate: predicate, sortBy: order))
      if found.count != expected.count || Set(found.map(\.persistentModelID)) != expected {
        return "a predicate of a protocol, \(text) '\(name)', finds \(found.count) instead of \(expected.count)"
      }
      if !zip(found, found.dropFirst()).allSatisfy({ $0.name <= $1.name }) {
        return "an order of a protocol, \(text) '\(name)', is none"
      }
      let count = try context.fetchCount(FetchDescriptor(predicate: predicate))
      if count != expected.count { return "fetchCount of a protocol, \(text), is \(count)" }
    }
    let groups = try context.aggregate(Model.self, .count, by: \.name)
    let expected = Dictionary(grouping: all, by: \.name).mapValues(\.count)
    return Dictionary(uniqueKeysWithValues: groups.map { ($0.key, $0.values) }) == expected
      ? nil : "groups of a protocol are \(groups.count) instead of \(expected.count)"
  }

  private static func isBelow(_ name: String) -> (Model) -> Bool { { $0.name < name && $0.name.contains("a") } }
}

extension AskTrial {
  /// Runs the same fetches on two models and two contexts.
  func askGenerically(_ stage: Stage) -> String? {
    var pool = Pool(seed: seed &* 31)
    for context in [stage.saved, stage.pending] {
      let name = pool.value(String.self)
      let found =
        GenericAsks<Thing>(context: context, name: name).complaint()
        ?? GenericAsks<Owner>(context: context, name: name).complaint()
      if let found { return found }
    }
    return nil
  }
}
