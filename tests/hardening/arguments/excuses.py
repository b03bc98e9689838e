"""Public callables and answers that are not walked over, or not judged, and why."""

from __future__ import annotations

PENDING: dict[str, str] = {
}  # fmt: skip
"""Callables whose arguments are not converted yet, and which part of the library they are."""

_KERNELS = "works on scalars of any kind, traced ones too, and checks nothing"
_MADE_BY_RUNS = "made by runs; what is read from files is in test_loaders"
_FILES = "takes a file: test_loaders, test_kept_inputs and the fuzzers"
_PAGES = "makes pages and pictures: tests/viewer"
_ERROR = "an error that polhode raises"
_SIMULATOR = "of the simulator's own loop; public callers check"

REASONS: dict[str, str] = {
    "polhode.spatial.": _KERNELS,
    "polhode.scalar.": _KERNELS,
    "polhode.algorithms.": _KERNELS,
    "polhode.rbdl.": "as RBDL has them: tests/rbdl",
    "polhode.spatial_v2.": "as spatial_v2 has them: tests/spatial_v2",
    "polhode.formats.": _FILES,
    "polhode.load": _FILES,
    "polhode.Scene.add_urdf": _FILES,
    "polhode.save": _FILES,
    "polhode.Recording": _MADE_BY_RUNS,
    "polhode.sweeps.SweepResult": _MADE_BY_RUNS,
    "polhode.ArgumentError": _ERROR,
    "polhode.ModelError": _ERROR,
    "polhode.ParseError": _ERROR,
    "polhode.ShapeError": _ERROR,
    "polhode.simulation.SimulationError": _ERROR,
    "polhode.simulation.CompiledStep(": "made by compile_step",
    "polhode.simulation.SteppedState": "made by steps",
    "polhode.simulation.StateDerivatives": "made by steps",
    "polhode.simulation.StepGradient": "made by steps",
    "polhode.simulation.SimulationInterrupted": _ERROR,
    "polhode.sweeps.SweepError": _ERROR,
    "polhode.TraceError": _ERROR,
    "polhode.show": _PAGES,
    "polhode.render": _PAGES,
    "polhode.Camera.": _PAGES,
    "polhode.environments.": "takes functions or files: tests/environments",
    "polhode.sweep": "runs workers: tests/sweep",
    "polhode.sweeps.grid": "takes any values to combine",
    "polhode.model.Body": "made by models",
    "polhode.model.Joint(": "made by models",
    "polhode.model.ModelLimits": "made by models",
    "polhode.model.JointMotion": "made by joints",
    "polhode.model.ContactConstraint": "made by ConstraintSet.contact",
    "polhode.model.LoopConstraint": "made by ConstraintSet.loop",
    "polhode.model.RigidBody.joined": "of models",
    "polhode.model.Link": "made by Model.add",
    "polhode.model.JointDynamics.for_each": "of Model itself",
    "polhode.model.Visual": "made by readers",
    "polhode.model.Mesh": _FILES,
    "polhode.model.Custom(": "takes the user's own function",
    "polhode.model.axis_joint": "of readers",
    "polhode.model.Sensor": "made by Scene.add_sensor",
    "polhode.kinematics.Targets(": "made by its own methods",
    "polhode.Program.kernel": "of compiled loops",
    "polhode.constraints.ConstraintSet.declared": "of readers",
    "polhode.constraints.ConstraintSet.from_records": "of readers",
    "polhode.Scene(": "made by its own methods",
    "polhode.Scene.add_force": "takes a force element",
    "polhode.Scene.add_loop": "takes what the kind of loop takes",
    "polhode.Scene.add_plugin": "takes the user's own function",
    "polhode.Model.add_actuator": "takes a record of polhode.model",
    "polhode.Scene.add_actuator": "takes a record of polhode.model",
    **{
        f"polhode.model.{kind}": "made by Model.add_motor and its like, and by readers"
        for kind in (
            "Actuator", "AdhesionTransmission", "Affine", "Anchor", "DCMotor", "Filter", "ForceLaw",
            "IntegralActivation", "JointTransmission", "LuGre", "MuscleActivation", "MuscleCurves",
            "Pulley", "SiteFrame", "SiteTransmission", "SliderCrankTransmission", "Tendon",
            "TendonTransmission", "Wrapping",
        )
    },
    "polhode.Scene.bodies_of": "takes a force element of the scene",
    "polhode.Scene.of": "takes what Scene.add_machine takes",
    "polhode.Scene.says_of_contact": "takes two of its geometries",
    "polhode.Scene.with_settings": "takes the fields of settings",
    "polhode.Scene.with_start": "takes what Scene.add_machine takes",
    "polhode.TimeSteppingSimulator": "takes what Simulator takes",
    "polhode.Simulator.advance": _SIMULATOR,
    "polhode.Simulator.joint_forces": _SIMULATOR,
    "polhode.Simulator.solve": "of integrators of SciPy",
    "polhode.Simulator.coordinates": _SIMULATOR,
    "polhode.Simulator.restore": _SIMULATOR,
    **dict.fromkeys(
        (
            "polhode.actuation.ActuatorValues", "polhode.constraints.Assembly",
            "polhode.constraints.ConstrainedForces",
            "polhode.constraints.ConstrainedMotion", "polhode.constraints.ConstrainedSystem",
            "polhode.constraints.ConstraintErrors", "polhode.constraints.ConstraintReport",
            "polhode.constraints.Group", "polhode.constraints.Impact",
            "polhode.contact.ContactPoint", "polhode.contact.Distance",
            "polhode.derivatives.ConstrainedDynamicsDerivatives",
            "polhode.derivatives.EnergyDerivatives",
            "polhode.derivatives.ForwardDynamicsSecondDerivatives",
            "polhode.derivatives.ImpactDerivatives",
            "polhode.derivatives.InverseDynamicsSecondDerivatives",
            "polhode.derivatives.MomentumDerivatives",
            "polhode.identification.BaseParameters", "polhode.identification.Identification",
            "polhode.kinematics.Energy", "polhode.kinematics.IKResult",
        ),
        "what a function returns",
    ),
    "polhode.constraints.Contact(": "made by ConstraintSet.contact",
    "polhode.constraints.Custom(": "made by ConstraintSet.custom",
    "polhode.constraints.Custom.rows": "called by algorithms; judges what the user's code returns",
    "polhode.constraints.Loop(": "made by ConstraintSet.loop",
    "polhode.simulation.Audit": _MADE_BY_RUNS,
    "polhode.simulation.RecordedContact": _MADE_BY_RUNS,
    "polhode.simulation.StartError": "an error",
    "polhode.simulation.State": _MADE_BY_RUNS,
    "polhode.simulation.ZeroOrderHold": "made by zero_order_hold",
    **{
        f"polhode.model.{kind}.{method}": _KERNELS
        for kind in (
            "Axes", "Custom", "Euler", "Fixed", "FloatingBase", "FunctionBased", "Helical",
            "JointKind", "Planar", "Prismatic", "Revolute", "Spherical", "TranslationXYZ",
            "Universal",
        )
        for method in ("difference", "integrate", "jcalc", "rates")
    },
    **{
        f"polhode.biomechanics.{name}": "takes tables of files; tests/biomechanics tries mistakes"
        for name in ("MarkerTable", "MotionTable", "applied_forces", "joint_positions", "lowpass",
                     "marker_inverse_kinematics", "read_table", "trajectory")
    },
    **{
        f"polhode.biomechanics.{name}": "what a function returns"
        for name in ("MarkerFit", "Trajectory")
    },
    "polhode.biomechanics.coordinate_names": "takes a model, as all functions",
    "polhode.model.PiecewisePolynomial.derivatives": _KERNELS,
    "polhode.model.PiecewisePolynomial.cubic_spline": "of readers",
    "polhode.model.PiecewisePolynomial.lines": "of readers",
    "polhode.model.PiecewisePolynomial.scaled": "of readers",
    "polhode.model.FunctionAxis": "made by readers",
    "polhode.model.FunctionBased(": "made by readers",
    "polhode.model.PiecewisePolynomial(": "made by its own methods",
}  # fmt: skip
"""Why callables whose line begins so have no good call here."""

EXCEPTIONS: dict[tuple[str, str, str], str] = {
    ("polhode.set_num_threads", "n", "None"): "None is the default number",
    ("polhode.Program.source", "dtype", "type"): "Python's float is float64, as in NumPy",
}
"""Faults that stay, by callable, parameter and kind, and why."""
