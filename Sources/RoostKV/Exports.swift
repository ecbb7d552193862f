/// The error type of all lower modules, so that `import RoostKV` is enough to catch it.
@_exported public import struct RoostFile.StoreError

/// The reports of `RoostCare`, which both public modules share.
@_exported public import struct RoostCare.BackupProgress
@_exported public import struct RoostCare.Compaction
@_exported public import struct RoostCare.Salvage
@_exported public import struct RoostCare.SalvageProgress
@_exported public import struct RoostCare.Verification
