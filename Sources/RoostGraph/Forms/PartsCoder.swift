internal import RoostRecords

/// Stores a struct as its parts, each by its name, or as its only value if it encodes itself as
/// one.
final class PartsCoder<Value: Codable>: Coder<Value> {
  private let isSingle: Bool
  /// The parts. A struct that is a single value has one, which is stored at the struct's own node.
  let members: [AnyCoder.Part]

  /// Nil if the struct writes other parts than it reads.
  init?(checking found: Recorder.Parts<Value>) {
    isSingle = found.shape == .single
    members = found.parts
    if isSingle {
      super.init(found.parts[0].coder.form, parts: found.parts[0].coder.parts)
    } else {
      super.init(
        _Form(.structure(found.parts.map { ElementType.Part($0.name, $0.coder.form.element) })), parts: found.parts)
    }
    let check = PartsWriter(self, .nowhere)
    try? found.sample.encode(to: check)
    if check.fault != nil || !check.isWhole { return nil }
  }

  override var isChoosy: Bool { members.contains { $0.coder.isChoosy } }
  override func refusal(of value: RoostRecords.Value) -> String? {
    if isSingle { return members[0].coder.refusal(of: value) }
    guard case .structure(let values) = value else { return nil }
    for (part, value) in zip(members, values) {
      if let refusal = part.coder.refusal(of: value) { return refusal }
    }
    return nil
  }

  var isOneValue: Bool { isSingle }
  override var any: Value? { try? Value(from: PartsReader(members, isSingle, origin: .nothing)) }

  override func put(_ value: Value, into sink: inout _RowSink, at node: Int) {
    if !isSingle { sink.clearParts(of: node, parts) }
    let fault = withUnsafeMutablePointer(to: &sink) { memory -> String? in
      let writer = PartsWriter(self, .row(memory, isSingle ? node : Int(memory.pointee.places[node].parts)))
      do { try value.encode(to: writer) } catch { return "\(error)" }
      return writer.fault ?? (writer.isWhole ? nil : "\(Value.self) left out a part that may not be nil")
    }
    if let fault { sink.refuse(node, RecordFault(.wrongType, fault)) }
  }

  override func take(from source: inout _RowSource, at node: Int) -> Value? {
    let failure: String
    do {
      return try withUnsafeMutablePointer(to: &source) { memory in
        try Value(
          from: PartsReader(
            members, isSingle, origin: .row(memory, isSingle ? node : Int(memory.pointee.places[node].parts))))
      }
    } catch { failure = "\(Value.self) rejects the stored value: \(error)" }
    source.fail(node, failure)
    return nil
  }

  override func append(_ value: Value, to bytes: inout _ByteSink) {
    let writer = PartsWriter(self, .lists)
    do { try value.encode(to: writer) } catch { bytes.refuse(RecordFault(.wrongType, "\(error)")) }
    bytes.refuse(writer.refused)
    for (number, part) in members.enumerated() {
      if let written = writer.written[number] {
        written.withUnsafeBytes { bytes._append(plain: $0) }
      } else {
        part.coder.appendNil(to: &bytes)
      }
    }
  }

  override func read(from bytes: inout _ByteSource) -> Value? {
    var values: [Any] = []
    for part in members {
      guard let value = bytes.nested({ part.coder.readAny(from: &$0) }) else { return nil }
      values.append(value)
    }
    return try? Value(from: PartsReader(members, isSingle, origin: .values(values)))
  }
}
