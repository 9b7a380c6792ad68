"""The work of `kubectl apply`, for `--strategy Apply` (docs/reference/merge.md, "As kubectl apply does").

godata       data as Go reads it from YAML and writes it as JSON, and what kubectl noted that it applied last
strategic    the strategic merge patch, for the kinds whose Go types kubectl knows
apply        the steps of one apply, and the data that comes out laid on the nodes of the two texts
"""
