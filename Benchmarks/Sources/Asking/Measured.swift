/// The measured code, under one symbol.
enum Measured {
  nonisolated(unsafe) fileprivate static var body: () throws -> Int = { 0 }
  nonisolated(unsafe) fileprivate(set) static var result = Result<Int, any Error>.success(0)

  static func run(_ body: @escaping () throws -> Int) {
    self.body = body
    measured()
  }
}

@inline(never) func measured() { Measured.result = Result { try Measured.body() } }
