"""Forward mode: rooms that build on one another, from what they share (`frame`) to the whole (`passes`)."""
