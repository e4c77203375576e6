"""From a Core tree, facts and rules to the tree of a derivative."""
