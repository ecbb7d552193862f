internal import Foundation
package import RoostRecords

extension HistoryWriter {
  // Looked up once, because a bundle reads files.
  private static let programName = Bundle.main.bundleIdentifier ?? ProcessInfo.processInfo.processName

  /// This program and this process. A program without a bundle identifier has the name of its
  /// executable.
  ///
  /// The process identifier is read each time, because a program may continue in a child process
  /// (`fork`).
  package static let ofThisProgram: @Sendable () -> HistoryWriter = {
    HistoryWriter(programName, process: UInt64(clamping: ProcessInfo.processInfo.processIdentifier))
  }
}
