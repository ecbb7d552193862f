import RoostKV

func keepAlbums(in path: String) throws -> [String] {
  let store = try KeyValueStore(path)

  // A transaction: all of it, or nothing. When `write` returns, it is on the disk.
  try store.write { writer in
    let albums = try writer.tree("albums")
    try albums.put("bowie/1977/heroes", "10 tracks")
    try albums.put("bowie/1977/low", "11 tracks")
    try albums.put("eno/1978/ambient 1", "4 tracks")
  }

  // A snapshot: writers do not change it and do not wait for it.
  let found = try store.read { reader in
    let albums = try reader.tree("albums")
    let low = try albums.string("bowie/1977/low") ?? "not there"
    let count = try albums.count(from: "bowie/", to: "bowie0")
    var lines = ["\(count) by Bowie; Low has \(low)"]
    try albums.forEach(from: Array("c".utf8)) { key, value in
      lines.append(key.withUnsafeBytes { String(decoding: $0, as: UTF8.self) })
      return true
    }
    return lines
  }

  try store.close()
  return found
}
