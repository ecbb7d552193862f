internal import RoostFile

/// A warning on standard error, which is printed once.
enum Warning {
  case cloud, group, autosave, inverse, refused, mainThread

  private struct Said: Hashable {
    var warning: Warning
    var subject: String
  }

  private static let lock = Lock()
  // Unsafe, because the lock guards it.
  private nonisolated(unsafe) static var said: Set<Said> = []

  /// Prints the warning once, or once for each subject, which is a part of the program.
  func say(_ text: String, about subject: String = "") {
    let isNew = Self.lock.withLock { Self.said.insert(Said(warning: self, subject: subject)).inserted }
    if isNew { StandardError.say(text) }
  }
}
