import Foundation
import SwiftData
import Testing

@Model final class ReminderList {
  var title: String
  @Relationship(deleteRule: .cascade, inverse: \Reminder.list) var reminders: [Reminder] = []

  init(_ title: String) { self.title = title }
}

@Model final class Reminder {
  #Index<Reminder>([\.isDone])
  var title: String
  var isDone = false
  var list: ReminderList?

  init(_ title: String) { self.title = title }
}

@Suite struct ComingFromSQLiteDataGuideTests {
  @Test func `a join is a path, and a write a loop`() throws {
    let context = ModelContext(
      try ModelContainer(for: ReminderList.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
    let home = ReminderList("Home")
    home.reminders = [Reminder("Sweep"), Reminder("Cook")]
    let work = ReminderList("Work")
    work.reminders = [Reminder("Plan")]
    context.insert(home)
    context.insert(work)
    try context.save()

    let open = try context.fetch(
      FetchDescriptor<Reminder>(predicate: #Predicate { !$0.isDone && $0.list?.title == "Home" }))
    #expect(open.map(\.title) == ["Sweep", "Cook"])

    for reminder in home.reminders { reminder.isDone = true }
    try context.save()
    let left = try ModelContext(context.container).fetch(
      FetchDescriptor<Reminder>(predicate: #Predicate { !$0.isDone }))
    #expect(left.map(\.title) == ["Plan"])
  }
}
