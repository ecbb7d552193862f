#if Postgres
  internal import Roost
  internal import RoostGraph
  internal import RoostRecords

  /// Decodes the rows of an answer to a selection.
  ///
  /// It caches the zone and the class of the last row, because neighbouring rows usually have the
  /// same.
  struct RowDecoder: ~Copyable {
    private let selection: Selection
    private let table: Table
    private let store: String
    private let start: Int
    private var zone = ZoneName.none
    private var kind: ClassColumns
    private var writer: ImageWriter

    /// `start` is the number of the selection's first column in the answer.
    init(_ selection: Selection, store: String, from start: Int = 0) {
      (self.selection, self.store, self.start, table) = (selection, store, start, selection.table)
      kind = selection.kinds[0]
      writer = ImageWriter(kind.form)
    }

    mutating func row(_ answer: Answer, _ row: Int) throws -> KnownRow {
      guard let uuid = answer.uuid(row, start + selection.keyColumn),
        let version = answer.integer(row, start + selection.versionColumn)
      else { throw PostgresError(.refused, "a row of \(table.name) has no key or no version") }
      if let column = selection.zoneColumn {
        let isSame = answer.read(row, start + column) { $0.map { zone.isWritten($0) } ?? zone.isEmpty }
        if !isSame { zone = ZoneName(answer.text(row, start + column) ?? "") }
      }
      if let column = selection.classColumn {
        let name = answer.text(row, start + column)
        if name != kind.type.name { try change(to: name) }
      }
      let key = RowKey(zone, uuid)
      let values = try values(answer, row, of: key)
      var links = references(answer, row)
      let places = selection.joined.isEmpty ? [:] : addLists(answer, row, to: &links)
      let content = SnapshotContent(
        PersistentIdentifier(store: store, entity: kind.type.name, key.name), values, links: links)
      return KnownRow(selection.number, key, version: version, content: content, places: places)
    }

    private mutating func change(to name: String?) throws {
      guard let found = selection.kinds.first(where: { $0.type.name == name }) else {
        throw PostgresError(
          .newerModels, "a row of \(table.name) is of the class \(name ?? "nil"), which this program does not have")
      }
      kind = found
      writer = ImageWriter(found.form)
    }

    private mutating func values(_ answer: Answer, _ row: Int, of key: RowKey) throws -> ValueImage {
      for property in kind.values.indices {
        let value = kind.values[property]
        guard let at = value.at, let form = value.form else {
          writer.skip()
          continue
        }
        let bytes = answer.bytes(row, start + at)
        if bytes == nil, value.mayLack {
          writer.skip()
          continue
        }
        do throws(ValueFault) {
          try form.read(bytes, into: &writer.sink)
          writer.endValue()
        } catch {
          throw RoostError(
            .unreadable, "\(kind.type.name).\(kind.type.propertyName(property)) of \(key.text): \(error.reason)")
        }
      }
      return writer.finish()
    }

    /// The relationships whose references are in the row itself. The others are absent.
    private func references(_ answer: Answer, _ row: Int) -> [SnapshotContent.Link] {
      kind.references.map { reference in
        guard let reference else { return .absent }
        let className = reference.classAt.flatMap { answer.text(row, start + $0) }
        return .one(
          answer.uuid(row, start + reference.at).map { identifier(className ?? reference.entity, $0) })
      }
    }

    /// Adds the relationships that other tables store. Returns the places of their members.
    private func addLists(
      _ answer: Answer, _ row: Int, to links: inout [SnapshotContent.Link]
    ) -> [TableClass.Member: [UUIDNumber: Int64]] {
      var places: [TableClass.Member: [UUIDNumber: Int64]] = [:]
      let first = selection.listColumn.map { $0 + start }
      let hasLists = first.map { $0 < answer.columns && answer.isTrue(row, $0) } ?? false
      for one in hasLists ? selection.joined[...] : selection.joined.prefix(selection.aloneCount) {
        guard let property = kind.properties[one.member], let keys = answer.uuids(row, start + one.keys)
        else { continue }
        let isList = kind.form.isList(property)
        let classes = one.classes.flatMap { answer.texts(row, start + $0) }
        let members = keys.enumerated().map { identifier(classes?[$0.offset] ?? one.entity, $0.element) }
        links[kind.form.linkPlaces[property]] = isList ? .many(members) : .one(members.first)
        guard let at = one.places, let numbers = answer.integers(row, start + at, null: -1) else { continue }
        places[one.member] = Dictionary(zip(keys, numbers)) { first, _ in first }
      }
      return places
    }

    private func identifier(_ entity: String, _ key: UUIDNumber) -> PersistentIdentifier {
      PersistentIdentifier(store: store, entity: entity, .uuid(key, zone: zone))
    }
  }

  /// The columns of a class's properties in an answer.
  final class ClassColumns {
    struct ValueColumn {
      var at: Int?
      var form: ValueForm?
      /// Whether NULL means that the value is missing, because a migration has to fill the column.
      var mayLack = false
    }

    struct ReferenceColumn {
      let at: Int
      /// The name of the table's class.
      let entity: String
      /// The column with the class of the referenced row, if it may be another class.
      let classAt: Int?
    }

    let type: _ModelType
    let form: ImageForm
    let properties: [TableClass.Member: Int]
    /// By property.
    let values: [ValueColumn]
    /// By place among the class's relationships; nil for one that another table stores.
    let references: [ReferenceColumn?]

    init(_ kind: TableClass, values: [ValueColumn], references: [ReferenceColumn?]) {
      (type, form, properties) = (kind.type, kind.form, kind.properties)
      (self.values, self.references) = (values, references)
    }
  }
#endif
