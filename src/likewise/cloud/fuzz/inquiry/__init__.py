"""Looking into a difference until it is a finding: real, minimal, put into words."""
