"""Helpers for tests of HTML pages."""

from html.parser import HTMLParser

PHONE = {"width": 360, "height": 740}


class Elements(HTMLParser):
    """All elements of a page as pairs of tag and attributes."""

    def __init__(self, html):
        super().__init__()
        self.found = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.found.append((tag, dict(attributes)))

    def of(self, *tags):
        return [attributes for tag, attributes in self.found if tag in tags]
