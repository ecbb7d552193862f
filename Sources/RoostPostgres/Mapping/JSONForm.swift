#if Postgres
  internal import Foundation

  /// How values are written as JSON, which has no word for NaN and infinity.
  enum JSONForm {
    static var encoder: JSONEncoder {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.withoutEscapingSlashes]
      encoder.nonConformingFloatEncodingStrategy = .convertToString(
        positiveInfinity: "+inf", negativeInfinity: "-inf", nan: "nan")
      return encoder
    }

    static var decoder: JSONDecoder {
      let decoder = JSONDecoder()
      decoder.nonConformingFloatDecodingStrategy = .convertFromString(
        positiveInfinity: "+inf", negativeInfinity: "-inf", nan: "nan")
      return decoder
    }
  }
#endif
