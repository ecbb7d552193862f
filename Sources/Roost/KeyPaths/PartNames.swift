internal import Foundation
internal import RoostGraph
internal import RoostRecords

/// Finds the property of a stored struct that a key path names.
///
/// Swift has a stored property's name only in the description of its key path, and the struct may
/// be coded under other names. So the name is accepted only if a struct that was made with a value
/// in that property shows this value through the key path.
enum PartNames {
  static func name(of keyPath: AnyKeyPath, among coder: AnyCoder) -> String? {
    let text = String(describing: keyPath)
    guard let point = text.lastIndex(of: "."), !text.contains("<computed") else { return nil }
    let name = String(text[text.index(after: point)...])
    guard let number = coder.parts.firstIndex(where: { $0.name == name }),
      let root = type(of: keyPath).rootType as? any Codable.Type,
      let part = type(of: keyPath).valueType as? any Codable.Type
    else { return nil }
    func open<Root: Codable>(_ root: Root.Type) -> Bool {
      func open<Part: Codable>(_ part: Part.Type) -> Bool {
        guard let keyPath = keyPath as? KeyPath<Root, Part> else { return false }
        return shows(keyPath, number)
      }
      return open(part)
    }
    return open(root) ? name : nil
  }

  private static func shows<Root: Codable, Part: Codable>(_ keyPath: KeyPath<Root, Part>, _ number: Int) -> Bool {
    guard let whole = try? CoderShelf.shared.coder(of: Root.self),
      let part = try? CoderShelf.shared.coder(of: Part.self)
    else { return false }
    guard whole.parts.indices.contains(number), whole.parts[number].coder.form == part.form else { return false }
    func isShown(_ value: Value) -> Bool {
      var values = whole.parts.map { sample($0.coder.form.element, isMarked: false) }
      values[number] = value
      guard let made = whole.value(from: .structure(values)) else { return false }
      return part.value(made[keyPath: keyPath]) == value
    }
    return isShown(sample(part.form.element, isMarked: true)) && isShown(sample(part.form.element, isMarked: false))
  }

  /// Returns one of two different values of a type. A decoder may trap for an empty text, or for
  /// NaN.
  static func sample(_ type: ElementType, isMarked: Bool) -> Value {
    switch type {
    case .optional(let inner): isMarked ? sample(inner, isMarked: true) : .null
    case .structure(let parts): .structure(parts.map { sample($0.type, isMarked: isMarked) })
    case .plain(let field):
      switch field {
      case .bool, .presence: .bool(isMarked)
      case .int8, .int16, .int32, .int64: .int(isMarked ? 1 : 0)
      case .uint8, .uint16, .uint32, .uint64: .uint(isMarked ? 1 : 0)
      case .float: .float(isMarked ? 1 : 0)
      case .double: .double(isMarked ? 1 : 0)
      case .date: .date(isMarked ? 1 : 0)
      case .decimal: .decimal(DecimalNumber(isMarked ? 1 : 0))
      case .string: .string(isMarked ? "1" : "0")
      case .url: .url(isMarked ? "file:///a" : "file:///")
      case .data: .data(isMarked ? [1] : [])
      case .uuid: .uuid(UUIDNumber(high: 0, low: isMarked ? 1 : 0))
      case .reference: .reference(RowID(isMarked ? 1 : 0))
      case .array(let element): .array(isMarked ? [sample(element, isMarked: true)] : [])
      case .set(let element): .set(isMarked ? [sample(element, isMarked: true)] : [])
      case .dictionary(let key, let value):
        .dictionary(isMarked ? [sample(key, isMarked: true): sample(value, isMarked: true)] : [:])
      }
    }
  }
}

/// Distinguishes the key path of a raw value from those of other properties.
enum RawValues {
  /// Whether a key path shows the raw value: by the name of a struct's stored property, or by each
  /// case of an enum. If that cannot be tested, the result is false.
  static func isRawValue(_ keyPath: AnyKeyPath) -> Bool {
    let root = type(of: keyPath).rootType
    if KeyPathText.tail(keyPath) == stored, isRaw(root) { return true }
    guard let cases = root as? any (RawRepresentable & CaseIterable).Type else { return false }
    return shows(keyPath, cases)
  }

  /// The description's name for a stored property of that name. A type has only one.
  static let stored: Substring = "rawValue"

  /// Whether a type is stored as its raw value.
  static func isRaw(_ type: Any.Type) -> Bool {
    guard let codable = type as? any Codable.Type else { return false }
    return (try? CoderShelf.shared.coder(any: codable))?.isRaw ?? false
  }

  private static func shows<Case: RawRepresentable & CaseIterable>(_ keyPath: AnyKeyPath, _ type: Case.Type) -> Bool {
    guard Case.self is any Codable.Type, let keyPath = keyPath as? KeyPath<Case, Case.RawValue>,
      Case.RawValue.self is any _Storable.Type
    else { return false }
    return Case.allCases.allSatisfy { one in
      AnyHashable.isSame(one[keyPath: keyPath], one.rawValue)
    }
  }
}

extension AnyHashable {
  fileprivate static func isSame(_ one: Any, _ other: Any) -> Bool {
    guard let one = one as? AnyHashable, let other = other as? AnyHashable else { return false }
    return one == other
  }
}
