"""Facts about a Core tree, as tables; nothing is ever written on a node."""
