#if Postgres
  internal import Roost
  internal import RoostGraph
  internal import RoostRecords

  extension DatabaseShape {
    /// The bytes of a property's default for its column; nil if the property has no default, or if
    /// its default is nil.
    func initial(_ number: Int, _ field: String, form: ValueForm) throws -> [UInt8]? {
      let kind = tables.tables[number].classes.first { one in
        Self.owner(field).map { one.type.name == $0 } ?? true
      }
      guard let type = kind?.type,
        let property = type.number(ofPath: field.split(separator: "/").last.map(String.init) ?? ""),
        case .value(let known) = type.properties[property].storage
      else { return nil }
      let coder = try known.coder()
      let name = type.propertyName(property)
      // As in file stores, the default of the schema has precedence over that of the declaration.
      let given = schema.entitiesByName[type.name]?.attributesByName[name]?.defaultValue
      let values = [given, type.properties[property].initial?()].compactMap { $0 }
      guard let element = values.lazy.compactMap({ coder.elementBytes(any: $0) }).first else { return nil }
      do {
        return try element.withUnsafeBytes { bytes throws -> [UInt8]? in
          var source = _ByteSource(bytes)
          return try form.bytes(&source)
        }
      } catch let fault as ValueFault {
        throw RoostError(.badValue, "the default of \(place(number, field)) cannot be saved: \(fault.reason)")
      }
    }
  }
#endif
