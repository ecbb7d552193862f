import Foundation
import SwiftData
import Testing

@Suite struct ErrorTests {
  @Test func `errors are matched by kind`() {
    let error: any Error = SwiftDataError.missingModelContext
    #expect(SwiftDataError.missingModelContext ~= error && !(SwiftDataError.unknownSchema ~= error))
    #expect(SwiftDataError.modelValidationFailure != .backwardMigration)
    #expect(DataStoreError.invalidPredicate != .unsupportedFeature)
  }
}
