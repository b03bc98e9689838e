"""MJCF files as text: each shows some features, all of them are models that MuJoCo reads."""

from __future__ import annotations

BALL = '<freejoint/><geom size="0.1"/>'


def mjcf(world: str, more: str = "") -> str:
    """A file with bodies in its world, and other elements before it."""
    return f"<mujoco>{more}<worldbody>{world}</worldbody></mujoco>"


def body(inside: str, attributes: str = "") -> str:
    return f"<body {attributes}>{inside}</body>"


SEVERAL_JOINTS = body(
    '<joint name="a" axis="1 2 2" pos="0.1 0.2 0.3" ref="30" armature="0.4"/>'
    '<joint name="b" type="slide" axis="0 0.6 0.8" ref="0.2" pos="1 1 1"/>'
    '<joint name="c" axis="0 -1 1" pos="0 0.3 0.1" armature="0.1" damping="0.2"/>'
    '<geom type="box" size="0.1 0.2 0.3" pos="0.1 0 0.2" euler="10 20 30"/>'
    + body(
        '<joint name="d" axis="1 0 0" range="-90 45" damping="0.3" frictionloss="0.1"/>'
        '<joint name="e" axis="0 1 0" pos="0 0 0.1" stiffness="3" springref="20" ref="-90"/>'
        '<inertial pos="0.1 0.2 0.3" mass="2" fullinertia="0.3 0.4 0.5 0.01 0.02 0.03"/>',
        'name="forearm" pos="0.3 0.4 0.5" euler="90 0 -45"',
    ),
    'name="arm" pos="1 2 3" axisangle="1 1 0 40"',
)
FREE = body(
    '<joint type="free" armature="0.3" damping="0.1"/>'
    '<geom type="capsule" fromto="0 0 0 1 0.5 0.25" size="0.1"/>'
    + body('<joint type="ball"/><geom size="0.2"/>', 'pos="1 0 0" quat="1 2 3 4"')
    + body('<geom type="cylinder" size="0.1 0.4" mass="3"/>', 'name="welded" xyaxes="1 2 0 0 1 3"'),
    'name="base" pos="0 1 2" zaxis="1 2 3"',
)
_SHAPES = "".join(
    body(f'<freejoint/><geom type="{kind}" {size} density="700" shellinertia="{shell}" '
         'pos="0.1 0.2 0.3" euler="20 30 40"/>', f'name="{kind} {shell}"')
    for kind, size in (("sphere", 'size="0.3"'), ("capsule", 'size="0.3 0.5"'),
                       ("cylinder", 'size="0.3 0.5"'), ("box", 'size="0.3 0.5 0.7"'))
    for shell in ("false", "true")
) + body('<freejoint/><geom type="ellipsoid" size="0.3 0.5 0.7" mass="2"/>')  # fmt: skip
_LONG = "".join(
    body(f'<freejoint/><geom type="{kind}" size="0.1" fromto="0.1 0.2 0.3 1 0.5 -0.25"/>')
    for kind in ("capsule", "cylinder", "ellipsoid", "box")
)
_CORNERS = ("0 0 0  1 0 0  1 .25 0  .25 .25 0  .25 1 0  0 1 0  "
            "0 0 .5  1 0 .5  1 .25 .5  .25 .25 .5  .25 1 .5  0 1 .5")  # fmt: skip
_FACES = (
    "0 2 1  0 3 2  0 4 3  0 5 4  6 7 8  6 8 9  6 9 10  6 10 11 "
    + " ".join(f"{i} {(i + 1) % 6} {(i + 1) % 6 + 6}  {i} {(i + 1) % 6 + 6} {i + 6}"
               for i in range(6))
)  # fmt: skip
_MESHES = "".join(
    f'<mesh name="{mode}" inertia="{mode}" vertex="{_CORNERS}" face="{_FACES}"/>'
    for mode in ("exact", "legacy", "convex", "shell")
) + (
    f'<mesh name="moved" inertia="exact" scale="2 -1 1" refpos="1 0 0" refquat="0 0 0 1" '
    f'vertex="{_CORNERS}" face="{_FACES}"/>'
    f'<mesh name="cloud" vertex="{_CORNERS}"/>'
)
_MESH_BODIES = "".join(
    body(f'<freejoint/><geom type="mesh" mesh="{name}" pos="0.1 0.2 0.3" euler="0 90 20"/>')
    for name in ("exact", "legacy", "convex", "shell", "moved", "cloud")
)
_FITTED = "".join(
    body(f'<freejoint/><geom type="{kind}" mesh="exact" fitscale="0.8" pos="0.1 0.2 0.3"/>')
    for kind in ("sphere", "capsule", "cylinder", "ellipsoid", "box")
)
_DEFAULTS = """<default><geom density="500" size="0.2"/><joint damping="0.5" axis="1 0 0"/>
  <default class="box"><geom type="box" size="0.1 0.2 0.3" euler="0 0 30"/>
    <default class="turned"><geom quat="1 1 0 0"/><joint axis="0 1 0" armature="0.1"/></default>
  </default></default>"""
