/// An object that is notified when models or values that a context shows may have changed.
protocol ContextWatching: AnyObject {
  /// Called at the end of a call of the context, if it moved to another snapshot or its unsaved
  /// changes are different.
  func contextChanged()
}

/// The objects that watch one context.
final class ContextWatchers {
  private struct Weak {
    weak var watcher: (any ContextWatching)?
  }

  private var watchers: [Weak] = []

  var isEmpty: Bool { watchers.isEmpty }

  func add(_ watcher: any ContextWatching) {
    watchers.removeAll { $0.watcher == nil }
    watchers.append(Weak(watcher: watcher))
  }

  func tell() { for watcher in watchers.compactMap(\.watcher) { watcher.contextChanged() } }
}
