/// Whoever wants to know that a context may show something else.
protocol ContextWatching: AnyObject {
  /// It moved to another snapshot, or changes wait or are gone. It is called at the end of a call, when the context is free.
  func contextChanged()
}

/// Those that watch one context.
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
