"""A package, since one of the libraries installs a package `tests`, too: this one comes first."""
