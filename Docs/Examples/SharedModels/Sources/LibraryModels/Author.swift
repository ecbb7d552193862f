import Foundation
import SwiftData

@Model
public final class Author {
  public var name: String
  @Relationship(deleteRule: .cascade, inverse: \Book.author) public var books: [Book] = []

  public init(name: String) {
    self.name = name
  }

  public static func named(_ name: String, in context: ModelContext) throws -> Author? {
    try context.fetch(FetchDescriptor<Author>(predicate: #Predicate { $0.name == name })).first
  }
}
