"""`python -m tangent`: show the derivative of a function, and how it was made."""

import sys

from tangent.view.cli import main

sys.exit(main())
