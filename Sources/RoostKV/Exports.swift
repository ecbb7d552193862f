/// The one error type of all floors, so that `import RoostKV` is enough to catch it.
@_exported public import struct RoostFile.StoreError
