import Observation
import SwiftData
import Synchronization
import Testing

@Suite(.everyStore) struct ObservationTests {
  @Test @MainActor func `a model of the main context is observed`() throws {
    let container = try makeContainer()
    let garden = Garden(name: "a")
    container.mainContext.insert(garden)
    try container.mainContext.save()
    let told = Mutex(0)
    withObservationTracking {
      _ = garden.area
    } onChange: {
      told.withLock { $0 += 1 }
    }
    garden.note = "n"
    #expect(told.withLock { $0 } == 0)
    garden.area = 3
    #expect(told.withLock { $0 } == 1)
  }
}
