"""`python -m scrubjay`."""

import sys

from scrubjay.launcher import main

sys.exit(main())
