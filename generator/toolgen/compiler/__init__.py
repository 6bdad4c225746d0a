"""Turn tool specs into the texts of a package: read specs, build schema graphs, and write checks and models."""
