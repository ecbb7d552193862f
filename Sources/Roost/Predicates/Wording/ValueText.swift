internal import Foundation
internal import RoostGraph

/// Writes values from outside a predicate.
enum ValueText {
  private static let longest = 60
  private static let mostElements = 4

  static func text<Value>(_ value: Value) -> String {
    guard let value = MetadataKind.flattened(value) else { return "nil" }
    switch value {
    case let text as String: return "\"\(cut(text))\""
    case let text as Substring: return "\"\(cut(String(text)))\""
    case is Bool, is any BinaryInteger, is any BinaryFloatingPoint, is Decimal: return "\(value)"
    case let date as Date: return "Date(\(date.timeIntervalSinceReferenceDate))"
    case let data as Data: return "Data(\(data.count) bytes)"
    case let identifier as UUID: return "UUID(\(identifier.uuidString))"
    case let identifier as PersistentIdentifier: return "the identifier of \(identifier.entityName)"
    case let model as any _ModelObject: return "a model \(type(of: model)._$type.name)"
    case let list as any Collection: return elements(list)
    default: break
    }
    let mirror = Mirror(reflecting: value)
    if mirror.displayStyle == .enum { return ".\(cut("\(value)"))" }
    return cut("\(value)")
  }

  private static func elements(_ list: any Collection) -> String {
    func open<List: Collection>(_ list: List) -> String {
      if list.count > mostElements { return "[\(list.count) values]" }
      if list is any AnyPairs { return list.isEmpty ? "[:]" : "[\(list.count) pairs]" }
      return "[" + list.map { text($0) }.joined(separator: ", ") + "]"
    }
    return open(list)
  }

  private static func cut(_ text: String) -> String { text.count > longest ? "\(text.prefix(longest))…" : text }
}

private protocol AnyPairs {}
extension Dictionary: AnyPairs {}
