import Foundation
import SwiftData
import Synchronization

/// Records trace events.
final class TraceBook: Sendable {
  private let kept = Mutex<[TraceEvent]>([])
  let plans = Mutex<[String?]>([])

  var all: [TraceEvent] { kept.withLock { $0 } }
  func of(_ kind: TraceEvent.Kind) -> [TraceEvent] { all.filter { $0.kind == kind } }
  func note(_ event: TraceEvent) { kept.withLock { $0.append(event) } }

  /// A configuration with this book as its trace handler.
  func configuration(_ url: URL? = nil) -> ModelConfiguration {
    var configuration = url.map { ModelConfiguration(url: $0) } ?? ModelConfiguration(isStoredInMemoryOnly: true)
    configuration.trace = { event in self.note(event) }
    return configuration
  }
}
