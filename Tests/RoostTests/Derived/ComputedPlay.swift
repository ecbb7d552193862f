import Foundation
import RoostTestSupport
import SwiftData
import Testing

/// Random changes in every way that writes objects, with every policy. After each step all stored
/// computed values are compared with the values that the program computes from the stored objects.
/// Fetches by these values must find the objects, and all rules must hold.
@Suite struct ComputedPlay {
  @Test(arguments: UInt64(1)...4) func `every way of writing stores the values that the program computes`(seed: UInt64)
    async throws
  {
    let folder = try ScratchFolder()
    let url = URL(filePath: folder.file("furnaces.roost"))
    for round in 0..<3 {
      let (place, seed) = ("seed \(seed), round \(round)", seed &* 7919 &+ UInt64(round))
      // Another version of the models computes other values.
      if round % 2 == 0 {
        try await FurnacePlay<EarlyFurnaces>(url, seed, place).run()
      } else {
        try await FurnacePlay<LateFurnaces>(url, seed, place).run()
      }
    }
  }
}

struct FurnacePlayFault: Error { let text: String }
