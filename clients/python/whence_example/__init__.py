"""A client of Whence in a few small files: copy what you need."""
