def refusal(model, body, *, stream):
    return None
