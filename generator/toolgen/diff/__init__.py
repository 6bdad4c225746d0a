"""What a change of tools means for those who call them: containment of schemas, or a payload that breaks."""
