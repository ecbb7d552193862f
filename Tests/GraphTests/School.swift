import RoostPages
import RoostRecords
import SwiftData

@testable import RoostGraph

@Model final class School {
  var name: String
  @Relationship(deleteRule: .cascade, inverse: \Pupil.school) var pupils: [Pupil] = []
  var head: Teacher?

  init(_ name: String) { self.name = name }
}

@Model final class Pupil {
  var name: String
  var school: School?
  @Relationship(inverse: \Club.members) var clubs: [Club] = []
  var mentor: Pupil?

  init(_ name: String, school: School? = nil) {
    self.name = name
    self.school = school
  }
}

@Model final class Club {
  var title: String
  var members: [Pupil] = []

  init(_ title: String) { self.title = title }
}

@Model final class Teacher {
  var name: String
  @Relationship(inverse: \School.head) var leads: School?

  init(_ name: String) { self.name = name }
}

enum SchoolStore {
  static var plans: [ModelPlan] {
    [
      ModelPlan(
        School._$type,
        relationships: [
          RelationshipPlan("pupils", to: "Pupil", isToMany: true, inverse: "school", deleteRule: .cascade),
          RelationshipPlan("head", to: "Teacher", inverse: "leads"),
        ]),
      ModelPlan(
        Pupil._$type,
        relationships: [
          RelationshipPlan("school", to: "School", inverse: "pupils"),
          RelationshipPlan("clubs", to: "Club", isToMany: true, inverse: "members"),
          RelationshipPlan("mentor", to: "Pupil"),
        ]),
      ModelPlan(
        Club._$type, relationships: [RelationshipPlan("members", to: "Pupil", isToMany: true, inverse: "clubs")]),
      ModelPlan(Teacher._$type, relationships: [RelationshipPlan("leads", to: "School", inverse: "head")]),
    ]
  }

  static func make() throws -> GraphStore { try GraphStore(inMemory: StoreOptions(), plans) }
}