_CLASSES = (
    body('<joint/><geom/>' + body('<joint/><geom/><geom class="main" pos="1 0 0"/>',
                                  'childclass="turned" pos="0.1 0.2 0.3"'),
         'childclass="box"')
    + '<frame childclass="turned" pos="0 0 1">' + body('<freejoint/><geom axisangle="1 0 0 30"/>')
    + "</frame>"
)  # fmt: skip
_FRAMES = (
    '<frame pos="1 2 3" euler="0 90 0"><frame quat="1 0 1 1" pos="0.1 0 0">'
    + body('<frame euler="90 0 0" pos="0 0 0.1"><joint axis="0 0 1" pos="0.1 0 0"/>'
           '<geom size="0.1" pos="0.3 0 0"/></frame>', 'name="in frames" pos="0 1 0"')
    + "</frame></frame>"
)  # fmt: skip
_REPLICAS = (
    '<replicate count="2" offset="0 1 0" euler="90 0 0">'
    '<replicate count="3" sep="-" offset="1 0 0" euler="0 30 10">'
    + body('<joint axis="1 0 0" pos="0 0.1 0"/><geom size="0.1" pos="0.1 0.2 0.3"/>',
           'name="leaf" pos="0.1 0 0"')
    + "</replicate></replicate>"
)  # fmt: skip
_ONE = body('<joint axis="1 0 0"/><geom type="box" size="0.1 0.2 0.3"/>', 'name="a"')

_IN_FLUID = (
    body('<freejoint/><geom type="box" size="0.1 0.2 0.3" euler="10 20 30" pos="1 2 3"/>')
    + body('<joint axis="0 1 0"/><geom type="capsule" size="0.1" fromto="0 0 0 1 0.2 0.3"/>'
           '<geom size="0.2" pos="1 1 0"/>'
           + body('<joint axis="1 0 0"/><geom size="0.3" mass="0"/><geom size="0.1" pos="1 0 0"/>'
                  + body('<geom type="box" size="0.1 0.2 0.1"/>', 'pos="1 0 0"')))
    + body('<freejoint/><inertial pos="1 2 3" mass="2" diaginertia="1 1 1.5" quat="0.6 .8 0 0"/>')
    + body('<joint/><inertial pos="1 2 3" mass="2" fullinertia="1 1 1.5 0.1 0.2 0.1"/>')
    + body('<freejoint/><geom type="mesh" mesh="m" euler="30 0 0"/>')
    + "".join(
        body(f'<freejoint/><geom type="{kind}" {size} euler="10 20 30" pos="1 2 3" '
             'fluidshape="ellipsoid"/>')
        for kind, size in (("sphere", 'size="0.2"'), ("capsule", 'size="0.2 0.3"'),
                           ("cylinder", 'size="0.2 0.3"'), ("box", 'size="0.025 0.01 0.0001"'),
                           ("mesh", 'mesh="m"'),
                           ("ellipsoid", 'size="0.3 0.2 0.1" fluidcoef=".4 .3 1.2 .9 .8"')))
)  # fmt: skip
_FLUID = (
    '<option density="30" viscosity="0.7" wind="1 2 3"/>'
    '<asset><mesh name="m" vertex="0 0 0 1 0 0 0 0.7 0 0 0 0.3"/></asset>'
)
_EDGES = '<edge equality="true" damping="0.3"/>'
_FLEXES = (
    body('<flexcomp name="rope" type="grid" dim="1" count="5 1 1" spacing="0.1 1 1" mass="2"'
         ' pos="0.1 0 0" euler="0 70 0"><edge stiffness="30" damping="2"/><pin id="0"/></flexcomp>',
         'name="hook" pos="0 0 2"')
    + body(f'<flexcomp name="cloth" count="3 4 1" spacing="0.1 0.2 1" quat="0.6 0 0.8 0">{_EDGES}'
           '<pin range="10 11" gridrange="0 0 1 1"/><contact friction="0.5"/></flexcomp>',
           'name="frame" pos="1 2 3"')
    + body(f'<flexcomp name="bag" type="box" dim="3" count="3 4 3" dof="radial" pos="0.1 0.2 0.3" '
           f'inertiabox="0.01">{_EDGES}</flexcomp>', 'name="stand" pos="3 0 0" euler="0 0 30"')
    + f'<flexcomp name="cube" type="box" dim="3" count="2 3 2" pos="0 3 1">{_EDGES}</flexcomp>'
)  # fmt: skip
_PLUGIN = '<plugin instance="ring"/>'
RINGS = mjcf(
    body(f'<geom type="sdf" mesh="ring">{_PLUGIN}</geom>')
    + body('<joint/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>'
           f'<geom type="sdf" mesh="ring">{_PLUGIN}</geom>'),
    '<extension><plugin plugin="mujoco.sdf.torus"><instance name="ring">'
    '<config key="radius1" value="0.5"/></instance></plugin></extension>'
    f'<asset><mesh name="ring">{_PLUGIN}</mesh></asset>',
)  # fmt: skip

