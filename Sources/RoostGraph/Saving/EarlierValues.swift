/// The values that an object had before the program changed them.
///
/// To read a value may run its `encode(to:)`, which may call setters. So only the value of a property
/// that is set is read, and a setter of this object that runs meanwhile is not noted. It runs again,
/// and is noted, when the save writes the value.
final class EarlierValues {
  /// By property, the bytes of the value.
  private var values: [Int: [UInt8]?] = [:]
  private var isReading = false

  /// Keeps the value of a property, before the first setter stores another one.
  func note(_ object: any _ModelObject, _ property: Int) {
    if isReading || values[property] != nil { return }
    let value = value(object, property)
    values[property] = .some(value)
  }

  /// Whether a value is different now.
  func hasChanged(_ object: any _ModelObject) -> Bool { values.contains { value(object, $0) != $1 } }

  private func value(_ object: any _ModelObject, _ property: Int) -> [UInt8]? {
    isReading = true
    defer { isReading = false }
    return object.valueBytes(property)
  }
}
