"""The way of one message: taken in, answered, rendered, sent."""
