internal import Foundation

/// Estimates the memory of a value outside of the value itself.
enum HeapBytes {
  /// Counts texts and data, also in an optional. All other types count as 0.
  static func of<Value>(_ value: Value) -> Int {
    if let text = value as? String { return text.utf8.count > 15 ? text.utf8.count + 32 : 0 }
    if let data = value as? Data { return data.count + 32 }
    return 0
  }
}
