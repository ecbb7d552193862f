internal import Foundation
internal import Synchronization

/// Something that is said once to whoever started the program.
enum Warning: CaseIterable {
  case cloud, group, migration, autosave

  private static let said = Mutex<Set<Warning>>([])

  func say(_ text: String) {
    let isNew = Self.said.withLock { $0.insert(self).inserted }
    if isNew { FileHandle.standardError.write(Data("Roost: \(text)\n".utf8)) }
  }
}
