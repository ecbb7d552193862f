internal import Foundation
internal import RoostGraph
internal import RoostQuery
internal import RoostRecords

/// The text by which results are divided into sections.
struct SectionRule<Model: PersistentModel>: @unchecked Sendable {
  // Unchecked because key paths are not marked `Sendable`, although they never change.
  /// The key path of a text, or of an optional text.
  let keyPath: PartialKeyPath<Model>
  private let read: (Model) -> String

  init(_ keyPath: KeyPath<Model, String>) {
    self.keyPath = keyPath
    read = { $0[keyPath: keyPath] }
  }

  init(_ keyPath: KeyPath<Model, String?>) {
    self.keyPath = keyPath
    read = { Self.title($0[keyPath: keyPath]) }
  }

  /// Returns the title. Models without a text are in the section with an empty title.
  static func title(_ text: String?) -> String { text ?? "" }

  func title(of model: Model) -> String { read(model) }

  /// Returns the title of a row, from the value of its first sort key.
  static func title(head: Value?) -> String {
    if case .string(let text)? = head { text } else { title(nil) }
  }

  /// Returns the order of a descriptor, with the order of the sections before it.
  func sorted(_ sortBy: [SortDescriptor<Model>]) -> [SortDescriptor<Model>] {
    var sortBy = sortBy
    let isFirst = sortBy.first.flatMap { SortRule($0).path }?.names == PathShelf.shared.path(keyPath)?.names
    let first = isFirst ? sortBy.removeFirst() : localized(.forward)
    // Different texts may have equal positions, for example in a case-insensitive order of the
    // program.
    return [first, plain(first.order)] + sortBy
  }

  private func localized(_ order: SortOrder) -> SortDescriptor<Model> {
    switch keyPath {
    case let path as KeyPath<Model, String>:
      SortDescriptor(Composed.sendable(path), comparator: .localizedStandard, order: order)
    case let path as KeyPath<Model, String?>:
      SortDescriptor(Composed.sendable(path), comparator: .localizedStandard, order: order)
    default: plain(order)
    }
  }

  private func plain(_ order: SortOrder) -> SortDescriptor<Model> {
    if let path = keyPath as? KeyPath<Model, String> {
      return SortDescriptor(Composed.sendable(path), comparator: .lexical, order: order)
    }
    return SortDescriptor(
      Composed.sendable(unsafeDowncast(keyPath, to: KeyPath<Model, String?>.self)), comparator: .lexical, order: order)
  }
}
