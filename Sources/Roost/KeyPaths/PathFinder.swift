internal import Foundation
internal import RoostGraph

/// Finds the properties of a key path by its components. A property that only looks stored has
/// components that no stored property has. The only code of the program that runs is a computed
/// property of an enum that might be its raw value: it is called for each case.
struct PathFinder {
  private let keyPath: AnyKeyPath
  /// The components that were not handled yet.
  private var rest: ArraySlice<KeyPathComponent>
  /// The names of the stored properties among them.
  private var names: ArraySlice<Substring>
  private var path: PropertyPath

  static func path(_ keyPath: AnyKeyPath) -> PropertyPath? {
    guard let root = type(of: keyPath).rootType as? any PersistentModel.Type else { return nil }
    var path = PropertyPath(root._$type)
    if let number = root._$type.number(of: keyPath) {
      path.finish(.property(number))
      return path
    }
    guard let components = KeyPathComponent.all(of: keyPath) else { return nil }
    var finder = PathFinder(keyPath, components, path: path)
    return finder.find() ? finder.path : PathIdentity.inherited(by: keyPath, root._$type)
  }

  private init(_ keyPath: AnyKeyPath, _ components: [KeyPathComponent], path: PropertyPath) {
    self.keyPath = keyPath
    self.path = path
    rest = components[...]
    let parts = components.filter { if case .part = $0 { true } else { false } }
    let found = parts.isEmpty ? [] : KeyPathText.names(keyPath) ?? []
    names = found.count == parts.count ? found[...] : []
  }

  private mutating func find() -> Bool {
    // Each iteration takes one component.
    while true {
      let type = path.model
      guard let number = property(of: type) else { return identity() }
      switch type.properties[number].storage {
      case .toMany, .none: return isAtEnd(.property(number))
      case .value(let coder): return value(number, coder)
      case .toOne(let link):
        if isAtEnd(.property(number)) { return true }
        takeMark()
        path.follow(number, to: link.model._$type)
      }
    }
  }

  /// Takes the next components if they are a property, and returns it.
  private mutating func property(of type: _ModelType) -> Int? {
    for (number, forms) in PathShelf.shared.properties(type).enumerated() {
      for own in forms where !own.isEmpty && rest.starts(with: own) {
        rest = rest.dropFirst(own.count)
        return number
      }
    }
    return nil
  }

  /// Takes a `?` or a `!` between two properties.
  private mutating func takeMark() {
    guard rest.first == .chain || rest.first == .force else { return }
    if rest.first == .force { path.isForced = true }
    rest = rest.dropFirst()
  }

  /// Whether only the end of a `?`, or a `!`, is left.
  private mutating func isAtEnd(_ end: PropertyPath.End) -> Bool {
    guard rest.isEmpty || rest == [.chainEnd] || rest == [.force] else { return false }
    if rest == [.force] { path.isForced = true }
    path.finish(end)
    return true
  }

  /// Whether only the model's identifier is left.
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

  /// Returns the change of a value, if nothing comes after it.
  private func change(_ coder: AnyCoder) -> ValueChange? {
    var last = rest.drop { $0 == .chain || $0 == .chainEnd }
    for (change, meaning) in KeyPathEnds.changes where last == change[...] { return meaning }
    if last.last == .chainEnd { last = last.dropLast() }
    return KeyPathEnds.rawValues(TypeFacts.whole(coder.valueType)).contains(Array(last)) ? .rawValue : nil
  }

  /// Takes the raw value of an enum, as a program reads it that knows the enum.
  private mutating func rawValue(_ coder: AnyCoder) -> Bool {
    let last = rest.filter { !$0.isMark }
    guard last.count == 1 else { return false }
    if rest.contains(.force) { path.isForced = true }
    path.change = .rawValue
    if case .part? = last.first, names.first == RawValues.stored, coder.isRaw { return true }
    return PathProof(keyPath, path).showsRawValue(TypeFacts.whole(coder.valueType))
  }

  /// Takes names of nested stored properties. A struct that is made for the test shows whether it
  /// is coded under these names.
  private mutating func part(_ number: Int, _ coder: AnyCoder) -> Bool {
    var numbers: [Int] = []
    var next = coder
    while !rest.isEmpty, rest != [.chainEnd] {
      if !numbers.isEmpty, let change = change(next) {
        path.finish(.part(number, numbers))
        path.change = change
        return PathProof(keyPath, path).differs(coder, numbers)
      }
      takeMark()
      guard case .part? = rest.popFirst(), let name = names.popFirst(),
        let place = next.parts.firstIndex(where: { $0.name == name })
      else { return false }
      numbers.append(place)
      next = next.parts[place].coder
    }
    path.finish(.part(number, numbers))
    if path.isForced { return true }
    return PathProof(keyPath, path).shows(coder, numbers)
  }
}
