internal import Foundation
internal import RoostFile

extension StoreError {
  /// Converts an error of Foundation about a file.
  init(_ error: any Error, _ detail: String, url: URL) {
    self.init(Self.code(error), detail, path: url.path(percentEncoded: false))
  }

  private static func code(_ error: any Error) -> Code {
    guard let code = (error as? CocoaError)?.code else { return .ioError }
    return switch code {
    case .fileNoSuchFile, .fileReadNoSuchFile: .notFound
    case .fileWriteNoPermission, .fileReadNoPermission, .fileWriteVolumeReadOnly: .permissionDenied
    case .fileWriteFileExists: .alreadyExists
    case .fileWriteOutOfSpace: .diskFull
    default: .ioError
    }
  }
}
