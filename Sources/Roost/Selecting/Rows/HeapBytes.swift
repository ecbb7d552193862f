internal import Foundation

/// What a value of a program's type takes of the memory, beside itself.
enum HeapBytes {
  /// Texts and data are counted, alone and in an optional; all else is taken for small.
  static func of<Value>(_ value: Value) -> Int {
    if let text = value as? String { return text.utf8.count > 15 ? text.utf8.count + 32 : 0 }
    if let data = value as? Data { return data.count + 32 }
    return 0
  }
}
