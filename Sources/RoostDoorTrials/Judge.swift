internal import Foundation
internal import Roost

/// Compares the result of a context with the value of a predicate for each model.
struct Judge<Model: PersistentModel> {
  let context: ModelContext
  let predicate: Predicate<Model>
  let node: RandomPart<Bool>
  let variable: Int

  /// Returns the first fault; nil if there is none.
  func complaint(_ order: [SortDescriptor<Model>], limit: Int?, offset: Int?) -> String? {
    do { return try look(order, limit, offset: offset) } catch { return "what it is compared with throws \(error)" }
  }

  private func look(_ order: [SortDescriptor<Model>], _ limit: Int?, offset: Int?) throws -> String? {
    let all = try context.fetch(FetchDescriptor<Model>(sortBy: order))
    var (expected, hasFault): ([Model], Bool) = ([], false)
    var sound: [Model] = []
    for model in all {
      do {
        let isIn = try node.value(Frame().with(variable, model))
        if isIn { expected.append(model) }
        sound.append(model)
      } catch is NodeFault { hasFault = true }
    }
    if !hasFault, let complaint = try evaluated(all, expected) { return complaint }
    var descriptor = FetchDescriptor(predicate: predicate, sortBy: order)
    if !hasFault {
      descriptor.fetchLimit = limit
      descriptor.fetchOffset = offset
    }
    do {
      let found = try context.fetch(descriptor)
      if hasFault { return compare(found.filter { sound.contains($0) }, expected, what: "of the sound models") }
      if let complaint = compare(found, window(expected, limit, offset: offset), what: "fetch") { return complaint }
      return try counts(descriptor, window(expected, limit, offset: offset).count)
    } catch {
      let isTyped = error is RoostError || error is SwiftDataError
      return hasFault && isTyped ? nil : "it throws \(error)"
    }
  }

  /// Evaluates with Foundation, if it cannot trap.
  private func evaluated(_ all: [Model], _ expected: [Model]) throws -> String? {
    compare(try all.filter { try predicate.evaluate($0) }, expected, what: "Foundation's evaluate")
  }

  private func counts(_ descriptor: FetchDescriptor<Model>, _ expected: Int) throws -> String? {
    let count = try context.fetchCount(descriptor)
    if count != expected { return "fetchCount says \(count) instead of \(expected)" }
    let identifiers = try context.fetchIdentifiers(descriptor).count
    return identifiers == expected ? nil : "fetchIdentifiers gives \(identifiers) instead of \(expected)"
  }

  private func window(_ models: [Model], _ limit: Int?, offset: Int?) -> [Model] {
    Array(models.dropFirst(offset ?? 0).prefix(limit ?? .max))
  }

  private func compare(_ found: [Model], _ expected: [Model], what: String) -> String? {
    if found.elementsEqual(expected, by: ===) { return nil }
    return "\(what) gives \(names(found)) instead of \(names(expected))"
  }

  private func names(_ models: [Model]) -> String {
    let names = models.map { model in
      switch model {
      case let thing as Thing: "\(thing.k)"
      case let owner as Owner: "\(owner.age)"
      default: "?"
      }
    }
    return "[\(names.joined(separator: " "))]"
  }
}

extension Judge where Model == Thing {
  /// Returns the first fault in the answer of a context that has fetched nothing yet; nil if there
  /// is none.
  func complaint(of stage: Stage) -> String? {
    do {
      guard let stranger = try stage.stranger() else { return nil }
      let order = [SortDescriptor(\Thing.k)]
      var (expected, unsound): ([Int], Set<Int>) = ([], [])
      for thing in try context.fetch(FetchDescriptor<Thing>(sortBy: order)) {
        do {
          if try node.value(Frame().with(variable, thing)) { expected.append(thing.k) }
        } catch is NodeFault { unsound.insert(thing.k) }
      }
      do {
        let found = try stranger.fetch(FetchDescriptor(predicate: predicate, sortBy: order)).map(\.k)
        if found.filter({ !unsound.contains($0) }) == expected { return nil }
        return "a new container gives \(found) instead of \(expected)"
      } catch {
        let isTyped = error is RoostError || error is SwiftDataError
        return !unsound.isEmpty && isTyped ? nil : "a new container throws \(error)"
      }
    } catch { return "what a new container is compared with throws \(error)" }
  }
}
