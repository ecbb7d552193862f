import Foundation
import SwiftData

@Model
public final class Book {
  @Attribute(.unique) public var isbn: String
  public var title: String
  public var published: Date
  public var state: ReadingState
  public var author: Author?

  @Transient public var isSelected = false

  public init(isbn: String, title: String, published: Date, state: ReadingState = .unread, author: Author? = nil) {
    self.isbn = isbn
    self.title = title
    self.published = published
    self.state = state
    self.author = author
  }
}

public enum ReadingState: String, Codable, Sendable {
  case unread, reading, read
}
