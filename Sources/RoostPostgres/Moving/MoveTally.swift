#if Postgres
  internal import Foundation
  internal import Roost
  internal import RoostGraph
  internal import RoostRecords

  /// Counts the objects of one side by class, and adds up a hash of each object.
  struct MoveTally {
    private let tables: TableMap
    private let numbers: MoveNumbers
    private(set) var figures: [String: MoveReport.Figures] = [:]

    init(_ tables: TableMap, _ numbers: MoveNumbers) {
      (self.tables, self.numbers) = (tables, numbers)
      for table in tables.tables { for one in table.classes { figures[one.type.name] = MoveReport.Figures() } }
    }

    mutating func add(_ contents: [SnapshotContent]) throws {
      for content in contents {
        let value = try hash(content)
        figures[content.type.name]?.count += 1
        figures[content.type.name]?.checksum &+= value
      }
    }

    private func hash(_ content: SnapshotContent) throws -> UInt64 {
      let (table, place) = try tables.place(content.type)
      var hash = MoveHash()
      hash.add(content.type.name)
      hash.add(numbers.number(content.identifier) ?? 0)
      for (property, member) in tables.tables[table].classes[place].members.enumerated() {
        switch content.link(property) {
        case .one(let one)?: hash.add(one.map { numbers.number($0) ?? .max } ?? 0)
        case .many(let many)?:
          hash.add(UInt64(many.count))
          for one in many { hash.add(numbers.number(one) ?? .max) }
        case .absent?: continue
        case nil:
          guard case .value(let column)? = member, case .value(let form) = tables.tables[table].columns[column].kind
          else { continue }
          do { try form.add(content.values, property, to: &hash) } catch {
            throw RoostError(
              .badValue, "\(content.type.name).\(content.type.propertyName(property)) cannot be read: \(error.reason)")
          }
        }
      }
      return hash.value
    }

    static func report(_ source: MoveTally, _ target: MoveTally) -> MoveReport {
      MoveReport(
        models: source.figures.keys.sorted().map { name in
          MoveReport.Model(
            name: name, source: source.figures[name] ?? MoveReport.Figures(),
            target: target.figures[name] ?? MoveReport.Figures())
        })
    }
  }

  extension ValueForm {
    /// Adds a value to a hash. All forms of a value that are equal in a column have the same hash.
    fileprivate func add(_ values: ValueImage, _ property: Int, to hash: inout MoveHash) throws(ValueFault) {
      guard let raw = values.raw(property), !isOptional || raw.first != 0 else { return hash.add(0) }
      hash.add(1)
      if column == .jsonb {
        var fault: ValueFault?
        let text = values.read(property) { source -> [UInt8] in
          do throws(ValueFault) { return try bytes(&source) ?? [] } catch {
            fault = error
            return []
          }
        }
        if let fault { throw fault }
        let json = try? JSONSerialization.jsonObject(with: Data((text ?? []).dropFirst()), options: .fragmentsAllowed)
        let isOrdered = values.form.coders[property]?.valueType is any OrderedList.Type
        hash.add(MoveHash.ofJSON(json ?? NSNull(), isOrdered: isOrdered))
      } else if plainType == .decimal {
        // Equal numbers may have different zeros at the end.
        let number = raw.withUnsafeBytes { DecimalNumber(reading: $0.baseAddress! + (isOptional ? 1 : 0)) }
        var (mantissa, exponent) = (number.mantissa, Int(number.exponent))
        while mantissa != 0, mantissa % 10 == 0 {
          mantissa /= 10
          exponent += 1
        }
        hash.add((number.isNaN ? 2 : 0) | (number.isNegative ? 1 : 0))
        hash.add(UInt64(truncatingIfNeeded: mantissa))
        hash.add(UInt64(truncatingIfNeeded: mantissa >> 64))
        hash.add(UInt64(bitPattern: Int64(mantissa == 0 ? 0 : exponent)))
      } else {
        hash.add(bytes: raw)
      }
    }
  }

  private protocol OrderedList {}
  extension Array: OrderedList {}
  extension Optional: OrderedList where Wrapped: OrderedList {}

  extension MoveHash {
    /// The hash of a JSON value. If `isOrdered`, the elements of a list have an order; a set has
    /// another order each time.
    fileprivate static func ofJSON(_ value: Any, isOrdered: Bool) -> UInt64 {
      var hash = MoveHash()
      switch value {
      case let text as String: hash.add(text)
      // jsonb has no negative zero.
      case let number as NSNumber: hash.add(number.doubleValue == 0 ? "0" : number.stringValue)
      case let list as [Any]:
        hash.add(UInt64(list.count))
        var sum: UInt64 = 0
        for one in list {
          let next = ofJSON(one, isOrdered: isOrdered)
          if isOrdered { hash.add(next) } else { sum &+= next }
        }
        hash.add(sum)
      case let object as [String: Any]:
        var sum: UInt64 = 0
        for (key, one) in object {
          var entry = MoveHash()
          entry.add(key)
          entry.add(ofJSON(one, isOrdered: false))
          sum &+= entry.value
        }
        hash.add(sum)
      default: hash.add(1)
      }
      return hash.value
    }
  }
#endif
