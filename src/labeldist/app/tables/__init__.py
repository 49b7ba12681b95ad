"""Tables: files of several formats, kinds of columns, choice of labels and features, streams."""
