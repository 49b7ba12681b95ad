"""Tables: files of every format, the choice of label and feature columns, preparation, and streams."""
