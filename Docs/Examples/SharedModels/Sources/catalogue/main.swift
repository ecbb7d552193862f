import Foundation
import LibraryModels
import SwiftData

let folder = FileManager.default.temporaryDirectory.appending(path: "catalogue-\(UUID().uuidString)")
defer { try? FileManager.default.removeItem(at: folder) }

func container() throws -> ModelContainer {
  try ModelContainer(
    for: Author.self, configurations: ModelConfiguration(url: folder.appending(path: "library.roost")))
}

do {
  let context = ModelContext(try container())
  let author = Author(name: "Tove Jansson")
  context.insert(author)
  author.books = [
    Book(isbn: "978-1", title: "The Summer Book", published: Date(timeIntervalSince1970: 76_000_000), state: .read),
    Book(isbn: "978-2", title: "The True Deceiver", published: Date(timeIntervalSince1970: 390_000_000)),
  ]
  try context.save()
  // A second book with this number becomes the stored one.
  context.insert(Book(isbn: "978-2", title: "The True Deceiver", published: .distantPast, state: .reading))
  try context.save()
}

let context = ModelContext(try container())
let begun = FetchDescriptor<Book>(
  predicate: #Predicate { $0.author?.name == "Tove Jansson" && $0.title.localizedStandardContains("the") },
  sortBy: [SortDescriptor(\.title)])
let books = try context.fetch(begun)
let author = try Author.named("Tove Jansson", in: context)
guard books.map(\.isbn) == ["978-1", "978-2"], books.map(\.state) == [.read, .reading],
  author?.books.map(\.title) == ["The Summer Book", "The True Deceiver"]
else {
  print("the catalogue is wrong: \(books.map(\.title))")
  exit(1)
}
print("the catalogue is right: \(books.map(\.title).joined(separator: ", "))")
