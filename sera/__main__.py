"""`python -m sera` does what `sera` does."""

from sera.cli import main

if __name__ == "__main__":
    main()
