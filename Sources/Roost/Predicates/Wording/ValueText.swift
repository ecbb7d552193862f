internal import Foundation
internal import RoostGraph

/// Writes captured values.
enum ValueText {
  private static let longest = 60
  private static let mostElements = 4

  static func text<Value>(_ value: Value) -> String {
    guard let value = FlatValue.of(value) else { return "nil" }
    switch value {
    case let text as String: return "\"\(cut(text))\""
    case let text as Substring: return "\"\(cut(String(text)))\""
    case is Bool, is any BinaryInteger, is any BinaryFloatingPoint, is Decimal: return "\(value)"
    case let date as Date: return "Date(\(date.timeIntervalSinceReferenceDate))"
    case let data as Data: return "Data(\(data.count) bytes)"
    case let identifier as UUID: return "UUID(\(identifier.uuidString))"
    case let identifier as PersistentIdentifier: return "the identifier of \(identifier.entityName)"
    case let model as any _ModelObject: return "a model \(type(of: model)._$type.name)"
    case let range as any AnyRange: return "(\(range.text))"
    case let pairs as any AnyPairs: return pairs.text
    case let list as any Collection: return elements(list)
    default: break
    }
    let mirror = Mirror(reflecting: value)
    if mirror.displayStyle == .enum { return ".\(cut("\(value)"))" }
    return cut("\(value)")
  }

  private static func elements(_ list: any Collection) -> String {
    func open<List: Collection>(_ list: List) -> String {
      var first: [String] = []
      for element in list {
        if first.count == mostElements {
          return list is any Stored ? "[\(list.count) values]" : "[\(first.joined(separator: ", ")), …]"
        }
        first.append(text(element))
      }
      return "[" + first.joined(separator: ", ") + "]"
    }
    return open(list)
  }

  private static func cut(_ text: String) -> String { text.count > longest ? "\(text.prefix(longest))…" : text }
}

private protocol AnyRange { var text: String { get } }
extension Range: AnyRange {
  fileprivate var text: String { "\(ValueText.text(lowerBound))..<\(ValueText.text(upperBound))" }
}
extension ClosedRange: AnyRange {
  fileprivate var text: String { "\(ValueText.text(lowerBound))...\(ValueText.text(upperBound))" }
}
extension PartialRangeFrom: AnyRange { fileprivate var text: String { "\(ValueText.text(lowerBound))..." } }
extension PartialRangeUpTo: AnyRange { fileprivate var text: String { "..<\(ValueText.text(upperBound))" } }
extension PartialRangeThrough: AnyRange { fileprivate var text: String { "...\(ValueText.text(upperBound))" } }

private protocol AnyPairs { var text: String { get } }
extension Dictionary: AnyPairs { fileprivate var text: String { isEmpty ? "[:]" : "[\(count) pairs]" } }

/// A collection with a stored count. Counting the elements of another collection may take forever,
/// or trap: a range may have more elements than an `Int` can hold.
private protocol Stored {}
extension Array: Stored {}
extension ContiguousArray: Stored {}
extension Set: Stored {}
