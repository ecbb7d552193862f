import Foundation
import RoostImport
import SwiftData
import Testing

@Model final class Employee {
  #Index<Employee>([\.name])
  var name: String
  var salary: Int
  var hired: Date?
  var department: Department?

  init(name: String, salary: Int) {
    self.name = name
    self.salary = salary
  }
}

@Model final class Department {
  @Attribute(.unique) var name: String
  @Relationship(deleteRule: .deny, inverse: \Employee.department) var employees: [Employee] = []

  init(name: String) { self.name = name }
}

extension Employee: Validatable {
  func validate(_ validation: Validation) throws {
    if validation.change == .delete, department?.name == "Board" {
      validation.refuse("a member of the board cannot be deleted", at: \Employee.department)
    }
  }
}

@ModelActor actor Payroll {
  func raise(by percent: Int) throws -> Int {
    try modelContext.update(model: Employee.self) { $0.salary += $0.salary * percent / 100 }.count
  }
}

@Suite struct ComingFromCoreDataGuideTests {
  /// The tables of an SQLite store, as Core Data names them.
  private static let company = """
    CREATE TABLE ZDEPARTMENT (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR);
    CREATE TABLE ZEMPLOYEE (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZDEPARTMENT INTEGER,
      ZSALARY INTEGER, ZHIRED TIMESTAMP, ZNAME VARCHAR);
    INSERT INTO ZDEPARTMENT VALUES (1, 1, 1, 'Sales'), (2, 1, 4, 'R&D, "Lab"');
    INSERT INTO ZEMPLOYEE VALUES (1, 2, 1, 1, 4000, 736259400.125, 'Bo'), (2, 2, 1, NULL, 5000, NULL, 'Al
    the second');
    WITH RECURSIVE n(i) AS (SELECT 3 UNION ALL SELECT i + 1 FROM n WHERE i < 1000)
      INSERT INTO ZEMPLOYEE SELECT i, 2, 1, 1 + i % 2, i, i * 0.5 - 1000, 'employee ' || i FROM n;
    """

  @Test(.enabled(if: PageCommands.hasSQLite, "there is no sqlite3"))
  func `a store is moved to the last object`() throws {
    let folder = try PageCommands.folder()
    defer { try? FileManager.default.removeItem(at: folder) }
    try PageCommands.run("sqlite3 Company.sqlite", in: folder, input: Self.company)
    try PageCommands.run(try #require(try PageCommands.blocks("ComingFromCoreData", "sh").first), in: folder)
    let container = try ModelContainer(
      for: Department.self, configurations: ModelConfiguration(url: folder.appending(path: "new.roost")))
    try container.importer(for: Department.self).run(.file(folder.appending(path: "Department.csv")))
    var importer = try container.importer(for: Employee.self)
    importer.options.dates = .secondsSince2001
    let report = try importer.run(.file(folder.appending(path: "Employee.csv")))
    #expect(report.progress.inserted == 1000 && report.faults.isEmpty && report.unresolvedCount == 0)

    let employees = try ModelContext(container).fetch(FetchDescriptor<Employee>(sortBy: [SortDescriptor(\.salary)]))
    #expect(employees.count == 1000)
    for employee in employees where employee.salary <= 1000 {
      let number = employee.salary
      #expect(employee.name == "employee \(number)")
      #expect(employee.hired == Date(timeIntervalSinceReferenceDate: Double(number) * 0.5 - 1000))
      #expect(employee.department?.name == (number % 2 == 0 ? "Sales" : "R&D, \"Lab\""))
    }
    let (bo, al) = (employees[998], employees[999])
    #expect(bo.name == "Bo" && bo.hired == Date(timeIntervalSinceReferenceDate: 736_259_400.125))
    #expect(al.name == "Al\nthe second" && al.hired == nil && al.department == nil)
  }

  @Test func `a deletion is refused`() throws {
    let context = ModelContext(
      try ModelContainer(for: Department.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
    let board = Department(name: "Board")
    board.employees = [Employee(name: "Di", salary: 1)]
    context.insert(board)
    try context.save()
    context.delete(board.employees[0])
    let error = #expect(throws: RoostError.self) { try context.save() }
    #expect(error?.faults.map(\.property) == ["department"])
  }

  @Test func `a fetch, and work in the background`() async throws {
    let container = try ModelContainer(
      for: Department.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    do {
      let context = ModelContext(container)
      let sales = Department(name: "Sales")
      sales.employees = [
        Employee(name: "Bo", salary: 4000), Employee(name: "Al", salary: 5000), Employee(name: "Cy", salary: 2000),
      ]
      context.insert(sales)
      try context.save()

      let request = FetchDescriptor<Employee>(
        predicate: #Predicate { $0.department?.name == "Sales" && $0.salary > 3000 },
        sortBy: [SortDescriptor(\.name)])
      let employees = try context.fetch(request)
      #expect(employees.map(\.name) == ["Al", "Bo"])
    }
    #expect(try await Payroll(modelContainer: container).raise(by: 10) == 3)
    #expect(try ModelContext(container).aggregate(Employee.self, .sum(\.salary)) == 12_100)
  }
}
