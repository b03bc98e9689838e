"""Models in OpenSim's format, old and new, written for these tests."""

from __future__ import annotations

CURVE = "<x> -2 -1 0 0.5 1.5 2 </x><y> 0.02 -0.01 0 0.03 0.01 0.05 </y>"


def spatial_transform(**axes: str) -> str:
    """A transform of named axes, each what stands in its element."""
    inside = "".join(f'<TransformAxis name="{name}">{text}</TransformAxis>'
                     for name, text in axes.items())  # fmt: skip
    return f"<SpatialTransform>{inside}</SpatialTransform>"


def axis(direction: str, coordinate: str = "", function: str = "") -> str:
    """What stands in a transform axis."""
    held = f"<function>{function}</function>" if function else ""
    return f"<axis>{direction}</axis><coordinates>{coordinate}</coordinates>{held}"


def coordinate(name: str, more: str = "") -> str:
    return f'<Coordinate name="{name}">{more}</Coordinate>'


SPLINE = f"<SimmSpline>{CURVE}</SimmSpline>"
KNEE = spatial_transform(
    rotation1=axis("0 0 2", "knee", "<LinearFunction><coefficients>1 0</coefficients>"
                   "</LinearFunction>"),
    rotation2=axis("1 0 0", "", "<Constant><value>0</value></Constant>"),
    rotation3=axis("0 1 0", "", "<Constant><value>0.2</value></Constant>"),
    translation1=axis("1 0 0", "knee", SPLINE),
    translation2=axis("0 1 0", "knee", "<MultiplierFunction><function><PolynomialFunction>"
                      "<coefficients>0.1 0 -0.4</coefficients></PolynomialFunction></function>"
                      "<scale>1.5</scale></MultiplierFunction>"),
)  # fmt: skip
MASS = "<mass> 2 </mass><mass_center> 0 -0.2 0.01 </mass_center>"


def old_body(name: str, joint: str, inertia: str = "0.02 0.01 0.03") -> str:
    """A body of a file before version 4, with the joint that carries it."""
    moments = "".join(f"<inertia_{k}{k}>{x}</inertia_{k}{k}>"
                      for k, x in zip("xyz", inertia.split(), strict=True))  # fmt: skip
    return f'<Body name="{name}">{MASS}{moments}<Joint>{joint}</Joint></Body>'


def old_joint(kind: str, name: str, parent: str, coordinates: str, more: str = "") -> str:
    """A joint of such a file."""
    return (
        f'<{kind} name="{name}"><parent_body>{parent}</parent_body>'
        "<location_in_parent>0.1 -0.4 0</location_in_parent>"
        "<orientation_in_parent>0.1 0.2 0.3</orientation_in_parent>"
        "<location>0 0.05 0</location><orientation>0 0 0.1</orientation>"
        f"<CoordinateSet><objects>{coordinates}</objects></CoordinateSet>{more}</{kind}>"
    )


HIP = old_joint("PinJoint", "hip_joint", "ground", coordinate(
    "hip", "<default_value>0.3</default_value><range>-1 1</range><clamped>true</clamped>"
))  # fmt: skip
SHANK = old_joint("CustomJoint", "knee_joint", "thigh", coordinate("knee"), KNEE)
MARKERS = (
    '<MarkerSet><objects><Marker name="toe"><body>shank</body><location>0 -0.4 0.1</location>'
    '</Marker><Marker name="wall"><body>ground</body><location>1 2 3</location></Marker></objects>'
    "</MarkerSet>"
)
MUSCLE = '<ForceSet><objects><Thelen2003Muscle name="m"/></objects></ForceSet>'


def document(inside: str, version: str = "20302") -> str:
    return (
        f'<?xml version="1.0"?><OpenSimDocument Version="{version}"><Model name="leg">'
        f"{inside}</Model></OpenSimDocument>"
    )


def old(bodies: str, more: str = "") -> str:
    """A file before version 4."""
    ground = '<Body name="ground"><mass>0</mass><Joint/></Body>'
    return document(f"<BodySet><objects>{ground}{bodies}</objects></BodySet>{more}")


OLD = old(old_body("thigh", HIP) + old_body("shank", SHANK), MARKERS + MUSCLE)


def offset(name: str, parent: str, translation: str, orientation: str) -> str:
    return (
        f'<PhysicalOffsetFrame name="{name}"><socket_parent>{parent}</socket_parent>'
        f"<translation>{translation}</translation><orientation>{orientation}</orientation>"
        "</PhysicalOffsetFrame>"
    )


def new_joint(
    kind: str, name: str, parent: str, child: str, coordinates: str, more: str = ""
) -> str:
    """A joint of a file of version 4, between the same frames as `old_joint`."""
    frames = offset("there", parent, "0.1 -0.4 0", "0.1 0.2 0.3")
    frames += offset("here", child, "0 0.05 0", "0 0 0.1")
    return (
        f'<{kind} name="{name}"><socket_parent_frame>there</socket_parent_frame>'
        f"<socket_child_frame>here</socket_child_frame><coordinates>{coordinates}</coordinates>"
        f"<frames>{frames}</frames>{more}</{kind}>"
    )


def new_body(name: str) -> str:
    return f'<Body name="{name}">{MASS}<inertia>0.02 0.01 0.03 0 0 0</inertia></Body>'


def new(bodies: str, joints: str, more: str = "") -> str:
    """A file of version 4."""
    return document(
        f"<BodySet><objects>{bodies}</objects></BodySet>"
        f"<JointSet><objects>{joints}</objects></JointSet>{more}",
        "40000",
    )


NEW = new(
    new_body("thigh") + new_body("shank"),
    new_joint(
        "CustomJoint", "knee_joint", "/bodyset/thigh", "/bodyset/shank", coordinate("knee"),
        KNEE.replace("<function>", "").replace("</function>", "").replace(
            "<SimmSpline>", '<SimmSpline name="function">'),
    )
    + new_joint("PinJoint", "hip_joint", "/ground", "/bodyset/thigh", coordinate(
        "hip", "<default_value>0.3</default_value><range>-1 1</range><clamped>true</clamped>")),
    MARKERS.replace("<body>", "<socket_parent_frame>/bodyset/").replace(
        "</body>", "</socket_parent_frame>").replace("/bodyset/ground", "/ground"),
)  # fmt: skip

MOTION = (
    "a title\nversion=1\nnRows=3\ninDegrees=yes\n\nendheader\n"
    "time\thip\tknee angle\n0\t1\t2\n0.5\t-1e1\tnan\n\n 1.0 \t3\tinf\n"
)
MARKER_TABLE = (
    "PathFileType\t4\t(X/Y/Z)\tx.trc\n"
    "DataRate\tCameraRate\tNumFrames\tNumMarkers\tUnits\n60\t60\t2\t2\tmm\n"
    "Frame#\tTime\ttoe\t\t\theel\t\t\n\t\tX1\tY1\tZ1\tX2\tY2\tZ2\n\n"
    "1\t0.1\t1\t2\t3\t\t\t\n2\t0.2\t4\t5\t6\t7\t8\t9\t\n"
)
