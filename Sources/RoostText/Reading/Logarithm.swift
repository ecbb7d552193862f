#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The natural logarithm of the C library.
enum Logarithm {
  static func of(_ value: Double) -> Double { log(value) }
}
