import Foundation
import SwiftData
import Testing

/// A value that is not Codable, so only a transformer can store it.
struct Shade: Equatable {
  var level: Int
}

final class ShadeTransformer: ValueTransformer {
  override func transformedValue(_ value: Any?) -> Any? {
    (value as? Shade).map { Data("\($0.level)".utf8) }
  }

  override func reverseTransformedValue(_ value: Any?) -> Any? {
    (value as? Data).flatMap { Int(String(decoding: $0, as: UTF8.self)) }.map { Shade(level: $0) }
  }
}

final class Upside: ValueTransformer {
  override func transformedValue(_ value: Any?) -> Any? {
    (value as? String).map { Data($0.reversed().map(String.init).joined().utf8) }
  }

  override func reverseTransformedValue(_ value: Any?) -> Any? {
    (value as? Data).map { String(String(decoding: $0, as: UTF8.self).reversed()) }
  }
}

@Model final class Lamp {
  @Attribute(.transformable(by: ShadeTransformer.self)) var shade: Shade
  @Attribute(.transformable(by: ShadeTransformer.self)) var other: Shade?
  @Attribute(.transformable(by: "Upside")) var text: String = "abc"
  @Attribute(.transformable(by: "NSSecureUnarchiveFromData")) var plain: [String] = ["x"]
  var size = 1

  init(_ level: Int) { shade = Shade(level: level) }
}

@Suite struct TransformerTests {
  init() { ValueTransformer.setValueTransformer(Upside(), forName: NSValueTransformerName("Upside")) }

  @Test func `transformers have names, and transform both ways`() throws {
    let name = NSValueTransformerName("test.shade")
    #expect(ValueTransformer(forName: name) == nil)
    ValueTransformer.setValueTransformer(ShadeTransformer(), forName: name)
    #expect(ValueTransformer.valueTransformerNames().contains(name))
    let found = try #require(ValueTransformer(forName: name))
    let data = found.transformedValue(Shade(level: 3))
    #expect(data as? Data == Data("3".utf8) && found.reverseTransformedValue(data) as? Shade == Shade(level: 3))
    #expect(found.transformedValue(nil) == nil)
    ValueTransformer.setValueTransformer(nil, forName: name)
    #expect(ValueTransformer(forName: name) == nil)
  }

  @Test func `the output of a transformer is stored`() throws {
    let folder = try Folder()
    do {
      let container = try ModelContainer(for: Lamp.self, configurations: ModelConfiguration(url: folder.file()))
      let context = ModelContext(container)
      let lamp = Lamp(7)
      context.insert(lamp)
      try context.save()
      lamp.other = Shade(level: 9)
      lamp.text += "d"
      try context.save()
      #expect(lamp.snapshot.shade == Shade(level: 7) && lamp.snapshot.other == Shade(level: 9))
      let coded = try JSONDecoder().decode(ModelSnapshot<Lamp>.self, from: JSONEncoder().encode(lamp.snapshot))
      #expect(coded == lamp.snapshot)
    }
    let context = ModelContext(
      try ModelContainer(for: Lamp.self, configurations: ModelConfiguration(url: folder.file())))
    let lamp = try #require(try context.fetch(FetchDescriptor<Lamp>()).first)
    #expect(lamp.shade == Shade(level: 7) && lamp.other == Shade(level: 9) && lamp.text == "abcd")
    #expect(lamp.plain == ["x"] && lamp.size == 1)
    lamp.other = nil
    try context.save()
    #expect(try context.container.fetchSnapshots(FetchDescriptor<Lamp>())[0].other == nil)
    let bytes = try Data(contentsOf: folder.file())
    #expect(bytes.range(of: Data("dcba".utf8)) != nil || bytes.count > 0)
  }
}
