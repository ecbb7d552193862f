import Foundation
import SwiftData
import Testing

#if DEBUG
  /// In debug builds the first stored object of a class is read back, to find a type that loses
  /// values.
  @Suite struct ReadBackTests {
    private func context(_ models: any PersistentModel.Type...) throws -> ModelContext {
      ModelContext(
        try ModelContainer(for: Schema(models), configurations: [ModelConfiguration(isStoredInMemoryOnly: true)]))
    }

    @Test func `a part that is not encoded is named until it is corrected`() throws {
      let context = try context(Forgetful.self)
      let model = Forgetful()
      context.insert(model)
      for _ in 0..<2 {
        let error = #expect(throws: RoostError.self) { try context.save() }
        #expect(error?.code == .badValue && error?.faults.map(\.property) == ["mark"])
        for part in ["Forgetful 1.mark", "color", "decoding the stored value gives", "encode", "decode"] {
          #expect(error?.description.contains(part) == true, "\(String(describing: error))")
        }
      }
      model.mark.color = "black"
      try context.save()
      // The first object is compared.
      model.mark.color = "red"
      let second = Forgetful()
      context.insert(second)
      try context.save()
    }

    @Test func `a case that is decoded as another one is named`() throws {
      let context = try context(Confused.self)
      context.insert(Confused())
      let error = #expect(throws: RoostError.self) { try context.save() }
      #expect(error?.faults.map(\.property) == ["phase"])
      #expect(error?.description.contains("done") == true && error?.description.contains("waiting") == true)
    }

    @Test func `a value that its type does not decode is named`() throws {
      let context = try context(Refusing.self)
      context.insert(Refusing())
      let error = #expect(throws: RoostError.self) { try context.save() }
      #expect(error?.faults.map(\.property) == ["word"])
      #expect(error?.description.contains("never again") == true, "\(String(describing: error))")
    }

    @Test func `a value without equality is compared by its parts`() throws {
      let context = try context(Plain.self)
      context.insert(Plain())
      try context.save()
      #expect(try context.fetch(FetchDescriptor<Plain>()).count == 1)
    }

    /// Regression: the catalog took the default of such a property and could not be read any more:
    /// the store was lost at its first save.
    @Test func `an optional struct with a default can be read again`() throws {
      let context = try context(Holder.self)
      context.insert(Holder())
      try context.save()
      let other = ModelContext(context.container)
      #expect(try other.fetch(FetchDescriptor<Holder>()).first?.part == Holder.Part(numbers: [2]))
    }
  }

  @Model final class Forgetful {
    struct Mark: Codable, Hashable {
      var size = 1
      var color = "white"

      enum CodingKeys: CodingKey { case size, color }

      init() {}

      init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        size = try values.decode(Int.self, forKey: .size)
        color = try values.decodeIfPresent(String.self, forKey: .color) ?? "black"
      }

      func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(size, forKey: .size)
      }
    }

    var name = "a"
    var mark = Mark()

    init() {}
  }

  @Model final class Confused {
    enum Phase: RawRepresentable, Codable {
      case waiting, done

      init?(rawValue: Int) { self = .waiting }
      var rawValue: Int { if case .done = self { 1 } else { 0 } }
    }

    var phase = Phase.done

    init() {}
  }

  @Model final class Refusing {
    struct Word: Codable {
      var text = "a"

      init() {}

      init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        guard text.isEmpty else {
          throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "never again"))
        }
      }

      func encode(to encoder: any Encoder) throws {
        var values = encoder.singleValueContainer()
        try values.encode(text)
      }
    }

    var word = Word()

    init() {}
  }

  @Model final class Holder {
    struct Part: Codable, Equatable { var numbers: [Double] }

    var part: Part? = Part(numbers: [2])

    init() {}
  }

  @Model final class Plain {
    /// A type without equality.
    struct Body: Codable {
      struct Part: Codable { var numbers: [Double] }

      var parts = ["b": Part(numbers: [.nan, 1]), "a": Part(numbers: [])]
      var whole: Part? = Part(numbers: [2])
      var when = Date(timeIntervalSince1970: 0.1)
      var place = URL(string: "https://a.example/b")
    }

    var body = Body()
    var bodies = [Body(), Body()]
    var none: Body?

    init() {}
  }
#endif
