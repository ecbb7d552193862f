/// The texts of key paths in error messages.
enum PathNames {
  static func text(_ keyPath: AnyKeyPath) -> String {
    if let computed = ComputedPath.find(in: keyPath) { return computed.text }
    return PathShelf.shared.path(keyPath)?.names.joined(separator: ".") ?? "\(keyPath)"
  }
}
