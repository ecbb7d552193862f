import Foundation

/// The most memory that the whole process held, if the system reports it.
///
/// Stores kept for later operations, pages of mapped files and the workload itself count too. So
/// the number compares runs of one operation, not engines.
enum Memory {
  /// Resets the peak. Has no effect if the system does not offer it.
  static func resetPeak() {
    guard let file = fopen("/proc/self/clear_refs", "w") else { return }
    fputs("5", file)
    fclose(file)
  }

  /// The peak since the last reset, or 0 if it is unknown.
  static func peakMegabytes() -> Double { status("VmHWM:") }

  /// The memory that the process holds now, or 0 if it is unknown.
  static func nowMegabytes() -> Double { status("VmRSS:") }

  private static func status(_ name: String) -> Double {
    guard let file = fopen("/proc/self/status", "r") else { return 0 }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 256)
    while fgets(&line, Int32(line.count), file) != nil {
      let text = line.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
      guard text.hasPrefix(name) else { continue }
      return Double(text.filter(\.isNumber)).map { $0 / 1024 } ?? 0
    }
    return 0
  }
}
