"""Moreau's time step of scenes: many worlds in the lanes of a register, or one."""
