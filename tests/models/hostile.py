"""How sound files of models become hostile ones."""

import json
from zipfile import ZipFile


def rewrite(path, **members):
    """Replace members of an archive, by functions of their content; a dot in a name is written as _."""
    with ZipFile(path) as old:
        content = {name: old.read(name) for name in old.namelist()}
    for name in content:
        change = members.get(name.replace(".", "_"))
        content[name] = change(content[name]) if change else content[name]
    with ZipFile(path, "w") as new:
        for name, value in content.items():
            new.writestr(name, value)


def plant(path, node):
    """Put a node of the skops format in the place of an attribute of the model."""

    def change(schema):
        tree = json.loads(schema)
        tree["content"]["content"]["floor_"] = node
        return json.dumps(tree).encode()

    rewrite(path, schema_json=change)


def text(value):
    return {"__class__": "str", "__module__": "builtins", "__loader__": "JsonNode", "content": json.dumps(value)}


def sequence(kind, *items):
    loader = f"{kind.capitalize()}Node"
    return {"__class__": kind, "__module__": "builtins", "__loader__": loader, "content": list(items)}
