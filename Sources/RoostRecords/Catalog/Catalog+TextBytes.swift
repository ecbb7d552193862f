internal import RoostText

/// The bytes of full text indexes at the end of a catalog of form 4.
///
/// ## Layout
/// ```
/// list of: number, entity, name, u8 flags (1 is being built), [row built below],
///   list of fields, analyzer (varint length, its bytes)
/// ```
extension Catalog {
  func encodeTexts(_ out: inout ByteWriter) {
    out.list(textIndexes) { out, index in
      out.number(index.id.number)
      out.number(index.entity.number)
      out.text(index.name)
      out.byte(index.builtBelow != nil ? 1 : 0)
      if let row = index.builtBelow { out.number(row.number) }
      out.list(index.fields) { out, field in out.number(field.number) }
      out.data(index.analyzer.encode())
    }
  }

  /// Reads the full text indexes of a catalog whose entities are known.
  static func texts(_ reader: inout ByteReader, _ catalog: Catalog) throws -> [FullTextIndex] {
    let indexes = try reader.list { reader in try textIndex(&reader, catalog) }
    let ids = indexes.map(\.id) + catalog.indexes.map(\.id)
    guard Set(ids).count == ids.count else { throw ByteReader.Unreadable() }
    return indexes
  }

  private static func textIndex(_ reader: inout ByteReader, _ catalog: Catalog) throws -> FullTextIndex {
    let id: UInt32 = try reader.number()
    let entity = EntityID(try reader.number())
    let name = try reader.text()
    let flags = try reader.byte()
    let row: UInt64? = flags & 1 != 0 ? try reader.number() : nil
    let fields = try reader.list { reader in FieldID(try reader.number()) }
    let analyzer = try TextAnalyzer(decoding: reader.data())
    guard let owner = catalog.entity(entity), id < catalog.next.index, flags < 2,
      (1...FullTextIndex.mostFields).contains(fields.count), Set(fields).count == fields.count,
      fields.allSatisfy({ owner.field($0)?.type == .string })
    else { throw ByteReader.Unreadable() }
    return FullTextIndex(
      IndexID(id), of: entity, name, fields: fields, analyzer: analyzer, builtBelow: row.map { RowID($0) })
  }
}
