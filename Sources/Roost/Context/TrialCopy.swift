internal import Foundation
internal import RoostCare
internal import RoostFile
internal import RoostPages
internal import RoostRecords

/// Makes a copy of a store in the system's folder for temporary files, to try a change on it.
enum TrialCopy {
  /// The path of a new folder, which does not exist yet.
  static var newFolder: String {
    FileManager.default.temporaryDirectory.appending(path: "roost-dry-run-\(UUID().uuidString)")
      .path(percentEncoded: false)
  }

  /// Copies a store, which may be in use, into a new folder, and removes the folder at the end.
  static func with<Result>(
    _ path: String, folder: String = newFolder, _ body: (_ copy: String) throws -> Result
  ) throws -> Result {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let copy = folder + "/copy.roost"
    var options = StoreOptions()
    options.readOnly = true
    let records = try RecordStore(path, options: options)
    try Backup.copy(records.store, floor: RecordStore.floor, to: copy, replacing: false, report: nil)
    try records.close()
    return try body(copy)
  }
}
