internal import RoostQuery
internal import RoostRecords

extension QuestionTyper {
  /// A literal in the wanted kind. Without a wanted kind it gets Swift's default type.
  func literal(_ placed: Placed, _ wanted: Kind?) throws(QuestionFault) -> Typed {
    let whole = wanted?.whole
    switch placed.written {
    case .null:
      guard let wanted else {
        throw fault("the type of this nil is unknown: compare it with a property, as in rating == nil", placed)
      }
      return Typed(expression: .constant(.null, wanted.optional), kind: wanted.optional)
    case .flag(let flag): return try made(.bool(flag), .bool, wanted: whole, placed: placed)
    case .row(let row):
      guard let whole, whole.entity != nil else {
        throw fault("compare a row with a relationship: album == #12", placed)
      }
      return Typed(expression: .constant(.reference(RowID(row)), whole), kind: whole)
    case .list(let all): return try list(all, whole, placed: placed)
    case .text(let text):
      let kind = whole.map { isOfText($0) ? $0 : .string } ?? .string
      return try made(read(text, kind, placed: placed, isQuoted: true), kind, wanted: whole, placed: placed)
    case .integer(let digits):
      let kind = whole.map { isNumber($0) ? $0 : .int } ?? .int
      return try made(read(digits, kind, placed: placed), kind, wanted: whole, placed: placed)
    case .number(let digits):
      let kind = whole.map { isNumber($0) && !$0.isInteger ? $0 : .double } ?? .double
      return try made(read(digits, kind, placed: placed), kind, wanted: whole, placed: placed)
    default: throw fault("a value is expected", placed)
    }
  }

  private func made(_ value: Value, _ kind: Kind, wanted: Kind?, placed: Placed) throws(QuestionFault) -> Typed {
    if let wanted, wanted != kind {
      let remedy = wanted.entity == nil ? "" : ": write the number of its row, as in #12"
      throw fault("\(name(wanted)) is expected, and not \(name(kind))" + remedy, placed)
    }
    return Typed(expression: .constant(value, kind), kind: kind)
  }

  private func list(_ all: [Placed], _ wanted: Kind?, placed: Placed) throws(QuestionFault) -> Typed {
    let element = wanted?.element
    var values: [Value] = []
    var kind = element
    for one in all {
      let found = try literal(one, kind)
      guard case .constant(let value, _) = found.expression else { throw fault("a plain value is expected", one) }
      values.append(value)
      if kind == nil { kind = found.kind }
    }
    guard let kind else {
      throw fault(
        "the type of this list is unknown: ask whether it contains a property, as in [1, 2].contains(year)", placed)
    }
    if case .set(let own)? = wanted {
      return Typed(expression: .constant(.set(Set(values)), .set(own)), kind: .set(own))
    }
    return Typed(expression: .constant(.array(values), .array(kind)), kind: .array(kind))
  }

  /// Whether values of the kind are written in quotes.
  private func isOfText(_ kind: Kind) -> Bool {
    switch kind {
    case .plain(.string), .plain(.url), .plain(.date), .plain(.uuid), .plain(.data), .plain(.decimal): true
    default: false
    }
  }

  private func isNumber(_ kind: Kind) -> Bool {
    kind.isInteger || kind.isFloating || kind == .plain(.decimal) || kind == .date
  }

  private func read(
    _ text: String, _ kind: Kind, placed: Placed, isQuoted: Bool = false
  ) throws(QuestionFault) -> Value {
    guard case .plain(let type) = kind else { throw fault("a plain value is expected", placed) }
    do throws(ValueFault) {
      var text = text
      // A number means seconds. Digits in quotes are not a number.
      if type == .date, !isQuoted { text = "@" + text }
      return try PlainText.value(text, type)
    } catch { throw fault(error.detail, placed) }
  }
}
