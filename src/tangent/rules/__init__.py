"""The rules: how each function is differentiated, in the notation of docs/rules.md."""
