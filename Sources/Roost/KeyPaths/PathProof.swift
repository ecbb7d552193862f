internal import RoostGraph
internal import RoostRecords

/// Looks through a key path at models that were made for it, with values that are known.
///
/// It is asked only of key paths whose components are stored properties, up to the value that is put in.
struct PathProof {
  private let keyPath: AnyKeyPath
  private let path: PropertyPath

  init(_ keyPath: AnyKeyPath, _ path: PropertyPath) {
    self.keyPath = keyPath
    self.path = path
  }

  /// Whether one part of a struct is seen to be what it is made to be.
  func shows(_ coder: AnyCoder, _ parts: [Int]) -> Bool {
    guard let type = coder.valueType as? any Codable.Type else { return false }
    func open<Whole: Codable>(_ type: Whole.Type) -> Bool {
      guard let whole = try? CoderShelf.shared.coder(of: type) else { return false }
      return [true, false].allSatisfy { isMarked in
        let values = Samples(isMarked: isMarked)
        guard let sample = values.structure(whole.form.element, parts[...]), let made = whole.value(from: sample.whole),
          let seen = see(made)
        else { return false }
        guard let known = FlatValue.of(seen) else { return sample.part.isNull }
        return (known as? any Codable).flatMap { CoderShelf.shared.value(any: $0) } == sample.part
      }
    }
    return open(type)
  }

  /// Whether something else is seen when one part of a struct is something else, where the key path changes what it shows.
  func differs(_ coder: AnyCoder, _ parts: [Int]) -> Bool {
    guard let type = coder.valueType as? any Codable.Type else { return false }
    func open<Whole: Codable>(_ type: Whole.Type) -> Bool {
      guard let whole = try? CoderShelf.shared.coder(of: type) else { return false }
      let seen = [true, false].map { isMarked -> AnyHashable? in
        guard let sample = Samples(isMarked: isMarked).structure(whole.form.element, parts[...]),
          let made = whole.value(from: sample.whole)
        else { return nil }
        return see(made) as? AnyHashable
      }
      return seen[0] != nil && seen[1] != nil && seen[0] != seen[1]
    }
    return open(type)
  }

  /// Whether the raw value of each case is seen. Where the cases are not known it is believed that it is not.
  ///
  /// What yields another type is not asked. Else the property is asked of one case after the other, up to the first whose raw value it
  /// does not show.
  func showsRawValue(_ type: Any.Type) -> Bool {
    guard let type = type as? any (RawRepresentable & CaseIterable).Type else { return false }
    func open<Case: RawRepresentable & CaseIterable>(_ type: Case.Type) -> Bool {
      let shown = Swift.type(of: keyPath).valueType
      guard shown == Case.RawValue.self || shown == Case.RawValue?.self else { return false }
      return Case.allCases.allSatisfy { one in
        guard let seen = see(one).flatMap(FlatValue.of) as? AnyHashable,
          let raw = one.rawValue as? AnyHashable
        else { return false }
        return seen == raw
      }
    }
    return open(type)
  }

  /// What the key path shows where the property holds a value.
  private func see(_ value: Any) -> Any? {
    guard let property = path.property else { return nil }
    let last = Self.empty(path.model)
    guard last._$fill(property, with: value) else { return nil }
    var next: any _ModelObject = last
    var types = [path.root]
    for number in path.references.dropLast() {
      guard case .toOne(let link) = types[types.count - 1].properties[number].storage else { return nil }
      types.append(link.model._$type)
    }
    for (type, number) in zip(types, path.references).reversed() {
      let owner = Self.empty(type)
      guard owner._$fill(number, with: next) else { return nil }
      next = owner
    }
    return (next as Any)[keyPath: keyPath]
  }

  /// A model that has some value everywhere: its end may run code of a user's that reads it.
  private static func empty(_ type: _ModelType) -> any _ModelObject {
    let made = type.model.init(_$state: _ModelState())
    made.markGone()
    for (number, property) in type.properties.enumerated() {
      if case .value = property.storage { made._$fill(number, orEmpty: true) }
    }
    return made
  }
}

/// Values of any type: one of two that differ.
struct Samples {
  let isMarked: Bool

  /// A struct in which one part alone is marked, and what that part is then.
  func structure(_ element: ElementType, _ path: ArraySlice<Int>) -> (whole: Value, part: Value)? {
    guard let first = path.first else {
      let value = PartNames.sample(element, isMarked: isMarked)
      return (value, value)
    }
    switch element {
    case .optional(let inner): return structure(inner, path)
    case .structure(let parts):
      guard parts.indices.contains(first), let inner = structure(parts[first].type, path.dropFirst()) else {
        return nil
      }
      var values = parts.map { PartNames.sample($0.type, isMarked: false) }
      values[first] = inner.whole
      return (.structure(values), inner.part)
    case .plain: return nil
    }
  }
}
