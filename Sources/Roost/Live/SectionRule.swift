internal import Foundation
internal import RoostGraph
internal import RoostQuery
internal import RoostRecords

/// By which text results are divided into sections.
struct SectionRule<Model: PersistentModel>: @unchecked Sendable {
  // Unchecked because key paths are not marked as what they are: values that never change.
  /// Leads to a text, or to one that may be nil.
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

  /// Models without a text are in the section of the empty one.
  static func title(_ text: String?) -> String { text ?? "" }

  func title(of model: Model) -> String { read(model) }

  /// That of a row, by the value of the first key that it is sorted by.
  static func title(head: Value?) -> String {
    if case .string(let text)? = head { text } else { title(nil) }
  }

  /// The order of a descriptor, with what makes one section follow the other put in front.
  func sorted(_ sortBy: [SortDescriptor<Model>]) -> [SortDescriptor<Model>] {
    var sortBy = sortBy
    let isFirst = sortBy.first.flatMap { SortRule($0).path }?.names == PathShelf.shared.path(keyPath)?.names
    let first = isFirst ? sortBy.removeFirst() : localized(.forward)
    // Texts may be different and yet have one place, as letters in another case may in a descriptor of the program's own.
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
