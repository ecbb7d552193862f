import Foundation
import Roost
import SwiftData
import Testing

/// The folders that apps name in `ModelConfiguration(url:)`.
@Suite struct FolderNameTests {
  @Test func `each folder is a different one of the user`() {
    let folders = [URL.documentsDirectory, .applicationSupportDirectory, .cachesDirectory]
    #expect(Set(folders.map(\.path)).count == 3)
    for folder in folders { #expect(folder.path.hasPrefix("/") && folder.hasDirectoryPath) }
  }

  @Test func `a store without a path is in the folder of program data`() {
    let url = ModelConfiguration().url
    #expect(url.path.hasPrefix(URL.applicationSupportDirectory.path + "/"))
  }

  @Test(arguments: [
    ("", "/home/a/Documents"), ("XDG_DOCUMENTS_DIR=\"$HOME/My papers\"\n", "/home/a/My papers"),
    ("# a comment\nXDG_DOCUMENTS_DIR=\"/srv/papers\"\n", "/srv/papers"),
    ("XDG_DOCUMENTS_DIR=papers", "/home/a/Documents"),
  ]) func `the desktop may choose another folder for documents`(settings: String, folder: String) throws {
    let place = URL.userFolder("XDG_DOCUMENTS_DIR", in: settings, home: URL(filePath: "/home/a"))
    #expect((place ?? URL(filePath: "/home/a/Documents")).path == folder)
  }

  @Test func `a file of a folder can be named as in an app`() {
    let url = URL.documentsDirectory.appending(path: "Trips.store")
    #expect(ModelConfiguration(url: url).url.path == URL.documentsDirectory.path + "/Trips.store")
  }
}
