"""Storage at run time: copies that keep their layout, shadows, and which view of a shadow belongs to which view.

A shadow is the adjoint (or tangent) of something that is written in place. It has the layout of what it shadows, so
that a view of the one and the same view of the other are at the same place.
"""
