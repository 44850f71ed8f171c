"""What the cluster tests stand on: API access, an operator process, a fault proxy."""
