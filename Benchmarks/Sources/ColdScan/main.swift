import RoostKV

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

// Walks a store whose pages are neither in the store's cache nor in the kernel's.
//
//   swift run -c release ColdScan FOLDER [ENTRIES] [RUNS]
//   swift run -c release ColdScan FOLDER ENTRIES RUNS warm      walks in the store's cache alone, to count instructions
//
// Two trees with ENTRIES (1,000,000) entries: one was filled in ascending order, so that its leaves
// are consecutive, the other in random order, so that its leaves are scattered. Each is walked
// whole and, to measure the time of the first reads, in ranges of 2,000 entries. Medians of RUNS
// (5), in milliseconds.

let words = CommandLine.arguments
guard words.count > 1 else {
  print("usage: ColdScan FOLDER [ENTRIES] [RUNS]")
  exit(2)
}
let entries = words.count > 2 ? Int(words[2]) ?? 1_000_000 : 1_000_000
let runs = words.count > 3 ? Int(words[3]) ?? 5 : 5

/// A permutation of the numbers below 2^64 that looks random.
func mixed(_ number: UInt64) -> UInt64 {
  var word = number &* 0x9E37_79B9_7F4A_7C15
  word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
  word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
  return word ^ (word >> 31)
}

/// Makes the store, unless an earlier run left it.
func make(_ path: String, inOrder: Bool) throws {
  if access(path, F_OK) == 0 { return }
  let store = try KeyValueStore(path)
  let value = [UInt8](repeating: 7, count: 150)
  var next = 0
  while next < entries {
    try store.write(.relaxed) { writer in
      let table = try writer.table("rows")
      for index in next..<min(next + 1000, entries) {
        try table.put(inOrder ? UInt64(index) : mixed(UInt64(index)), value)
      }
    }
    next += 1000
  }
  try store.close()
}

/// Asks the kernel to drop a file from its cache.
func forget(_ path: String) {
  let file = open(path, O_RDONLY)
  fsync(file)
  posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED)
  close(file)
}

func milliseconds(_ body: () throws -> Void) rethrows -> Double {
  let begin = ContinuousClock.now
  try body()
  return (ContinuousClock.now - begin) / .milliseconds(1)
}

func median(_ body: () throws -> Double) rethrows -> Double {
  let all = try (0..<runs).map { _ in try body() }.sorted()
  return all[all.count / 2]
}

func walk(_ path: String, cold: Bool) throws -> Double {
  if cold { forget(path) }
  var settings = StoreSettings()
  settings.cacheBytes = 1 << 30
  let store = try KeyValueStore(path, settings: settings)
  let time = try milliseconds {
    try store.read { reader in
      var cursor = try reader.table("rows").cursor()
      var count = 0
      while try cursor.next() { count += 1 }
      precondition(count == entries)
    }
  }
  try store.close()
  return time
}

/// Repeats the walk in the store's cache, which the first walk has filled.
func walkWarm(_ path: String) throws -> Double {
  var settings = StoreSettings()
  settings.cacheBytes = 1 << 30
  let store = try KeyValueStore(path, settings: settings)
  func once() throws {
    try store.read { reader in
      var cursor = try reader.table("rows").cursor()
      while try cursor.next() {}
    }
  }
  try once()
  let time = try median { try milliseconds { try once() } }
  try store.close()
  return time
}

func ranges(_ path: String, inOrder: Bool) throws -> Double {
  forget(path)
  let store = try KeyValueStore(path)
  let time = try milliseconds {
    for number in 0..<20 {
      try store.read { reader in
        var cursor = try reader.table("rows").cursor()
        let place = mixed(UInt64(number))
        var isThere = try cursor.seek(inOrder ? place % UInt64(entries) : place)
        for _ in 0..<2000 where isThere { isThere = try cursor.next() }
      }
    }
  }
  try store.close()
  return time
}

func gets(_ path: String, inOrder: Bool) throws -> Double {
  forget(path)
  let store = try KeyValueStore(path)
  let time = try milliseconds {
    try store.read { reader in
      let table = try reader.table("rows")
      for number in 0..<500 {
        let index = mixed(UInt64(number)) % UInt64(entries)
        let isThere = try table.contains(inOrder ? index : mixed(index))
        precondition(isThere)
      }
    }
  }
  try store.close()
  return time
}

func rounded(_ value: Double) -> String { "\((value * 10).rounded() / 10)" }

for inOrder in [true, false] {
  let path = words[1] + (inOrder ? "/ascending.roost" : "/scattered.roost")
  try make(path, inOrder: inOrder)
  if words.count > 4 {
    print("\(inOrder ? "ascending" : "scattered"): warm \(rounded(try walkWarm(path)))")
    continue
  }
  let whole = try median { try walk(path, cold: true) }
  let kernel = try median { try walk(path, cold: false) }
  let parts = try median { try ranges(path, inOrder: inOrder) }
  let single = try median { try gets(path, inOrder: inOrder) }
  print(
    "\(inOrder ? "ascending" : "scattered"): whole \(rounded(whole)), whole from the kernel's cache \(rounded(kernel)), "
      + "20 ranges \(rounded(parts)), 500 gets \(rounded(single))")
}
