"""Makes what several rooms' tests share importable from all of them."""
