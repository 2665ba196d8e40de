"""The animation engine: bodies, symbolic channels, frames, animations and what moves them."""