MODELS: dict[str, str] = {
    "bodies in a fluid": mjcf(_IN_FLUID, _FLUID),
    "flexible bodies without elasticity": mjcf(
        _FLEXES, '<default><joint armature="0.1"/><geom density="9"/></default>'
    ),
    "the least mass of a body without any": mjcf(
        body('<joint axis="0 1 0"/>' + body('<joint axis="1 0 0"/>', 'pos="0.3 0.1 0"'),
             'name="a" pos="0.1 0.2 0" euler="10 20 30"'),
        '<compiler boundmass="0.7" boundinertia="0.1"/>',
    ),
    "several joints on a body": mjcf(SEVERAL_JOINTS),
    "a ball after other joints": mjcf(body(
        '<joint type="slide" axis="1 0 0"/><joint axis="1 1 0" pos="0.1 0.2 0"/>'
        '<joint type="ball" pos="0.3 0 0" damping="0.2"/><joint type="slide" axis="0 1 2"/>'
        '<geom type="box" size="0.1 0.2 0.3" pos="0 0.1 0"/>', 'pos="1 2 3" euler="10 20 30"')),
    "free joints": mjcf(FREE),
    "angles in radians": mjcf(
        body('<joint axis="0 1 0" ref="1.5"/><geom size="0.1" pos="1 0 0"/>', 'euler="1 0.5 -2"'),
        '<compiler angle="radian" eulerseq="zXy"/>',
    ),
    "euler angles about fixed axes": mjcf(
        body('<joint/><geom size="0.1" pos="1 0 0"/>', 'name="a" euler="10 20 30"'),
        '<compiler eulerseq="XYZ"/>',
    ),
    "inertia of shapes": mjcf(_SHAPES),
    "shapes from end to end": mjcf(_LONG),
    "meshes": mjcf(_MESH_BODIES, f"<asset>{_MESHES}</asset>"),
    "built-in spheres": mjcf(
        "".join(body(f'<freejoint/><geom type="mesh" mesh="s{k}" pos="1 0 0"/>') for k in range(4)),
        "<asset>" + "".join(f'<mesh name="s{k}" builtin="sphere" params="{k}" scale=".5 .5 .5"/>'
                            for k in range(4)) + "</asset>"
    ),
    "primitives fitted to meshes": mjcf(_FITTED, f"<asset>{_MESHES}</asset>"),
    "primitives around meshes": mjcf(
        _FITTED, f'<compiler fitaabb="true"/><asset>{_MESHES}</asset>'
    ),
    "springs by their time constants": mjcf(
        SEVERAL_JOINTS.replace("<joint ", '<joint springdamper="0.5 0.7" ')
        + FREE.replace("<joint ", '<joint springdamper="0.4 1.2" '),
    ),
    "groups of inertia": mjcf(
        body('<joint/><geom size="0.1" pos="1 0 0"/><geom size="0.2" group="4"/>'),
        '<compiler inertiagrouprange="0 3"/>',
    ),
    "inertia from geoms alone": mjcf(
        body('<joint/><inertial pos="0 0 0" mass="9" diaginertia="1 1 1"/>'
             '<geom size="0.1" pos="1 0 0"/>'),
        '<compiler inertiafromgeom="true"/>',
    ),
    "bounds of mass and inertia": mjcf(
        body('<joint/><inertial pos="0 0 0" mass="1e-3" diaginertia="1e-3 2e-3 2.5e-3"/>'
             + body("<joint axis='1 0 0'/><inertial pos='1 0 0' mass='1' diaginertia='1 1 1'/>")),
        '<compiler boundmass="0.1" boundinertia="0.0022"/>',
    ),
    "balanced inertia": mjcf(
        body('<joint/><inertial pos="0 0 0" mass="1" diaginertia="1 2 5" euler="10 20 30"/>'),
        '<compiler balanceinertia="true"/>',
    ),
    "total mass": mjcf(SEVERAL_JOINTS + FREE, '<compiler settotalmass="7"/>'),
    "default classes": mjcf(_CLASSES, _DEFAULTS),
    "frames": mjcf(_FRAMES),
    "replicas": mjcf(_REPLICAS),
    "the model attached to itself": mjcf(
        _ONE + '<frame pos="0 0 1" euler="90 0 0"><attach body="a" prefix="b_"/></frame>'
    ),
    "gravity of its own": mjcf(SEVERAL_JOINTS, '<option gravity="1 2 3" timestep="0.01"/>'),
    "no gravity": mjcf(FREE, '<option gravity="1 2 3"><flag gravity="disable"/></option>'),
    "names of bodies, joints and sites alike": mjcf(
        body('<joint name="a"/><geom name="a" size="0.1"/><site name="a" pos="0 0 1"/>'
             + body('<joint/><geom size="0.1"/>', 'pos="0 0 1"'), 'name="a"')
    ),
}  # fmt: skip
DRIVEN = """<mujoco><option timestep="0.01" magnetic="1 2 3"/><worldbody>
  <site name="eye" pos="0 0 2" zaxis="1 0 1"/>
  <body name="arm" pos="0 0 1"><joint name="hinge" axis="0 1 0" range="-80 90"/>
    <geom type="box" size=".3 .05 .05"/><site name="mid" pos=".1 .2 0" euler="0 90 0"/>
    <geom name="drum" type="cylinder" size=".04 .1" pos=".2 0 0" euler="90 0 0"/>
    <body name="hand" pos=".3 0 0"><joint name="ball" type="ball"/><geom size=".1"/>
      <site name="tip" pos=".1 .1 0"/></body></body>
  <body name="cart" pos="0 1 0"><joint name="slide" type="slide"/><geom size=".1"/>
    <site name="pin" pos="0 0 .1"/></body></worldbody>
<tendon>
  <fixed name="sum" stiffness="7" damping="0.3" springlength="-1 2" range="-2 3">
    <joint joint="hinge" coef="2"/><joint joint="slide" coef="-1.5"/></fixed>
  <spatial name="line" stiffness="3" springlength=".1 .9" armature=".5" frictionloss=".2"
    actuatorfrcrange="-1 2"><site site="mid"/><site site="tip"/></spatial>
  <spatial name="path"><site site="eye"/><geom geom="drum" sidesite="mid"/><site site="tip"/>
    <pulley divisor="2"/><site site="tip"/><site site="pin"/></spatial>
</tendon><actuator>
  <motor name="motor" joint="hinge" gear="3" ctrlrange="-.3 .3" forcerange="-2 .5"/>
  <motor name="turn" jointinparent="ball" gear="1 0 2"/>
  <position name="circle" joint="ball" gear="0 2 0" kp="3"/>
  <position name="servo" tendon="sum" kp="20" kv="3" timeconst="0.2" actearly="true"/>
  <intvelocity name="hold" joint="slide" kp="5" kv="1" actrange="-.3 .3"/>
  <general name="affine" tendon="path" gaintype="affine" gainprm="1 2 3" dyntype="filter"
    dynprm=".5"/>
  <muscle name="muscle" tendon="line" lengthrange=".1 3" tausmooth=".3" fpmax="2"/>
  <motor name="jet" site="tip" refsite="mid" gear="1 2 3 4 5 6"/>
  <motor name="crank" cranksite="pin" slidersite="mid" cranklength="3"/>
  <dcmotor name="dc" joint="hinge" motorconst="2" resistance=".5" cogging="1 6 .3" saturation="30"
    input="pos vel ff" controller="10 0 5 0 0 6" lugre="100 1 .5 .8 .1" inductance="0 .02"/>
  <adhesion name="grip" body="hand" ctrlrange="0 1" gain="4"/>
</actuator><sensor>
  <gyro name="gyro" site="tip" cutoff="2" noise=".1" delay=".03" nsample="4"/>
  <magnetometer name="north" site="mid"/><rangefinder name="range" site="eye"/>
  <touch name="touch" site="pin"/>
  <framepos name="place" objtype="site" objname="tip" reftype="site" refname="mid"/>
  <jointpos name="angle" joint="hinge"/><ballquat name="turned" joint="ball"/>
  <subtreecom name="com" body="arm"/><clock name="time"/><e_kinetic name="T"/>
  <actuatorfrc name="force" actuator="muscle"/><tendonpos name="length" tendon="path"/>
</sensor></mujoco>"""
"""Tendons, actuators and sensors of all sorts."""
KEYS = """<mujoco><worldbody><body name="b" pos="0 0 1"><freejoint/><geom size=".1"/></body>
  <body name="arm" pos="1 0 0"><joint name="h" ref="30"/><geom size=".1"/>
    <body name="hand"><joint name="s" type="ball"/><geom size=".1"/></body></body></worldbody>
<actuator><motor joint="h"/><position joint="h" timeconst="1"/></actuator><keyframe>
  <key name="home" time="2" qpos="0 0 3 2 0 0 2 .5 0 1 0 0" qvel="1 2 3 4 5 6 7 8 9 10" ctrl="1 2"
    act="3"/>
  <key name="short" qpos="0 0"/><key/>
</keyframe></mujoco>"""
"""Keyframes, one of which is too short."""
