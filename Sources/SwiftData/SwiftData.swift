@_exported public import Roost
