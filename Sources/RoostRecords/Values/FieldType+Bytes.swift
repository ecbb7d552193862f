/// Bytes of types, and of values together with their type: see the layout in `Catalog+Bytes.swift`.
extension ByteWriter {
  mutating func type(_ type: FieldType) {
    byte(type.code)
    switch type {
    case .reference(let entity): number(entity.number)
    case .array(let one), .set(let one): element(one)
    case .dictionary(let key, let one):
      element(key)
      element(one)
    default: break
    }
  }

  private mutating func element(_ type: ElementType) {
    switch type {
    case .plain(let field):
      byte(0)
      self.type(field)
    case .optional(let inner):
      byte(1)
      element(inner)
    case .structure(let parts):
      byte(2)
      list(parts) { out, part in
        out.text(part.name)
        out.element(part.type)
      }
    }
  }

  mutating func value(_ value: Value, _ type: FieldType) {
    var bytes: [UInt8] = []
    do throws(RecordFault) { try ElementCoding.encode(value, as: type, into: &bytes) } catch { return byte(0) }
    byte(value.isNull ? 0 : 1)
    if value.isNull { return }
    self.type(type)
    data(bytes)
  }
}

extension ByteReader {
  mutating func type(_ depth: Int = 0) throws -> FieldType {
    guard depth < ElementCoding.deepest else { throw Unreadable() }
    let code = try byte()
    if let plain = FieldType.plain[code] { return plain }
    switch code {
    case 19: return .reference(EntityID(try number()))
    case 20: return .array(try element(depth + 1))
    case 21: return .set(try element(depth + 1))
    case 22: return .dictionary(try element(depth + 1), try element(depth + 1))
    default: throw Unreadable()
    }
  }

  private mutating func element(_ depth: Int) throws -> ElementType {
    guard depth < ElementCoding.deepest else { throw Unreadable() }
    switch try byte() {
    case 0: return .plain(try type(depth + 1))
    case 1: return .optional(try element(depth + 1))
    case 2: return .structure(try list { reader in ElementType.Part(try reader.text(), try reader.element(depth + 1)) })
    default: throw Unreadable()
    }
  }

  mutating func value() throws -> Value {
    if try byte() == 0 { return .null }
    let type = try type()
    let bytes = try data()
    // Presence has no bytes, and is stored only if it is true.
    if type == .presence, bytes.isEmpty { return .bool(true) }
    let found = bytes.withUnsafeBytes { memory in
      if let width = type.width {
        return memory.count == width && width > 0 ? FixedCoding.read(memory.baseAddress!, as: type) : nil
      }
      return ElementCoding.decode(memory, as: type)
    }
    guard let found else { throw Unreadable() }
    return found
  }
}

extension FieldType {
  static let plain: [UInt8: FieldType] = [
    1: .bool, 2: .int8, 3: .int16, 4: .int32, 5: .int64, 6: .uint8, 7: .uint16, 8: .uint32, 9: .uint64, 10: .float,
    11: .double, 12: .decimal, 13: .string, 14: .data, 15: .date, 16: .uuid, 17: .url, 18: .presence,
  ]

  /// The number of the type in files.
  var code: UInt8 {
    switch self {
    case .bool: 1
    case .int8: 2
    case .int16: 3
    case .int32: 4
    case .int64: 5
    case .uint8: 6
    case .uint16: 7
    case .uint32: 8
    case .uint64: 9
    case .float: 10
    case .double: 11
    case .decimal: 12
    case .string: 13
    case .data: 14
    case .date: 15
    case .uuid: 16
    case .url: 17
    case .presence: 18
    case .reference: 19
    case .array: 20
    case .set: 21
    case .dictionary: 22
    }
  }
}
