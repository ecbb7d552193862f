internal import Foundation
internal import RoostGraph

/// Finds out where a key path leads, by what its components are: a property that only looks as if it were stored has components that no
/// stored one has. Of a user's code one thing is run: a computed property of an enum that might be its raw value is asked of its cases.
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
    return finder.find() ? finder.path : PathIdentity.inherited(by: keyPath, root._$type)
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
      guard let number = property(of: type) else { return identity() }
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

  /// Whether nothing comes any more but the model's identifier.
  private mutating func identity() -> Bool {
    guard PathIdentity.isShown(by: keyPath, behind: path) else { return false }
    path.finish(.model)
    return true
  }

  // MARK: Values

  private mutating func value(_ number: Int, _ coder: _Coder) -> Bool {
    if isAtEnd(.property(number)) { return true }
    guard let coder = try? coder.coder() else { return false }
    path.finish(.property(number))
    if let change = change(coder) {
      path.change = change
      return true
    }
    return coder.parts.isEmpty ? rawValue(coder) : part(number, coder)
  }

  /// What is made of a value, where nothing comes behind that.
  private func change(_ coder: AnyCoder) -> ValueChange? {
    var rest = text.drop { $0 == "?" }
    guard rest.hasPrefix(".") else { return nil }
    rest = rest.dropFirst()
    for (change, meaning) in KeyPathText.changes where rest == change { return meaning }
    if rest.hasSuffix("?") { rest = rest.dropLast() }
    return KeyPathText.rawValues(Self.whole(coder.valueType)).contains(rest) ? .rawValue : nil
  }

  /// The raw value, as a program asks for it that knows the enum.
  private mutating func rawValue(_ coder: AnyCoder) -> Bool {
    guard let point = text.firstIndex(of: "."), !text[point...].dropFirst().contains(".") else { return false }
    path.change = .rawValue
    if text.drop(while: { "?.".contains($0) }).prefix(while: { $0 != "?" }) == RawValues.stored, coder.isRaw {
      return true
    }
    return PathProof(keyPath, path).showsRawValue(Self.whole(coder.valueType))
  }

  private static func whole(_ type: Any.Type) -> Any.Type { (type as? any OptionalValue.Type)?.wrapped ?? type }

  /// Names of parts, each a stored one: a struct that was made for that shows whether they are coded under these names.
  private mutating func part(_ number: Int, _ coder: AnyCoder) -> Bool {
    var numbers: [Int] = []
    var next = coder
    while !text.isEmpty, text != "?" {
      if !numbers.isEmpty, let change = change(next) {
        path.finish(.part(number, numbers))
        path.change = change
        return PathProof(keyPath, path).differs(coder, numbers)
      }
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
