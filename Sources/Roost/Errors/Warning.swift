internal import RoostFile

/// Something that is said once to whoever started the program.
enum Warning {
  case cloud, group, autosave, inverse, refused, mainThread

  private struct Said: Hashable {
    var warning: Warning
    var subject: String
  }

  private static let lock = Lock()
  // Unsafe, because it is read and written under the lock.
  private nonisolated(unsafe) static var said: Set<Said> = []

  /// Says it once, or once about each of the subjects, which are parts of the program.
  func say(_ text: String, about subject: String = "") {
    let isNew = Self.lock.withLock { Self.said.insert(Said(warning: self, subject: subject)).inserted }
    if isNew { StandardError.say(text) }
  }
}
