"""Small models written for these tests, and where the larger ones lie."""

from __future__ import annotations

import os
import sysconfig
from pathlib import Path

REPOSITORY = Path(__file__).parents[1]
MODELS = Path(os.environ.get("POLHODE_MODELS", REPOSITORY.parent / "shared" / "models"))
ROBOTS = Path(sysconfig.get_paths()["purelib"], "cmeel.prefix/share/example-robot-data/robots")

INERTIAL = (
    '<inertial><origin xyz="0 0 0.5"/><mass value="2"/>'
    '<inertia ixx="0.2" ixy="0" ixz="0" iyy="0.2" iyz="0" izz="0.1"/></inertial>'
)

ARM = f"""<robot name="two">
<link name="base"/>
<link name="upper">
 {INERTIAL}
</link>
<link name="lower">
 {INERTIAL}
</link>
<joint name="shoulder" type="revolute">
 <parent link="base"/>
 <child link="upper"/>
 <origin xyz="0 0 0.1" rpy="0 0 0"/>
 <axis xyz="0 1 0"/>
 <limit lower="-1" upper="1" velocity="2" effort="3"/>
</joint>
<joint name="elbow" type="revolute">
 <parent link="upper"/>
 <child link="lower"/>
 <origin xyz="0 0 1"/>
 <axis xyz="0 0 2"/>
 <limit lower="-1" upper="1" velocity="2" effort="3"/>
</joint>
</robot>
"""


def robot(*parts: str) -> str:
    """A URDF text with one part on each line, the first in line 2."""
    return "\n".join(['<robot name="r">', *parts, "</robot>"])


def link(name: str, inside: str = INERTIAL) -> str:
    return f'<link name="{name}">{inside}</link>'


def joint(
    parent: str, child: str, inside: str = '<axis xyz="0 0 1"/>', *, kind: str = "continuous"
) -> str:
    return (
        f'<joint name="{parent}_{child}" type="{kind}"><parent link="{parent}"/>'
        f'<child link="{child}"/>{inside}</joint>'
    )


def frame(text: str, *, more: str = "") -> str:
    """A Lua model of one moving frame, and ``text`` as a second one in line 6."""
    return f"""return {{
  {more}
  frames = {{
    {{ name = "trunk", parent = "ROOT", joint = {{ {{ 0, 0, 1, 0, 0, 0 }} }},
       body = {{ mass = 2, com = {{ 0, 0, 1 }} }} }},
    {{ {text} }},
  }},
}}
"""
