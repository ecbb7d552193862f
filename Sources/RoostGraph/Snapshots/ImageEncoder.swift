internal import RoostRecords

/// Puts images of a class's objects into rows.
final class ImageEncoder {
  private let map: EntityMap
  private let form: ImageForm
  /// The coders of the form, which lives as long as the encoder.
  private let coders: [(number: Int, coder: Unmanaged<AnyCoder>, isOptional: Bool)]
  /// References in the row, by property.
  private let references: [(property: Int, slot: Slot, isNeeded: Bool)]

  init(_ map: EntityMap, _ relations: [Relation?]) {
    self.map = map
    form = ImageForm.of(map.type)
    coders = form.coders.enumerated().compactMap { number, coder in
      coder.map { (number, .passUnretained($0), $0.form.isOptional) }
    }
    references = relations.compactMap { relation in
      guard let relation, case .reference = relation.way, map.field(relation.property) != nil else { return nil }
      let isNeeded = !map.type.mayBeNil(relation.property)
      return (relation.property, map.newest.slot(relation.property), isNeeded)
    }
  }

  /// Puts the values of an image into a row. An absent value becomes the declared default or nil.
  ///
  /// - Parameters:
  ///   - values: the image.
  ///   - sink: the row.
  ///   - leavesAbsent: whether the row keeps values that are absent in the image.
  ///   - skipsNil: whether the row keeps values that are nil in the image.
  func encode(_ values: ValueImage, into sink: inout _RowSink, leavesAbsent: Bool, skipsNil: Bool) throws {
    for (number, coder, isOptional) in coders {
      // The first byte of an optional tells whether it has a value.
      if skipsNil, isOptional, values.raw(number)?.first == 0 { continue }
      let isRead = values.read(number) { source in
        coder._withUnsafeGuaranteedRef { $0.transfer(from: &source, to: &sink, at: number) }
      }
      switch isRead {
      case true?: continue
      case false?: throw fault(number, "the snapshot has a value of another type")
      case nil: if !leavesAbsent { try putInitial(coder.takeUnretainedValue(), number, into: &sink) }
      }
    }
    if let failure = sink.failure { throw failure }
  }

  /// Puts the declared default, or leaves nil.
  private func putInitial(_ coder: AnyCoder, _ number: Int, into sink: inout _RowSink) throws {
    if let initial = map.type.properties[number].initial?(), coder.put(any: initial, into: &sink, at: number) { return }
    // A new row contains nil.
    if coder.field?.isOptional == true { return }
    throw fault(number, "it is not in the snapshot, and needs a value: give the property a default")
  }

  func encode(
    _ links: some Collection<(property: Int, row: UInt64?)>, into sink: inout _RowSink, leavesAbsent: Bool
  ) throws {
    for one in references {
      let link = links.first { $0.property == one.property }
      if let row = link?.row {
        sink.builder.set(one.slot, reference: RowID(row))
      } else if leavesAbsent, link == nil {
        continue
      } else if one.isNeeded {
        throw fault(one.property, "it must reference an existing model")
      } else {
        sink.builder.setNull(one.slot)
      }
    }
  }

  /// The rows that a row's references refer to.
  func references(_ sink: borrowing _RowSink) -> [(property: Int, row: UInt64?)] {
    references.map { ($0.property, sink.builder.reference($0.slot)?.number) }
  }

  private func fault(_ property: Int, _ detail: String) -> GraphFault {
    GraphFault(.badValue, detail, entity: map.type.name, property: map.type.propertyName(property))
  }
}
