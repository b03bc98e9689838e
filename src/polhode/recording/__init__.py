"""What a run leaves behind: its motion, forces and contacts, and the files of them.

`recording` is the data; `contacts`, `sensors`, `audit`, `table` and `energy_plot` say what is in
it; `files` writes and reads it.  May import `errors`, `reprs`, `once`, `files`, `arguments`,
`spatial`, `model`, `api`, `scene`, `collision` and `sensing`.
"""

from .audit import Audit
from .contacts import RecordedContact
from .recording import Recording

__all__ = ["Audit", "RecordedContact", "Recording"]
