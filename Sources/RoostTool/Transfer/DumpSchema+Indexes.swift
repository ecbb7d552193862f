import RoostRecords
import RoostTransfer

extension DumpSchema.IndexForm.Part {
  var part: Index.Part {
    get throws {
      guard let known = form.map({ word in Index.Form.allCases.first { $0.word == word } }) ?? .value else {
        throw TransferFault(
          .unknown, "an index has '\(form ?? "")' of a field, which this version does not know: use a newer roost",
          line: 1)
      }
      return Index.Part(FieldID(field), isDescending: isDescending, form: known)
    }
  }
}

extension DumpSchema.IndexForm.Test {
  private static let comparisons: [(Index.Comparison, String)] = [
    (.notEqual, "not equal"), (.less, "less"), (.lessOrEqual, "less or equal"), (.greater, "greater"),
    (.greaterOrEqual, "greater or equal"),
  ]

  init(_ test: Index.Test, _ fields: [Field]) {
    field = test.fields.first?.number
    func text(_ id: FieldID, _ value: Value) -> String? {
      fields.first { $0.id == id }.map { DumpText.text(value, as: $0.type) }
    }
    switch test {
    case .isNull: kind = "nil"
    case .isNotNull: kind = "not nil"
    case .equals(let id, let value):
      kind = "equals"
      self.value = text(id, value)
    case .compares(let id, let comparison, let value):
      kind = Self.comparisons.first { $0.0 == comparison }?.1 ?? ""
      self.value = text(id, value)
    case .any(let tests):
      (kind, field) = ("any", nil)
      any = tests.map { Self($0, fields) }
    }
  }

  func test(_ fields: [Field]) throws -> Index.Test {
    if kind == "any", let any, any.allSatisfy({ $0.any == nil }) { return .any(try any.map { try $0.test(fields) }) }
    guard let field else { throw TransferFault(.syntax, "a condition of an index names no field", line: 1) }
    let id = FieldID(field)
    switch kind {
    case "nil": return .isNull(id)
    case "not nil": return .isNotNull(id)
    default:
      let comparison = Self.comparisons.first { $0.1 == kind }?.0
      guard kind == "equals" || comparison != nil, let value, let type = fields.first(where: { $0.id == id })?.type
      else {
        throw TransferFault(.syntax, "a condition of an index is '\(kind)' of field \(field)", line: 1)
      }
      do {
        let known = try DumpText.value(value, as: type)
        return comparison.map { .compares(id, $0, known) } ?? .equals(id, known)
      } catch let fault as ValueFault { throw TransferFault(fault.code, fault.detail, line: 1) }
    }
  }
}
