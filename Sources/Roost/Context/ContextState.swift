public import Foundation
internal import RoostGraph
internal import RoostRecords

/// What a context is made of: the objects of each store, and what users set.
///
/// The main context's state belongs to its container; any other one to its ``ModelContext``. It ends with that, and saves
/// before, if it saves by itself.
final class ContextState {
  let stores: StoreSet
  let isMain: Bool
  private var graphs: [GraphContext?]
  private weak var shown: ModelContext?
  private weak var container: ModelContainer?
  var editingState = EditingState()
  var autosaveEnabled: Bool
  var durability = ModelContext.Durability.full {
    didSet { for graph in open { graph.isRelaxed = durability == .relaxed } }
  }
  /// Why a function that cannot throw did nothing; the next save says it.
  var failure: (any Error)?
  /// Saving by itself failed: it is not tried again before somebody else did.
  var pausesAutosave = false
  private var autosave: Task<Void, Never>?

  init(_ stores: StoreSet, isMain: Bool) {
    self.stores = stores
    self.isMain = isMain
    graphs = Array(repeating: nil, count: stores.stores.count)
    autosaveEnabled = isMain
    if isMain { startAutosave() }
  }

  deinit {
    autosave?.cancel()
    if autosaveEnabled, failure == nil { for graph in open where graph.hasChanges { try? graph.save() } }
    for graph in open { graph.close() }
  }

  /// The context that users see.
  func context(of container: ModelContainer) -> ModelContext {
    if let shown { return shown }
    let made = ModelContext(container, self)
    shown = made
    self.container = container
    return made
  }

  /// The same, for an object that only knows this.
  var context: ModelContext? { shown ?? container.map { context(of: $0) } }

  func show(_ context: ModelContext, of container: ModelContainer) {
    shown = context
    self.container = container
  }

  // MARK: Stores

  /// Those that were used.
  var open: [GraphContext] { graphs.compactMap { $0 } }

  func graph(_ store: Int) -> GraphContext {
    if let known = graphs[store] { return known }
    let made = GraphContext(stores.stores[store])
    made.owner = self
    made.author = editingState.author ?? ""
    made.isRelaxed = durability == .relaxed
    graphs[store] = made
    return made
  }

  func graph(of model: any _ModelObject) throws -> GraphContext {
    // Where there is no choice the store itself refuses what it does not know.
    if graphs.count == 1 { return graph(0) }
    guard let place = stores.place(of: type(of: model)) else {
      throw RoostError(
        .unknownModel,
        "the container was not made for \(type(of: model)._$type.name): name it where the container is made")
    }
    return graph(place.store)
  }

  /// Runs what cannot say that it failed; the next save says it.
  func attempt(_ body: () throws -> Void) {
    do { try body() } catch {
      if failure == nil { failure = Doorway.translated(error) }
    }
  }

  var hasChanges: Bool { failure != nil || open.contains { $0.hasChanges } }

  func forgetFailures() {
    failure = nil
    pausesAutosave = false
  }

  // MARK: Saving by itself

  private func saveByItself() {
    do { if hasChanges { try context?.save() } } catch {
      pausesAutosave = true
      Warning.autosave.say("a context could not save by itself, and waits for save() or rollback(): \(error)")
    }
  }

  /// Without a run loop nobody says that an event is over, so it looks from time to time.
  private func startAutosave() {
    // Unsafe, because it is used on the main actor alone, where this context belongs.
    nonisolated(unsafe) weak let state = self
    autosave = Task { @MainActor in
      while !Task.isCancelled {
        try? await Task.sleep(for: .milliseconds(500))
        guard let state, !Task.isCancelled else { return }
        if state.autosaveEnabled, !state.pausesAutosave { state.saveByItself() }
      }
    }
  }
}

/// Who edits, and on whose behalf.
public struct EditingState: Identifiable, Sendable {
  public let id = UUID()
  public var author: String?
}
