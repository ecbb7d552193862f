import Foundation
import SwiftData
import Testing

enum DraftsGuide {
  @Model final class Trip {
    var name: String

    init(_ name: String) { self.name = name }
  }
}

/// The code of the guide to drafts.
@Suite struct DraftsGuideTests {
  typealias Trip = DraftsGuide.Trip

  @Test func `a form saves to its parent`() throws {
    let container = try ModelContainer(for: Trip.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let context = ModelContext(container)
    let trip = Trip("Porto")
    context.insert(trip)
    try context.save()
    let form = try ModelContext(parent: context)
    let draft: Trip? = try form.existingModel(for: trip.persistentModelID)
    draft?.name = "Lisbon"
    #expect(trip.name == "Porto" && !context.hasChanges)
    try form.save()
    #expect(trip.name == "Lisbon" && context.hasChanges)
    try context.save()
    #expect(!context.hasChanges)
  }
}
