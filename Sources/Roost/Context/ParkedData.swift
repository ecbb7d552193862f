public import Foundation
internal import RoostGraph
internal import RoostPages
internal import RoostRecords

/// Data in a store that the program's models do not name: an entity, or a property of one.
///
/// A migration deletes no data: properties and entities that the new version does not name stay in
/// the file, hidden. They come back when a version names them again.
/// ``ModelContainer/discard(_:at:)`` removes them for good.
public struct ParkedData: Hashable, Sendable, CustomStringConvertible {
  /// The name of the entity in the store, which is the name of its former class.
  public let entity: String
  /// The name of the property in the store; nil for the whole entity. If a property was replaced by
  /// one of the same name and another type, its name is `@parked` and the old name.
  public let property: String?
  /// How many models have it.
  public let count: Int

  public var description: String {
    entity + (property.map { "." + $0 } ?? "") + " (\(count) \(count == 1 ? "model" : "models"))"
  }
}

extension ModelContainer {
  /// Returns the data that a store of the container keeps although the container's models do not
  /// name it.
  ///
  /// - Parameter configuration: the store. A container with one store needs none.
  /// - Throws: ``RoostError`` with the code `store` if the store cannot be read, or if the
  ///   configuration names no store of the container.
  public func parkedData(_ configuration: ModelConfiguration? = nil) throws -> [ParkedData] {
    let records = try store(of: configuration, for: "a list of parked data").records
    return try Doorway.pass {
      try records.read { try Parking.list($0) }.map {
        ParkedData(entity: $0.entity, property: $0.property, count: $0.rows)
      }
    }
  }

  /// Removes parked data for good. No program, this one included, may have the store open.
  ///
  /// ```swift
  /// let parked = try container.parkedData()
  /// try container.close()
  /// try ModelContainer.discard(parked, at: file)
  /// ```
  ///
  /// The pages of an entity become free immediately. The bytes of a property stay in rows until the
  /// rows are written again.
  ///
  /// - Throws: an error if a part of the data is no longer parked, or the models need it. Then
  ///   nothing is removed.
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
