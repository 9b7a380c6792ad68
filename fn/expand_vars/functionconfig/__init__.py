"""The functionConfig: what the user asked for, decoded at the door into data that nobody has to check again.

`decoding` makes a `model.Config` of a functionConfig, by way of `configmap` or `expandvars`, after its kind; `schema`
says what kind ExpandVars may hold, `values` what is written in it, `mistakes` what is wrong with it.
"""

GROUP = "expandvars.dev"
API_VERSION = f"{GROUP}/v1alpha1"
KIND = "ExpandVars"

LOOKUP = ("Container", "Variables", "Services")
INLINE = ("Literals", "Variables", "Services", "ConfigMaps", "Downward", "Resources", "Secrets")
INLINE_UNLESS_SAID = INLINE[:3]
UNRESOLVED = ("Ignore", "Warn", "Error")
ESCAPES = ("Keep", "Unescape")
RECORD = ("Auto", "Always", "Never")
