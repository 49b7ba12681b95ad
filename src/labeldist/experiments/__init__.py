"""The paper's experiments: a spec, raw records, and what they say.

It needs the ``app`` extra: ``pip install 'labeldist[app]'``.
"""
