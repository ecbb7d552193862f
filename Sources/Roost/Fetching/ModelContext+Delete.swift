public import Foundation
internal import RoostGraph

extension ModelContext {
  /// Deletes all models that fulfil a predicate, with the next save.
  ///
  /// - Throws: ``SwiftDataError/unsupportedPredicate`` if a part of the predicate cannot be evaluated.
  public func delete<T>(model: T.Type, where predicate: Predicate<T>? = nil, includeSubclasses: Bool = true) throws
  where T: PersistentModel {
    let run = FetchRun(FetchDescriptor(predicate: predicate), state, includesSubclasses: includeSubclasses)
    try state.call(.deleting) { for model in try run.objects() { try state.graph(of: model).delete(model) } }
  }
}
