"""From the tree of a derivative to commented text, and from the text to a callable."""
