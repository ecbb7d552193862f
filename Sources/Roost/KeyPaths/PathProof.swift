internal import RoostGraph
internal import RoostRecords

/// Tests a key path on models that are made for the test, with known values.
///
/// It is used only for key paths whose components are stored properties up to the inserted value.
struct PathProof {
  private let keyPath: AnyKeyPath
  private let path: PropertyPath

  init(_ keyPath: AnyKeyPath, _ path: PropertyPath) {
    self.keyPath = keyPath
    self.path = path
  }

  /// Whether the key path shows the inserted value of one property of a struct.
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

  /// Whether the key path shows another value if one property of a struct has another value. For
  /// key paths that change the value.
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

  /// Whether the key path shows the raw value of each case. If the cases are not known, the result
  /// is false.
  ///
  /// A property with another type is not called. Any other is called for one case after the other,
  /// up to the first one whose raw value it does not show.
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

  /// Returns the value that the key path shows if the property has a value.
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

  /// Makes a model with a value in each property: its `deinit` may run code of the program that
  /// reads them.
  private static func empty(_ type: _ModelType) -> any _ModelObject {
    let made = type.model.init(_$state: _ModelState())
    made.markGone()
    for (number, property) in type.properties.enumerated() {
      if case .value = property.storage { made._$fill(number, orEmpty: true) }
    }
    return made
  }
}

/// Two different values of any type.
struct Samples {
  let isMarked: Bool

  /// Makes a struct in which only one property is marked, and returns that property's value.
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
