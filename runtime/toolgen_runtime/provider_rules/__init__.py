"""The rules by which providers reject requests, as data: numbers, wording and fixes. No request is read here."""
