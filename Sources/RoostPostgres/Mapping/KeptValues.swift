#if Postgres
  internal import Foundation
  internal import RoostGraph

  /// The values of deleted objects that the history preserves, as JSON by the names of the
  /// properties.
  struct KeptValues {
    private struct Kept: Encodable {
      let image: ValueImage
      let properties: [Int]

      func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: ImageKey.self)
        for property in properties {
          guard let coder = image.form.coders[property] else { continue }
          let key = ImageKey(image.form.type.propertyName(property))
          _ = try image.read(property) { try coder.encode(&$0, into: &values, key) }
        }
      }
    }

    /// Nil if no property is preserved, or its value cannot be written.
    static func write(_ images: [ValueImage], _ properties: [Int]) -> [UInt8]? {
      if properties.isEmpty { return nil }
      let text = try? JSONForm.encoder.encode(images.map { Kept(image: $0, properties: properties) })
      return text.flatMap { $0.isNULEscaped ? nil : Array($0) }
    }

    private struct Line: Decodable {
      let values: KeyedDecodingContainer<ImageKey>
      init(from decoder: any Decoder) throws { values = try decoder.container(keyedBy: ImageKey.self) }
    }

    /// The values of each object, in the order of the keys.
    static func read(_ bytes: [UInt8]?, _ form: ImageForm) -> [ValueImage] {
      guard let bytes else { return [] }
      let lines = (try? JSONForm.decoder.decode([Line].self, from: Data(bytes))) ?? []
      return lines.map { line in
        let image = try? ValueImage(form, from: line.values) { property in
          let key = ImageKey(form.type.propertyName(property))
          return line.values.contains(key) ? key : nil
        }
        return image ?? ValueImage(empty: form)
      }
    }
  }
#endif
