#if Postgres
  internal import Foundation

  /// The JSON form of values. JSON has no NaN and no infinity, so they are strings.
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
