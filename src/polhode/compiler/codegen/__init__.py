"""Printers from straight-line code to machine code, and the drivers around it."""
