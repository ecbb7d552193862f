internal import Foundation
internal import RoostFile

/// Something that is said once to whoever started the program.
enum Warning: CaseIterable {
  case cloud, group, migration, autosave, inverse

  private static let lock = Lock()
  // Unsafe, because it is read and written under the lock.
  private nonisolated(unsafe) static var said: Set<Warning> = []

  func say(_ text: String) {
    let isNew = Self.lock.withLock { Self.said.insert(self).inserted }
    if isNew { FileHandle.standardError.write(Data("Roost: \(text)\n".utf8)) }
  }
}
