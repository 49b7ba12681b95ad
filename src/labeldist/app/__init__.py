"""The application: the command ``labeldist``, tables, the explorer, exports of annotation tools."""
