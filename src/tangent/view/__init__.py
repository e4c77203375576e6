"""What people see: the command line, highlighted source, and pages that put a function beside its derivative."""
