import Testing
@testable import RoostMacros
@Test func plugin() { #expect(Plugin.macro("ModelMacro") != nil) }
