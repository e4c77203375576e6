"""Storage in reverse mode: shadows beside handles, adjoints of stores, and what is put back before they are read."""
