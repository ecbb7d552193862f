internal import Foundation
internal import RoostGraph
internal import RoostRecords

/// The types of most values and properties, also as optionals and in arrays.
///
/// Their conformances and stored forms are known here. Otherwise the runtime would search the
/// conformances of all libraries for each new type: 150,000 to 430,000 instructions for each
/// question in a small program.
struct PlainType: Sendable {
  let type: Any.Type
  /// The wrapped type of an optional type; any other type itself.
  let whole: Any.Type
  let codable: any (Codable & SendableMetatype).Type
  let element: ElementType
  /// Whether `<` of the type is the engine's order.
  let isSorted: Bool
  /// Reads the value in its stored form.
  let value: @Sendable (UnsafeRawPointer) -> Value
  let coder: @Sendable () -> AnyCoder

  func value(any value: Any) -> Value {
    func open<Known>(_ known: Known) -> Value { withUnsafePointer(to: known) { self.value(UnsafeRawPointer($0)) } }
    return open(value)
  }

  static func of(_ type: Any.Type) -> PlainType? {
    if type == String.self { return text }
    if type == Int.self { return number }
    if type == Double.self { return real }
    if type == Bool.self { return flag }
    if type == Date.self { return date }
    if type == UUID.self { return uuid }
    return optional(type) ?? list(type) ?? set(type)
  }

  private static func optional(_ type: Any.Type) -> PlainType? {
    if type == String?.self { return maybeText }
    if type == Int?.self { return maybeNumber }
    if type == Double?.self { return maybeReal }
    if type == Bool?.self { return maybeFlag }
    if type == Date?.self { return maybeDate }
    if type == UUID?.self { return maybeUUID }
    return nil
  }

  private static func list(_ type: Any.Type) -> PlainType? {
    if type == [String].self { return texts }
    if type == [Int].self { return numbers }
    if type == [UUID].self { return uuids }
    return nil
  }

  private static func set(_ type: Any.Type) -> PlainType? {
    if type == Set<String>.self { return textSet }
    if type == Set<Int>.self { return numberSet }
    if type == Set<UUID>.self { return uuidSet }
    return nil
  }

  // MARK: Types

  private static let text = PlainType(.string, isSorted: true) { (text: String) in .string(text) }
  private static let number = PlainType(.int64, isSorted: true) { (number: Int) in .int(Int64(number)) }
  private static let real = PlainType(.double, isSorted: true) { (number: Double) in .double(number) }
  private static let flag = PlainType(.bool, isSorted: false) { (flag: Bool) in .bool(flag) }
  private static let date = PlainType(.date, isSorted: true) { (date: Date) in
    .date(date.timeIntervalSinceReferenceDate)
  }
  private static let uuid = PlainType(.uuid, isSorted: true) { (uuid: UUID) in .uuid(UUIDNumber(uuid)) }

  private static let maybeText = PlainType(.string) { (text: String?) in text.map { .string($0) } ?? .null }
  private static let maybeNumber = PlainType(.int64) { (number: Int?) in number.map { .int(Int64($0)) } ?? .null }
  private static let maybeReal = PlainType(.double) { (number: Double?) in number.map { .double($0) } ?? .null }
  private static let maybeFlag = PlainType(.bool) { (flag: Bool?) in flag.map { .bool($0) } ?? .null }
  private static let maybeDate = PlainType(.date) { (date: Date?) in
    date.map { .date($0.timeIntervalSinceReferenceDate) } ?? .null
  }
  private static let maybeUUID = PlainType(.uuid) { (uuid: UUID?) in uuid.map { .uuid(UUIDNumber($0)) } ?? .null }

  private static let texts = PlainType(.array(.plain(.string)), isSorted: false) { (texts: [String]) in
    .array(texts.map { .string($0) })
  }
  private static let numbers = PlainType(.array(.plain(.int64)), isSorted: false) { (numbers: [Int]) in
    .array(numbers.map { .int(Int64($0)) })
  }
  private static let uuids = PlainType(.array(.plain(.uuid)), isSorted: false) { (uuids: [UUID]) in
    .array(uuids.map { .uuid(UUIDNumber($0)) })
  }
  private static let textSet = PlainType(.set(.plain(.string)), isSorted: false) { (texts: Set<String>) in
    .set(Set(texts.map { .string($0) }))
  }
  private static let numberSet = PlainType(.set(.plain(.int64)), isSorted: false) { (numbers: Set<Int>) in
    .set(Set(numbers.map { .int(Int64($0)) }))
  }
  private static let uuidSet = PlainType(.set(.plain(.uuid)), isSorted: false) { (uuids: Set<UUID>) in
    .set(Set(uuids.map { .uuid(UUIDNumber($0)) }))
  }

  private init<Known: _Storable & SendableMetatype>(
    _ field: FieldType, isSorted: Bool, _ value: @escaping @Sendable (Known) -> Value
  ) {
    type = Known.self
    whole = type
    codable = Known.self
    element = .plain(field)
    self.isSorted = isSorted
    self.value = { value($0.assumingMemoryBound(to: Known.self).pointee) }
    coder = { CoderShelf.shared.coder(plain: Known.self) }
  }

  private init<Known: _Storable & SendableMetatype>(_ field: FieldType, _ value: @escaping @Sendable (Known?) -> Value)
  {
    type = Known?.self
    whole = Known.self
    codable = Known?.self
    element = .optional(.plain(field))
    isSorted = false
    self.value = { value($0.assumingMemoryBound(to: Known?.self).pointee) }
    coder = { CoderShelf.shared.coder(plain: Known?.self) }
  }
}

extension UUIDNumber {
  fileprivate init(_ uuid: UUID) {
    var bytes = uuid.uuid
    let (high, low) = withUnsafeBytes(of: &bytes) {
      ($0.loadUnaligned(as: UInt64.self), $0.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
    }
    self.init(high: UInt64(bigEndian: high), low: UInt64(bigEndian: low))
  }
}
