internal import Foundation
internal import RoostGraph

/// Finds out where a key path leads, without running code of a user's: a property that only looks as if it were stored has components
/// that no stored one has.
struct PathFinder {
  private let keyPath: AnyKeyPath
  private var text: Substring
  private var path: PropertyPath

  static func path(_ keyPath: AnyKeyPath) -> PropertyPath? {
    guard let root = type(of: keyPath).rootType as? any PersistentModel.Type else { return nil }
    var path = PropertyPath(root._$type)
    if let number = root._$type.number(of: keyPath) {
      path.finish(.property(number))
      return path
    }
    guard let text = KeyPathText.components(keyPath) else { return nil }
    var finder = PathFinder(keyPath: keyPath, text: text, path: path)
    return finder.find() ? finder.path : nil
  }

  private init(keyPath: AnyKeyPath, text: Substring, path: PropertyPath) {
    self.keyPath = keyPath
    self.text = text
    self.path = path
  }

  private mutating func find() -> Bool {
    // No way is longer than its text.
    while true {
      let type = path.model
      guard let number = property(of: type) else { return identity(type) }
      switch type.properties[number].storage {
      case .toMany, .none: return isAtEnd(.property(number))
      case .value(let coder): return value(number, coder)
      case .toOne(let link):
        if isAtEnd(.property(number)) { return true }
        guard takePoint() else { return false }
        path.follow(number, to: link.model._$type)
      }
    }
  }

  /// The property whose components come next; they are taken.
  private mutating func property(of type: _ModelType) -> Int? {
    for (number, texts) in PathShelf.shared.properties(type).enumerated() {
      for own in texts where take(own) { return number }
    }
    return nil
  }

  private mutating func take(_ component: Substring) -> Bool {
    guard text.hasPrefix(component) else { return false }
    let rest = text.dropFirst(component.count)
    guard rest.isEmpty || ".?!".contains(rest[rest.startIndex]) else { return false }
    text = rest
    return true
  }

  private mutating func takePoint() -> Bool {
    for mark in [".", "?.", "!."] where text.hasPrefix(mark) {
      if mark == "!." { path.isForced = true }
      text = text.dropFirst(mark.count)
      return true
    }
    return false
  }

  /// Whether nothing comes any more but a `?` that stands for the whole.
  private mutating func isAtEnd(_ end: PropertyPath.End) -> Bool {
    guard text.isEmpty || text == "?" || text == "!" else { return false }
    if text == "!" { path.isForced = true }
    path.finish(end)
    return true
  }

  private mutating func identity(_ type: _ModelType) -> Bool {
    guard let model = type.model as? any PersistentModel.Type else { return false }
    for own in KeyPathText.identities(model) where take(own) { return isAtEnd(.model) }
    return false
  }

  // MARK: Values

  private mutating func value(_ number: Int, _ coder: _Coder) -> Bool {
    if isAtEnd(.property(number)) { return true }
    let rest = text.hasPrefix("?.") ? text.dropFirst(1) : text
    for (change, meaning) in KeyPathText.changes where rest == "." + change {
      path.finish(.property(number))
      path.change = meaning
      return true
    }
    guard let coder = try? coder.coder() else { return false }
    return coder.parts.isEmpty ? rawValue(number, coder, rest) : part(number, coder)
  }

  private mutating func rawValue(_ number: Int, _ coder: AnyCoder, _ rest: Substring) -> Bool {
    let type = (coder.valueType as? any OptionalValue.Type)?.wrapped ?? coder.valueType
    guard rest.hasPrefix("."), !rest.dropFirst().contains("."), let raw = KeyPathText.rawValue(type) else { return false }
    path.finish(.property(number))
    path.change = .rawValue
    let shown = rest.hasSuffix("?") ? rest.dropFirst().dropLast() : rest.dropFirst()
    return shown == raw || PathProof(keyPath, path).showsRawValue(type)
  }

  /// Names of parts, each a stored one: a struct that was made for that shows whether they are coded under these names.
  private mutating func part(_ number: Int, _ coder: AnyCoder) -> Bool {
    var numbers: [Int] = []
    var next = coder
    while !text.isEmpty, text != "?" {
      guard takePoint() else { return false }
      let name = text.prefix { !".?!".contains($0) }
      guard let place = next.parts.firstIndex(where: { $0.name == name }) else { return false }
      numbers.append(place)
      next = next.parts[place].coder
      text = text.dropFirst(name.count)
    }
    path.finish(.part(number, numbers))
    if path.isForced { return true }
    return PathProof(keyPath, path).shows(coder, numbers)
  }
}
