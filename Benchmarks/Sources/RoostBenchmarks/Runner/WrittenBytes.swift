import Foundation

/// Counts the bytes of all write calls of this process since its start.
enum WrittenBytes {
  /// 0 if the system does not report it.
  static func now() -> UInt64 {
    guard let file = fopen("/proc/self/io", "r") else { return 0 }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 128)
    while fgets(&line, Int32(line.count), file) != nil {
      let text = line.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
      if text.hasPrefix("wchar:") { return UInt64(text.filter(\.isNumber)) ?? 0 }
    }
    return 0
  }
}
