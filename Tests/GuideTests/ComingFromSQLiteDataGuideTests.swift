import Foundation
import RoostImport
import SwiftData
import Testing

@Model final class ReminderList {
  @Attribute(.unique) var id = UUID()
  var title: String
  @Relationship(deleteRule: .cascade, inverse: \Reminder.list) var reminders: [Reminder] = []

  init(_ title: String) { self.title = title }
}

@Model final class Reminder {
  #Index<Reminder>([\.isDone])
  @Attribute(.unique) var id = UUID()
  var title: String
  var isDone = false
  var dueDate: Date?
  var list: ReminderList?

  init(_ title: String) { self.title = title }
}

@Suite struct ComingFromSQLiteDataGuideTests {
  /// Rows as SQLiteData stores them: identifiers and dates are texts, flags are numbers.
  private static let reminders = """
    CREATE TABLE "remindersLists" ("id" TEXT PRIMARY KEY NOT NULL, "title" TEXT NOT NULL) STRICT;
    CREATE TABLE "reminders" ("id" TEXT PRIMARY KEY NOT NULL, "title" TEXT NOT NULL, "isDone" INTEGER NOT NULL,
      "dueDate" TEXT, "listID" TEXT NOT NULL REFERENCES "remindersLists"("id")) STRICT;
    INSERT INTO remindersLists VALUES ('123e4567-e89b-12d3-a456-426614174000', 'Home'),
      ('123e4567-e89b-12d3-a456-426614174001', 'Work, "all"');
    WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 999)
      INSERT INTO reminders SELECT printf('00000000-0000-4000-8000-%012x', i), 'reminder' || char(10) || i, i % 2,
        CASE WHEN i % 3 = 0 THEN '2024-05-01 12:30:00.125' END, '123e4567-e89b-12d3-a456-42661417400' || (i % 2) FROM n;
    """

  @Test(.enabled(if: PageCommands.hasSQLite, "there is no sqlite3"))
  func `a database is moved to the last row`() throws {
    let folder = try PageCommands.folder()
    defer { try? FileManager.default.removeItem(at: folder) }
    try PageCommands.run("sqlite3 reminders.sqlite", in: folder, input: Self.reminders)
    for block in try PageCommands.blocks("ComingFromSQLiteData", "sh") { try PageCommands.run(block, in: folder) }
    let container = try ModelContainer(
      for: ReminderList.self, configurations: ModelConfiguration(url: folder.appending(path: "new.roost")))
    try container.importer(for: ReminderList.self).run(.file(folder.appending(path: "ReminderList.csv")))
    var importer = try container.importer(for: Reminder.self)
    importer.options.columns = ["listID": "list"]
    let report = try importer.run(.file(folder.appending(path: "Reminder.csv")))
    #expect(report.progress.inserted == 1000 && report.faults.isEmpty && report.unresolvedCount == 0)

    let found = try ModelContext(container).fetch(FetchDescriptor<Reminder>(sortBy: [SortDescriptor(\.id)]))
    #expect(found.count == 1000)
    for (number, reminder) in found.enumerated() {
      #expect(reminder.title == "reminder\n\(number)" && reminder.isDone == (number % 2 == 1))
      #expect(reminder.list?.title == (number % 2 == 0 ? "Home" : "Work, \"all\""))
      #expect(reminder.dueDate == (number % 3 == 0 ? Date(timeIntervalSince1970: 1_714_566_600.125) : nil))
    }

    // A column that the model does not have is left out.
    try PageCommands.run(
      "sqlite3 -csv -header reminders.sqlite 'SELECT *, 1 AS name FROM remindersLists' > More.csv", in: folder)
    var more = try container.importer(for: ReminderList.self)
    more.options.columns["name"] = .some(nil)
    #expect(try more.run(.file(folder.appending(path: "More.csv"))).faults.isEmpty)
  }

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
