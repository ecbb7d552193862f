public import Foundation
internal import RoostGraph
internal import RoostPages
internal import RoostRecords

/// Data in a store that the program's models do not name: an entity, or a property of one.
///
/// A migration loses nothing: what the new version of the models leaves out stays in the file, hidden. It comes back when a version
/// names it again. ``ModelContainer/discard(_:at:)`` removes it for good.
public struct ParkedData: Hashable, Sendable, CustomStringConvertible {
  /// The name of the entity in the store, which is the name that the class had.
  public let entity: String
  /// The name of the property in the store; nil for the whole entity. A property that made room for one of the same name and
  /// another type is called `@parked` and its name.
  public let property: String?
  /// How many models have it.
  public let count: Int

  public var description: String {
    entity + (property.map { "." + $0 } ?? "") + " (\(count) \(count == 1 ? "model" : "models"))"
  }
}

extension ModelContainer {
  /// What a store of the container keeps although the container's models do not name it.
  ///
  /// - Parameter configuration: the store. A container with one store needs none.
  public func parkedData(_ configuration: ModelConfiguration? = nil) throws -> [ParkedData] {
    let records = try store(of: configuration).records
    return try Doorway.pass {
      try records.read { try Parking.list($0) }.map {
        ParkedData(entity: $0.entity, property: $0.property, count: $0.rows)
      }
    }
  }

  /// Removes parked data for good. No program may have the store open, this one included.
  ///
  /// ```swift
  /// let parked = try container.parkedData()
  /// try container.close()
  /// try ModelContainer.discard(parked, at: file)
  /// ```
  ///
  /// An entity loses its pages at once. The bytes of a property are left in rows until these are written again.
  ///
  /// - Throws: an error if some of it is not parked any more, or the models need it. Then nothing is removed.
  public static func discard(_ parked: [ParkedData], at url: URL) throws {
    try Doorway.pass {
      let path = url.standardizedFileURL.resolvingSymlinksInPath().path(percentEncoded: false)
      try OpenGraphs.shared.checkClosed(path)
      var options = StoreOptions()
      options.createIfMissing = false
      let records = try RecordStore(path, options: options, writer: HistoryWriter.ofThisProgram)
      try Parking.discard(
        parked.map { ParkedPart(entity: $0.entity, property: $0.property) }, from: records)
      try records.close()
    }
  }
}
