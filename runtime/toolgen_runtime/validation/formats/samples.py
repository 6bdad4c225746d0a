"""Valid sample strings for each format. Hints show the first one, and `diff` and `docs` try the others too."""

from __future__ import annotations

FORMAT_SAMPLES = {
    "date-time": ("2024-01-02T03:04:05Z", "1999-12-31T23:59:59.5+02:00"),
    "date": ("2024-01-02", "1999-12-31"),
    "time": ("03:04:05Z", "23:59:59.5+02:00"),
    "duration": ("P1DT2H", "PT1H"),
    "email": ("user@example.com", "first.last+tag@mail.example.org"),
    "idn-email": ("user@example.com", "first.last@mail.example.org"),
    "hostname": ("example.com", "x-1.test"),
    "idn-hostname": ("example.com", "x-1.test"),
    "ipv4": ("192.0.2.1", "8.8.8.8"),
    "ipv6": ("2001:db8::1", "::1", "2001:db8::8a2e:370:7334"),
    "uri": ("https://example.com/page", "urn:x:y", "http://b.test?c=d#e"),
    "url": ("https://example.com/page",),
    "uri-reference": ("/page", "https://example.com/a", "?q"),
    "iri": ("https://example.com/page", "urn:x:y"),
    "iri-reference": ("/page", "https://example.com/a"),
    "uri-template": ("/{a}", "https://example.com/{b*}"),
    "uuid": ("123e4567-e89b-42d3-a456-426614174000", "ffffffff-ffff-4fff-8fff-ffffffffffff"),
    "json-pointer": ("/a/b", "", "/b/0"),
    "relative-json-pointer": ("0", "1/a"),
    "regex": ("^a+$", "a"),
}
"""All strings are valid in their format. `url` is not a format of JSON Schema, but schemas use it."""
