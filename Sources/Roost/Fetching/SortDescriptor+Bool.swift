public import Foundation
internal import RoostGraph

extension SortDescriptor where Compared: PersistentModel {
  /// Sorts by a flag: false comes before true.
  public init(_ keyPath: any KeyPath<Compared, Bool> & Sendable, order: SortOrder = .forward) {
    self.init(FlagPaths<Compared>.path(keyPath), order: order)
  }

  /// Sorts by a flag that may be nil: nil comes first, then false, then true.
  public init(_ keyPath: any KeyPath<Compared, Bool?> & Sendable, order: SortOrder = .forward) {
    self.init(FlagPaths<Compared>.path(keyPath), order: order)
  }
}

extension Bool {
  fileprivate var rank: Int { self ? 1 : 0 }
}

extension Bool? {
  fileprivate var rank: Int { self.map { $0 ? 2 : 1 } ?? 0 }
}

/// Flags as numbers, since Swift's have no order.
enum FlagPaths<Model: PersistentModel> {
  // Both are made of key paths of properties alone, which capture nothing.
  static func path(_ keyPath: KeyPath<Model, Bool>) -> any KeyPath<Model, Int> & Sendable {
    unsafeBitCast(keyPath.appending(path: \.rank), to: (any KeyPath<Model, Int> & Sendable).self)
  }

  static func path(_ keyPath: KeyPath<Model, Bool?>) -> any KeyPath<Model, Int> & Sendable {
    unsafeBitCast(keyPath.appending(path: \.rank), to: (any KeyPath<Model, Int> & Sendable).self)
  }

  /// The property that such a path is about.
  static func number(of keyPath: AnyKeyPath) -> Int? {
    for number in Model._$type.properties.indices {
      let own = Model._$type.heirPath(number)
      if let flag = own as? KeyPath<Model, Bool>, path(flag) == keyPath { return number }
      if let flag = own as? KeyPath<Model, Bool?>, path(flag) == keyPath { return number }
    }
    return nil
  }
}
