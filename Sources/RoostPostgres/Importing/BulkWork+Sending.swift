#if Postgres
  internal import Roost
  internal import RoostGraph
  internal import RoostRecords

  /// The bytes and statements of a chunk.
  extension BulkWork {
    /// The rows that are copied, by table. Rows that cannot be stored are refused.
    mutating func copies() -> [Copy] {
      var copies: [Int: Copy] = [:]
      for at in lines.indices where lines[at].state == .new {
        let table = classes[lines[at].place].table
        // Taken out of the dictionary and changed in place: otherwise each row would copy the bytes
        // of all rows before it.
        var copy =
          copies.removeValue(forKey: table) ?? Copy(store.full(table), store.tables.tables[table].copiedColumns)
        do { try write(at, to: &copy) } catch let fault as ImportFault { refuse(at, fault) } catch {}
        copies[table] = copy
      }
      var all = copies.sorted { $0.key < $1.key }.map(\.value)
      for (number, pairs) in Dictionary(grouping: pairs.filter { $0.value.isNew }, by: \.key.link).sorted(by: {
        $0.key < $1.key
      }) {
        var copy = Copy(
          "\(store.namespace).\(store.tables.links[number].name)",
          [Table.zone, LinkTable.firstKey, LinkTable.secondKey, LinkTable.firstPlace, LinkTable.secondPlace]
            .map(\.description))
        for (key, pair) in pairs {
          copy.beginRow()
          copy.wire.measured { $0.append(key.zone.utf8) }
          copy.wire.measured { $0.append(key.first) }
          copy.wire.measured { $0.append(key.second) }
          for place in [pair.firstPlace, pair.secondPlace] {
            if let place { copy.wire.measured { $0.append(place) } } else { copy.wire.appendNull() }
          }
        }
        all.append(copy)
      }
      return all
    }

    private func write(_ at: Int, to copy: inout Copy) throws {
      let line = lines[at]
      if let refusal = chunk.rows[at].refusal { throw ImportFault(.wrongType, refusal) }
      copy.beginRow()
      copy.wire.measured { $0.append(line.key.zone.utf8) }
      copy.wire.measured { $0.append(line.key.key) }
      let kind = classes[line.place]
      if store.tables.tables[kind.table].hasClassColumn { copy.wire.measured { $0.append(kind.type.name.utf8) } }
      for column in kind.sources.indices {
        let isNull = try copy.wire.measuredUnlessNull { try write(at, column, to: &$0) }
        if isNull, !kind.optional[column] { throw lack(at, column) }
      }
    }

    private func lack(_ at: Int, _ column: Int) -> ImportFault {
      let kind = classes[lines[at].place].kind
      if let property = kind.properties[.reference(column: column)] {
        return ImportFault(.missing, "\(name(at, property)) must reference an object", field: field(at, property))
      }
      let property = kind.properties[.value(column: column)] ?? 0
      return ImportFault(.missing, "\(name(at, property)) has no value", field: field(at, property))
    }

    /// Appends a column's bytes. Returns false for null.
    private func write(_ at: Int, _ column: Int, to wire: inout WireBytes) throws -> Bool {
      let kind = classes[lines[at].place]
      switch kind.sources[column] {
      case .nothing: return false
      case .value(let property, let form):
        do {
          let known = lines[at].values
          // A new row gets the default value of a property that its snapshot does not have.
          let isDefault = lines[at].state == .new && !known.isPresent(property)
          let initial = isDefault ? kind.type.properties[property].initial?() : nil
          let values = initial.flatMap { known.setting(property, to: $0) } ?? known
          return try values.read(property) { source throws -> Bool in try form.write(&source, to: &wire) }
            ?? false
        } catch let fault as ValueFault {
          throw ImportFault(
            .wrongType, "\(name(at, property)) cannot be saved: \(fault.reason)", field: field(at, property))
        }
      case .reference(let slot):
        guard let key = slots[lines[at].start + slot].target else { return false }
        wire.append(key)
      case .place(let slot):
        let place = slots[lines[at].start + slot].place
        if place < 0 { return false }
        wire.append(place)
      }
      return true
    }

    /// A column's bytes; nil for null.
    func bytes(_ at: Int, _ column: Int) throws -> [UInt8]? {
      var wire = WireBytes()
      return try write(at, column, to: &wire) ? wire.bytes : nil
    }
  }
#endif
