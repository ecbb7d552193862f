/// A model of an import that later ones may reference, and its row. It is identified by the index
/// of its element and a path from there, because objects have no names that outlive a process.
package struct SharedModel: Hashable, Sendable {
  package var element: Int
  /// The path from the element: at each object the index of the related object that comes next.
  package var path: [Int]
  /// The name of its class.
  package var model: String
  package var row: RowID

  package init(element: Int, path: [Int], model: String, row: RowID) {
    (self.element, self.path, self.model, self.row) = (element, path, model, row)
  }
}

extension ImportState {
  /// Stores a row for each of these models, in the transaction of their chunk.
  static func keep(_ rows: [SharedModel], _ name: String, writer: RecordWriter) throws {
    if rows.isEmpty { return }
    let table = try writer.table(models)
    for one in rows {
      try table.insert([
        "name": .string(name), "model": .string(one.model), "element": .uint(UInt64(one.element)),
        "path": .string(one.path.map(String.init).joined(separator: ".")), "row": .uint(one.row.number),
      ])
    }
  }

  /// The stored models of the import with a name, by element.
  static func shared(_ name: String, _ reader: RecordReader) throws -> [Int: [SharedModel]] {
    var found: [Int: [SharedModel]] = [:]
    guard reader.catalog.entity(models) != nil else { return found }
    let table = try reader.table(models)
    var cursor = try table.cursor()
    while try cursor.next() {
      let values = try table.values(cursor.id) ?? [:]
      guard values["name"] == .string(name), case .string(let model)? = values["model"],
        case .string(let path)? = values["path"]
      else { continue }
      let element = Int(clamping: number(values, "element"))
      found[element, default: []].append(
        SharedModel(
          element: element, path: path.split(separator: ".").map { Int($0) ?? .max }, model: model,
          row: RowID(number(values, "row"))))
    }
    return found
  }

  /// The first stored models of the import with a name, to be removed.
  static func models(_ name: String, most: Int, _ reader: RecordReader) throws -> [RowID] {
    guard reader.catalog.entity(models) != nil else { return [] }
    let table = try reader.table(models)
    var found: [RowID] = []
    var cursor = try table.cursor()
    while try found.count < most && cursor.next() {
      let id = try cursor.id
      if try table.values(id)?["name"] == .string(name) { found.append(id) }
    }
    return found
  }
}
