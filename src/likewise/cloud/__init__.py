"""Boundary 1, cloud APIs: services, SDK recorders, targets, replay, prices."""
