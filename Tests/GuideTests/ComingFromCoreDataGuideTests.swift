import Foundation
import SwiftData
import Testing

@Model final class Employee {
  #Index<Employee>([\.name])
  var name: String
  var salary: Int
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
