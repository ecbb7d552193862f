/// What key paths are called in sentences for users.
enum PathNames {
  static func text(_ keyPath: AnyKeyPath) -> String {
    PathShelf.shared.path(keyPath)?.names.joined(separator: ".") ?? "\(keyPath)"
  }
}
