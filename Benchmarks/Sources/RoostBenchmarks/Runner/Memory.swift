import Foundation

/// How much memory the whole process held at most, where the system tells it.
///
/// Stores kept for later operations, pages of mapped files and the workload itself count too, so the figure
/// compares runs of one operation and not engines.
enum Memory {
  /// Forgets the peak so far. Without effect where the system does not offer it.
  static func resetPeak() {
    guard let file = fopen("/proc/self/clear_refs", "w") else { return }
    fputs("5", file)
    fclose(file)
  }

  /// The peak since the last reset, or 0 where it is unknown.
  static func peakMegabytes() -> Double { status("VmHWM:") }

  /// What the process holds now, or 0 where it is unknown.
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
