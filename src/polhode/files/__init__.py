"""Files: which kinds there are, reading them within limits, writing them whole or not at all.

May import `errors`.
"""
